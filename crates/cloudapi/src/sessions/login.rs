//! Logging in and out, and who one is.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_api::caller::{CallerRefusal, SentCredentials};
use coeval_api::rest::RestAnswer;
use coeval_engine::identity::{IdentityError, LoggedIn, Login, Password};
use coeval_engine::{Caller, EngineError, WantedVersions};
use serde_json::{Value, json};
use std::sync::Arc;

/// Clients send the token with each request only if it is longer than 32 characters.
pub(super) const ACCESS_TOKEN: &str = "x-vmware-vcloud-access-token";
pub(super) const TOKEN_TYPE: &str = "x-vmware-vcloud-token-type";

/// A tenant's user logs in.
pub(super) async fn tenant(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    login(&api, &call, false).await
}

/// One of the provider's logs in.
pub(super) async fn provider(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    login(&api, &call, true).await
}

async fn login(api: &CloudState, call: &CloudCall, provider: bool) -> Result<RestAnswer, ApiError> {
    let (begun, caller) = begin(api, call, provider).await?;
    let answer = RestAnswer::ok(&session(api, &caller, &begun.session.id).await?);
    Ok(answer
        .saying(ACCESS_TOKEN, begun.token.reveal())
        .saying(TOKEN_TYPE, "Bearer"))
}

/// Begins a session for the user whose name and password are in the request.
pub(super) async fn begin(
    api: &CloudState,
    call: &CloudCall,
    provider: bool,
) -> Result<(LoggedIn, Caller), ApiError> {
    let Some(SentCredentials::Basic {
        user,
        org,
        password,
    }) = &call.credentials
    else {
        return Err(CallerRefusal::CredentialsMissing.into());
    };
    // Told as a wrong password is: a tenant's user always has an organization.
    let org = match org {
        Some(org) => org.clone(),
        None if provider => SYSTEM_ORGANIZATION.to_owned(),
        None => return Err(EngineError::from(IdentityError::LoginFailed).into()),
    };
    // Clients write the provider's in capitals or not.
    let org = if org.eq_ignore_ascii_case(SYSTEM_ORGANIZATION) {
        SYSTEM_ORGANIZATION.to_owned()
    } else {
        org
    };
    // Each door is for its own users; which of the two was wrong is not told.
    if (org == SYSTEM_ORGANIZATION) != provider {
        return Err(EngineError::from(IdentityError::LoginFailed).into());
    }
    let login = Login {
        org,
        user: user.clone(),
        password: Password::new(password.as_str()),
        source: call.source.clone(),
    };
    let begun = api.engine.login(&login).await?;
    // By the new token, as the next request will be.
    let caller = caller_of(api, begun.token.reveal()).await?;
    Ok((begun, caller))
}

/// Who sends a token, acting for nobody else.
pub(super) async fn caller_of(api: &CloudState, token: &str) -> Result<Caller, ApiError> {
    let wanted = WantedVersions::default();
    Ok(api.engine.caller(token, None, wanted).await?)
}

/// Who the caller is.
pub(super) async fn current(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    Ok(RestAnswer::ok(&session(&api, caller, "current").await?))
}

/// Logging out.
pub(super) async fn end(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    // A certificate has no session that could end.
    let Some(SentCredentials::Bearer(token)) = &call.credentials else {
        return Err(CallerRefusal::CredentialsMissing.into());
    };
    api.engine.logout(token).await?;
    Ok(RestAnswer::none())
}

pub(super) async fn session(
    api: &CloudState,
    caller: &Caller,
    id: &str,
) -> Result<Value, ApiError> {
    let engine = &api.engine;
    let name = async |id: &str| -> Result<String, ApiError> {
        let name = engine.name_of(caller, id).await?;
        Ok(name.map_or_else(String::new, |name| name.to_string()))
    };
    let (user, org) = (caller.user(), caller.subject.org());
    let mut roles = Vec::new();
    for role in caller.subject.roles() {
        roles.push(json!({ "name": name(role).await?, "id": role }));
    }
    let names: Vec<&Value> = roles.iter().filter_map(|role| role.get("name")).collect();
    Ok(json!({
        "id": format!("urn:vcloud:session:{id}"),
        "user": { "name": name(user).await?, "id": user },
        "org": { "name": name(org).await?, "id": org },
        "location": null,
        "roles": names,
        "roleRefs": roles,
        "sessionIdleTimeoutMinutes": 1440,
    }))
}
