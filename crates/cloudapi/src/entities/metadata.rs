//! Metadata entries of one entity.

use super::target::{entity, revision};
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::listing;
use coeval_api::rest::RestAnswer;
use coeval_core::version::Uuid;
use coeval_engine::entries::{Domain, EntryKey, EntryValue, MetadataEntry, NewEntry};
use coeval_storage::Revision;
use http::StatusCode;
use http::header::{ETAG, IF_MATCH};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const PREFIX: &str = "urn:vcloud:metadata:";

fn shown(entry: &MetadataEntry) -> Value {
    json!({
        "id": format!("{PREFIX}{}", entry.id),
        "persistent": entry.persistent,
        "readOnly": entry.read_only,
        "keyValue": {
            "domain": entry.key.domain,
            "namespace": entry.key.namespace,
            "key": entry.key.key,
            "value": entry.value,
        },
    })
}

fn answered(status: StatusCode, entry: &MetadataEntry) -> RestAnswer {
    let etag = format!("\"{}\"", entry.revision());
    RestAnswer::json(status, &shown(entry)).with(ETAG, &etag)
}

fn entry_id(call: &CloudCall) -> Result<Uuid, ApiError> {
    let text = call.param("entry");
    let id = text.strip_prefix(PREFIX).and_then(Uuid::parse);
    id.ok_or_else(|| {
        ApiError::id(
            text,
            "a metadata entry's id",
            "it is urn:vcloud:metadata:UUID",
        )
    })
}

/// An entry's own `ETag`; nobody must send one.
fn if_match(call: &CloudCall) -> Result<Option<Revision>, ApiError> {
    let said = call.headers().one(IF_MATCH.as_str())?;
    // `*` means whatever is there, which is what no condition means too.
    let said = said.filter(|text| !matches!(*text, "" | "*"));
    Ok(said.map(revision))
}

/// What a body says of an entry.
fn read(body: &Map<String, Value>) -> Result<NewEntry, ApiError> {
    let missing = || ApiError::request("keyValue is missing");
    let key_value = body.map("keyValue")?.ok_or_else(missing)?;
    let domain = match key_value.text("domain")?.as_deref() {
        // Clients of tenants leave it out.
        None | Some("" | "TENANT") => Domain::Tenant,
        Some("PROVIDER") => Domain::Provider,
        Some(_) => return Err(ApiError::request("domain must be TENANT or PROVIDER")),
    };
    Ok(NewEntry {
        key: EntryKey {
            domain,
            namespace: key_value.text("namespace")?.unwrap_or_default(),
            key: key_value.needed("key")?,
        },
        value: value(key_value)?,
        persistent: body.flag("persistent")?.unwrap_or(false),
        read_only: body.flag("readOnly")?.unwrap_or(false),
    })
}

fn value(key_value: &Map<String, Value>) -> Result<EntryValue, ApiError> {
    let missing = || ApiError::request("keyValue.value is missing");
    let typed = key_value.map("value")?.ok_or_else(missing)?;
    let value = typed.get("value").unwrap_or(&Value::Null);
    let kind = typed.text("type")?.unwrap_or_default();
    match (kind.as_str(), value) {
        ("StringEntry", Value::String(text)) => Ok(EntryValue::Text(text.clone())),
        ("NumberEntry", Value::Number(number)) => Ok(EntryValue::Number(number.clone())),
        ("BoolEntry", Value::Bool(flag)) => Ok(EntryValue::Bool(*flag)),
        ("StringEntry" | "NumberEntry" | "BoolEntry", other) => {
            let shown: String = other.to_string().chars().take(100).collect();
            Err(ApiError::request(format!(
                "{shown} is no value of a {kind}"
            )))
        }
        _ => Err(ApiError::request(
            "the type of a value must be StringEntry, NumberEntry or BoolEntry",
        )),
    }
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let entries = api.engine.entries(call.caller()?, &of, &target).await?;
    let rows = entries.iter().map(shown).collect();
    let keys = ["id", "persistent", "readOnly", "keyValue"];
    listing::answer(&api, &call, rows, &keys, "MetadataEntries")
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let new = read(&call.object()?)?;
    let made = api
        .engine
        .add_entry(call.caller()?, &of, &target, &new)
        .await?;
    Ok(answered(StatusCode::CREATED, &made))
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let id = entry_id(&call)?;
    let entry = api.engine.entry(call.caller()?, &of, &target, id).await?;
    Ok(answered(StatusCode::OK, &entry))
}

/// Only the value and `persistent` change; the rest of an entry is what it is.
pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let (id, on) = (entry_id(&call)?, if_match(&call)?);
    let said = read(&call.object()?)?;
    let caller = call.caller()?;
    let there = api.engine.entry(caller, &of, &target, id).await?;
    // None of this changes while the entry lives, so it can't be outdated when the write comes.
    let kind = std::mem::discriminant(&there.value);
    let same = there.key == said.key && there.read_only == said.read_only;
    if !same || kind != std::mem::discriminant(&said.value) {
        return Err(ApiError::request(
            "only the value and persistent can be changed: delete the entry and make another",
        ));
    }
    let to = (&said.value, said.persistent);
    let changed = api
        .engine
        .update_entry(caller, &of, &target, id, on, to)
        .await?;
    Ok(answered(StatusCode::OK, &changed))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let (id, on) = (entry_id(&call)?, if_match(&call)?);
    let caller = call.caller()?;
    api.engine
        .delete_entry(caller, &of, &target, id, on)
        .await?;
    Ok(RestAnswer::none())
}
