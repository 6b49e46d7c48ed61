//! Type versions.

use super::{represent, type_body};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::{listing, urn};
use coeval_access::inheritance::InheritedAcl;
use coeval_api::rest::RestAnswer;
use coeval_core::version::Version;
use coeval_engine::types::{Policy, Registered};
use coeval_engine::{EngineError, TypeKey, VENDOR};
use http::StatusCode;
use std::sync::Arc;

const KEYS: [&str; 9] = [
    "id",
    "name",
    "description",
    "nss",
    "version",
    "externalId",
    "vendor",
    "interfaces",
    "readonly",
];

/// The most warnings of one answer: clients read a hundred headers at most.
const WARNINGS: usize = 16;

/// The type version that a path names; the engine's own kinds are not for this API.
pub(super) fn type_param(call: &CloudCall) -> Result<(TypeKey, Version), ApiError> {
    let (of, version) = urn::type_version(call.param("id"))?;
    if &*of.vendor == VENDOR {
        return Err(EngineError::TypeVersionUnknown { of, version }.into());
    }
    Ok((of, version))
}

fn policy(api: &CloudState) -> Policy {
    // Existing clients of this API know no rule about the size of a bump: by default they are only warned.
    if api.settings.refuse_small_bumps {
        Policy::Refuse
    } else {
        Policy::Warn
    }
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let all = api.engine.visible_types(call.caller()?).await?;
    let rows = all
        .iter()
        .map(|entry| represent::entity_type(entry, call.version));
    listing::answer(&api, &call, rows.collect(), &KEYS, "DefinedEntityTypes")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let found = api
        .engine
        .visible_type(call.caller()?, &of, version)
        .await?;
    let answer = RestAnswer::ok(&represent::entity_type(&found, call.version));
    Ok(match api.engine.deprecation_notice(&of, version) {
        Some(notice) => answer.warning(&notice),
        None => answer,
    })
}

pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let registration = type_body::new(&call.object()?, policy(&api))?;
    let done = api.engine.register(call.caller()?, registration).await?;
    let of = TypeKey::new(&done.id.vendor, &done.id.nss);
    shown(&api, &call, &of, &done, StatusCode::CREATED).await
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let caller = call.caller()?;
    let before = api.engine.visible_type(caller, &of, version).await?;
    let registration = type_body::changed(&call.object()?, &before, call.version, policy(&api))?;
    let done = api.engine.edit_type(caller, &of, version, registration);
    let done = done.await?;
    shown(&api, &call, &of, &done, StatusCode::OK).await
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    api.engine.delete_type(call.caller()?, &of, version).await?;
    Ok(RestAnswer::none())
}

/// The version as it is now, with what should be looked at.
async fn shown(
    api: &CloudState,
    call: &CloudCall,
    of: &TypeKey,
    done: &Registered,
    status: StatusCode,
) -> Result<RestAnswer, ApiError> {
    let version = done.id.version;
    // Read again: the answer also has what the server sets by itself.
    let found = api.engine.visible_type(call.caller()?, of, version).await?;
    let answer = RestAnswer::json(status, &represent::entity_type(&found, call.version));
    Ok(warned(answer, done))
}

fn warned(mut answer: RestAnswer, done: &Registered) -> RestAnswer {
    // Only of a version that was let through all the same: elsewhere the findings refuse nothing.
    let refusing = done.findings.iter().filter(|finding| finding.refuses);
    let mut sentences: Vec<String> = refusing
        .filter(|_| done.unproven)
        .map(|finding| {
            let at = match finding.path.as_str() {
                "" => String::new(),
                path => format!("{path}: "),
            };
            format!("{at}{} ({})", finding.message, finding.rule)
        })
        .collect();
    if let Some(InheritedAcl::NothingAsOlder { than }) = done.inherits {
        sentences.push(format!(
            "version {} is older than {than} and inherits no access: tenants don't see it until it is granted to them, or accessControls/sync gives it to those that the type is published to",
            done.id.version
        ));
        // It is the one that must not be cut off.
        sentences.rotate_right(1);
    }
    // Counted before the rest is cut off.
    let more = sentences.len().saturating_sub(WARNINGS);
    sentences.truncate(WARNINGS);
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    for sentence in &sentences {
        answer = answer.warning(sentence);
    }
    answer
}
