//! The grammar of the command line, as clap has it: every command with its flags and arguments, and
//! for each setting its variable and its key.

use crate::deprecated::FLAGS;
use clap::{Arg, Command};
use serde_json::{Map, Value, json};

/// By the words that call it, `coeval type check`. Hidden commands and flags are nobody's to rely on.
pub(super) fn grammar(command: &Command) -> Map<String, Value> {
    let mut command = command.clone();
    command.build();
    let mut all = Map::new();
    let mut todo = vec![("coeval".to_owned(), &command)];
    while let Some((name, command)) = todo.pop() {
        let below = command.get_subcommands();
        let below = below.filter(|below| below.get_name() != "help" && !below.is_hide_set());
        todo.extend(below.map(|below| (format!("{name} {}", below.get_name()), below)));
        let aliases: Vec<&str> = command.get_visible_aliases().collect();
        let (mut flags, mut arguments) = (Map::new(), Map::new());
        let described = |arg: &Arg| described(&name, arg);
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            match (arg.get_long(), arg.get_short()) {
                (Some("help" | "version"), _) => {}
                (Some(long), _) => drop(flags.insert(format!("--{long}"), described(arg))),
                (None, Some(short)) => drop(flags.insert(format!("-{short}"), described(arg))),
                (None, None) => drop(arguments.insert(arg.get_id().to_string(), described(arg))),
            }
        }
        all.insert(
            name,
            json!({ "aliases": aliases, "flags": flags, "arguments": arguments }),
        );
    }
    all.sort_keys();
    all
}

fn described(command: &str, arg: &Arg) -> Value {
    let takes_value = arg.get_action().takes_values();
    let mut one = json!({ "value": takes_value, "required": arg.is_required_set() });
    let Some(map) = one.as_object_mut() else {
        return one;
    };
    let to_go = FLAGS
        .iter()
        .find(|one| one.command == command && arg.get_long().is_some_and(|long| long == one.flag));
    map.extend(to_go.map(|one| ("x-deprecated".to_owned(), one.deprecation.document())));
    let many = arg
        .get_num_args()
        .is_some_and(|range| range.max_values() > 1)
        || matches!(arg.get_action(), clap::ArgAction::Append);
    if many && takes_value {
        map.insert("many".into(), json!(true));
    }
    if let (Some(short), Some(_)) = (arg.get_short(), arg.get_long()) {
        map.insert("short".into(), json!(format!("-{short}")));
    }
    if let Some(index) = arg.get_index() {
        map.insert("position".into(), json!(index));
    }
    if let Some(aliases) = arg.get_visible_aliases().filter(|all| !all.is_empty()) {
        map.insert("aliases".into(), json!(aliases));
    }
    let values = arg.get_possible_values();
    let values: Vec<_> = values.iter().filter(|one| !one.is_hide_set()).collect();
    if takes_value && !values.is_empty() {
        let names: Vec<&str> = values.iter().map(|one| one.get_name()).collect();
        map.insert("values".into(), json!(names));
    }
    if let Some(variable) = arg.get_env().and_then(|variable| variable.to_str()) {
        map.insert("variable".into(), json!(variable));
        let key = arg.get_long().filter(|long| *long != "config");
        map.extend(key.map(|key| ("key".to_owned(), json!(key))));
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::CommandLine;

    #[test]
    fn a_setting_has_its_flag_its_variable_and_its_key() {
        let all = grammar(&crate::config::declared::<CommandLine>());
        let listen = &all["coeval serve"]["flags"]["--listen"];
        assert_eq!(listen["variable"], "COEVAL_LISTEN");
        assert_eq!(listen["key"], "listen");
        assert_eq!(listen["value"], true);
    }

    #[test]
    fn what_is_hidden_is_not_there_and_arguments_have_their_place() {
        let all = grammar(&crate::config::declared::<CommandLine>());
        assert!(!all.contains_key("coeval surface") && !all.contains_key("coeval man"));
        let asked = &all["coeval get"]["arguments"];
        assert!(
            asked.as_object().is_some_and(|all| !all.is_empty()),
            "{asked}"
        );
        let formats = &all["coeval get"]["flags"]["--output"];
        assert_eq!(formats["short"], "-o", "{formats}");
    }
}
