//! `coeval man`: a manual page for each command, as its `--help` says it.

use clap::{Args, Command};
use coeval_cli::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Write the manual pages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval man --out man1
  coeval man --out ~/.local/share/man/man1

A page for each command: coeval.1, coeval-get.1, coeval-type-check.1 and so on.")]
pub(crate) struct ManOptions {
    /// The folder to write them to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(options: &ManOptions, command: &Command) -> Result<(), Failure> {
    let failed = |path: &Path, error: &std::io::Error| {
        let failure = Failure::internal(format!("can't write {}: {error}", path.display()));
        failure.with_advice("Check the path, the permissions and the free space.")
    };
    let out = &options.out;
    fs::create_dir_all(out).map_err(|error| failed(out, &error))?;
    let pages =
        pages(command).map_err(|error| Failure::internal(format!("can't make a page: {error}")))?;
    for (name, text) in &pages {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| failed(&path, &error))?;
    }
    eprintln!("wrote {} pages to {}", pages.len(), out.display());
    Ok(())
}

/// The pages with their names, those of commands before those of their subcommands.
fn pages(command: &Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    let mut todo = vec![named(command.clone(), None)];
    while let Some(command) = todo.pop() {
        let mut text = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut text)?;
        let own = command.get_name().to_owned();
        pages.push((format!("{own}.1"), text));
        // clap's own help commands would be pages that say nothing.
        let below = command.get_subcommands();
        let below = below.filter(|below| below.get_name() != "help" && !below.is_hide_set());
        todo.extend(below.map(|below| named(below.clone(), Some(&own))));
    }
    Ok(pages)
}

/// `coeval-type-check`, as its page is called.
fn named(command: Command, around: Option<&str>) -> Command {
    let Some(around) = around else {
        return command;
    };
    let name = format!("{around}-{}", command.get_name());
    let said = name.replace('-', " ");
    let version = env!("CARGO_PKG_VERSION");
    command.name(name).bin_name(said).version(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::CommandLine;
    use clap::CommandFactory as _;

    #[test]
    fn each_command_has_a_page_with_its_examples() {
        let command = CommandLine::command();
        let pages = pages(&command).unwrap();
        let names: Vec<_> = pages.iter().map(|(name, _)| name.as_str()).collect();
        let mut count = 0;
        let mut todo = vec![(command, "coeval".to_owned())];
        while let Some((command, name)) = todo.pop() {
            assert!(names.contains(&format!("{name}.1").as_str()), "{name}");
            count += 1;
            for below in command
                .get_subcommands()
                .filter(|below| !below.is_hide_set())
            {
                todo.push((below.clone(), format!("{name}-{}", below.get_name())));
            }
        }
        assert_eq!(names.len(), count, "{names:?}");
        let check = pages.iter().find(|(name, _)| name == "coeval-type-check.1");
        let text = String::from_utf8(check.unwrap().1.clone()).unwrap();
        let plain = text.replace("\\-", "-");
        assert!(plain.contains("coeval type check app-1.0.0.yaml"), "{text}");
    }
}
