//! Access tokens for programs, as OAuth has them: an API token (there *refresh token*) opens a
//! session, and a client that was registered gets its API token once.

use super::login::caller_of;
use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_api::rest::{QueryParams, RestAnswer};
use coeval_codes::Coded;
use coeval_engine::EngineError;
use coeval_engine::identity::{IdentityError, LoggedIn, TokenShown};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Whose door it is.
fn door(call: &CloudCall) -> String {
    match call.param("org") {
        // Without an organization in the path it is the provider's.
        "" => SYSTEM_ORGANIZATION.to_owned(),
        org => org.to_owned(),
    }
}

/// Registers a client: announces an API token under its name.
pub(super) async fn register(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let name = call.object()?.needed("client_name")?;
    // Before anything is written: a token is asked for at the door of its own organization.
    api.engine.at_own_door(caller, &door(&call)).await?;
    let announced = api.engine.announce_token(caller, &name).await?;
    let answer = json!({
        "client_name": name,
        "client_id": announced.short.to_string(),
        "grant_types": [JWT_BEARER],
        "token_endpoint_auth_method": "none",
    });
    Ok(RestAnswer::json(StatusCode::CREATED, &answer))
}

/// Gives an access token.
pub(super) async fn token(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    match given(&api, &call).await {
        Ok(answer) => Ok(RestAnswer::ok(&answer)),
        Err(error) => refusal(error),
    }
}

async fn given(api: &CloudState, call: &CloudCall) -> Result<Value, ApiError> {
    let asked = TokenRequest::of(call)?;
    let shown = |token: &str| TokenShown {
        token: token.to_owned(),
        org: door(call),
        source: call.source.clone(),
    };
    match asked.needed("grant_type")? {
        "refresh_token" => {
            let refresh = asked.needed("refresh_token")?;
            let begun = api.engine.begin_session(&shown(refresh)).await?;
            // The API token goes back too: it stays good, and clients store what they are told.
            Ok(answer(&begun, refresh))
        }
        JWT_BEARER => {
            let caller = caller_of(api, asked.needed("assertion")?).await?;
            api.engine.at_own_door(&caller, &door(call)).await?;
            let id = crate::urn::uuid(asked.needed("client_id")?);
            let unknown = || EngineError::from(IdentityError::SessionUnknown);
            // What is no id is told as an id that nobody has.
            let id = id.ok_or_else(unknown)?;
            // This is the only time that the secret is given out.
            let (secret, _) = api.engine.issue_token(&caller, id).await?;
            let begun = api.engine.begin_session(&shown(secret.reveal())).await?;
            Ok(answer(&begun, secret.reveal()))
        }
        other => {
            let other: String = other.chars().take(100).collect();
            Err(grant(format!("the grant type {other:?} is not served")))
        }
    }
}

fn grant(reason: String) -> ApiError {
    ApiError::Grant { reason }
}

/// What is asked for: clients put it into the body, older ones into the URL.
struct TokenRequest<'a> {
    form: QueryParams,
    url: &'a QueryParams,
}

impl<'a> TokenRequest<'a> {
    fn of(call: &'a CloudCall) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(&call.body);
        let text = text.map_err(|_| grant("the form is not UTF-8".to_owned()))?;
        let form = QueryParams::parse(text).map_err(|error| grant(error.to_string()))?;
        let url = &call.query;
        Ok(Self { form, url })
    }

    fn needed(&self, name: &'static str) -> Result<&str, ApiError> {
        let said = self.form.get(name).or_else(|| self.url.get(name));
        let said = said.filter(|text| !text.is_empty());
        said.ok_or_else(|| grant(format!("{name} is missing")))
    }
}

fn answer(begun: &LoggedIn, refresh: &str) -> Value {
    let session = &begun.session;
    let lasts = session
        .expires
        .map(|at| at.saturating_sub(session.created) / 1_000);
    json!({
        "access_token": begun.token.reveal(),
        "token_type": "Bearer",
        "expires_in": lasts,
        "scope": null,
        "refresh_token": refresh,
    })
}

/// What the asker can mend is told as OAuth tells it, and with what other answers have.
fn refusal(error: ApiError) -> Result<RestAnswer, ApiError> {
    // Other errors are the server's or the network's, and have the form that they have everywhere.
    let kind = match &error {
        ApiError::Grant { .. } => "invalid_request",
        ApiError::Engine(EngineError::Identity(
            IdentityError::TokenInvalid
            | IdentityError::OtherDoor { .. }
            | IdentityError::SessionUnknown,
        )) => "invalid_grant",
        _ => return Err(error),
    };
    // Nothing but texts: a client reads it as a map of those.
    let body = json!({
        "error": kind,
        "error_description": error.to_string(),
        "minorErrorCode": kind.to_uppercase(),
        "message": error.to_string(),
        "code": error.code().to_string(),
        "advice": error.advice(),
    });
    Ok(RestAnswer::json(StatusCode::BAD_REQUEST, &body))
}
