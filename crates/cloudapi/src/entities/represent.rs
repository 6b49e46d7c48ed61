//! An entity as it is answered. Its content is copied as it is stored, never read.

use crate::api::Api;
use crate::api_version::ApiVersion;
use crate::error::ApiError;
use crate::urn;
use coeval_engine::{Caller, Resource};
use serde::Serialize;
use serde_json::value::RawValue;

/// Somebody or something with a name.
#[derive(Debug, Serialize)]
pub(crate) struct Reference {
    name: String,
    id: String,
}

/// An entity.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entity<'a> {
    id: String,
    entity_type: String,
    name: &'a str,
    external_id: Option<&'a str>,
    entity: &'a RawValue,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_state: Option<&'static str>,
    owner: Reference,
    org: Reference,
}

/// The quoted revision: all views of one revision have the same.
pub(crate) fn etag(resource: &Resource) -> String {
    format!("\"{}\"", resource.revision)
}

pub(crate) async fn reference(api: &Api, caller: &Caller, id: &str) -> Result<Reference, ApiError> {
    let name = api.engine.name_of(caller, id).await?;
    Ok(Reference {
        name: name.map_or_else(String::new, |name| name.to_string()),
        id: id.to_owned(),
    })
}

/// The entity's text, written once.
pub(crate) async fn entity(
    api: &Api,
    caller: &Caller,
    resource: &Resource,
    version: ApiVersion,
) -> Result<Vec<u8>, ApiError> {
    let header = &resource.header;
    let content: &RawValue = serde_json::from_slice(&resource.content)
        .map_err(|error| ApiError::request(format!("the content can't be shown: {error}")))?;
    let state = header.state.name();
    let entity = Entity {
        id: resource.urn(),
        entity_type: urn::of_type(&resource.of, resource.version.version),
        name: &header.name,
        external_id: header.external_id.as_deref(),
        entity: content,
        state,
        entity_state: (version >= ApiVersion::new(37, 1)).then_some(state),
        owner: reference(api, caller, &header.owner).await?,
        org: reference(api, caller, &header.org).await?,
    };
    // Plain data: nothing in it can fail to be printed.
    Ok(serde_json::to_vec(&entity).unwrap_or_default())
}
