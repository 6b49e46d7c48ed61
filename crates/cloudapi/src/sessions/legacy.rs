//! Sessions as older clients have them, in XML: who one is, and from where to go on.

use super::login::{ACCESS_TOKEN, TOKEN_TYPE, begin, session};
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::orgs::places;
use crate::xml;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_api::caller::SentCredentials;
use coeval_api::rest::RestAnswer;
use coeval_engine::Caller;
use serde_json::Value;
use std::sync::Arc;

/// Where older clients look for the token.
const OLD_TOKEN: &str = "x-vcloud-authorization";

/// Logs in, whoever it is: this door is for all.
pub(super) async fn login(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    // One door for all: the organization tells whose login it is.
    let provider = match &call.credentials {
        Some(SentCredentials::Basic { org, .. }) => org.as_deref() == Some(SYSTEM_ORGANIZATION),
        _ => false,
    };
    let (begun, caller) = begin(&api, &call, provider).await?;
    let token = begun.token.reveal();
    // Under both names: clients look for the one or the other.
    Ok(document(&api, &caller)
        .await?
        .saying(OLD_TOKEN, token)
        .saying(ACCESS_TOKEN, token)
        .saying(TOKEN_TYPE, "Bearer"))
}

/// Who the caller is.
pub(super) async fn current(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    document(&api, call.caller()?).await
}

async fn document(api: &CloudState, caller: &Caller) -> Result<RestAnswer, ApiError> {
    // The same content as the JSON form, read out of it, so that both always agree.
    let session = session(api, caller, "current").await?;
    let text = |pointer: &str| {
        let found = session.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    let (user, user_id, org) = (text("/user/name"), text("/user/id"), text("/org/name"));
    let roles = session.get("roles").and_then(Value::as_array);
    let roles = roles.into_iter().flatten().filter_map(Value::as_str);
    let roles: Vec<&str> = roles.collect();
    let base = format!("{}/api", api.settings.public_url);
    let own_org = places::org_href(api, caller.subject.org());
    let text = xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("user", &user),
            ("org", &org),
            ("userId", &user_id),
            ("roles", &roles.join(",")),
            ("href", &format!("{base}/session")),
            ("type", "application/vnd.vmware.vcloud.session+xml"),
        ];
        w.element("Session", &attributes, |w| {
            let mut link = |rel: &str, kind: &str, href: &str, name: &str| {
                let mut attributes = vec![("rel", rel), ("href", href)];
                if !kind.is_empty() {
                    attributes.push(("type", kind));
                }
                if !name.is_empty() {
                    attributes.push(("name", name));
                }
                w.empty("Link", &attributes);
            };
            link("down", places::ORG_LIST, &format!("{base}/org"), "");
            link("down", places::ORG, &own_org, &org);
            link("down", places::QUERY_LIST, &format!("{base}/query"), "");
            link("down", places::ADMIN, &format!("{base}/admin"), "");
            link("remove", "", &format!("{base}/session"), "");
            let openapi = format!("{}/cloudapi", api.settings.public_url);
            link("openapi", "application/json", &openapi, "");
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.vcloud.session+xml", text))
}
