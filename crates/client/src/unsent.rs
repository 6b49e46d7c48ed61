//! Requests that no server has begun, and that can therefore be sent again whatever they do.
//!
//! A server that stops, or whose connection is old, says GOAWAY: what it has begun it still
//! answers, and the rest belongs on another connection. A request that crosses with that word
//! fails here although nothing is wrong. gRPC's libraries call sending it again a *transparent
//! retry*; tonic has none.

use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt, Collected, Full, StreamBody};
use hyper::body::Frame;
use std::error::Error;
use std::future::ready;
use tonic::Status;
use tonic::body::Body;

/// Each time on another connection, so more than a few are a server that takes no request at all.
pub(crate) const MOST: u32 = 5;

/// Whether the transport knows that no server has begun a request.
pub(crate) fn was_unsent(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>()
            && error.is_canceled()
        {
            // It waited for a connection that was closed before it was written to it.
            return true;
        }
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return is_refused(error);
        }
        cause = error.source();
    }
    false
}

/// A stream is failed with the peer's GOAWAY only if that says that it was not begun (RFC 9113,
/// 6.8); REFUSED_STREAM says the same of one stream (8.7).
fn is_refused(error: &h2::Error) -> bool {
    let is_remote_go_away = error.is_go_away() && error.is_remote();
    is_remote_go_away || (error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM))
}

/// A request's body, which can be sent more than once: every call has one message.
pub(crate) struct RequestBody(pub(crate) Result<Bytes, Status>);

impl RequestBody {
    pub(crate) async fn of(body: Body) -> Self {
        let collected = body.collect().await;
        Self(collected.map(Collected::to_bytes))
    }

    pub(crate) fn copied(&self) -> Body {
        match &self.0 {
            Ok(bytes) => Body::new(Full::new(bytes.clone())),
            // The message can't be written; the transport says so as it does without us.
            Err(status) => {
                // A body that fails when it is polled makes the transport answer with this status.
                let failing = stream::once(ready(Err::<Frame<Bytes>, _>(status.clone())));
                Body::new(StreamBody::new(failing))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_refuses_unseen_is_unsent_and_what_it_breaks_off_is_not() {
        let refused = h2::Error::from(h2::Reason::REFUSED_STREAM);
        // Made here it is about the connection and nobody's word; only a reset says it of a stream.
        assert!(!was_unsent(&refused));
        assert!(!was_unsent(&h2::Error::from(h2::Reason::INTERNAL_ERROR)));
        assert!(!was_unsent(&std::io::Error::other("reset by peer")));
    }

    #[tokio::test]
    async fn a_body_is_the_same_each_time() {
        let body = RequestBody::of(Body::new(Full::from("message"))).await;
        for _ in 0..2 {
            let copied = body.copied().collect().await.unwrap().to_bytes();
            assert_eq!(copied, "message");
        }
        let failing = RequestBody(Err(Status::internal("too large")));
        let told = failing.copied().collect().await.unwrap_err();
        assert_eq!(told.message(), "too large");
    }
}
