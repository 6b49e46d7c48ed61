//! Watching resources: what changes, as server-sent events.
//!
//! The stream is the engine's and nothing is queued here: who does not read is waited for by HTTP's
//! own flow control, and the engine reads on from its log afterwards. Every event has the sequence
//! as its id, so a browser that comes back goes on from there.

use crate::api::WebState;
use crate::call::WebCall;
use crate::changes;
use crate::error::WebError;
use crate::resources;
use crate::route::{WebBody, WebRoute, handler};
use axum::body::Body;
use bytes::Bytes;
use coeval_api::methods::WatchParams;
use coeval_api::negotiation::RequestHeaders;
use coeval_api::rest::RestAnswer;
use coeval_engine::{Caller, EngineError, TypeKey, WatchStream, Watched};
use futures::{Stream, StreamExt, stream};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Set by browsers that come back.
const LAST_EVENT_ID: &str = "last-event-id";
/// So often something is said, so that nobody in between takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) fn routes() -> Vec<WebRoute> {
    let watch = WebRoute::get("/watch/{kind}", handler!(open))
        .about("What changes, as server-sent events: live, changes, bookmark, and error at last.")
        .text("from", "From this sequence on; from now if nothing is said")
        .text(
            "filter",
            "Only those that it matches, as the caller sees them",
        )
        .text("version", "Shown at exactly this version");
    vec![resources::selecting(watch).answers(200, WebBody::Events("WatchEvent"))]
}

async fn open(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller_at_version()?;
    let of = api.methods.kind(&caller, call.param("kind")).await?;
    // The browser sends the same query again, and beside it how far it came.
    let last = RequestHeaders(&call.headers).one(LAST_EVENT_ID)?;
    let from = last.filter(|last| !last.is_empty()).map(str::to_owned);
    let asked = WatchParams {
        namespace: call.said("namespace").unwrap_or_default(),
        selector: resources::selector(&call)?,
        from: from.or_else(|| call.said("from")).unwrap_or_default(),
    };
    let opened = api.methods.watch(&caller, &of, &asked).await?;
    let lifecycle = api.settings.lifecycle.clone();
    let told = told(Arc::clone(&api), caller, of, opened.events);
    // A server that stops ends its watches; they go on elsewhere from their last sequence.
    let told = told.take_until(async move { lifecycle.draining().await });
    let told = told.map(Ok::<_, Infallible>);
    // Proxies that buffer answers would hold events back; nginx reads this header.
    let answer = RestAnswer::events(Body::from_stream(told)).saying("x-accel-buffering", "no");
    Ok(answer.warnings(&opened.warnings))
}

/// How one watcher is told.
struct EventWriter {
    api: Arc<WebState>,
    caller: Caller,
    of: TypeKey,
}

/// The events as text; after an error nothing follows.
fn told(
    api: Arc<WebState>,
    caller: Caller,
    of: TypeKey,
    events: WatchStream,
) -> impl Stream<Item = Bytes> {
    let telling = EventWriter { api, caller, of };
    stream::unfold(Some((telling, events)), |watch| async move {
        let (telling, mut events) = watch?;
        let event = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
            // A comment, which browsers skip.
            Err(_) => return Some((Bytes::from_static(b":\n\n"), Some((telling, events)))),
            Ok(None) => return None,
            Ok(Some(event)) => event,
        };
        match telling.event(event).await {
            Ok(text) => Some((text, Some((telling, events)))),
            // The last one: without a state the stream ends after it.
            Err(error) => Some((failed(&error), None)),
        }
    })
}

impl EventWriter {
    async fn event(&self, event: Result<Watched, EngineError>) -> Result<Bytes, WebError> {
        let (name, token, all) = match event? {
            Watched::Live(token) => ("live", token, Vec::new()),
            Watched::Bookmark(token) => ("bookmark", token, Vec::new()),
            Watched::Changes(token, all) => ("changes", token, all),
        };
        let data = changes::data(&self.api, &self.caller, &self.of, token, &all).await?;
        Ok(framed(name, Some(&token.to_string()), &data))
    }
}

fn failed(error: &WebError) -> Bytes {
    // Without an id: a browser that comes back goes on after the last event that it got.
    framed("error", None, error.body().to_string().as_bytes())
}

/// One event. A line break in JSON stands between its parts only, where a space is the same.
fn framed(name: &str, id: Option<&str>, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 96);
    out.extend_from_slice(format!("event: {name}\n").as_bytes());
    if let Some(id) = id {
        out.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    out.extend_from_slice(b"data: ");
    out.extend(data.iter().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        other => *other,
    }));
    out.extend_from_slice(b"\n\n");
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_one_line_of_data_whatever_its_content() {
        let event = framed("changes", Some("7"), b"{\n\"a\":\r\n1}");
        assert_eq!(&event[..], b"event: changes\nid: 7\ndata: { \"a\":  1}\n\n");
        assert_eq!(
            &framed("error", None, b"{}")[..],
            b"event: error\ndata: {}\n\n"
        );
    }
}
