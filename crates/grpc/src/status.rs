//! Every refusal as a status: the kind of refusal as its code, our own code in
//! `google.rpc.ErrorInfo`, and all that programs need in `coeval.errors.v1.ErrorDetail`.

use crate::error::{CallError, grpc_code};
use crate::proto::errors::v1::{ErrorDetail, Violation};
use bytes::Bytes;
use coeval_api::methods::MethodError;
use coeval_codes::Coded;
use prost::Message;
use tonic::{Code, Status};
use tonic_types::pb::{self, ErrorInfo, RetryInfo};

const DOMAIN: &str = "coeval";
const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// How long a message may be: statuses travel in headers, which have a limit.
const LONGEST: usize = 2_000;
/// How many of a kind of detail are told.
const MOST: usize = 20;

/// As a status.
pub(crate) fn of(error: impl Into<MethodError>) -> Status {
    let error = error.into();
    let kind = error.error_kind();
    let code = error.code();
    // What went wrong inside may name hosts and files: it is for the log.
    let message = if kind.is_ours() {
        tracing::error!(%code, %error, "a call failed");
        code.title().to_owned()
    } else {
        short(&error.to_string())
    };
    let details = error.details();
    let detail = ErrorDetail {
        code: code.to_string(),
        message: message.clone(),
        advice: short(&error.advice()),
        release: RELEASE.to_owned(),
        current_revision: details.current_revision.unwrap_or_default(),
        differing_paths: some(details.differing_paths),
        violations: some(details.violations)
            .into_iter()
            .map(|(path, message)| Violation { path, message })
            .collect(),
        ids: some(details.ids),
        findings: some(details.findings)
            .iter()
            .map(|finding| short(&finding.to_string()))
            .collect(),
        sequence: details.sequence.unwrap_or_default(),
    };
    let retry = details.retry_after.map(|after| RetryInfo {
        retry_delay: prost_types::Duration::try_from(after).ok(),
    });
    told(grpc_code(kind), message, code, &detail, retry)
}

/// An error of another layer as a status.
pub(crate) fn coded(grpc: Code, error: &dyn Coded) -> Status {
    let code = error.code();
    let detail = ErrorDetail {
        code: code.to_string(),
        message: short(&error.to_string()),
        advice: short(&error.advice()),
        release: RELEASE.to_owned(),
        ..ErrorDetail::default()
    };
    told(grpc, detail.message.clone(), code, &detail, None)
}

/// A refusal around all methods.
pub(crate) fn refused(error: &CallError) -> Status {
    coded(error.grpc(), error)
}

/// A call of what this server does not have: the release tells the caller what is needed, and a
/// client of a newer API falls back to the older call.
pub(crate) fn no_such_method(path: &str) -> Status {
    let code = coeval_codes::ROUTE_UNKNOWN;
    let message = format!(
        "this server, of release {RELEASE}, has no method {}",
        short(path)
    );
    let detail = ErrorDetail {
        code: code.to_string(),
        message: message.clone(),
        advice: "Use an older method, or a server of a newer release.".to_owned(),
        release: RELEASE.to_owned(),
        ..ErrorDetail::default()
    };
    told(Code::Unimplemented, message, code, &detail, None)
}

/// A status with its details. What does not fit into headers is left out of them, the code never.
fn told(
    grpc: Code,
    message: String,
    code: coeval_codes::Code,
    detail: &ErrorDetail,
    retry: Option<RetryInfo>,
) -> Status {
    let info = ErrorInfo {
        reason: code.to_string(),
        domain: DOMAIN.to_owned(),
        metadata: [("release".to_owned(), RELEASE.to_owned())].into(),
    };
    let mut details = vec![any("google.rpc.ErrorInfo", &info)];
    if let Some(retry) = &retry {
        details.push(any("google.rpc.RetryInfo", retry));
    }
    details.push(any("coeval.errors.v1.ErrorDetail", detail));
    let status = pb::Status {
        code: grpc as i32,
        message: message.clone(),
        details,
    };
    Status::with_details(grpc, message, Bytes::from(status.encode_to_vec()))
}

fn any(name: &str, message: &impl Message) -> prost_types::Any {
    prost_types::Any {
        type_url: format!("type.googleapis.com/{name}"),
        value: message.encode_to_vec(),
    }
}

fn some<T>(mut all: Vec<T>) -> Vec<T> {
    all.truncate(MOST);
    all
}

fn short(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    // A limit in bytes may fall into a character.
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
