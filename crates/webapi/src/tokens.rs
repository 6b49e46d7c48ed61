//! API tokens, for programs.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::resources::millis;
use crate::route::{WebBody, WebRoute, handler};
use crate::sessions;
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_engine::identity::NewToken;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::post("/tokens", handler!(create))
            .about("Makes an API token for the caller itself. Its secret is not shown again.")
            .takes("TokenInput")
            .answers(201, WebBody::One("Token")),
    ]
}

async fn create(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let body = call.object(&["name", "expires"])?;
    let new = NewToken {
        name: body.needed("name")?,
        expires: match body.text("expires")? {
            None => None,
            Some(time) => Some(millis("expires", &time)?),
        },
    };
    let (secret, session) = api.engine().create_token(call.caller()?, &new).await?;
    let mut answer = sessions::shown(&session);
    if let Value::Object(answer) = &mut answer {
        answer.insert("token".into(), json!(secret.reveal()));
    }
    Ok(RestAnswer::created(&answer))
}
