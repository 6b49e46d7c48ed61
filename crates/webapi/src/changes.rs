//! What a watch tells of resources, as JSON. One atomic write is one event.

use crate::api::WebState;
use crate::error::WebError;
use crate::resources::represent::{ResourceWriter, print, quarantined};
use coeval_engine::{Caller, TypeKey, WatchedChange};
use coeval_storage::Token;
use serde_json::json;

/// `{sequence, changes: [{put} | {deleted} | {left} | {quarantined}]}`
pub(crate) async fn data(
    api: &WebState,
    caller: &Caller,
    of: &TypeKey,
    token: Token,
    all: &[WatchedChange],
) -> Result<Vec<u8>, WebError> {
    // Put together by hand: contents are bytes that are copied and never parsed here.
    let mut out = b"{\"sequence\":".to_vec();
    print(&token.to_string(), &mut out);
    out.extend_from_slice(b",\"changes\":[");
    // One for all changes of the event: they mostly have the same few owners and organizations.
    let mut writer = ResourceWriter::new(api, caller);
    let urn = |id| format!("urn:vcloud:entity:{of}:{id}");
    for (number, change) in all.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        match change {
            WatchedChange::Put(resource) => {
                out.extend_from_slice(b"{\"put\":");
                // Bytes that other watchers share: the event is put together around them.
                out.extend_from_slice(&writer.shared(resource).await?);
                out.push(b'}');
            }
            WatchedChange::Deleted { id, revision } => {
                let revision = revision.map(|revision| revision.to_string());
                let gone = json!({ "id": urn(id), "revision": revision });
                print(&json!({ "deleted": gone }), &mut out);
            }
            WatchedChange::Left { id } => {
                print(&json!({ "left": { "id": urn(id) } }), &mut out);
            }
            WatchedChange::Quarantined(one) => {
                let one = quarantined(std::slice::from_ref(one)).pop();
                print(&json!({ "quarantined": one }), &mut out);
            }
        }
    }
    out.extend_from_slice(b"]}");
    Ok(out)
}
