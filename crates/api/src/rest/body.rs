//! Bodies: read within a limit of bytes and of time, and as strict JSON.

use crate::rest::error::RestError;
use axum::body::Body;
use bytes::Bytes;
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyError, BodyLimits, read_body};
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use serde_json::{Map, Value};
use std::time::Duration;

/// Levels around a resource's content in a body.
const AROUND: usize = 4;

/// All bytes of a body.
///
/// # Errors
/// If there are more than `limit`, or they take longer than `time`.
pub async fn read_bytes(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    time: Duration,
) -> Result<Bytes, RestError> {
    let too_large = |bytes| RestError::Body(BodyError::TooLarge { bytes, limit });
    // A length that can't be read says nothing. The limit holds while the body is read.
    let said = headers.get(header::CONTENT_LENGTH);
    let said = said.and_then(|said| said.to_str().ok()?.parse::<usize>().ok());
    // Refused by its own words, before a byte of it is held.
    if let Some(said) = said.filter(|said| *said > limit) {
        pass_over(body).await;
        return Err(too_large(said));
    }
    match tokio::time::timeout(time, axum::body::to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // Nearly always the limit. If the connection broke, nobody reads the answer.
        Ok(Err(_)) => Err(too_large(limit + 1)),
        Err(_) => Err(RestError::BodyTooSlow { limit: time }),
    }
}

/// The most that is taken of a body that nobody reads, and for how long.
const PASSED_BYTES: usize = 2 * 1024 * 1024;
const PASSED_TIME: Duration = Duration::from_secs(1);

/// Takes a body that is not looked at, if it is not too large; nothing of it is held. A connection
/// on which the rest of a request is still under way is closed with its answer, and a client that
/// is about to send that rest sees the end of the connection instead of the answer.
pub async fn pass_over(mut body: Body) {
    let all = async {
        let mut passed = 0;
        // An error ends it as well: nobody is left to be answered.
        while let Some(Ok(frame)) = body.frame().await {
            passed += frame.data_ref().map_or(0, Bytes::len);
            if passed > PASSED_BYTES {
                return;
            }
        }
    };
    // What is larger or slower has its connection closed.
    let _ = tokio::time::timeout(PASSED_TIME, all).await;
}

/// A body as JSON, read strictly.
///
/// # Errors
/// If it is none, or could not be taken as it is.
pub fn read_json(body: &[u8]) -> Result<Value, RestError> {
    let limits = BodyLimits {
        // How many bytes there may be was settled while they were read.
        bytes: body.len(),
        depth: CONTENT_DEPTH + AROUND,
    };
    Ok(read_body(body, limits)?)
}

/// A body as a JSON object.
///
/// # Errors
/// As [`read_json`], or if it is something else.
pub fn read_object(body: &[u8]) -> Result<Map<String, Value>, RestError> {
    match read_json(body)? {
        Value::Object(map) => Ok(map),
        _ => Err(RestError::request("the body must be a JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;
    use futures::stream;
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A body without an end, and how many of its kilobytes were taken.
    fn endless() -> (Body, Arc<AtomicUsize>) {
        let taken = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&taken);
        let frames = stream::repeat_with(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from_static(&[0; 1024]))
        });
        (Body::from_stream(frames), taken)
    }

    fn status(read: Result<Bytes, RestError>) -> u16 {
        read.unwrap_err().error_kind().statuses().webapi
    }

    #[tokio::test]
    async fn what_nobody_reads_is_taken_up_to_a_limit() {
        let (body, taken) = endless();
        pass_over(body).await;
        assert_eq!(taken.load(Ordering::Relaxed), PASSED_BYTES / 1024 + 1);
    }

    #[tokio::test]
    async fn a_body_past_the_limit_is_refused_however_it_comes() {
        let time = Duration::from_secs(5);
        let (body, taken) = endless();
        let read = read_bytes(&HeaderMap::new(), body, 10_000, time).await;
        assert_eq!(status(read), 413);
        assert!(taken.load(Ordering::Relaxed) < 20);
        let said = HeaderMap::from_iter([(header::CONTENT_LENGTH, 20_000.into())]);
        let read = read_bytes(&said, Body::from("x"), 10_000, time).await;
        assert_eq!(status(read), 413);
        let never = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let read = read_bytes(&HeaderMap::new(), never, 10, Duration::from_millis(10)).await;
        assert_eq!(status(read), 408);
    }
}
