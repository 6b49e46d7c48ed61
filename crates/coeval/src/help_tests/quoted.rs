//! Commands and flags in texts.

use clap::Command;

/// The words of one command as a shell would see them, up to a pipe or a file.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut there = false;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                there = true;
            }
            (Some(open), _) if c == open => quote = None,
            (None, ' ') => {
                if there {
                    words.push(std::mem::take(&mut word));
                    there = false;
                }
            }
            _ => {
                word.push(c);
                there = true;
            }
        }
    }
    if there {
        words.push(word);
    }
    let ends = |word: &String| ["|", ">", ">>", "<", ";", "#", "2>&1"].contains(&word.as_str());
    let end = words.iter().position(ends).unwrap_or(words.len());
    words.truncate(end);
    // What is set for the command alone.
    let set = |word: &String| word.contains('=') && !word.starts_with('-');
    let start = words.iter().position(|word| !set(word));
    words.split_off(start.unwrap_or_default())
}

/// `--flag`, wherever one is named.
pub(super) fn flags_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let start = rest[..at].chars().next_back().unwrap_or(before);
        let after = &rest[at + 2..];
        let name: String = after
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
            .collect();
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        if begins && !start.is_alphanumeric() && start != '-' {
            found.push(format!("--{}", name.trim_end_matches('-')));
        }
        before = '-';
        rest = &after[name.len()..];
    }
    found
}

/// `` `coeval …` ``, each as it is written.
pub(super) fn quoted_commands(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    let is = |part: &&str| part.starts_with("coeval ") && !part.contains('\n');
    parts.filter(is).map(str::to_owned).collect()
}

/// Whether there is such a command, and it has these flags. Words in capitals, in brackets and after
/// those of the command stand for something.
pub(super) fn exists(all: &[(String, Command)], quoted: &str) -> Result<(), String> {
    let mut name = "coeval".to_owned();
    let mut words = words(quoted).into_iter().skip(1).peekable();
    loop {
        let Some((_, command)) = all.iter().find(|(known, _)| *known == name) else {
            return Err(format!("there is no {name}"));
        };
        let has_below = command.get_subcommands().next().is_some();
        let takes_values = command.get_positionals().next().is_some();
        let next = words.peek().filter(|word| is_name(word));
        match next {
            Some(word) if has_below => {
                let below = command
                    .get_subcommands()
                    .any(|below| below.get_name() == *word);
                match (below, takes_values) {
                    (true, _) => name = format!("{name} {word}"),
                    (false, true) => break,
                    (false, false) => return Err(format!("{name} has no {word}")),
                }
                words.next();
            }
            _ => break,
        }
    }
    let Some((_, command)) = all.iter().find(|(known, _)| *known == name) else {
        return Err(format!("there is no {name}"));
    };
    for flag in words.flat_map(|word| flags_in(&word)) {
        let has = |one: &clap::Arg| {
            one.get_long()
                .is_some_and(|long| flag == format!("--{long}"))
        };
        if flag != "--help" && !command.get_arguments().any(has) {
            return Err(format!("{name} has no {flag}"));
        }
    }
    Ok(())
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
}

#[test]
fn a_line_is_split_as_a_shell_does() {
    for (line, expected) in [
        ("a b  c", &["a", "b", "c"][..]),
        ("a 'b c' \"d\" ''", &["a", "b c", "d", ""]),
        ("a | b", &["a"]),
        ("T=1 a x=y > f", &["a", "x=y"]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn flags_and_commands_are_found_where_people_see_them() {
    let text = "Use --one or `--two-three=X`, not a--b, --- or --{x}; --four.";
    assert_eq!(flags_in(text), ["--one", "--two-three", "--four"]);
    let text = "Call `coeval get X` or `other`, `coeval errors {code}`.";
    assert_eq!(
        quoted_commands(text),
        ["coeval get X", "coeval errors {code}"]
    );
}

#[test]
fn a_wrong_command_or_flag_is_found() {
    let all = super::all();
    for (quoted, right) in [
        ("coeval type check OLD NEW", true),
        ("coeval type check --json", true),
        ("coeval type chek", false),
        ("coeval tip", false),
        ("coeval type check --jason", false),
        ("coeval access grants KIND NAME", true),
        ("coeval access app web", true),
        ("coeval serve --help", true),
    ] {
        assert_eq!(exists(&all, quoted).is_ok(), right, "{quoted}");
    }
}
