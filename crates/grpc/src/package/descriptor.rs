//! A package as protobuf's own description of a file, with its comments. It is what a compiler
//! makes of the package's text.

use coeval_typed::names::{lower_camel, upper_camel};
use coeval_typed::{Cardinality, PackageFile, ProtoField, ProtoMessage, ValueType, comment_lines};
use prost_types::descriptor_proto::ReservedRange;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::source_code_info::Location;
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, MessageOptions,
    MethodDescriptorProto, OneofDescriptorProto, ServiceDescriptorProto, SourceCodeInfo,
};

/// Numbers of fields in `descriptor.proto`, of which the places of comments are made.
mod place {
    pub(super) const PACKAGE: i32 = 2;
    pub(super) const MESSAGE: i32 = 4;
    pub(super) const SERVICE: i32 = 6;
    pub(super) const FIELD: i32 = 2;
    pub(super) const NESTED: i32 = 3;
    pub(super) const ONEOF: i32 = 8;
    pub(super) const METHOD: i32 = 2;
}

/// The file.
pub(crate) fn of(file: &PackageFile) -> FileDescriptorProto {
    let mut making = DescriptorBuilder {
        package: &file.package,
        comments: Vec::new(),
    };
    making.comment(&[place::PACKAGE], &file.comment);
    // In the order of the text: places of comments are counted along it.
    let mut messages = Vec::new();
    for (at, message) in numbered(&file.messages) {
        let full = format!(".{}", file.package);
        messages.push(making.message(&[place::MESSAGE, at], &full, message));
    }
    let service = making.service(file);
    FileDescriptorProto {
        name: Some(file.path.clone()),
        package: Some(file.package.clone()),
        dependency: file
            .imports
            .iter()
            .map(|&import| import.to_owned())
            .collect(),
        message_type: messages,
        service: vec![service],
        syntax: Some("proto3".to_owned()),
        source_code_info: Some(SourceCodeInfo {
            location: making.comments,
        }),
        ..FileDescriptorProto::default()
    }
}

struct DescriptorBuilder<'f> {
    package: &'f str,
    comments: Vec<Location>,
}

fn numbered<T>(all: &[T]) -> impl Iterator<Item = (i32, &T)> {
    (0..).zip(all)
}

fn with(path: &[i32], more: [i32; 2]) -> Vec<i32> {
    [path, &more].concat()
}

