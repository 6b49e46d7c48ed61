//! A resource as requests send it. What was read can be sent back: what a client can't set is taken
//! and not looked at. What nobody reads is refused.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use coeval_api::methods::{ResourceBody, ResourceMeta};
use coeval_api::rest::BodyFields;
use coeval_engine::{Caller, TypeKey};
use coeval_storage::UnixMillis;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const FIELDS: [&str; 9] = [
    "kind", "subKind", "version", "metadata", "spec", "status", "mask", "leftOut", "secure",
];
const METADATA: [&str; 11] = [
    "name",
    "namespace",
    "description",
    "labels",
    "expires",
    "revision",
    "id",
    "created",
    "modified",
    "owner",
    "access",
];

/// What a body says.
pub(super) struct SentResource {
    pub(super) body: ResourceBody,
    /// Which fields are meant, if it says so.
    pub(super) mask: Option<Vec<String>>,
}

/// Reads a body for a type. The namespace may be said in the query or in the body.
pub(super) async fn read(
    api: &WebState,
    call: &WebCall,
    caller: &Caller,
    of: &TypeKey,
) -> Result<SentResource, WebError> {
    let mut map = call.object(&FIELDS)?;
    // A body that was read has its kind: sent to another path it is a slip.
    if let Some(kind) = map.text("kind")?.filter(|kind| !kind.is_empty()) {
        let named = api.methods.kind(caller, &kind).await?;
        if named != *of {
            return Err(WebError::invalid(format!(
                "the body is of the kind {named}, and the path of {of}"
            )));
        }
    }
    let empty = Map::new();
    let mut meta = meta(map.map("metadata")?.unwrap_or(&empty))?;
    let namespace = call.query.get("namespace").unwrap_or_default();
    // Said in either place or in both alike. The query is how clients without a body say it.
    match (meta.namespace.as_str(), namespace) {
        (_, "") => {}
        ("", said) => said.clone_into(&mut meta.namespace),
        (one, other) if one == other => {}
        _ => {
            return Err(WebError::invalid(
                "the query and the body name different namespaces",
            ));
        }
    }
    let mask = map.texts("mask")?;
    let body = ResourceBody {
        sub_kind: map.text("subKind")?.unwrap_or_default(),
        version: map.text("version")?.unwrap_or_default(),
        meta,
        // Null counts as absent, as it does everywhere.
        spec: match map.remove("spec") {
            None | Some(Value::Null) => None,
            Some(spec @ Value::Object(_)) => Some(spec),
            Some(_) => return Err(WebError::invalid("spec must be an object")),
        },
        applied: None,
        // The query says it, and the handlers that write read it there.
        strict: false,
    };
    Ok(SentResource { body, mask })
}

/// The same, for the resource that the path names.
pub(super) async fn read_for(
    api: &WebState,
    call: &WebCall,
    caller: &Caller,
    of: &TypeKey,
) -> Result<SentResource, WebError> {
    let mut sent = read(api, call, caller, of).await?;
    let (path, meta) = (call.param("name"), &mut sent.body.meta);
    // An id in the path: then a name in the body is a new name.
    if path.starts_with("urn:") {
        if !meta.id.is_empty() && meta.id != path {
            return Err(WebError::invalid(
                "the path and the body name different ids",
            ));
        }
        path.clone_into(&mut meta.id);
    } else {
        // By its name the resource is what is called so now, whatever was read.

        if !meta.name.is_empty() && meta.name != path {
            return Err(WebError::invalid(
                "the path and the body name different resources: to rename one, use its id in the path",
            ));
        }
        meta.id.clear();
        path.clone_into(&mut meta.name);
    }
    Ok(sent)
}

fn meta(map: &Map<String, Value>) -> Result<ResourceMeta, WebError> {
    map.only(&METADATA)?;
    let text = |name| Ok::<_, WebError>(map.text(name)?.unwrap_or_default());
    Ok(ResourceMeta {
        name: text("name")?,
        id: text("id")?,
        namespace: text("namespace")?,
        description: text("description")?,
        labels: labels(map)?,
        expires: match map.text("expires")? {
            None => None,
            Some(time) => Some(millis("metadata.expires", &time)?),
        },
        revision: text("revision")?,
    })
}

fn labels(map: &Map<String, Value>) -> Result<BTreeMap<String, String>, WebError> {
    let Some(labels) = map.map("labels")? else {
        return Ok(BTreeMap::new());
    };
    let labels = labels.iter().map(|(key, value)| match value {
        Value::String(value) => Ok((key.clone(), value.clone())),
        _ => Err(WebError::invalid("metadata.labels must be strings")),
    });
    labels.collect()
}

/// A time as it is sent: RFC 3339.
pub(crate) fn millis(name: &str, text: &str) -> Result<UnixMillis, WebError> {
    let time: Result<jiff::Timestamp, _> = text.parse();
    let bad = |_| WebError::invalid(format!("{name} is no time: use 2026-01-31T12:00:00.000Z"));
    Ok(UnixMillis(time.map_err(bad)?.as_millisecond()))
}
