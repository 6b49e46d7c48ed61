//! The service of grants, and who may do what with one resource.

use super::{explain, name_of, reference, type_grants};
use crate::api::GrpcState;
use crate::call::served;
use crate::ids;
use crate::proto::access::v1 as pb;
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_api::methods::MethodError;
use coeval_engine::{Caller, Target, TypeKey};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct AccessService(pub(crate) Arc<GrpcState>);

served!(pb::access_service_server::AccessService, AccessService {
    get_resource_acl(pb::GetResourceAclRequest) -> pb::GetResourceAclResponse = get;
    grant_access(pb::GrantAccessRequest) -> pb::GrantAccessResponse = grant;
    revoke_access(pb::RevokeAccessRequest) -> () = revoke;
    get_type_acl(pb::GetTypeAclRequest) -> pb::GetTypeAclResponse = type_grants::get;
    grant_type_access(pb::GrantTypeAccessRequest) -> pb::GrantTypeAccessResponse = type_grants::grant;
    revoke_type_access(pb::RevokeTypeAccessRequest) -> () = type_grants::revoke;
    sync_type_acl(pb::SyncTypeAclRequest) -> pb::SyncTypeAclResponse = type_grants::sync;
    explain_access(pb::ExplainAccessRequest) -> pb::ExplainAccessResponse = explain::explain;
    who_am_i(pb::WhoAmIRequest) -> pb::WhoAmIResponse = who_am_i;
});

/// The resource that a request names.
pub(super) async fn which(
    api: &GrpcState,
    caller: &Caller,
    (kind, name, namespace): (&str, &str, &str),
) -> Result<(TypeKey, Target), MethodError> {
    let of = api.methods.kind(caller, kind).await?;
    let target = api.methods.target(caller, &of, name, namespace).await?;
    Ok((of, target))
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetResourceAclRequest,
) -> Result<pb::GetResourceAclResponse, MethodError> {
    let named = (&*asked.kind, &*asked.name, &*asked.namespace);
    let (of, target) = which(&api, &caller, named).await?;
    let engine = api.methods.engine();
    // The ACL first: reading it is the right that is asked for here. Who has not got it is refused before
    // the owner is looked up.
    let acl = engine.acl(&caller, &of, &target).await?;
    let owner = engine
        .get(&caller, &of, &target)
        .await?
        .header
        .owner
        .clone();
    // The owner has full control, written down or not.
    let first = Grant {
        member: AclMember::User(owner.clone()),
        level: AccessLevel::FullControl,
    };
    let others = acl.grants().iter();
    let others = others.filter(|grant| grant.member != first.member);
    let all: Vec<Grant> = std::iter::once(&first).chain(others).cloned().collect();
    let grants = shown_all(&api, &caller, &all).await?;
    Ok(pb::GetResourceAclResponse { grants, owner })
}

async fn grant(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GrantAccessRequest,
) -> Result<pb::GrantAccessResponse, MethodError> {
    // What is wrong with the request itself is told before anything is looked up.
    let level = level(asked.level)?;
    let named = (&*asked.kind, &*asked.name, &*asked.namespace);
    let (of, target) = which(&api, &caller, named).await?;
    let engine = api.methods.engine();
    // Who may not grant learns nothing of who there is.
    engine.acl(&caller, &of, &target).await?;
    let member = ids::member(&api, &caller, &asked.member).await?;
    let grant = Grant { member, level };
    engine.grant(&caller, &of, &target, &grant).await?;
    Ok(pb::GrantAccessResponse {
        grant: Some(shown(&api, &caller, &grant).await?),
    })
}

async fn revoke(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::RevokeAccessRequest,
) -> Result<(), MethodError> {
    let named = (&*asked.kind, &*asked.name, &*asked.namespace);
    let (of, target) = which(&api, &caller, named).await?;
    // A member that is gone may still be in an ACL, and then must be removable: only the form is checked.
    let member = ids::member_of(&asked.member)?;
    let engine = api.methods.engine();
    engine.revoke(&caller, &of, &target, &member).await?;
    Ok(())
}

async fn who_am_i(
    api: Arc<GrpcState>,
    caller: Caller,
    _: pb::WhoAmIRequest,
) -> Result<pb::WhoAmIResponse, MethodError> {
    let subject = &caller.subject;
    let mut roles = Vec::new();
    for role in subject.roles() {
        roles.push(reference(&api, &caller, role).await?);
    }
    Ok(pb::WhoAmIResponse {
        user: Some(reference(&api, &caller, subject.user()).await?),
        organization: Some(reference(&api, &caller, subject.org()).await?),
        roles,
        provider: subject.is_provider(),
    })
}

/// The level that a request names.
pub(super) fn level(level: i32) -> Result<AccessLevel, MethodError> {
    match pb::AccessLevel::try_from(level) {
        Ok(pb::AccessLevel::ReadOnly) => Ok(AccessLevel::ReadOnly),
        Ok(pb::AccessLevel::ReadWrite) => Ok(AccessLevel::ReadWrite),
        Ok(pb::AccessLevel::FullControl) => Ok(AccessLevel::FullControl),
        Ok(pb::AccessLevel::Unspecified) => Err(MethodError::invalid("level is missing")),
        Err(_) => Err(MethodError::invalid("level is not one that there is")),
    }
}

/// A level as an answer says it.
pub(crate) const fn told(level: AccessLevel) -> pb::AccessLevel {
    match level {
        AccessLevel::ReadOnly => pb::AccessLevel::ReadOnly,
        AccessLevel::ReadWrite => pb::AccessLevel::ReadWrite,
        AccessLevel::FullControl => pb::AccessLevel::FullControl,
    }
}

/// A grant as an answer says it.
pub(super) async fn shown(
    api: &GrpcState,
    caller: &Caller,
    grant: &Grant,
) -> Result<pb::Grant, MethodError> {
    let member = grant.member.id();
    Ok(pb::Grant {
        member: member.to_owned(),
        member_name: name_of(api, caller, member).await?,
        level: told(grant.level).into(),
    })
}

/// Many of them.
pub(super) async fn shown_all(
    api: &GrpcState,
    caller: &Caller,
    all: &[Grant],
) -> Result<Vec<pb::Grant>, MethodError> {
    let mut told = Vec::with_capacity(all.len());
    for grant in all {
        told.push(shown(api, caller, grant).await?);
    }
    Ok(told)
}
