//! Resources as messages, both ways.

use crate::api::Api;
use crate::proto::header::v1 as header;
use crate::proto::resources::v1 as pb;
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyLimits, read_body};
use coeval_engine::{Caller, Quarantined, Resource};
use coeval_methods::{Body, Meta, MethodError};
use coeval_storage::Millis;
use prost_types::{ListValue, Struct, Timestamp, Value as Dynamic, value::Kind};
use serde_json::{Map, Number, Value};

/// What a request says.
pub(super) fn body(resource: pb::Resource) -> Result<Body, MethodError> {
    let spec = match (resource.spec.is_empty(), resource.spec_struct) {
        (true, None) => None,
        (false, None) => {
            let limits = BodyLimits {
                bytes: resource.spec.len(),
                depth: CONTENT_DEPTH,
            };
            Some(read_body(&resource.spec, limits)?)
        }
        (true, Some(content)) => Some(of_struct(content)?),
        (false, Some(_)) => {
            return Err(MethodError::invalid(
                "both spec and spec_struct are given: say the content once",
            ));
        }
    };
    if spec.as_ref().is_some_and(|spec| !spec.is_object()) {
        return Err(MethodError::invalid("spec must be a JSON object"));
    }
    Ok(Body {
        sub_kind: resource.sub_kind,
        version: resource.version,
        meta: meta(resource.metadata.unwrap_or_default())?,
        spec,
    })
}

/// What a request says beside the content.
pub(crate) fn meta(metadata: header::Metadata) -> Result<Meta, MethodError> {
    Ok(Meta {
        name: metadata.name,
        id: metadata.id,
        namespace: metadata.namespace,
        description: metadata.description,
        labels: metadata.labels.into_iter().collect(),
        expires: metadata.expires.map(millis).transpose()?,
        revision: metadata.revision,
    })
}

/// A resource as an answer says it.
pub(super) async fn shown(
    api: &Api,
    caller: &Caller,
    kind: &str,
    resource: &Resource,
    form: i32,
) -> Result<pb::Resource, MethodError> {
    let (spec, spec_struct) = match pb::SpecForm::try_from(form) {
        Ok(pb::SpecForm::Unspecified | pb::SpecForm::Json) => (resource.content.clone(), None),
        Ok(pb::SpecForm::Struct) => {
            let content: Map<String, Value> =
                serde_json::from_slice(&resource.content).unwrap_or_default();
            (Default::default(), Some(to_struct(content)))
        }
        Err(_) => return Err(MethodError::invalid("spec_form is not one that there is")),
    };
    Ok(pb::Resource {
        kind: kind.to_owned(),
        sub_kind: resource.header.sub_kind.clone().unwrap_or_default(),
        version: resource.version.to_string(),
        metadata: Some(metadata(api, caller, resource).await?),
        spec,
        spec_struct,
        status: Some(status(resource)),
    })
}

/// What all resources have.
pub(crate) async fn metadata(
    api: &Api,
    caller: &Caller,
    resource: &Resource,
) -> Result<header::Metadata, MethodError> {
    let about = &resource.header;
    let namespace = api.methods.engine().name_of(caller, &about.org).await?;
    let mut labels: std::collections::HashMap<_, _> = about.labels.clone().into_iter().collect();
    if let Some(reason) = &resource.restricted {
        labels.insert(RESTRICTED.to_owned(), reason.to_string());
    }
    Ok(header::Metadata {
        name: about.name.clone(),
        namespace: namespace.as_deref().unwrap_or(&about.org).to_owned(),
        description: about.description.clone().unwrap_or_default(),
        labels,
        expires: resource.expires.map(|expires| timestamp(expires.0)),
        revision: resource.revision.to_string(),
        id: resource.urn(),
        created: Some(timestamp(about.created)),
        modified: Some(timestamp(about.modified)),
        owner: about.owner.clone(),
    })
}

/// The label of a view that stands in place of the content.
const RESTRICTED: &str = "coeval.internal/downgraded";

/// How it is doing.
pub(crate) fn status(resource: &Resource) -> header::Status {
    header::Status {
        state: resource.header.state.name().to_owned(),
        message: resource.header.message.clone().unwrap_or_default(),
        stored_version: resource.header.version.short().to_string(),
        restricted: resource
            .restricted
            .as_deref()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// One that can't be shown.
pub(crate) fn quarantined(one: &Quarantined) -> header::Quarantined {
    header::Quarantined {
        id: one.id.clone(),
        code: one.code.to_string(),
        reason: one.reason.clone(),
    }
}

fn timestamp(millis: i64) -> Timestamp {
    let nanos = millis.rem_euclid(1_000) * 1_000_000;
    Timestamp {
        seconds: millis.div_euclid(1_000),
        nanos: i32::try_from(nanos).unwrap_or_default(),
    }
}

fn millis(time: Timestamp) -> Result<Millis, MethodError> {
    let bad = || MethodError::invalid("metadata.expires is no time that can be kept");
    if !(0..1_000_000_000).contains(&time.nanos) {
        return Err(bad());
    }
    let millis = time.seconds.checked_mul(1_000).ok_or_else(bad)?;
    let millis = millis.checked_add(i64::from(time.nanos / 1_000_000));
    Ok(Millis(millis.ok_or_else(bad)?))
}

/// The content of a Struct. Its numbers are doubles; whole ones become integers again.
fn of_struct(content: Struct) -> Result<Value, MethodError> {
    let fields = content.fields.into_iter();
    let fields = fields.map(|(name, value)| Ok((name, of_dynamic(value, 1)?)));
    let fields: Result<Map<String, Value>, MethodError> = fields.collect();
    Ok(Value::Object(fields?))
}

fn of_dynamic(value: Dynamic, depth: usize) -> Result<Value, MethodError> {
    if depth > CONTENT_DEPTH {
        return Err(MethodError::invalid(format!(
            "spec_struct is more than {CONTENT_DEPTH} levels deep"
        )));
    }
    Ok(match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(flag)) => Value::Bool(flag),
        Some(Kind::StringValue(text)) => Value::String(text),
        Some(Kind::NumberValue(number)) => of_double(number)?,
        Some(Kind::ListValue(list)) => {
            let values = list.values.into_iter();
            let values = values.map(|value| of_dynamic(value, depth + 1));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        Some(Kind::StructValue(content)) => {
            let fields = content.fields.into_iter();
            let fields = fields.map(|(name, value)| Ok((name, of_dynamic(value, depth + 1)?)));
            Value::Object(fields.collect::<Result<_, MethodError>>()?)
        }
    })
}

/// Up to here every whole double is one integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[expect(clippy::cast_possible_truncation, reason = "looked at before")]
fn of_double(number: f64) -> Result<Value, MethodError> {
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Ok(Value::from(number as i64));
    }
    let number = Number::from_f64(number);
    let bad = || MethodError::invalid("spec_struct has a number that JSON does not have");
    number.map(Value::Number).ok_or_else(bad)
}

fn to_struct(content: Map<String, Value>) -> Struct {
    let fields = content.into_iter();
    Struct {
        fields: fields
            .map(|(name, value)| (name, to_dynamic(value)))
            .collect(),
    }
}

fn to_dynamic(value: Value) -> Dynamic {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(flag),
        Value::String(text) => Kind::StringValue(text),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::Array(values) => Kind::ListValue(ListValue {
            values: values.into_iter().map(to_dynamic).collect(),
        }),
        Value::Object(content) => Kind::StructValue(to_struct(content)),
    };
    Dynamic { kind: Some(kind) }
}
