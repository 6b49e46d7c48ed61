//! A package as protobuf has it: messages, fields, a service. The text and the descriptor of a
//! package are both made from this, so they say the same.

use crate::kind::{FieldForm, ItemKind};
use crate::layout::{LayoutField, LayoutMessage, PackageLayout};
use crate::names::{EXTRA, lower_camel};
use crate::service;

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFile {
    /// `acme/app/v1/app.proto`
    pub path: String,
    /// `acme.app.v1`
    pub package: String,
    /// For people.
    pub comment: String,
    /// Paths of other files, in order.
    pub imports: Vec<&'static str>,
    /// The messages.
    pub messages: Vec<ProtoMessage>,
    /// The service.
    pub service: ProtoService,
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtoMessage {
    /// Without what is around it.
    pub name: String,
    /// For people.
    pub comment: String,
    /// In the order of the file.
    pub fields: Vec<ProtoField>,
    /// The name of the one choice that all fields are of.
    pub oneof: Option<(&'static str, &'static str)>,
    /// Numbers and names that are not used again.
    pub reserved: Vec<(u32, String)>,
    /// Messages inside.
    pub nested: Vec<ProtoMessage>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoField {
    /// In lower snake case.
    pub name: String,
    /// Its JSON name; `None`: what protobuf derives.
    pub json: Option<String>,
    /// Its number.
    pub number: u32,
    /// How many there are.
    pub cardinality: Cardinality,
    /// Of what.
    pub of: ValueType,
    /// For people.
    pub comment: String,
}

/// How many values a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// One; a scalar without presence.
    Plain,
    /// One, with presence.
    Optional,
    /// A list.
    Repeated,
    /// A map from strings.
    Map,
}

/// What a value of a field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// `string`
    String,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `double`
    Double,
    /// `bool`
    Bool,
    /// A message inside of the one that has the field.
    Nested(String),
    /// A message of this file, at the top.
    Own(String),
    /// A message of another file, by its full name.
    Message(&'static str),
    /// An enumeration of another file, by its full name.
    Enum(&'static str),
}

/// A service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoService {
    /// `AppService`
    pub name: String,
    /// For people.
    pub comment: String,
    /// In the order of the file.
    pub methods: Vec<ProtoMethod>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoMethod {
    /// `CreateApp`
    pub name: String,
    /// For people.
    pub comment: String,
    /// What it takes.
    pub input: ValueType,
    /// What it answers.
    pub output: ValueType,
    /// Whether it answers again and again.
    pub streams: bool,
}

/// The full name of `google.protobuf.Struct`.
pub(crate) const STRUCT: &str = "google.protobuf.Struct";
/// The full name of `google.protobuf.Value`.
pub(crate) const VALUE: &str = "google.protobuf.Value";

impl PackageLayout {
    /// The package as protobuf has it.
    #[must_use]
    pub fn as_file(&self) -> PackageFile {
        let otherwise = "The content, as far as messages can say it. The rest stays as it is.";
        let spec = content(&self.spec, otherwise.to_owned());
        let uses_struct = uses_struct(&spec);
        let mut imports = vec![
            "coeval/header/v1/header.proto",
            "google/protobuf/empty.proto",
            "google/protobuf/field_mask.proto",
        ];
        // Compilers warn of an import that nothing uses.
        if uses_struct {
            imports.push("google/protobuf/struct.proto");
        }
        PackageFile {
            path: self.path(),
            package: self.package(),
            comment: service::about(self),
            imports,
            messages: service::messages(self, spec),
            service: service::service(self),
        }
    }
}

fn uses_struct(message: &ProtoMessage) -> bool {
    let of_field = |field: &ProtoField| matches!(field.of, ValueType::Message(STRUCT | VALUE));
    message.fields.iter().any(of_field) || message.nested.iter().any(uses_struct)
}

/// A message of the content.
fn content(message: &LayoutMessage, otherwise: String) -> ProtoMessage {
    let mut fields: Vec<ProtoField> = message.fields.iter().map(field).collect();
    if let Some(extra) = &message.extra {
        let names = match (extra.all, extra.names.is_empty()) {
            (true, _) => "Every field of the content: the version declares none.".to_owned(),
            (false, true) => "What has no field of its own: nothing at present.".to_owned(),
            (false, false) => format!("What has no field of its own: {}.", quoted(&extra.names)),
        };
        fields.push(ProtoField {
            name: EXTRA.to_owned(),
            json: None,
            number: extra.number,
            cardinality: Cardinality::Plain,
            of: ValueType::Message(STRUCT),
            comment: format!("{names}\nSince {}.", extra.since),
        });
    }
    // By number and not by name: a new field is at the end, where it makes a small difference to readers.
    fields.sort_by_key(|field| field.number);
    let with_message = message.fields.iter();
    let nested = with_message.filter_map(|field| {
        let inner = field.message.as_ref()?;
        Some(content(inner, format!("Of {}.", field.name)))
    });
    let reserved = message.reserved.iter();
    ProtoMessage {
        name: message.name.clone(),
        comment: message.description.clone().unwrap_or(otherwise),
        fields,
        oneof: None,
        reserved: reserved.map(|one| (one.number, one.name.clone())).collect(),
        nested: nested.collect(),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

fn field(field: &LayoutField) -> ProtoField {
    let item = field.kind.item();
    let of = match item {
        ItemKind::String => ValueType::String,
        ItemKind::Int64 => ValueType::Int64,
        ItemKind::Double => ValueType::Double,
        ItemKind::Bool => ValueType::Bool,
        ItemKind::Struct => ValueType::Message(STRUCT),
        ItemKind::Value => ValueType::Message(VALUE),
        ItemKind::Message => {
            let message = field.message.as_ref();
            ValueType::Nested(
                message
                    .map(|message| message.name.clone())
                    .unwrap_or_default(),
            )
        }
    };
    let cardinality = match field.kind {
        FieldForm::One(item) if item.is_scalar() => Cardinality::Optional,
        FieldForm::One(_) => Cardinality::Plain,
        FieldForm::Repeated(_) => Cardinality::Repeated,
        FieldForm::Map(_) => Cardinality::Map,
    };
    let words = field
        .description
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    let since = format!("Since {}.", field.since);
    ProtoField {
        name: field.name.clone(),
        json: (field.json != lower_camel(&field.name)).then(|| field.json.clone()),
        number: field.number,
        cardinality,
        of,
        comment: match words {
            "" => since,
            words => format!("{words}\n{since}"),
        },
    }
}
