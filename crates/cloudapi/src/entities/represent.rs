//! Entities as they are answered: written by hand into one buffer. A content is copied as it is
//! stored and never read, unless it has secure fields that are to be shown as masks.

use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::error::ApiError;
use coeval_core::convert::MASK;
use coeval_core::types::pointer::tokens;
use coeval_engine::{Caller, Resource};
use serde::Serialize;
use serde_json::Value;
use std::io::Write as _;

/// Somebody or something with a name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NamedReference {
    name: String,
    id: String,
}

pub(crate) async fn reference(
    api: &CloudState,
    caller: &Caller,
    id: &str,
) -> Result<NamedReference, ApiError> {
    let name = api.engine.name_of(caller, id).await?;
    Ok(NamedReference {
        name: name.map_or_else(String::new, |name| name.to_string()),
        id: id.to_owned(),
    })
}

impl NamedReference {
    /// As JSON, piece by piece: nothing in it can fail.
    fn written(&self) -> Vec<u8> {
        let mut out = b"{\"name\":".to_vec();
        text(&self.name, &mut out);
        out.extend_from_slice(b",\"id\":");
        text(&self.id, &mut out);
        out.push(b'}');
        out
    }
}

/// The quoted revision: all views of one revision have the same.
pub(crate) fn etag(resource: &Resource) -> String {
    format!("\"{}\"", resource.revision)
}

/// From which version on a field is there.
const ENTITY_STATE: ApiVersion = ApiVersion::new(37, 1);
const MASKS: ApiVersion = ApiVersion::new(38, 0);
const DATES: ApiVersion = ApiVersion::new(39, 1);

/// Bytes that an entity has about, beside its content.
const AROUND: usize = 640;

/// Writes entities of one answer; names are looked up once.
pub(super) struct EntityWriter<'a> {
    api: &'a CloudState,
    caller: &'a Caller,
    version: ApiVersion,
    /// Ids, and what is written for them.
    names: Vec<(String, Vec<u8>)>,
}

impl<'a> EntityWriter<'a> {
    pub(super) fn new(api: &'a CloudState, caller: &'a Caller, version: ApiVersion) -> Self {
        let names = Vec::new();
        Self {
            api,
            caller,
            version,
            names,
        }
    }

    /// How much room an entity takes about.
    pub(super) fn size(resource: &Resource) -> usize {
        resource.content.len() + resource.header.name.len() + AROUND
    }

    /// One entity.
    pub(super) async fn entity(
        &mut self,
        resource: &Resource,
        out: &mut Vec<u8>,
    ) -> Result<(), ApiError> {
        let (header, of) = (&resource.header, &resource.of);
        // All that follows writes into memory, which can't fail.
        let _ = write!(
            out,
            "{{\"id\":\"urn:vcloud:entity:{of}:{}\",\"entityType\":\"urn:vcloud:type:{of}:{}\",\"name\":",
            resource.id, resource.version.version
        );
        text(&header.name, out);
        out.extend_from_slice(b",\"externalId\":");
        optional(header.external_id.as_deref(), out);
        out.extend_from_slice(b",\"entity\":");
        self.content(resource, out);
        self.state(resource, out);
        out.extend_from_slice(b",\"owner\":");
        self.named(&header.owner, out).await?;
        out.extend_from_slice(b",\"org\":");
        self.named(&header.org, out).await?;
        if self.version >= DATES {
            let (created, modified) = (date(header.created), date(header.modified));
            let _ = write!(
                out,
                ",\"creationDate\":\"{created}\",\"lastModificationDate\":\"{modified}\""
            );
        }
        out.push(b'}');
        Ok(())
    }

