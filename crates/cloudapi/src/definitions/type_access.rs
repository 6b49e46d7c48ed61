//! The ACL of a type version: who sees it and may create entities of it. A grant's id is made of the
//! version and the member, so that it needs no record of its own.

use super::behavior_body::level;
use super::types::type_param;
use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::grants::{self, MEMBERSHIP};
use crate::{listing, urn};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_api::rest::RestAnswer;
use coeval_core::version::Version;
use coeval_engine::{Caller, SYSTEM_ORG, TypeKey};
use http::StatusCode;
use serde_json::{Map, Value, json};
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "grantType", "objectId", "accessLevelId", "memberId"];

fn grant_id(of: &TypeKey, version: Version, member: &AclMember) -> String {
    let name = format!("{}\0{}", urn::of_type(of, version), member.id());
    urn::derived("accessControl", &name)
}

async fn represent(
    api: &CloudState,
    call: &CloudCall,
    (of, version): (&TypeKey, Version),
    grant: &Grant,
) -> Result<Value, ApiError> {
    let mut all = Map::new();
    all.insert("id".into(), json!(grant_id(of, version, &grant.member)));
    if call.version >= ApiVersion::new(35, 2) {
        let org = match &grant.member {
            AclMember::Org(org) => org,
            // Definitions are the provider's.
            AclMember::User(_) | AclMember::Role(_) => SYSTEM_ORG,
        };
        let name = api.engine.name_of(call.caller()?, org).await?;
        let name = name.as_deref().unwrap_or_default();
        all.insert("tenant".into(), json!({ "name": name, "id": org }));
    }
    all.insert("grantType".into(), json!(MEMBERSHIP));
    all.insert("objectId".into(), json!(urn::of_type(of, version)));
    all.insert("accessLevelId".into(), json!(grant.level.urn()));
    all.insert("memberId".into(), json!(grant.member.id()));
    Ok(Value::Object(all))
}

/// Whom a body names: a user, a role or an organization that there is.
async fn member(
    api: &CloudState,
    caller: &Caller,
    body: &Map<String, Value>,
) -> Result<AclMember, ApiError> {
    match body.text("grantType")?.as_deref() {
        None | Some(MEMBERSHIP) => {}
        Some(_) => {
            return Err(ApiError::request(
                "grantType must be MembershipAccessControlGrant: rights are granted by roles and bundles",
            ));
        }
    }
    grants::member(api, caller, &body.needed("memberId")?).await
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let grants = api.engine.type_acl(call.caller()?, &of, version).await?;
    let mut rows = Vec::new();
    for grant in &grants {
        rows.push(represent(&api, &call, (&of, version), grant).await?);
    }
    listing::answer(&api, &call, rows, &KEYS, "AccessControlGrants")
}

/// Grants; for a member that has a grant it is changed.
pub(crate) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let body = call.object()?;
    // Who may not grant learns nothing of who there is.
    api.engine.type_acl(call.caller()?, &of, version).await?;
    let grant = Grant {
        level: level(&body.needed("accessLevelId")?)?,
        member: member(&api, call.caller()?, &body).await?,
    };
    set(&api, &call, &of, version, &grant).await?;
    let made = represent(&api, &call, (&of, version), &grant).await?;
    Ok(RestAnswer::json(StatusCode::CREATED, &made))
}

async fn set(
    api: &CloudState,
    call: &CloudCall,
    of: &TypeKey,
    version: Version,
    grant: &Grant,
) -> Result<(), ApiError> {
    // Whoever may change this ACL has full control, so no grant is above that.
    let change =
        |acl: &mut coeval_access::Acl| Ok(acl.set(grant.clone(), AccessLevel::FullControl)?);
    let done = api.engine.set_type_acl(call.caller()?, of, version, change);
    Ok(done.await?)
}

async fn find(api: &CloudState, call: &CloudCall) -> Result<(TypeKey, Version, Grant), ApiError> {
    let (of, version) = type_param(call)?;
    let grants = api.engine.type_acl(call.caller()?, &of, version).await?;
    let wanted = call.param("acl");
    // Ids are derived and not stored, so every grant is compared.
    let mut grants = grants.into_iter();
    let grant = grants.find(|grant| grant_id(&of, version, &grant.member) == wanted);
    let none = || ApiError::id(wanted, "a grant of this type", "nothing has it");
    // As for everything that does not exist or may not be seen.
    let forbidden = (StatusCode::FORBIDDEN, "ACCESS_TO_RESOURCE_IS_FORBIDDEN");
    let grant = grant.ok_or_else(|| none().told(forbidden.0, forbidden.1))?;
    Ok((of, version, grant))
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version, grant) = find(&api, &call).await?;
    let found = represent(&api, &call, (&of, version), &grant).await?;
    Ok(RestAnswer::ok(&found))
}

/// Another level; the member stays.
pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version, mut grant) = find(&api, &call).await?;
    grant.level = level(&call.object()?.needed("accessLevelId")?)?;
    set(&api, &call, &of, version, &grant).await?;
    let found = represent(&api, &call, (&of, version), &grant).await?;
    Ok(RestAnswer::ok(&found))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version, grant) = find(&api, &call).await?;
    // Whoever may change this ACL has full control, so no grant is above that.
    let remove = |acl: &mut coeval_access::Acl| {
        acl.remove(&grant.member, AccessLevel::FullControl)?;
        Ok(())
    };
    let done = api
        .engine
        .set_type_acl(call.caller()?, &of, version, remove);
    done.await?;
    Ok(RestAnswer::none())
}

/// Gives the version the grants of the organizations that its type is published to, once more.
pub(super) async fn sync(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, version) = type_param(&call)?;
    let caller = call.caller()?;
    let granted = api.engine.sync_type_acl(caller, &of, version).await?;
    Ok(RestAnswer::ok(&json!({ "granted": granted })))
}

fn access_level(level: AccessLevel) -> Value {
    let about = match level {
        AccessLevel::ReadOnly => "See it",
        AccessLevel::ReadWrite => "See and change it",
        AccessLevel::FullControl => "See, change and delete it, and say who else may",
    };
    json!({ "id": level.urn(), "name": level.name(), "description": about })
}

pub(super) async fn levels(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let rows = AccessLevel::ALL.into_iter().map(access_level).collect();
    listing::answer(&api, &call, rows, &["id", "name"], "AccessLevels")
}

pub(super) async fn one_level(_: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let level = level(call.param("id"))?;
    Ok(RestAnswer::ok(&access_level(level)))
}
