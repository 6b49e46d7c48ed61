//! Resources as messages, both ways.

use crate::api::GrpcState;
use crate::header::{meta, metadata_in, status};
use crate::proto::resources::v1 as pb;
use coeval_access::AccessLevel;
use coeval_api::methods::{MethodError, ResourceBody};
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyLimits, read_body};
use coeval_engine::{Caller, Resource};
use prost_types::{ListValue, Struct, Value as Dynamic, value::Kind};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a request says.
pub(super) fn body(
    resource: pb::Resource,
    applied: Option<pb::Applied>,
) -> Result<ResourceBody, MethodError> {
    // The reader of every API: what it refuses there is refused here.
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
    Ok(ResourceBody {
        sub_kind: resource.sub_kind,
        version: resource.version,
        meta: meta(resource.metadata.unwrap_or_default())?,
        spec,
        applied: applied.map(|applied| applied.paths),
        strict: false,
    })
}

/// What a file declared last, for those who may change the resource.
pub(super) fn applied(resource: &Resource) -> Option<pb::Applied> {
    let applied = resource.header.applied.as_ref();
    let applied = applied.filter(|_| resource.level >= AccessLevel::ReadWrite)?;
    Some(pb::Applied {
        paths: applied.paths.clone(),
        generation: applied.generation,
        version: applied.version.short().to_string(),
    })
}

/// How the resources of one answer, or of one watch, are shown. What is the same for many of them
/// is found out once.
#[derive(Debug)]
pub(super) struct ResourceRenderer {
    kind: String,
    form: pb::SpecForm,
    /// The names of organizations, which never change, by id.
    namespaces: Mutex<HashMap<String, Arc<str>>>,
}

impl ResourceRenderer {
    /// As a request asks for it; looked at before anything is done.
    pub(super) fn of(kind: &str, form: i32) -> Result<Self, MethodError> {
        let form = pb::SpecForm::try_from(form);
        Ok(Self {
            kind: kind.to_owned(),
            form: form.map_err(|_| MethodError::invalid("spec_form is not one that there is"))?,
            namespaces: Mutex::default(),
        })
    }

    /// A resource as an answer says it.
    pub(super) async fn shown(
        &self,
        api: &GrpcState,
        caller: &Caller,
        resource: &Resource,
    ) -> Result<pb::Resource, MethodError> {
        let namespace = self.namespace(api, caller, &resource.header.org).await?;
        Ok(self.shown_in(&namespace, resource))
    }

    /// The same, where the name of its organization is known.
    pub(super) fn shown_in(&self, namespace: &str, resource: &Resource) -> pb::Resource {
        // JSON is copied as it is stored. Only who asks for a Struct pays for reading it.
        let (spec, spec_struct) = match self.form {
            pb::SpecForm::Unspecified | pb::SpecForm::Json => (resource.content.clone(), None),
            pb::SpecForm::Struct => {
                let content: Map<String, Value> =
                    serde_json::from_slice(&resource.content).unwrap_or_default();
                (Default::default(), Some(to_struct(content)))
            }
        };
        pb::Resource {
            kind: self.kind.clone(),
            sub_kind: resource.header.sub_kind.clone().unwrap_or_default(),
            version: resource.version.to_string(),
            metadata: Some(metadata_in(namespace, resource)),
            spec,
            spec_struct,
            status: Some(status(resource)),
        }
    }

    /// The name of an organization.
    pub(super) async fn namespace(
        &self,
        api: &GrpcState,
        caller: &Caller,
        org: &str,
    ) -> Result<Arc<str>, MethodError> {
        let known = || {
            self.namespaces
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        // The lock is not held while the engine is asked: two may ask for one name, and both get it.
        if let Some(name) = known().get(org) {
            return Ok(Arc::clone(name));
        }
        let Some(name) = api.methods.engine().name_of(caller, org).await? else {
            return Ok(org.into());
        };
        known().insert(org.to_owned(), Arc::clone(&name));
        Ok(name)
    }
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
