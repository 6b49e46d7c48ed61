//! Statuses that the library makes by itself, with a code of ours: every status that is not OK has one,
//! whoever made it.

use crate::error::CallError;
use crate::status;
use http::HeaderMap;
use tonic::{Code, Status};

/// Gives a status that came without details a code, and the kind of refusal that it is.
pub(crate) fn explain(headers: &mut HeaderMap, path: &str) {
    // With details it is a status of ours, which has a code already.
    if headers.contains_key(Status::GRPC_STATUS_DETAILS) {
        return;
    }
    let Some(status) = Status::from_header_map(headers) else {
        return;
    };
    if status.code() == Code::Ok {
        return;
    }
    let told = explained(status.code(), status.message(), path);
    // Tonic writes no empty message: the library's own would stay beside our code.
    headers.remove(Status::GRPC_MESSAGE);
    // Made of text that fits into headers.
    let _ = told.add_header(headers);
}

/// What the library's own status means.
fn explained(code: Code, message: &str, path: &str) -> Status {
    let reason = || message.chars().take(500).collect();
    // The library has no types for its own refusals: their texts are all that tells them apart.
    let error = match code {
        Code::Unimplemented if message.is_empty() => return status::no_such_method(path),
        Code::Unimplemented => CallError::CompressionUnknown { reason: reason() },
        Code::OutOfRange | Code::ResourceExhausted => CallError::MessageTooLarge {
            limit: last_number(message),
        },
        Code::Internal if message.contains("compressed-flag") => CallError::CompressionUnsaid,
        Code::Internal if is_about_the_message(message) => {
            CallError::MessageUnreadable { reason: reason() }
        }
        Code::DeadlineExceeded => CallError::DeadlinePassed,
        code => {
            tracing::error!(?code, message, path, "a call failed without a code of ours");
            CallError::Failed { code }
        }
    };
    status::refused(&error)
}

/// Whether the library means the request by it.
fn is_about_the_message(message: &str) -> bool {
    let of_request = [
        "failed to decode Protobuf message",
        "protocol error: received message",
        "Unexpected EOF decoding stream",
        "Missing request message",
        "Error decompressing",
    ];
    of_request.iter().any(|begin| message.starts_with(begin))
}

fn last_number(text: &str) -> u64 {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let mut numbers = numbers.filter_map(|digits| digits.parse().ok());
    numbers.next_back().unwrap_or_default()
}
