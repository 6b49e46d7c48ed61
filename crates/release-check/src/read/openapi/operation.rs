//! An operation: everything that is sent, and what is answered on success.

use super::references::resolved;
use super::schema::{field, shape};
use super::{DocumentProblem, deprecation, entries, is_ignorable, items, member};
use crate::model::{AnswerKey, ApiOperation, ObjectShape, SurfaceField, ValueShape};
use serde_json::Value;
use std::collections::BTreeMap;

const JSON: &str = "application/json";

pub(super) fn read(
    document: &Value,
    item: &Value,
    described: &Value,
) -> Result<ApiOperation, DocumentProblem> {
    let mut request = ObjectShape::default();
    // Those of the path first: an operation's own say more.
    let parameters =
        items(member(item, "parameters")).chain(items(member(described, "parameters")));
    for parameter in parameters {
        let (name, field) = parameter_field(document, resolved(document, parameter)?)?;
        request.fields.insert(name, field);
    }
    if let Some(body) = described.get("requestBody") {
        read_body(document, resolved(document, body)?, &mut request)?;
    }
    let bounded = member(described, "x-bounded").as_str();
    Ok(ApiOperation {
        request: ValueShape::Object(request),
        answers: answers(document, described)?,
        streaming: (false, false),
        deprecation: deprecation(described),
        bounded: bounded
            .filter(|why| !why.trim().is_empty())
            .map(str::to_owned),
    })
}

fn parameter_field(
    document: &Value,
    parameter: &Value,
) -> Result<(String, SurfaceField), DocumentProblem> {
    let name = member(parameter, "name").as_str().unwrap_or_default();
    let name = match member(parameter, "in").as_str() {
        Some("query") => format!("?{name}"),
        Some("path") => format!("{{{name}}}"),
        // Names of headers are the same in any case.
        Some("header") => format!("header {}", name.to_lowercase()),
        Some("cookie") => format!("cookie {name}"),
        _ => {
            return Err(DocumentProblem::new(format!(
                "the parameter {name} is nowhere"
            )));
        }
    };
    let mut read = match parameter.get("schema") {
        Some(schema) => field(document, schema)?,
        None => SurfaceField::optional(ValueShape::Anything),
    };
    read.required = member(parameter, "required") == &Value::Bool(true);
    read.ignorable |= is_ignorable(parameter);
    read.deprecation = deprecation(parameter).or(read.deprecation);
    Ok((name, read))
}

/// The fields of a JSON body stand beside the parameters. `body` itself stands for whether there
/// must be one, and for a body that is no object.
fn read_body(
    document: &Value,
    body: &Value,
    request: &mut ObjectShape,
) -> Result<(), DocumentProblem> {
    let mut whole = SurfaceField {
        required: member(body, "required") == &Value::Bool(true),
        // Its fields say whether they may be ignored.
        ignorable: true,
        ..SurfaceField::optional(ValueShape::Anything)
    };
    for (media, described) in entries(member(body, "content")) {
        let schema = described.get("schema").unwrap_or(&Value::Bool(true));
        let mut read = shape(document, resolved_alias(document, schema)?)?;
        // Only the fields of JSON stand beside the parameters.
        if media != JSON {
            let field = SurfaceField::optional(read);
            request.fields.insert(format!("body ({media})"), field);
            continue;
        }
        if let ValueShape::Object(object) = &mut read {
            request.fields.append(&mut object.fields);
            request.values = object.values.take();
            request.closed = object.closed;
        } else {
            whole.shape = read;
            whole.ignorable = is_ignorable(body);
        }
    }
    request.fields.insert("body".to_owned(), whole);
    Ok(())
}

/// The schema itself where it is only named, so that its fields can stand beside the parameters.
fn resolved_alias<'a>(
    document: &'a Value,
    schema: &'a Value,
) -> Result<&'a Value, DocumentProblem> {
    if super::merge::has_structure(schema) {
        Ok(schema)
    } else {
        resolved(document, schema)
    }
}

fn answers(
    document: &Value,
    described: &Value,
) -> Result<BTreeMap<AnswerKey, ValueShape>, DocumentProblem> {
    let mut all = BTreeMap::new();
    let described = entries(member(described, "responses"));
    for (status, answer) in described.filter(|(status, _)| status.starts_with('2')) {
        let answer = resolved(document, answer)?;
        let key = |media: &str| AnswerKey {
            status: status.clone(),
            media: if media == JSON {
                String::new()
            } else {
                media.to_owned()
            },
        };
        let mut empty = true;
        for (media, content) in entries(member(answer, "content")) {
            let schema = content.get("schema");
            let read = schema.map_or(Ok(ValueShape::Anything), |schema| shape(document, schema))?;
            all.insert(key(media), read);
            empty = false;
        }
        if empty {
            all.insert(key(JSON), ValueShape::Nothing);
        }
    }
    Ok(all)
}
