//! Interfaces.

use super::represent;
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::{listing, urn};
use coeval_api::rest::RestAnswer;
use coeval_core::types::InterfaceId;
use coeval_core::version::Version;
use coeval_engine::types::Interface;
use http::StatusCode;
use std::sync::Arc;

const KEYS: [&str; 6] = ["name", "id", "version", "vendor", "nss", "readonly"];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let all = api.engine.interfaces().await?;
    let rows = all.iter().map(represent::interface).collect();
    listing::answer(&api, &call, rows, &KEYS, "DefinedInterfaces")
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let body = call.object()?;
    // A whole version: `1.0` names a family of interfaces, which nobody can define.
    let version = body.needed("version")?;
    let version = Version::parse_full(&version)
        .map_err(|error| ApiError::request(format!("version: {error}")))?;
    let id = InterfaceId {
        vendor: body.needed("vendor")?,
        nss: body.needed("nss")?,
        version,
    };
    let interface = Interface::new(&id, body.needed("name")?);
    api.engine
        .define_interface(call.caller()?, &interface)
        .await?;
    let made = represent::interface(&interface);
    Ok(RestAnswer::json(StatusCode::CREATED, &made))
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let interface = api.engine.interface(&id).await?;
    Ok(RestAnswer::ok(&represent::interface(&interface)))
}

/// Only the name changes; the rest of the body is what the client read.
pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    let name = call.object()?.needed("name")?;
    let rename = |interface: &mut Interface| name.clone_into(&mut interface.name);
    let done = api
        .engine
        .edit_interface(call.caller()?, &id, rename)
        .await?;
    Ok(RestAnswer::ok(&represent::interface(&done)))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let id = urn::interface(call.param("id"))?;
    api.engine.delete_interface(call.caller()?, &id).await?;
    Ok(RestAnswer::none())
}
