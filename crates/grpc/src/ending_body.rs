//! The body of an answer that goes on: it ends at the caller's deadline, and its last word has a
//! code if it is not OK.

use crate::error::CallError;
use crate::explained::explain;
use crate::status;
use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

pub(crate) struct EndingBody {
    /// Nothing once it has ended: what it held is freed.
    inner: Option<Body>,
    deadline: Option<Pin<Box<Sleep>>>,
    path: String,
}

impl EndingBody {
    pub(crate) fn new(body: Body, deadline: Option<Instant>, path: String) -> Self {
        Self {
            inner: Some(body),
            deadline: deadline.map(|deadline| Box::pin(sleep_until(deadline))),
            path,
        }
    }
}

impl http_body::Body for EndingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(inner) = this.inner.as_mut() else {
            return Poll::Ready(None);
        };
        // Looked at before the body: one that always has a frame ready would never be late otherwise.
        let late = |sleep: &mut Pin<Box<Sleep>>| sleep.as_mut().poll(context).is_ready();
        if this.deadline.as_mut().is_some_and(late) {
            // Dropped at once: a watch holds a cursor and a subscription until then.
            this.inner = None;
            let mut trailers = HeaderMap::new();
            // Made of text that fits into headers.
            let _ = status::refused(&CallError::DeadlinePassed).add_header(&mut trailers);
            return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
        }
        let polled = Pin::new(inner).poll_frame(context);
        polled.map_ok(|frame| match frame.into_trailers() {
            Ok(mut trailers) => {
                explain(&mut trailers, &this.path);
                Frame::trailers(trailers)
            }
            Err(frame) => frame,
        })
    }
}
