//! Logging in and out, who one is and what one may do.

use crate::api::WebState;
use crate::call::WebCall;
use crate::cookie;
use crate::error::{RELEASE, WebError};
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{BodyFields as _, RestAnswer, rfc3339};
use coeval_engine::identity::{Login, Password, Session, SessionKind};
use coeval_engine::{Caller, WantedVersions};
use http::header::SET_COOKIE;
use serde_json::{Value, json};
use std::sync::Arc;

const KEYS: [&str; 5] = ["id", "kind", "name", "source", "current"];

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::post("/sessions", handler!(login))
            .about("Logs in: with cookie in a browser's cookie, else the answer has the token.")
            .open()
            .takes("LoginInput")
            .answers(201, WebBody::One("Session")),
        WebRoute::get("/sessions/current", handler!(current))
            .about("Who one is, what one may do, and for a browser its CSRF token.")
            .gives("Session"),
        WebRoute::delete("/sessions/current", handler!(logout))
            .about(
                "Logs out: ends the session, or revokes the token, that the request is made with.",
            )
            .answers(204, WebBody::Empty),
        WebRoute::get("/sessions", handler!(list))
            .about("The sessions and API tokens of a user.")
            .text("user", "The id of a user; the caller if nothing is said")
            .listing()
            .answers(200, WebBody::Page("SessionInfo")),
        WebRoute::delete("/sessions/{id}", handler!(revoke))
            .about("Ends a session or an API token.")
            .answers(204, WebBody::Empty),
        WebRoute::delete("/users/{id}/sessions", handler!(revoke_all))
            .about("Ends all sessions and API tokens of a user, at once and on all servers.")
            .answers(204, WebBody::Empty),
        WebRoute::put("/sessions/current/password", handler!(change_password))
            .about("Changes the caller's own password; all its sessions end.")
            .takes("OwnPasswordInput")
            .answers(204, WebBody::Empty),
    ]
}

async fn login(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["user", "org", "password", "cookie"])?;
    let in_cookie = body.flag("cookie")?.unwrap_or(false);
    let login = Login {
        org: body.needed("org")?,
        user: body.needed("user")?,
        password: Password::new(body.needed("password")?),
        source: call.source.clone(),
    };
    let begun = api.engine().login(&login).await?;
    let secret = begun.token.reveal();
    // By the new token, so that the answer shows what the next request will be allowed.
    let caller = api
        .engine()
        .caller(secret, None, WantedVersions::default())
        .await?;
    // A page must not be able to read the secret that its cookie holds, so the answer has one or the other.
    let mut answer = who(&api, &caller, Some(&begun.session)).await?;
    if let Value::Object(answer) = &mut answer {
        if in_cookie {
            answer.insert("csrf".into(), json!(cookie::csrf(secret)))
        } else {
            answer.insert("token".into(), json!(secret))
        };
    }
    let answer = RestAnswer::created(&answer);
    if !in_cookie {
        return Ok(answer);
    }
    // A session without an end gets a cookie that lasts as good as for ever.
    let lasts = begun.session.expires.unwrap_or(i64::MAX) - begun.session.created;
    let seconds = u64::try_from(lasts / 1_000).unwrap_or_default();
    let cookie = cookie::set(secret, seconds, api.is_secure());
    Ok(answer.with(SET_COOKIE, &cookie))
}

async fn current(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let mut answer = who(&api, call.caller()?, None).await?;
    // Only for a session by cookie: whoever shows a token has chosen to.
    if let (Value::Object(answer), true, Some(secret)) = (&mut answer, call.by_cookie, &call.secret)
    {
        answer.insert("csrf".into(), json!(cookie::csrf(secret)));
    }
    Ok(RestAnswer::ok(&answer))
}

/// Who somebody is. All rights are all there are, so that a console need not know what that means.
async fn who(
    api: &WebState,
    caller: &Caller,
    session: Option<&Session>,
) -> Result<Value, WebError> {
    let subject = &caller.subject;
    let rights = if subject.rights().is_everything() {
        api.engine().rights(caller).await?
    } else {
        subject.rights().names()
    };
    let name = async |id: &str| -> Result<Value, WebError> {
        let name = api.engine().name_of(caller, id).await?;
        Ok(json!({ "id": id, "name": name.as_deref().unwrap_or_default() }))
    };
    let mut roles = Vec::new();
    for role in subject.roles() {
        roles.push(name(role).await?);
    }
    // Only right after a login is the session at hand.
    let expires = session.and_then(|session| session.expires);
    Ok(json!({
        "user": name(subject.user()).await?,
        "organization": name(subject.org()).await?,
        "provider": subject.is_provider(),
        "roles": roles,
        "rights": rights,
        "expires": expires.map(rfc3339),
        "release": RELEASE,
    }))
}

async fn logout(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    if let Some(secret) = &call.secret {
        api.engine().logout(secret).await?;
    }
    let answer = RestAnswer::none();
    // Only where it was sent: a program has no cookie to clear.
    Ok(if call.by_cookie {
        answer.with(SET_COOKIE, &cookie::clear(api.is_secure()))
    } else {
        answer
    })
}

pub(crate) fn shown(session: &Session) -> Value {
    json!({
        "id": session.id,
        "kind": match session.kind {
            SessionKind::Session => "session",
            SessionKind::ApiToken => "apiToken",
        },
        "user": session.user,
        "name": session.name,
        "created": rfc3339(session.created),
        "expires": session.expires.map(rfc3339),
        "source": session.source,
    })
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let user = call.query.said("user").unwrap_or(caller.user());
    let all = api.engine().list_sessions(caller, user).await?;
    lists::page(&call, all.iter().map(shown).collect(), &KEYS)
}

async fn revoke(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let revoked = api
        .engine()
        .revoke_session(call.caller()?, call.param("id"));
    revoked.await?;
    Ok(RestAnswer::none())
}

async fn revoke_all(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let revoked = api
        .engine()
        .revoke_sessions(call.caller()?, call.param("id"));
    revoked.await?;
    Ok(RestAnswer::none())
}

async fn change_password(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["old", "new"])?;
    let old = Password::new(body.needed("old")?);
    let new = Password::new(body.needed("new")?);
    let source = call.source.as_deref();
    api.engine()
        .change_password(call.caller()?, &old, &new, source)
        .await?;
    let answer = RestAnswer::none();
    // The session of this request has ended with all the others.
    Ok(if call.by_cookie {
        answer.with(SET_COOKIE, &cookie::clear(api.is_secure()))
    } else {
        answer
    })
}
