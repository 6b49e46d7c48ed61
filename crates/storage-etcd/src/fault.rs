//! Why a call of etcd has no answer, and what is certain about it.

use coeval_storage::StorageError;
use tonic::{Code, ConnectError, Status};

/// etcd's default of `--max-request-bytes`.
const REQUEST_BYTES: usize = 1_536 * 1024;

/// Why a call has no answer.
#[derive(Clone, Debug)]
pub(crate) enum CallFault {
    /// No connection: it was certainly not carried out.
    NotSent(String),
    /// Nobody knows whether it was carried out.
    Lost(String),
    /// etcd answered that it did not.
    Refused(StorageError),
    /// The revision that was asked for is compacted.
    Compacted,
}

impl CallFault {
    /// Reads etcd's status; `size` is that of the request.
    pub(crate) fn of(status: &Status, size: usize) -> Self {
        let text = status.message();
        // First, for tonic gives it the same code as a member that died in the middle of an answer.
        if never_connected(status) {
            return Self::NotSent(text.to_owned());
        }
        // etcd tells these apart by their texts only.
        if text.contains("required revision has been compacted") {
            return Self::Compacted;
        }
        if text.contains("database space exceeded") {
            return Self::Refused(StorageError::Full {
                reason: text.to_owned(),
            });
        }
        if text.contains("request is too large") || text.contains("message larger than max") {
            return Self::Refused(StorageError::TooLarge {
                what: "bytes in a request to etcd",
                size,
                limit: REQUEST_BYTES,
            });
        }
        if text.contains("too many requests") {
            return Self::Refused(StorageError::Busy {
                reason: text.to_owned(),
            });
        }
        match status.code() {
            // Understood, and not carried out.
            Code::InvalidArgument
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::FailedPrecondition
            | Code::Unimplemented
            | Code::OutOfRange
            | Code::NotFound => Self::Refused(StorageError::failed(text)),
            // All others may come from a proxy or from a leader that is gone: it may have been
            // carried out.
            code => Self::Lost(format!("{code:?}: {text}")),
        }
    }

    /// Whether another member may do better.
    pub(crate) fn is_of_member(&self) -> bool {
        matches!(self, Self::NotSent(_) | Self::Lost(_))
    }
}

/// For calls that change nothing, a lost one is one that did not happen.
impl From<CallFault> for StorageError {
    fn from(fault: CallFault) -> Self {
        match fault {
            CallFault::NotSent(reason) | CallFault::Lost(reason) => Self::Unavailable { reason },
            CallFault::Refused(error) => error,
            CallFault::Compacted => Self::Compacted,
        }
    }
}

fn never_connected(status: &Status) -> bool {
    // The status is the same for a refused connection and for one that broke; only the cause
    // differs.
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        if error.is::<ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_etcd_says_becomes_what_is_certain() {
        let of = |code, text: &str| CallFault::of(&Status::new(code, text), 7);
        let full = of(
            Code::ResourceExhausted,
            "etcdserver: mvcc: database space exceeded",
        );
        assert!(matches!(
            full,
            CallFault::Refused(StorageError::Full { .. })
        ));
        let large = of(Code::InvalidArgument, "etcdserver: request is too large");
        assert!(matches!(
            large,
            CallFault::Refused(StorageError::TooLarge { size: 7, .. })
        ));
        let busy = of(Code::ResourceExhausted, "etcdserver: too many requests");
        assert!(matches!(
            busy,
            CallFault::Refused(StorageError::Busy { .. })
        ));
        let old = of(
            Code::OutOfRange,
            "etcdserver: mvcc: required revision has been compacted",
        );
        assert!(matches!(old, CallFault::Compacted));
        for text in [
            "etcdserver: request timed out",
            "etcdserver: leader changed",
            "transport error",
        ] {
            assert!(matches!(of(Code::Unavailable, text), CallFault::Lost(_)));
        }
    }
}
