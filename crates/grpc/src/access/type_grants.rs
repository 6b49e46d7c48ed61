//! Who sees a type version and may make resources of it.

use super::grants::{level, shown, shown_all};
use crate::api::GrpcState;
use crate::ids;
use crate::proto::access::v1 as pb;
use coeval_access::{AccessLevel, Acl, Grant};
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use std::sync::Arc;

pub(super) async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetTypeAclRequest,
) -> Result<pb::GetTypeAclResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.type_version)?;
    let all = api.methods.engine().type_acl(&caller, &of, version).await?;
    let grants = shown_all(&api, &caller, &all).await?;
    Ok(pb::GetTypeAclResponse { grants })
}

pub(super) async fn grant(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GrantTypeAccessRequest,
) -> Result<pb::GrantTypeAccessResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.type_version)?;
    let level = level(asked.level)?;
    let engine = api.methods.engine();
    // Who may not grant learns nothing of who there is.
    engine.type_acl(&caller, &of, version).await?;
    let member = ids::member(&api, &caller, &asked.member).await?;
    let grant = Grant { member, level };
    // An edit, not a new list: the engine repeats it on the newest ACL if it loses a race.
    let set = |acl: &mut Acl| Ok(acl.set(grant.clone(), AccessLevel::FullControl)?);
    engine.set_type_acl(&caller, &of, version, set).await?;
    Ok(pb::GrantTypeAccessResponse {
        grant: Some(shown(&api, &caller, &grant).await?),
    })
}

pub(super) async fn revoke(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::RevokeTypeAccessRequest,
) -> Result<(), MethodError> {
    let (of, version) = ids::type_version(&asked.type_version)?;
    let member = ids::member_of(&asked.member)?;
    let remove = |acl: &mut Acl| {
        acl.remove(&member, AccessLevel::FullControl)?;
        Ok(())
    };
    let engine = api.methods.engine();
    Ok(engine.set_type_acl(&caller, &of, version, remove).await?)
}

pub(super) async fn sync(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::SyncTypeAclRequest,
) -> Result<pb::SyncTypeAclResponse, MethodError> {
    let (of, version) = ids::type_version(&asked.type_version)?;
    let granted = api.methods.engine().sync_type_acl(&caller, &of, version);
    Ok(pb::SyncTypeAclResponse {
        granted: u32::try_from(granted.await?).unwrap_or(u32::MAX),
    })
}
