//! The grammar of the command line: commands, their flags and arguments, and settings.

use super::super::DocumentProblem;
use super::{filled_object, texts};
use crate::model::{CatalogItem, CatalogKind};
use crate::read::openapi::deprecation;
use serde_json::{Map, Value, json};

/// `commands.json`. An argument is known by its place, since nobody types its name.
pub fn read_commands(document: &Value) -> Result<Vec<CatalogItem>, DocumentProblem> {
    let mut all = Vec::new();
    for (name, described) in filled_object(document, "commands")? {
        let mut command = CatalogItem::named(CatalogKind::Command, name);
        command.deprecation = deprecation(described);
        let aliases = texts(described.get("aliases")).collect();
        command.sets.insert("aliases".to_owned(), aliases);
        all.push(command);
        for (flag, described) in entries(described, "flags") {
            all.push(item(name, &format!("{name} {flag}"), described));
        }
        for (argument, described) in entries(described, "arguments") {
            let position = described.get("position").cloned().unwrap_or_default();
            let mut item = item(name, &format!("{name} argument {position}"), described);
            item.facts.insert("name".to_owned(), json!(argument));
            all.push(item);
        }
    }
    Ok(all)
}

fn entries<'a>(described: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let map = described.get(key).and_then(Value::as_object);
    map.into_iter().flat_map(Map::iter)
}

fn item(command: &str, name: &str, described: &Value) -> CatalogItem {
    let text = |key: &str| described.get(key).and_then(Value::as_str);
    let holds = |key: &str| described.get(key) == Some(&Value::Bool(true));
    let settable = [("variable", text("variable")), ("key", text("key"))];
    let is_setting = settable.iter().any(|(_, value)| value.is_some());
    let kind = if is_setting {
        CatalogKind::Setting
    } else {
        CatalogKind::Command
    };
    let mut item = CatalogItem::named(kind, name);
    item.parent = Some(command.to_owned());
    item.required = holds("required");
    item.deprecation = deprecation(described);
    item.facts
        .insert("takes a value".to_owned(), json!(holds("value")));
    for (fact, value) in settable {
        item.facts
            .extend(value.map(|value| (fact.to_owned(), json!(value))));
    }
    let short = text("short").map(str::to_owned);
    let other_names = texts(described.get("aliases")).chain(short);
    item.sets
        .insert("other names".to_owned(), other_names.collect());
    // May be given several times: a set with this word or without it, since it may only come.
    let many = holds("many").then(|| "several values".to_owned());
    item.sets
        .insert("forms".to_owned(), many.into_iter().collect());
    let choices = described.get("values").is_some();
    item.choices = choices.then(|| texts(described.get("values")).collect());
    item
}
