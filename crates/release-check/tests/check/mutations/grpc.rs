//! The gRPC API, by its descriptors.

use super::MutationTally;
use crate::surfaces::releases;
use coeval_release_check::{ApiDocument, ReleaseRule, ValueShape, read_descriptors};
use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use std::collections::BTreeSet;

struct MutatedDescriptors {
    files: FileDescriptorSet,
    sent: BTreeSet<String>,
    answered: BTreeSet<String>,
    tally: MutationTally,
    /// Changes that no compiler would accept, such as a `oneof` with nothing in it.
    impossible: usize,
}

/// Where a message is: the file, and the number of the message in each message around it.
type MessagePath = (usize, Vec<usize>);

impl MutatedDescriptors {
    fn read() -> Self {
        let bytes = std::fs::read(releases().join("0.1.0/descriptors.bin")).unwrap();
        let old = read_descriptors(&bytes).unwrap();
        let requests = old.operations.values().map(|one| &one.request).collect();
        let answers = old
            .operations
            .values()
            .flat_map(|one| one.answers.values())
            .collect();
        let (sent, mut answered) = (reached(&old, requests), reached(&old, answers));
        answered.extend(old.standalone.iter().cloned());
        Self {
            files: FileDescriptorSet::decode(bytes.as_slice()).unwrap(),
            tally: MutationTally::of_api(&old),
            sent,
            answered,
            impossible: 0,
        }
    }

    /// Changes a copy and looks.
    fn mutate(
        &mut self,
        what: &str,
        rules: &[ReleaseRule],
        change: impl FnOnce(&mut FileDescriptorSet),
    ) {
        if !self.tally.is_next() {
            return;
        }
        let mut files = self.files.clone();
        change(&mut files);
        match read_descriptors(&files.encode_to_vec()) {
            Ok(api) => self.tally.expect_api(what, rules, api),
            Err(_) => self.impossible += 1,
        }
    }

    fn ours(&self) -> Vec<usize> {
        let files = self.files.file.iter().enumerate();
        let ours = files.filter(|(_, file)| file.package().starts_with("coeval."));
        ours.map(|(at, _)| at).collect()
    }
}

fn reached(api: &ApiDocument, from: Vec<&ValueShape>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut pending: Vec<&ValueShape> = from;
    while let Some(shape) = pending.pop() {
        pending.extend(shape.parts());
        if let ValueShape::Reference(name) = shape
            && names.insert(name.clone())
        {
            pending.push(&api.shapes[name]);
        }
    }
    names
}

fn message<'a>(files: &'a mut FileDescriptorSet, path: &MessagePath) -> &'a mut DescriptorProto {
    let (first, inner) = path.1.split_first().unwrap();
    let mut message = &mut files.file[path.0].message_type[*first];
    for at in inner {
        message = &mut message.nested_type[*at];
    }
    message
}

/// All messages with their full names; not those that maps consist of.
fn messages(all: &MutatedDescriptors) -> Vec<(String, MessagePath)> {
    let mut found = Vec::new();
    for file in all.ours() {
        let descriptor = &all.files.file[file];
        let top = descriptor.message_type.iter().enumerate();
        let mut pending: Vec<(String, MessagePath, &DescriptorProto)> = top
            .map(|(at, one)| {
                (
                    format!("{}.{}", descriptor.package(), one.name()),
                    (file, vec![at]),
                    one,
                )
            })
            .collect();
        while let Some((name, path, message)) = pending.pop() {
            for (at, inner) in message.nested_type.iter().enumerate() {
                if !inner
                    .options
                    .as_ref()
                    .is_some_and(prost_types::MessageOptions::map_entry)
                {
                    let path = (path.0, [path.1.clone(), vec![at]].concat());
                    pending.push((format!("{name}.{}", inner.name()), path, inner));
                }
            }
            found.push((name, path));
        }
    }
    found
}

fn mutate_methods(all: &mut MutatedDescriptors) {
    for file in all.ours() {
        for service in 0..all.files.file[file].service.len() {
            for at in 0..all.files.file[file].service[service].method.len() {
                let name = all.files.file[file].service[service].method[at]
                    .name()
                    .to_owned();
                all.mutate(&name, &[ReleaseRule::OperationStays], |files| {
                    files.file[file].service[service].method.remove(at);
                });
                all.mutate(&name, &[ReleaseRule::AnswerStays], |files| {
                    let method = &mut files.file[file].service[service].method[at];
                    method.server_streaming = Some(!method.server_streaming());
                });
                all.mutate(&name, &[ReleaseRule::AnswerStays], |files| {
                    let method = &mut files.file[file].service[service].method[at];
                    method.client_streaming = Some(!method.client_streaming());
                });
            }
        }
    }
}

