//! Bodies of HTTP/1.1 requests that are answered before they were read.
//!
//! Who refuses a request by its headers does not read its body. On HTTP/1.1 the next request begins where
//! that body ends, so as long as it is not read the connection can't go on, and hyper closes it after the
//! answer without having said so. A client that reuses it loses its next request, and can't know whether
//! that was done. So what is left of a body is read before the answer goes out, up to a bound in bytes and
//! time; beyond that the answer says `connection: close`, and the client opens another connection. HTTP/2
//! has a stream for each request, and nothing to read.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CONNECTION, EXPECT};
use http::{HeaderValue, Request, Version};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;
use tower::Service;

/// So much of a body is read for nothing, so that its connection can go on.
const MOST_BYTES: u64 = 64 * 1024;
/// And for so long.
const LONGEST: Duration = Duration::from_millis(500);

/// Where a body that was dropped before its end is left.
type LeftBody = Arc<Mutex<Option<Incoming>>>;

/// A body that is left where it can be found if it is dropped before its end.
struct ReturnedBody {
    body: Option<Incoming>,
    left: LeftBody,
}

impl HttpBody for ReturnedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for ReturnedBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            *left = Some(body);
        }
    }
}

/// Reads what a service left of the bodies of its HTTP/1.1 requests, or has the connection closed.
#[derive(Clone, Debug)]
pub(crate) struct ReadUnread<S>(pub(crate) S);

impl<S> Service<Request<Incoming>> for ReadUnread<S>
where
    S: Service<Request<Body>, Response = Response>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        if request.version() >= Version::HTTP_2 || request.body().is_end_stream() {
            let answer = self.0.call(request.map(Body::new));
            return Box::pin(answer);
        }
        // Who waits for the word to go on has sent no body, and reading it would ask for it.
        let awaits_word = request.headers().contains_key(EXPECT);
        let left = LeftBody::default();
        let found = Arc::clone(&left);
        let answer = self.0.call(request.map(|body| {
            Body::new(ReturnedBody {
                body: Some(body),
                left,
            })
        }));
        Box::pin(async move {
            let mut response = answer.await?;
            let body = found.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(body) = body
                && (awaits_word || !read_rest(body).await)
            {
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(response)
        })
    }
}

/// Whether the rest of a body could be read within the bounds.
async fn read_rest(mut body: Incoming) -> bool {
    if body.size_hint().lower() > MOST_BYTES {
        return false;
    }
    let read = async {
        let mut bytes = 0;
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return false };
            bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
            if bytes > MOST_BYTES {
                return false;
            }
        }
        true
    };
    timeout(LONGEST, read).await.unwrap_or(false)
}
