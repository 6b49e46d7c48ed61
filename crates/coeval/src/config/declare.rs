//! Gives every flag of a configurable command its variable, its key, and a help text that names
//! both.

use super::CONFIG;
use clap::{Arg, Command};
use std::collections::BTreeSet;

pub(super) fn declare(command: Command) -> Command {
    let configurable = is_configurable(&command);
    let command = command.mut_subcommands(declare);
    if configurable {
        command.mut_args(declare_flag)
    } else {
        command
    }
}

/// The keys of all configurable commands: one file may serve several.
pub(super) fn keys(command: &Command) -> BTreeSet<String> {
    let mut found: BTreeSet<_> = command.get_subcommands().flat_map(keys).collect();
    if is_configurable(command) {
        found.extend(command.get_arguments().filter_map(key_of));
    }
    found
}

/// The flag's key in the file. The file can't name another file.
pub(super) fn key_of(flag: &Arg) -> Option<String> {
    let long = flag.get_long().filter(|_| is_setting(flag))?;
    (long != CONFIG).then(|| long.to_owned())
}

/// A value is a setting. A switch (`--replace`) is a decision of the moment: it is said on the
/// command line or not at all.
fn is_setting(flag: &Arg) -> bool {
    flag.get_action().takes_values()
}

fn is_configurable(command: &Command) -> bool {
    command.get_arguments().any(|flag| flag.get_id() == CONFIG)
}

fn declare_flag(flag: Arg) -> Arg {
    let Some(long) = flag.get_long().filter(|_| is_setting(&flag)) else {
        return flag;
    };
    let variable = format!("COEVAL_{}", long.replace('-', "_").to_uppercase());
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let help = match key_of(&flag) {
        Some(key) => format!("{help}\n[config: {key}]"),
        None => help,
    };
    flag.env(variable).help(help)
}