fn mutate_messages(all: &mut MutatedDescriptors) {
    for (name, path) in messages(all) {
        let sides = [
            (all.answered.contains(&name), ReleaseRule::FieldStays),
            (all.sent.contains(&name), ReleaseRule::RequestFieldStays),
        ];
        let gone = sides.iter().filter(|(holds, _)| *holds);
        let gone: Vec<ReleaseRule> = gone.map(|(_, rule)| *rule).collect();
        for at in 0..message(&mut all.files, &path).field.len() {
            mutate_field(all, &path, at, &gone, &format!("{name}.{at}"));
        }
        if all.sent.contains(&name) {
            all.mutate(&name, &[ReleaseRule::NewFieldIgnorable], |files| {
                let mut new = FieldDescriptorProto {
                    name: Some("brand_new".to_owned()),
                    number: Some(9998),
                    ..FieldDescriptorProto::default()
                };
                new.set_type(Type::String);
                new.set_label(Label::Optional);
                message(files, &path).field.push(new);
            });
        }
    }
}

fn mutate_field(
    all: &mut MutatedDescriptors,
    path: &MessagePath,
    at: usize,
    gone: &[ReleaseRule],
    name: &str,
) {
    all.mutate(&format!("{name} is removed"), gone, |files| {
        message(files, path).field.remove(at);
    });
    let numbers = &[ReleaseRule::NumberStays];
    all.mutate(&format!("{name} is renumbered"), numbers, |files| {
        message(files, path).field[at].number = Some(9999);
    });
    let both = [gone, numbers].concat();
    all.mutate(&format!("{name} is renamed"), &both, |files| {
        let field = &mut message(files, path).field[at];
        field.name = Some("renamed".to_owned());
        field.json_name = Some("renamed".to_owned());
    });
    all.mutate(
        &format!("{name} is retyped"),
        &[ReleaseRule::FieldKeepsType],
        |files| {
            let field = &mut message(files, path).field[at];
            let other = if field.r#type() == Type::Fixed32 {
                Type::Bool
            } else {
                Type::Fixed32
            };
            field.set_type(other);
            field.type_name = None;
        },
    );
    // A map is a list of entries to a compiler, and one entry is nothing that it accepts.
    let entry = message(&mut all.files, path).field[at]
        .type_name()
        .ends_with("Entry");
    let rules: &[ReleaseRule] = if entry {
        &[]
    } else {
        &[ReleaseRule::FieldKeepsType]
    };
    all.mutate(&format!("{name} is a list, or none"), rules, |files| {
        let field = &mut message(files, path).field[at];
        let list = field.label() == Label::Repeated;
        field.set_label(if list {
            Label::Optional
        } else {
            Label::Repeated
        });
    });
}

fn mutate_enums(all: &mut MutatedDescriptors) {
    let rules = &[ReleaseRule::NumberStays];
    for file in all.ours() {
        for at in 0..all.files.file[file].enum_type.len() {
            for value in 1..all.files.file[file].enum_type[at].value.len() {
                let what = format!("{}.{value}", all.files.file[file].enum_type[at].name());
                all.mutate(&what, rules, |files| {
                    files.file[file].enum_type[at].value.remove(value);
                });
                all.mutate(&what, rules, |files| {
                    files.file[file].enum_type[at].value[value].number = Some(9999);
                });
                all.mutate(&what, rules, |files| {
                    let renamed = Some("RENAMED".to_owned());
                    files.file[file].enum_type[at].value[value].name = renamed;
                });
            }
        }
    }
}

#[test]
fn no_breaking_change_of_the_grpc_api_goes_unnoticed() {
    let mut all = MutatedDescriptors::read();
    // With the comments of all files every change would take ten times as long.
    for file in &mut all.files.file {
        file.source_code_info = None;
    }
    mutate_methods(&mut all);
    mutate_messages(&mut all);
    mutate_enums(&mut all);
    println!("{} changes that no compiler accepts", all.impossible);
    assert!(all.impossible < 20, "{}", all.impossible);
    all.tally.finish("gRPC", 3000);
}
