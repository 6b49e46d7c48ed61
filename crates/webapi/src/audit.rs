//! Records of what was done.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::lists;
use crate::route::{WebBody, WebRoute, handler};
use coeval_api::rest::{RestAnswer, rfc3339};
use coeval_engine::{AuditQuery, AuditRecord};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/audit", handler!(list))
            .about("What was done, newest first.")
            .text("resource", "On this resource: the bare id")
            .text("user", "By this user: its id")
            .text("type", "On resources of this type: vendor:nss")
            .pages()
            .answers(200, WebBody::Page("AuditRecord")),
    ]
}

fn shown(record: &AuditRecord) -> Value {
    let deed = &record.deed;
    json!({
        "at": rfc3339(deed.at),
        "user": deed.user,
        "userOrganization": deed.caller_org,
        "what": deed.what,
        "type": deed.of,
        "version": deed.version,
        "storedVersion": deed.stored,
        "resource": deed.id,
        "name": deed.name,
        "organization": deed.org,
        "owner": deed.owner,
        "before": deed.before,
        "after": record.after.to_string(),
        "note": deed.note,
    })
}

/// Where a page begins is a time and a number, hexadecimal.
fn is_place(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    text.len() <= 200 && text.bytes().all(plain)
}

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let size = lists::page_size(&call)?;
    let query = AuditQuery {
        id: call.said("resource").map(|id| bare(&id)),
        user: call.said("user"),
        of: call.said("type"),
    };
    let before = call.query.said("pageToken");
    if before.is_some_and(|place| !is_place(place)) {
        return Err(WebError::query("pageToken", "it is of no page"));
    }
    let found = api
        .engine()
        .audit(call.caller()?, &query, before, size.saturating_add(1));
    let mut found = found.await?;
    // One more than fits was asked for: it says that there is another page.
    let more = found.len() > size;
    found.truncate(size);
    let next = found.last().filter(|_| more).map(|record| &record.place);
    let items: Vec<Value> = found.iter().map(shown).collect();
    Ok(RestAnswer::ok(
        &json!({ "items": items, "nextPageToken": next }),
    ))
}

/// Deeds name a resource by the last part of its id.
fn bare(id: &str) -> String {
    id.rsplit(':').next().unwrap_or(id).to_owned()
}
