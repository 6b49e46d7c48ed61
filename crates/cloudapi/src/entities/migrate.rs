//! Moving all entities of one type version to another.

use super::target::not_own;
use super::write::task_url;
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::urn;
use coeval_api::rest::RestAnswer;
use coeval_core::version::Version;
use coeval_engine::jobs::MigrateOptions;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) async fn start(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, from) = urn::type_version(call.param("id"))?;
    not_own(&of)?;
    let body = call.object()?;
    let (target, to) = urn::type_version(&body.needed("targetEntityType")?)?;
    // Versions of one type convert; types do not.
    if target != of {
        return Err(
            ApiError::request(format!("entities of {of} can't become those of {target}"))
                .minor("RDE_INVALID_TYPE_UPDATE"),
        );
    }
    let options = MigrateOptions {
        force: body.flag("forceMigrate")?.unwrap_or(false),
        dry_run: body.flag("dryRun")?.unwrap_or(false),
        meaning_changed: meaning_changed(&body)?,
    };
    let started = api
        .engine
        .migrate_resources(call.caller()?, &of, from, to, &options);
    let task = started.await?;
    Ok(RestAnswer::accepted(&task_url(&api, &task.id.to_string())))
}

/// The versions whose changes of meaning the caller accepts, by name.
fn meaning_changed(body: &Map<String, Value>) -> Result<Vec<Version>, ApiError> {
    let all = body.list("meaningChanged")?;
    let version = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        let read = Version::parse_header(text);
        read.map_err(|error| ApiError::request(format!("meaningChanged: {error}")))
    };
    all.into_iter().flatten().map(version).collect()
}
