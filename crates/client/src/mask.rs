//! Field masks, applied here where a server has none: `spec.image`, `metadata.labels`.

use crate::error::{ClientError, ClientErrorKind};
use crate::resource::{Resource, ResourceMetadata};
use coeval_proto::resources::v1 as pb;
use serde_json::{Map, Value};

/// Sets the fields of a mask to what `from` says; one that it does not say goes.
pub(crate) fn apply(
    mask: &[&str],
    from: &pb::Resource,
    to: &mut Resource,
) -> Result<(), ClientError> {
    // No content in the message means that only metadata is masked.
    let content: Value = if from.spec.is_empty() {
        Value::Object(Map::new())
    } else {
        serde_json::from_slice(&from.spec).map_err(|error| wrong(&error.to_string()))?
    };
    let said = ResourceMetadata::from(from.metadata.clone().unwrap_or_default());
    for path in mask {
        let parts = parts(path).ok_or_else(|| wrong(path))?;
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["spec"] => to.spec = content.clone(),
            ["spec", inside @ ..] => set(&mut to.spec, inside, at(&content, inside)),
            ["sub_kind"] => to.sub_kind.clone_from(&from.sub_kind),
            ["metadata", "labels"] => to.metadata.labels.clone_from(&said.labels),
            ["metadata", "description"] => to.metadata.description.clone_from(&said.description),
            ["metadata", "expires"] => to.metadata.expires = said.expires,
            _ => return Err(wrong(path)),
        }
    }
    Ok(())
}

fn wrong(path: &str) -> ClientError {
    let message = format!("{path} is no field that a mask can name");
    let advice = "Name spec or fields in it, metadata.labels, metadata.description, metadata.expires or sub_kind.";
    ClientError::new(ClientErrorKind::Invalid, message, advice)
}

/// The parts between the dots; one between backticks has any characters.
fn parts(path: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = path;
    loop {
        let (part, after) = match rest.strip_prefix('`') {
            Some(quoted) => quoted.split_once('`')?,
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if part.is_empty() {
            return None;
        }
        all.push(part.to_owned());
        if after.is_empty() {
            return Some(all);
        }
        rest = after.strip_prefix('.')?;
    }
}

fn at<'v>(value: &'v Value, parts: &[&str]) -> Option<&'v Value> {
    parts.iter().try_fold(value, |value, part| value.get(part))
}

fn set(value: &mut Value, parts: &[&str], new: Option<&Value>) {
    let Some((first, rest)) = parts.split_first() else {
        return;
    };
    if !value.is_object() {
        // A field that is to go and has nothing around it is gone already.
        if new.is_none() {
            return;
        }
        // As the server does it: what is in the way of a path is replaced.
        *value = Value::Object(Map::new());
    }
    let Value::Object(fields) = value else {
        return;
    };
    match (rest.is_empty(), new) {
        (true, None) => {
            fields.shift_remove(*first);
        }
        (true, Some(new)) => {
            fields.insert((*first).to_owned(), new.clone());
        }
        (false, None) if !fields.contains_key(*first) => {}
        (false, _) => set(
            fields.entry((*first).to_owned()).or_insert(Value::Null),
            rest,
            new,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_the_mask_names_changes() {
        let from = Resource::new("app", "v1", "web", json!({"a": 1, "b": {"c.d": 2, "e": 3}}));
        let from = from.to_message().unwrap();
        for (mask, expected) in [
            (&["spec.a"][..], json!({"a": 1, "b": {"c.d": 0, "x": 0}})),
            (&["spec.b.`c.d`"], json!({"a": 0, "b": {"c.d": 2, "x": 0}})),
            (&["spec.b.x"], json!({"a": 0, "b": {"c.d": 0}})),
            (
                &["spec.b.e"],
                json!({"a": 0, "b": {"c.d": 0, "x": 0, "e": 3}}),
            ),
            (&["spec.z.y"], json!({"a": 0, "b": {"c.d": 0, "x": 0}})),
            (&["spec"], json!({"a": 1, "b": {"c.d": 2, "e": 3}})),
            (
                &["metadata.labels"],
                json!({"a": 0, "b": {"c.d": 0, "x": 0}}),
            ),
        ] {
            let spec = json!({"a": 0, "b": {"c.d": 0, "x": 0}});
            let mut to = Resource::new("app", "v1", "web", spec);
            apply(mask, &from, &mut to).unwrap();
            assert_eq!(to.spec, expected, "{mask:?}");
        }
    }

    #[test]
    fn a_mask_that_names_nothing_is_refused() {
        let from = pb::Resource::default();
        for mask in [
            "",
            "spec.",
            "spec..a",
            "status",
            "metadata.id",
            "spec.`a",
            "`spec`a",
        ] {
            let mut to = Resource::new("app", "v1", "web", json!({}));
            let error = apply(&[mask], &from, &mut to).unwrap_err();
            assert_eq!(error.kind(), ClientErrorKind::Invalid, "{mask}");
        }
    }
}
