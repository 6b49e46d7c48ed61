//! A type version as it is sent, made into a type file: what the body can't say stays as it was.

use super::behavior_body::level;
use crate::api_version::ApiVersion;
use crate::call::BodyFields;
use crate::error::ApiError;
use crate::urn;
use coeval_access::inheritance::DeclaredInheritance;
use coeval_core::types::limits::FILE_BYTES;
use coeval_core::types::{BodyLimits, read_document};
use coeval_core::version::Version;
use coeval_engine::types::{CatalogEntry, Policy, Registration};
use serde_json::{Map, Value, json};

type TypeBody = Map<String, Value>;

/// The registration of a new version.
pub(super) fn new(body: &TypeBody, policy: Policy) -> Result<Registration, ApiError> {
    let (vendor, nss) = (body.needed("vendor")?, body.needed("nss")?);
    let version = body.needed("version")?;
    let mut spec = Map::new();
    for (key, value) in [("vendor", &vendor), ("nss", &nss), ("version", &version)] {
        spec.insert(key.to_owned(), json!(value));
    }
    spec.insert("title".to_owned(), json!(body.needed("name")?));
    // What is absent is left out by `say`, and a new version can't do without a schema.
    if body.map("schema")?.is_none() {
        return Err(ApiError::request("schema is missing"));
    }
    say(&mut spec, body)?;
    // A type file like one that is registered by any other API, so that there is one reader and one check.
    let file = json!({
        "kind": "type",
        "version": "v1",
        "metadata": { "name": format!("{vendor}:{nss}:{version}") },
        "spec": spec,
    });
    let mut registration = Registration::of(file.to_string());
    registration.policy = policy;
    registration.inherit = inherited(body)?;
    registration.external_id = body.text("externalId")?.filter(|id| !id.is_empty());
    registration.max_implicit_right = implicit(body)?;
    Ok(registration)
}

/// That of a version that is there: what the body leaves out, or an API version does not have,
/// stays, and so do conversion, indexes and all else that this API can't say.
pub(super) fn changed(
    body: &TypeBody,
    before: &CatalogEntry,
    at: ApiVersion,
    policy: Policy,
) -> Result<Registration, ApiError> {
    // What is stored was accepted once: only the size that any file may have bounds it.
    let limits = BodyLimits {
        bytes: FILE_BYTES,
        ..BodyLimits::default()
    };
    let read = read_document(&before.file, limits);
    let read = read.map_err(|error| ApiError::request(error.to_string()))?;
    let mut file = read.content;
    let spec = file.get_mut("spec").and_then(Value::as_object_mut);
    let spec = spec.ok_or_else(|| ApiError::request("the definition can't be read"))?;
    if let Some(name) = body.text("name")? {
        spec.insert("title".to_owned(), json!(name));
    }
    let mut body = body.clone();
    // A client of an older version sends back what it was shown, and was not shown hooks.
    if at < ApiVersion::new(36, 0) {
        body.remove("hooks");
    }
    say(spec, &body)?;
    let mut registration = Registration::of(file.to_string());
    registration.policy = policy;
    registration.external_id = match body.text("externalId")? {
        // Empty takes it away, absent leaves it.
        None => before.external_id.clone(),
        Some(id) => Some(id).filter(|id| !id.is_empty()),
    };
    registration.max_implicit_right = match body.text("maxImplicitRight")? {
        None => before.max_implicit_right,
        Some(_) => implicit(&body)?,
    };
    Ok(registration)
}

/// Puts into a file what a body says.
fn say(spec: &mut Map<String, Value>, body: &TypeBody) -> Result<(), ApiError> {
    if let Some(description) = body.text("description")? {
        spec.insert("description".to_owned(), json!(description));
    }
    if let Some(list) = body.list("interfaces")? {
        let mut interfaces = Vec::new();
        for value in list {
            let text = value.as_str();
            let text = text.ok_or_else(|| ApiError::request("interfaces must be ids"))?;
            interfaces.push(json!(urn::interface(text)?.to_string()));
        }
        spec.insert("interfaces".to_owned(), Value::Array(interfaces));
    }
    if let Some(schema) = body.map("schema")? {
        spec.insert("schema".to_owned(), Value::Object(schema.clone()));
    }
    if let Some(hooks) = body.map("hooks")? {
        spec.insert("hooks".to_owned(), Value::Object(hooks.clone()));
    }
    Ok(())
}

fn inherited(body: &TypeBody) -> Result<DeclaredInheritance, ApiError> {
    Ok(match body.text("inheritedVersion")?.as_deref() {
        None | Some("") => DeclaredInheritance::Absent,
        // The RDE API's word for *from none*; empty and absent leave it to the server.
        Some("0") => DeclaredInheritance::Nothing,
        Some(text) => DeclaredInheritance::From(
            Version::parse_full(text)
                .map_err(|error| ApiError::request(format!("inheritedVersion: {error}")))?,
        ),
    })
}

fn implicit(body: &TypeBody) -> Result<Option<coeval_access::AccessLevel>, ApiError> {
    let text = body
        .text("maxImplicitRight")?
        .filter(|text| !text.is_empty());
    text.map(|text| level(&text)).transpose()
}
