//! The server itself: its release, its store, its health.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::{RELEASE, WebError};
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_access::{GeneralRight, decide_general};
use coeval_api::rest::RestAnswer;
use coeval_releases::DeprecatedItem;
use coeval_storage::Store as _;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/release", handler!(release))
            .about("The server's release, for a client that wants to know what it can ask for.")
            .open()
            .gives("Release"),
        WebRoute::get("/deprecations", handler!(deprecations))
            .about("What is deprecated in the server's release, in whatever API, and which release removes it.")
            .since("0.2.0")
            .listing()
            .answers(200, WebBody::Page("Deprecated")),
        WebRoute::get("/server", handler!(get))
            .about("The server's release and health, and with the right the state of its store.")
            .gives("Server"),
    ]
}

async fn release(_api: Arc<WebState>, _call: WebCall) -> Result<RestAnswer, WebError> {
    Ok(RestAnswer::ok(&json!({ "release": RELEASE })))
}

async fn deprecations(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let row = |item: &DeprecatedItem| {
        let mut row = item.document();
        // A listing is followed by ids, so every row needs one that no other has.
        if let Some(row) = row.as_object_mut() {
            row.insert("id".into(), format!("{} {}", item.what, item.name).into());
        }
        row
    };
    let rows = api.settings.deprecations.iter().map(row).collect();
    lists::page(&call, rows, &["id", "what", "name", "deprecation"])
}

async fn get(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let subject = &call.caller()?.subject;
    // Health is for all who call; what the store says of itself needs the right.
    let status = api.engine().store().status().await;
    let ready = api.engine().ready().await;
    let store = match decide_general(GeneralRight::ViewStore, subject, None) {
        Err(_) => Value::Null,
        Ok(()) => match &status {
            Err(_) => Value::Null,
            Ok(status) => json!({
                "kind": status.kind,
                "incarnation": status.incarnation.to_string(),
                "sequence": status.head,
                "compactedTo": status.floor,
                "bytes": status.bytes,
            }),
        },
    };
    Ok(RestAnswer::ok(&json!({
        "release": RELEASE,
        "publicUrl": api.settings.public_url,
        "healthy": status.is_ok() && ready.is_ok(),
        "draining": api.settings.lifecycle.is_draining(),
        "store": store,
    })))
}
