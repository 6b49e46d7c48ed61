//! What help, messages and pages say of commands is what the parser takes.

mod literals;
mod quoted;

use crate::cli::CommandLine;
use clap::{Command, FromArgMatches as _};
use quoted::{flags_in, quoted_commands, words};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Flags of other programs that pages tell to call, and what only looks like one.
const OF_OTHERS: &[&str] = &["--noout"];

/// Every command with the words that call it.
fn all() -> Vec<(String, Command)> {
    let mut command = crate::config::declared::<CommandLine>();
    command.build();
    let mut all = Vec::new();
    let mut todo = vec![("coeval".to_owned(), command)];
    while let Some((name, command)) = todo.pop() {
        let below = command.get_subcommands();
        let below = below.filter(|below| below.get_name() != "help");
        todo.extend(below.map(|below| (format!("{name} {}", below.get_name()), below.clone())));
        all.push((name, command));
    }
    all
}

fn help_after(command: &Command) -> String {
    let after = command.get_after_help().or(command.get_after_long_help());
    after.map(ToString::to_string).unwrap_or_default()
}

/// The lines from `Examples:` to the next empty one.
fn examples(command: &Command) -> Vec<String> {
    let help = help_after(command);
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // What is further right explains.
    let said = lines.filter_map(|line| line.trim().split("  ").next());
    said.map(str::to_owned).collect()
}

#[test]
fn every_command_has_examples() {
    let all = all().into_iter();
    let without = all.filter(|(_, command)| examples(command).is_empty());
    let wrong: Vec<_> = without.map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "without examples: {wrong:#?}");
}

#[test]
fn every_example_is_taken_by_the_parser() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (name, command) in all() {
        for line in examples(&command) {
            for part in line.split(" && ") {
                let called = words(part);
                if called.first().map(String::as_str) != Some("coeval") {
                    wrong.push(format!("{name}: {line}: no command of ours"));
                    continue;
                }
                let matches = crate::config::declared::<CommandLine>().try_get_matches_from(called);
                if let Err(why) = matches.and_then(|m| CommandLine::from_arg_matches(&m)) {
                    wrong.push(format!("{name}: {line}: {why}"));
                }
                count += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count}");
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All that people may read, with the file that it is from.
fn said() -> Vec<(PathBuf, String)> {
    let mut said = Vec::new();
    for path in files(&root().join("crates"), ".rs") {
        let name = path.to_string_lossy().into_owned();
        let inside = |part: &str| name.contains(part);
        let shown = inside("/src/") && !inside("/tests") && !inside("_tests");
        // Programs of their own, with flags of their own.
        let of_others = [
            "/bench/",
            "/core-suite/",
            "/storage-suite/",
            "/phases-model/",
            "/release-check/",
        ];
        if shown && !of_others.iter().any(|part| inside(part)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let with_help = inside("/coeval/src/") || inside("/cli/src/");
            let all = literals::of(&text, with_help);
            said.extend(all.into_iter().map(|text| (path.clone(), text)));
        }
    }
    for path in files(&root().join("docs/errors"), ".md") {
        let text = std::fs::read_to_string(&path).unwrap();
        said.push((path, text));
    }
    said
}

/// How it is seen from the repository.
fn short(path: &Path) -> String {
    let path = path.to_string_lossy();
    path.rsplit("../../").next().unwrap_or_default().to_owned()
}

#[test]
fn a_flag_that_is_named_exists() {
    let all = all();
    let known: BTreeSet<String> = all
        .iter()
        .flat_map(|(_, command)| command.get_arguments())
        .filter_map(|flag| Some(format!("--{}", flag.get_long()?)))
        .collect();
    let mut wrong = BTreeSet::new();
    let mut count = 0;
    for (path, text) in said() {
        for flag in flags_in(&text) {
            count += 1;
            if !known.contains(&flag) && !OF_OTHERS.contains(&flag.as_str()) {
                wrong.insert(format!("{}: {flag}", short(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "no command has these: {wrong:#?}");
    assert!(count > 50, "{count}");
}

#[test]
fn a_command_that_is_quoted_exists_with_its_flags() {
    let all = all();
    let mut wrong = BTreeSet::new();
    let mut count = 0;
    let mut texts = said();
    for path in files(&root().join("docs"), ".md") {
        texts.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
    }
    for (path, text) in texts {
        for quoted in quoted_commands(&text) {
            count += 1;
            if let Err(why) = quoted::exists(&all, &quoted) {
                wrong.insert(format!("{}: `{quoted}`: {why}", short(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 20, "{count}");
}

#[test]
fn what_a_command_takes_has_a_word_of_help() {
    let mut wrong = Vec::new();
    for (name, command) in all() {
        let silent = command
            .get_arguments()
            .filter(|flag| flag.get_help().is_none());
        wrong.extend(silent.map(|flag| format!("{name}: {}", flag.get_id())));
        if command.get_about().is_none() {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
