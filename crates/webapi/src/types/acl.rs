//! Who is granted what on a type version.

use super::{of, version_of};
use crate::access::{GRANT_KEYS, member_of, sent, shown};
use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use coeval_access::{AccessLevel, Acl};
use coeval_api::rest::RestAnswer;
use coeval_engine::EngineError;
use std::sync::Arc;

pub(super) async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let grants = api.engine().type_acl(caller, &of, version).await?;
    let mut rows = Vec::new();
    for grant in &grants {
        rows.push(shown(&api, caller, grant).await?);
    }
    lists::page(&call, rows, &GRANT_KEYS)
}

pub(super) async fn grant(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let grant = sent(&api, &call, caller).await?;
    // Whoever may change this ACL has full control, so no grant is above that.
    let set = |acl: &mut Acl| {
        acl.set(grant.clone(), AccessLevel::FullControl)
            .map_err(EngineError::from)
    };
    api.engine().set_type_acl(caller, &of, version, set).await?;
    Ok(RestAnswer::ok(&shown(&api, caller, &grant).await?))
}

pub(super) async fn revoke(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let id = call.param("member");
    let member = member_of(id)?;
    // Whoever may change this ACL has full control, so no grant is above that.
    let take = |acl: &mut Acl| {
        acl.remove(&member, AccessLevel::FullControl)
            .map(|_| ())
            .map_err(EngineError::from)
    };
    let revoked = api
        .engine()
        .set_type_acl(call.caller()?, &of, version, take);
    revoked.await?;
    Ok(RestAnswer::none())
}
