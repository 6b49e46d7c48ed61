//! Types as they are answered.

use super::{conversion, of, version_of};
use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::interfaces::{BEHAVIOR_KEYS, behavior};
use crate::lists;
use coeval_access::AccessLevel;
use coeval_api::rest::RestAnswer;
use coeval_core::version::{Classification, Version};
use coeval_engine::types::CatalogEntry;
use coeval_engine::{EngineError, InOrg, ListOf, ListQuery, TypeKey};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "vendor", "nss", "title", "versions"];

/// A version in a list.
fn short(entry: &CatalogEntry) -> Value {
    let version = &entry.version;
    let interfaces: Vec<String> = version.interfaces.iter().map(ToString::to_string).collect();
    let mut short = json!({
        "version": version.id.version.to_string(),
        "title": version.title,
        "description": version.description,
        "interfaces": interfaces,
        "builtIn": entry.built_in,
        "unproven": entry.unproven,
        "findings": entry.findings.len(),
    });
    // Absent where there is none, as released.
    if let Value::Object(short) = &mut short {
        if let Some(deprecated) = &entry.deprecated {
            short.insert("deprecated".to_owned(), json!(deprecated));
        }
        if !entry.columns.is_empty() {
            short.insert("columns".to_owned(), json!(entry.columns));
        }
    }
    short
}

fn key(entry: &CatalogEntry) -> String {
    format!("{}:{}", entry.version.id.vendor, entry.version.id.nss)
}

fn shown(id: &str, versions: &[&CatalogEntry]) -> Value {
    let (vendor, nss) = id.split_once(':').unwrap_or_default();
    let last = versions.last();
    let title = last.and_then(|entry| entry.version.title.clone());
    let versions: Vec<Value> = versions.iter().map(|entry| short(entry)).collect();
    json!({ "id": id, "vendor": vendor, "nss": nss, "title": title, "versions": versions })
}

pub(super) async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let entries = api.engine().visible_types(call.caller()?).await?;
    // The engine tells them version by version.
    let mut types: BTreeMap<String, Vec<&CatalogEntry>> = BTreeMap::new();
    for entry in &entries {
        types.entry(key(entry)).or_default().push(entry);
    }
    let rows = types.iter().map(|(id, versions)| shown(id, versions));
    lists::page(&call, rows.collect(), &KEYS)
}

/// The versions of a type that the caller sees.
async fn visible(
    api: &WebState,
    call: &WebCall,
    of: &TypeKey,
) -> Result<Vec<CatalogEntry>, WebError> {
    let mut entries = api.engine().visible_types(call.caller()?).await?;
    let id = of.to_string();
    entries.retain(|entry| key(entry) == id);
    // A type none of whose versions is seen is as if it did not exist.
    if entries.is_empty() {
        Err(EngineError::TypeUnknown { of: of.clone() }.into())
    } else {
        Ok(entries)
    }
}

pub(super) async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let entries = visible(&api, &call, &of).await?;
    let state = api.engine().type_state(&of).await?;
    // Conversions through versions that are hidden from the caller are not told.
    let seen = call.caller()?.visible_versions(&state);
    let all: Vec<&CatalogEntry> = entries.iter().collect();
    let mut answer = shown(&of.to_string(), &all);
    let conversions: Map<String, Value> = entries
        .iter()
        .map(|entry| {
            let version = entry.version.id.version;
            let shown = conversion::shown(state.versions(), &seen, version);
            (version.to_string(), shown)
        })
        .collect();
    if let Value::Object(answer) = &mut answer {
        answer.insert(
            "kind".into(),
            json!(api.methods.kind_of(call.caller()?, &of).await?),
        );
        answer.insert("conversions".into(), Value::Object(conversions));
    }
    Ok(RestAnswer::ok(&answer))
}

pub(super) async fn version(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let shown = whole(&api, &call, &of, version).await?;
    Ok(RestAnswer::ok(&shown))
}

/// A version with all that there is to say of it.
pub(super) async fn whole(
    api: &WebState,
    call: &WebCall,
    of: &TypeKey,
    version: Version,
) -> Result<Value, WebError> {
    let entry = api.engine().visible_type(call.caller()?, of, version);
    let entry = entry.await?;
    let state = api.engine().type_state(of).await?;
    let visible = call.caller()?.visible_versions(&state);
    let definition = &entry.version;
    let mut answer = short(&entry);
    if let Value::Object(answer) = &mut answer {
        // What is stored is shown, even if a part of it could not be read as text.
        let file = String::from_utf8_lossy(&entry.file).into_owned();
        let hooks: Map<String, Value> = definition
            .hooks
            .iter()
            .map(|(hook, behavior)| (hook.to_string(), json!(behavior)))
            .collect();
        let indexes: Map<String, Value> = definition
            .indexes
            .iter()
            .map(|(name, path)| (name.clone(), json!(path.to_string())))
            .collect();
        let changed = definition.meaning_changed.iter().map(ToString::to_string);
        let steps = definition.conversion.as_ref().map(|one| &one.steps);
        let restricted = definition
            .restricted_view
            .as_ref()
            .map(|view| json!({ "below": view.below.to_string(), "reason": view.reason }));
        for (name, value) in [
            ("type", json!(of.to_string())),
            ("file", json!(file)),
            ("schema", definition.schema.given().clone()),
            ("findings", json!(entry.findings)),
            (
                "conversion",
                conversion::shown(state.versions(), &visible, version),
            ),
            ("steps", json!(steps)),
            (
                "clients",
                json!(definition.clients.as_ref().map(ToString::to_string)),
            ),
            ("skew", json!(definition.skew.to_string())),
            ("uniqueNames", json!(definition.unique_names)),
            ("meaningChanged", json!(changed.collect::<Vec<_>>())),
            ("restrictedView", json!(restricted)),
            ("hooks", Value::Object(hooks)),
            ("indexes", Value::Object(indexes)),
            ("externalId", json!(entry.external_id)),
            (
                "maxImplicitRight",
                json!(entry.max_implicit_right.map(AccessLevel::name)),
            ),
        ] {
            answer.insert(name.to_owned(), value);
        }
    }
    Ok(answer)
}

pub(super) async fn counts(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let of = of(&call)?;
    let entries = visible(&api, &call, &of).await?;
    // What a caller counts is what a listing would show: all organizations only to the provider.
    let org = if caller.subject.is_provider() {
        InOrg::All
    } else {
        InOrg::Own
    };
    let mut items = Vec::new();
    for entry in &entries {
        let version = entry.version.id.version;
        let query = ListQuery {
            of: ListOf::Type {
                of: of.clone(),
                versions: Some(Classification::Exact(version)),
            },
            org: org.clone(),
            count: true,
            // The count is wanted and no rows; there are no pages without any.
            page_size: 1,
            ..ListQuery::of(of.clone())
        };
        let page = api.engine().list(caller, &query).await?;
        let count = page.total.unwrap_or_default();
        items.push(json!({ "version": version.to_string(), "resources": count }));
    }
    Ok(RestAnswer::ok(
        &json!({ "type": of.to_string(), "items": items, "nextPageToken": null }),
    ))
}

pub(super) async fn behaviors(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let all = api.engine().type_behaviors(call.caller()?, &of, version);
    let all = all.await?;
    let rows = all
        .iter()
        .map(|one| behavior(one.id(), &one.reference, &one.behavior));
    lists::page(&call, rows.collect(), &BEHAVIOR_KEYS)
}