impl DescriptorBuilder<'_> {
    fn comment(&mut self, path: &[i32], text: &str) {
        let lines = comment_lines(text).into_iter().map(|line| line + "\n");
        self.comments.push(Location {
            path: path.to_vec(),
            // There is no text that it would be a place in.
            span: vec![0, 0, 0],
            leading_comments: Some(lines.collect()),
            ..Location::default()
        });
    }

    fn message(&mut self, path: &[i32], around: &str, message: &ProtoMessage) -> DescriptorProto {
        let full = format!("{around}.{}", message.name);
        self.comment(path, &message.comment);
        let mut made = DescriptorProto {
            name: Some(message.name.clone()),
            ..DescriptorProto::default()
        };
        if let Some((name, comment)) = message.oneof {
            self.comment(&with(path, [place::ONEOF, 0]), comment);
            made.oneof_decl.push(oneof(name));
        }
        for (at, field) in numbered(&message.fields) {
            self.comment(&with(path, [place::FIELD, at]), &field.comment);
            let mut own = self.field(&full, field);
            if message.oneof.is_some() {
                own.oneof_index = Some(0);
            }
            if field.cardinality == Cardinality::Map {
                made.nested_type.push(self.entry(&full, field));
            }
            made.field.push(own);
        }
        // Presence of a scalar is a choice of one, after all choices that are written.
        let scalars = message.fields.iter().zip(&mut made.field);
        for (_, own) in scalars.filter(|(field, _)| field.cardinality == Cardinality::Optional) {
            own.proto3_optional = Some(true);
            own.oneof_index = i32::try_from(made.oneof_decl.len()).ok();
            made.oneof_decl.push(oneof(&format!("_{}", own.name())));
        }
        // After the entries of maps, which were pushed above: numbers of places go on from there.
        for nested in &message.nested {
            let at = i32::try_from(made.nested_type.len()).unwrap_or(i32::MAX);
            let inner = self.message(&with(path, [place::NESTED, at]), &full, nested);
            made.nested_type.push(inner);
        }
        for (number, name) in &message.reserved {
            let start = i32::try_from(*number).ok();
            made.reserved_range.push(ReservedRange {
                start,
                end: start.map(|start| start + 1),
            });
            made.reserved_name.push(name.clone());
        }
        made
    }

    fn field(&self, around: &str, field: &ProtoField) -> FieldDescriptorProto {
        let (kind, type_name) = self.type_of(around, &field.of);
        let json = field.json.clone();
        let made = FieldDescriptorProto {
            name: Some(field.name.clone()),
            number: i32::try_from(field.number).ok(),
            json_name: Some(json.unwrap_or_else(|| lower_camel(&field.name))),
            label: Some(Label::Optional.into()),
            r#type: Some(kind.into()),
            type_name,
            ..FieldDescriptorProto::default()
        };
        match field.cardinality {
            Cardinality::Plain | Cardinality::Optional => made,
            Cardinality::Repeated => FieldDescriptorProto {
                label: Some(Label::Repeated.into()),
                ..made
            },
            Cardinality::Map => FieldDescriptorProto {
                label: Some(Label::Repeated.into()),
                r#type: Some(Type::Message.into()),
                type_name: Some(format!("{around}.{}", entry_name(field))),
                ..made
            },
        }
    }

    /// The message that the entries of a map are.
    fn entry(&self, around: &str, field: &ProtoField) -> DescriptorProto {
        let (kind, type_name) = self.type_of(around, &field.of);
        let part = |name: &str, number, kind: Type, type_name| FieldDescriptorProto {
            name: Some(name.to_owned()),
            number: Some(number),
            json_name: Some(name.to_owned()),
            label: Some(Label::Optional.into()),
            r#type: Some(kind.into()),
            type_name,
            ..FieldDescriptorProto::default()
        };
        DescriptorProto {
            name: Some(entry_name(field)),
            field: vec![
                part("key", 1, Type::String, None),
                part("value", 2, kind, type_name),
            ],
            options: Some(MessageOptions {
                map_entry: Some(true),
                ..MessageOptions::default()
            }),
            ..DescriptorProto::default()
        }
    }

    fn type_of(&self, around: &str, of: &ValueType) -> (Type, Option<String>) {
        match of {
            ValueType::String => (Type::String, None),
            ValueType::Int32 => (Type::Int32, None),
            ValueType::Int64 => (Type::Int64, None),
            ValueType::Double => (Type::Double, None),
            ValueType::Bool => (Type::Bool, None),
            ValueType::Nested(name) => (Type::Message, Some(format!("{around}.{name}"))),
            ValueType::Own(_) | ValueType::Message(_) => (Type::Message, self.named(of)),
            ValueType::Enum(name) => (Type::Enum, Some(format!(".{name}"))),
        }
    }

    /// The full name of a message at the top of a file.
    fn named(&self, of: &ValueType) -> Option<String> {
        match of {
            ValueType::Own(name) => Some(format!(".{}.{name}", self.package)),
            ValueType::Message(name) => Some(format!(".{name}")),
            _ => None,
        }
    }

    fn service(&mut self, file: &PackageFile) -> ServiceDescriptorProto {
        let path = [place::SERVICE, 0];
        self.comment(&path, &file.service.comment);
        let mut methods = Vec::new();
        for (at, method) in numbered(&file.service.methods) {
            self.comment(&with(&path, [place::METHOD, at]), &method.comment);
            methods.push(MethodDescriptorProto {
                name: Some(method.name.clone()),
                input_type: self.named(&method.input),
                output_type: self.named(&method.output),
                server_streaming: method.streams.then_some(true),
                ..MethodDescriptorProto::default()
            });
        }
        ServiceDescriptorProto {
            name: Some(file.service.name.clone()),
            method: methods,
            ..ServiceDescriptorProto::default()
        }
    }
}

fn entry_name(field: &ProtoField) -> String {
    upper_camel(&field.name) + "Entry"
}

fn oneof(name: &str) -> OneofDescriptorProto {
    OneofDescriptorProto {
        name: Some(name.to_owned()),
        ..OneofDescriptorProto::default()
    }
}
