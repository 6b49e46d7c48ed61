//! Flags, environment variables and the config file: one declaration, clap's.
//!
//! A command that flattens [`ConfigFile`] gets all three for its flags that take a value. For `--drain-seconds` the variable is
//! `COEVAL_DRAIN_SECONDS` and the file's key `drain-seconds`. A flag beats the variable, that
//! beats the file, that beats the default; the file's values *are* clap's defaults, so they are
//! checked by the same parsers.

mod declare;
mod file;
mod nearest;

use crate::deprecated;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches};
use coeval_cli::Failure;
use file::FileSettings;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The flag's name and its id.
const CONFIG: &str = "config";

/// Makes a command take its flags from a file too.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigFile {
    /// TOML file with values for these flags; a key is a flag's name without the dashes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Why there is nothing to run.
#[derive(Debug)]
pub(crate) enum ParseStop {
    /// Help, the version, or wrong flags.
    Clap(clap::Error),
    /// A config file that can't be used.
    Failure(Failure),
}

impl ParseStop {
    /// Prints it; the code to exit with.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Clap(error) => {
                let _ = error.print();
                u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
            }
            Self::Failure(failure) => failure.report(),
        }
    }
}

/// A command with the variables and keys of its flags.
pub(crate) fn declared<C: CommandFactory>() -> Command {
    declare::declare(C::command())
}

/// Reads the arguments, the environment and, where one is named, the file. The matches are those
/// of the innermost subcommand.
pub(crate) fn parse<C>(
    arguments: impl Iterator<Item = OsString>,
) -> Result<(C, ArgMatches), ParseStop>
where
    C: CommandFactory + FromArgMatches,
{
    let arguments: Vec<_> = arguments.collect();
    let command = declared::<C>();
    // Parsed twice: only the arguments say which file there is, and its values become defaults of a second
    // reading, so that flags and variables still beat them.
    let mut matches = command
        .clone()
        .try_get_matches_from(&arguments)
        .map_err(ParseStop::Clap)?;
    let (path, inner) = innermost(&matches);
    let mut file_keys = BTreeSet::new();
    if let Ok(Some(file)) = inner.try_get_one::<PathBuf>(CONFIG) {
        // Against the keys of all commands: one file may serve several of them.
        let settings = FileSettings::read(file).map_err(ParseStop::Failure)?;
        file_keys = settings.keys();
        settings
            .refuse_unknown(&declare::keys(&command))
            .map_err(ParseStop::Failure)?;
        matches = apply(command, &path, &settings)
            .map_err(ParseStop::Failure)?
            .try_get_matches_from(&arguments)
            .map_err(ParseStop::Clap)?;
    }
    let parsed = C::from_arg_matches(&matches).map_err(ParseStop::Clap)?;
    let (path, inner) = innermost(&matches);
    for warning in deprecated::warnings(deprecated::FLAGS, &path, inner, &file_keys) {
        eprintln!("{warning}");
    }
    Ok((parsed, inner.clone()))
}

fn innermost(matches: &ArgMatches) -> (Vec<String>, &ArgMatches) {
    let mut path = Vec::new();
    let mut inner = matches;
    while let Some((name, deeper)) = inner.subcommand() {
        path.push(name.to_owned());
        inner = deeper;
    }
    (path, inner)
}

/// Sets the file's values as defaults of the command at the path.
fn apply(command: Command, path: &[String], settings: &FileSettings) -> Result<Command, Failure> {
    let Some((name, deeper)) = path.split_first() else {
        return settings.apply(command);
    };
    let Some(subcommand) = command.find_subcommand(name) else {
        return Ok(command);
    };
    let applied = apply(subcommand.clone(), deeper, settings)?;
    Ok(command.mut_subcommand(name, |_| applied))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    enum Commands {
        Paint {
            #[arg(long)]
            colours: Vec<String>,
            #[arg(long, default_value = "1")]
            coats: u8,
            #[arg(long)]
            replace: bool,
            #[command(flatten)]
            _config: ConfigFile,
        },
        Wash {
            #[arg(long)]
            soap: Option<String>,
            #[command(flatten)]
            _config: ConfigFile,
        },
    }

    fn parsed(text: &str, arguments: &[&str]) -> Result<Commands, ParseStop> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c.toml");
        std::fs::write(&file, text).unwrap();
        let mut all = vec!["test"];
        all.extend(arguments);
        all.extend(["--config", file.to_str().unwrap()]);
        parse(all.into_iter().map(OsString::from)).map(|(commands, _)| commands)
    }

    #[test]
    fn lists_and_numbers_are_taken_from_the_file_and_keys_of_other_commands_left() {
        let text = "colours = [\"red\", \"blue\"]\ncoats = 3\nsoap = \"mild\"\n";
        let Ok(Commands::Paint {
            colours,
            coats,
            replace,
            ..
        }) = parsed(text, &["paint"])
        else {
            panic!("not parsed");
        };
        assert_eq!(
            (colours, coats, replace),
            (vec!["red".into(), "blue".into()], 3, false)
        );
        let Ok(Commands::Wash { soap, .. }) = parsed(text, &["wash"]) else {
            panic!("not parsed");
        };
        assert_eq!(soap.as_deref(), Some("mild"));
        let given = ["paint", "--colours", "green"];
        let Ok(Commands::Paint { colours, .. }) = parsed(text, &given) else {
            panic!("not parsed");
        };
        assert_eq!(
            colours,
            ["green"],
            "a flag replaces the list, it adds nothing"
        );
    }

    #[test]
    fn a_switch_is_no_setting() {
        let Err(ParseStop::Failure(failure)) = parsed("replace = true", &["paint"]) else {
            panic!("accepted");
        };
        assert!(
            failure.to_string().contains("no key `replace`"),
            "{failure}"
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_with_its_line() {
        let Err(ParseStop::Failure(failure)) = parsed("\ncoats = 300", &["paint"]) else {
            panic!("accepted");
        };
        assert!(failure.to_string().contains("line 2"), "{failure}");
    }
}
