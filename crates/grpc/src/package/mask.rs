//! Field masks in the names of a package: `spec.image_name`, `metadata.labels`.

use super::compiled::{CompiledPackage, MessageShape};
use super::error::TypedError;
use coeval_core::types::pointer::child;
use coeval_typed::names::EXTRA;
use coeval_typed::{FieldForm, ItemKind};

/// What a mask means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MaskedFields {
    /// JSON pointers into the content.
    pub(crate) content: Vec<String>,
    /// Fields of the metadata, by their names: `labels`; `*` for all of them.
    pub(crate) metadata: Vec<String>,
    /// Whether the sub-kind is meant.
    pub(crate) sub_kind: bool,
}

/// Reads the paths of a mask.
///
/// # Errors
/// If one names no field that a mask can name.
pub(crate) fn mask(
    package: &CompiledPackage,
    paths: &[String],
) -> Result<MaskedFields, TypedError> {
    let mut masked = MaskedFields::default();
    for path in paths {
        let unknown = |message: &str| TypedError::MaskUnknown {
            path: path.clone(),
            message: message.to_owned(),
        };
        let resource = package.resource.full_name();
        let (first, rest) = match path.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path.as_str(), None),
        };
        // Only what a client may change has a name here: `status`, `kind` and the rest of the metadata are
        // refused by name in place of being ignored.
        match (first, rest) {
            ("spec", None) => masked.content.push(String::new()),
            ("spec", Some(rest)) => {
                let found =
                    content(&package.spec, rest, "").map_err(|message| unknown(&message))?;
                masked.content.extend(found);
            }
            ("metadata", None) => masked.metadata.push("*".to_owned()),
            ("metadata", Some(name)) => {
                let known = ["name", "description", "labels", "expires"];
                if !known.contains(&name) {
                    return Err(unknown("coeval.header.v1.Metadata that a mask can name"));
                }
                masked.metadata.push(name.to_owned());
            }
            ("sub_kind", None) => masked.sub_kind = true,
            _ => return Err(unknown(resource)),
        }
    }
    Ok(masked)
}

/// The places of one path; else the message that has no such field.
fn content(shape: &MessageShape, path: &str, at: &str) -> Result<Vec<String>, String> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let unknown = || shape.descriptor.full_name().to_owned();
    if let Some((_, extra)) = shape.extra.as_ref().filter(|_| first == EXTRA) {
        // Names in it are not protobuf's and may have dots.
        return match rest {
            Some(name) if extra.has(name) => Ok(vec![child(at, name)]),
            Some(_) => Err(format!("the extra of {}", unknown())),
            None if extra.all => Ok(vec![at.to_owned()]),
            None => Ok(extra.names.iter().map(|name| child(at, name)).collect()),
        };
    }
    let field = shape.fields.iter().find(|field| field.name == first);
    let field = field.ok_or_else(unknown)?;
    let at = child(at, &field.json);
    match (rest, field.kind, &field.inner) {
        (None, _, _) => Ok(vec![at]),
        (Some(rest), FieldForm::One(ItemKind::Message), Some(inner)) => content(inner, rest, &at),
        // The keys of a map are the content's own, dots and all.
        (Some(key), FieldForm::Map(_), _) => Ok(vec![child(&at, key)]),
        (Some(_), _, _) => Err(format!("{}.{first}", unknown())),
    }
}
