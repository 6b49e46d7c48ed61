//! Both REST APIs.

use super::MutationTally;
use crate::surfaces::releases;
use coeval_release_check::{ApiStyle, ReleaseRule, read_openapi};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A document that is changed in one place at a time.
struct MutatedDocument {
    style: ApiStyle,
    document: Value,
    /// Schemas that requests lead to, and those that answers do.
    sent: BTreeSet<String>,
    answered: BTreeSet<String>,
    tally: MutationTally,
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl MutatedDocument {
    fn read(style: ApiStyle, file: &str) -> Self {
        let bytes = std::fs::read(releases().join("0.1.0").join(file)).unwrap();
        let document: Value = serde_json::from_slice(&bytes).unwrap();
        let (mut requests, mut answers) = (Vec::new(), Vec::new());
        for item in document["paths"].as_object().unwrap().values() {
            for operation in item.as_object().unwrap().values() {
                requests.push(&operation["requestBody"]);
                requests.push(&operation["parameters"]);
                let all = operation["responses"].as_object().unwrap().iter();
                answers.extend(
                    all.filter(|(status, _)| status.starts_with('2'))
                        .map(|(_, one)| one),
                );
            }
        }
        let (sent, mut answered) = (reached(&document, requests), reached(&document, answers));
        for name in document["components"]["schemas"]
            .as_object()
            .unwrap()
            .keys()
        {
            if !sent.contains(name) {
                answered.insert(name.clone());
            }
        }
        let tally = MutationTally::of_api(&read_openapi(style, &document).unwrap());
        Self {
            style,
            sent,
            answered,
            tally,
            document,
        }
    }

    /// Changes the value there, looks, and puts it back.
    fn mutate(&mut self, pointer: &str, rules: &[ReleaseRule], change: impl FnOnce(&mut Value)) {
        if !self.tally.is_next() {
            return;
        }
        let before = self.document.pointer(pointer).unwrap().clone();
        change(self.document.pointer_mut(pointer).unwrap());
        let api = read_openapi(self.style, &self.document).unwrap();
        self.tally.expect_api(pointer, rules, api);
        *self.document.pointer_mut(pointer).unwrap() = before;
    }

    /// Whether what is at the pointer is sent, and whether it is answered.
    fn sides(&self, pointer: &str) -> (bool, bool) {
        if let Some(rest) = pointer.strip_prefix("/components/schemas/") {
            let name = rest.split('/').next().unwrap();
            return (self.sent.contains(name), self.answered.contains(name));
        }
        (
            pointer.contains("/requestBody/"),
            pointer.contains("/responses/2"),
        )
    }

    fn operations(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                all.push((format!("/paths/{}", escaped(path)), method.clone()));
            }
        }
        all
    }

    /// Every schema of an object, wherever it is.
    fn objects(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut pending: Vec<(String, &Value)> = vec![(String::new(), &self.document)];
        while let Some((pointer, value)) = pending.pop() {
            let inner: Vec<(String, &Value)> = match value {
                Value::Object(map) => map.iter().map(|(key, one)| (escaped(key), one)).collect(),
                Value::Array(list) => (0..).map(|at: usize| at.to_string()).zip(list).collect(),
                _ => continue,
            };
            let is_schema = !pointer.ends_with("/properties") && value["properties"].is_object();
            if is_schema && self.sides(&pointer) != (false, false) {
                all.push(pointer.clone());
            }
            pending.extend(
                inner
                    .into_iter()
                    .map(|(key, one)| (format!("{pointer}/{key}"), one)),
            );
        }
        all
    }
}

/// Names of schemas that these lead to.
fn reached(document: &Value, from: Vec<&Value>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut pending = from;
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) => {
                if let Some(name) = text.strip_prefix("#/components/schemas/")
                    && names.insert(name.to_owned())
                {
                    pending.push(&document["components"]["schemas"][name]);
                }
            }
            Value::Object(map) => pending.extend(map.values()),
            Value::Array(all) => pending.extend(all),
            _ => {}
        }
    }
    names
}

fn map(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().unwrap()
}