    /// What resolving answers: exactly these fields. Clients merge it into what they have.
    pub(super) fn entity_state(&self, resource: &Resource) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::size(resource));
        let _ = write!(out, "{{\"id\":\"{}\",\"entity\":", resource.urn());
        self.content(resource, &mut out);
        self.state(resource, &mut out);
        out.extend_from_slice(b",\"message\":");
        optional(resource.header.message.as_deref(), &mut out);
        out.push(b'}');
        out
    }

    fn state(&self, resource: &Resource, out: &mut Vec<u8>) {
        let state = resource.header.state.name();
        let _ = write!(out, ",\"state\":\"{state}\"");
        if self.version >= ENTITY_STATE {
            let _ = write!(out, ",\"entityState\":\"{state}\"");
        }
    }

    fn content(&self, resource: &Resource, out: &mut Vec<u8>) {
        if self.version >= MASKS && !resource.secure.is_empty() {
            out.extend_from_slice(&masked(&resource.content, &resource.secure));
        } else {
            out.extend_from_slice(&resource.content);
        }
    }

    async fn named(&mut self, id: &str, out: &mut Vec<u8>) -> Result<(), ApiError> {
        // A list, not a map: a page has a handful of names.
        if let Some((_, written)) = self.names.iter().find(|(known, _)| known == id) {
            out.extend_from_slice(written);
            return Ok(());
        }
        let found = reference(self.api, self.caller, id).await?;
        let written = found.written();
        out.extend_from_slice(&written);
        self.names.push((id.to_owned(), written));
        Ok(())
    }
}

/// One entity's text.
pub(crate) async fn entity(
    api: &CloudState,
    caller: &Caller,
    resource: &Resource,
    version: ApiVersion,
) -> Result<Vec<u8>, ApiError> {
    let mut out = Vec::with_capacity(EntityWriter::size(resource));
    let mut writer = EntityWriter::new(api, caller, version);
    writer.entity(resource, &mut out).await?;
    Ok(out)
}

pub(super) fn text(text: &str, out: &mut Vec<u8>) {
    // Writing into memory can't fail.
    let _ = serde_json::to_writer(out, text);
}

fn optional(value: Option<&str>, out: &mut Vec<u8>) {
    match value {
        Some(value) => text(value, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// `2026-01-31T23:59:59.123Z`
fn date(at: i64) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => String::new(),
    }
}

/// A content with a mask where a secure value is.
fn masked(content: &[u8], secure: &[String]) -> Vec<u8> {
    // Stored content is JSON; what is not is not for this function to repair.
    let Ok(mut value) = serde_json::from_slice::<Value>(content) else {
        return content.to_vec();
    };
    for pointer in secure {
        let Some(mut path) = tokens(pointer) else {
            continue;
        };
        let Some(last) = path.pop() else {
            // The empty pointer is the whole content.
            value = MASK.into();
            break;
        };
        let mut steps = path.iter();
        let around = steps.try_fold(&mut value, |value, step| match value {
            Value::Object(map) => map.get_mut(step),
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        });
        // What leads nowhere is passed over: there is nothing to hide.
        match around {
            Some(Value::Object(map)) => {
                map.insert(last, MASK.into());
            }
            Some(Value::Array(items)) => {
                let item = last.parse().ok().and_then(|at: usize| items.get_mut(at));
                if let Some(item) = item {
                    *item = MASK.into();
                }
            }
            _ => {}
        }
    }
    value.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_stand_where_secure_values_are_and_nowhere_else() {
        for (content, secure, expected) in [
            (r#"{"a":1}"#, "/p", r#"{"a":1,"p":"******"}"#),
            (r#"{"a":{}}"#, "/a/p", r#"{"a":{"p":"******"}}"#),
            (
                r#"{"l":[{},{"n":1}]}"#,
                "/l/1/p",
                r#"{"l":[{},{"n":1,"p":"******"}]}"#,
            ),
            (r#"{"l":[null,"x"]}"#, "/l/0", r#"{"l":["******","x"]}"#),
            (r#"{"a":1}"#, "/gone/p", r#"{"a":1}"#),
            (r#"{"a":1}"#, "/l/7", r#"{"a":1}"#),
            (r#"{}"#, "/a~1b", r#"{"a/b":"******"}"#),
        ] {
            let masked = masked(content.as_bytes(), &[secure.to_owned()]);
            assert_eq!(String::from_utf8(masked).unwrap(), expected, "{secure}");
        }
    }

    #[test]
    fn dates_have_milliseconds_and_end_in_z() {
        assert_eq!(date(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date(1_700_000_000_007), "2023-11-14T22:13:20.007Z");
    }
}