fn mutate_operations(all: &mut MutatedDocument) {
    for (path, method) in all.operations() {
        all.mutate(&path, &[ReleaseRule::OperationStays], |item| {
            drop(map(item).remove(&method));
        });
        let operation = format!("{path}/{method}");
        let statuses = all
            .document
            .pointer(&format!("{operation}/responses"))
            .unwrap();
        let statuses: Vec<String> = statuses.as_object().unwrap().keys().cloned().collect();
        for status in statuses.iter().filter(|status| status.starts_with('2')) {
            let responses = format!("{operation}/responses");
            all.mutate(&responses, &[ReleaseRule::AnswerStays], |all| {
                drop(map(all).remove(status));
            });
        }
        let parameter = |required: bool| json!({ "name": "new", "in": "query", "required": required, "schema": { "type": "string" } });
        let parameters = format!("{operation}/parameters");
        for (rule, new) in [
            (ReleaseRule::NoNewRequiredField, parameter(true)),
            (ReleaseRule::NewFieldIgnorable, parameter(false)),
        ] {
            all.mutate(&parameters, &[rule], |all| {
                all.as_array_mut().unwrap().push(new);
            });
        }
        let listed = all
            .document
            .pointer(&parameters)
            .unwrap()
            .as_array()
            .unwrap()
            .clone();
        for (at, parameter) in listed.iter().enumerate() {
            let schema = json!({ "type": "boolean", "enum": [false] });
            all.mutate(
                &format!("{parameters}/{at}/schema"),
                &[ReleaseRule::FieldKeepsType],
                |old| *old = schema,
            );
            if parameter["in"] == "path" {
                continue;
            }
            all.mutate(&parameters, &[ReleaseRule::RequestFieldStays], |all| {
                drop(all.as_array_mut().unwrap().remove(at));
            });
            let required = &[ReleaseRule::NoNewRequiredField];
            all.mutate(&format!("{parameters}/{at}"), required, |one| {
                one["required"] = json!(true);
            });
        }
    }
}

fn unrequire(object: &mut Value, name: &str) {
    if let Some(required) = object["required"].as_array_mut() {
        required.retain(|one| one != name);
    }
}

/// Whether anything is said about values; where nothing is, nothing is a change.
fn says_anything(schema: &Value) -> bool {
    schema.as_object().is_some_and(|map| !map.is_empty())
}

/// A part of an `allOf` says only a part: another one may still say it.
fn is_partial(pointer: &str) -> bool {
    pointer.contains("/allOf/") || pointer.starts_with("/components/schemas/Page")
}

fn mutate_fields(all: &mut MutatedDocument) {
    for pointer in all.objects() {
        let object = all.document.pointer(&pointer).unwrap().clone();
        let (sent, answered) = all.sides(&pointer);
        let named = |rules: &[(bool, ReleaseRule)]| -> Vec<ReleaseRule> {
            let rules = rules
                .iter()
                .filter(|(holds, _)| *holds && !is_partial(&pointer));
            rules.map(|(_, rule)| *rule).collect()
        };
        let removed = named(&[
            (answered, ReleaseRule::FieldStays),
            (sent, ReleaseRule::RequestFieldStays),
        ]);
        let properties = object["properties"].as_object().unwrap();
        for (name, property) in properties {
            all.mutate(&pointer, &removed, |object| {
                unrequire(object, name);
                drop(map(&mut object["properties"]).remove(name));
            });
            let at = format!("{pointer}/properties/{}", escaped(name));
            if says_anything(property) {
                let retyped = named(&[(true, ReleaseRule::FieldKeepsType)]);
                let other = if property["type"] == "boolean" {
                    "integer"
                } else {
                    "boolean"
                };
                all.mutate(&at, &retyped, |schema| *schema = json!({ "type": other }));
                let free = named(&[(answered, ReleaseRule::FieldKeepsType)]);
                if answered && !is_partial(&pointer) {
                    all.mutate(&at, &free, |schema| *schema = json!({}));
                }
            }
            let required = object["required"].as_array();
            let required = required.is_some_and(|all| all.iter().any(|one| one == name));
            if required && answered {
                let rules = named(&[(true, ReleaseRule::FieldStaysPopulated)]);
                all.mutate(&pointer, &rules, |object| unrequire(object, name));
            }
            if !required && sent {
                let rules = named(&[(true, ReleaseRule::NoNewRequiredField)]);
                all.mutate(&pointer, &rules, |object| {
                    let mut names = object["required"].as_array().cloned().unwrap_or_default();
                    names.push(json!(name));
                    object["required"] = json!(names);
                });
            }
        }
        if sent {
            let rules = named(&[(true, ReleaseRule::NewFieldIgnorable)]);
            all.mutate(&pointer, &rules, |object| {
                object["properties"]["brandNew"] = json!({ "type": "string" });
            });
        }
    }
}

#[test]
fn no_breaking_change_of_the_console_api_goes_unnoticed() {
    let mut all = MutatedDocument::read(ApiStyle::Webapi, "webapi.json");
    mutate_operations(&mut all);
    mutate_fields(&mut all);
    all.tally.finish("webapi", 2400);
}

#[test]
fn no_breaking_change_of_an_operation_of_the_rde_api_goes_unnoticed() {
    let mut all = MutatedDocument::read(ApiStyle::Cloudapi, "cloudapi.json");
    mutate_operations(&mut all);
    all.tally.finish("operations of cloudapi", 1100);
}

#[test]
fn no_breaking_change_of_a_field_of_the_rde_api_goes_unnoticed() {
    let mut all = MutatedDocument::read(ApiStyle::Cloudapi, "cloudapi.json");
    mutate_fields(&mut all);
    all.tally.finish("fields of cloudapi", 750);
}
