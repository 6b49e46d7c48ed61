//! How whatever is stored becomes JSON.
//!
//! What is stored here is plain data that does not fail to be encoded today. But whether it does is
//! decided by types that change, far from where they are written; and a record that is committed
//! empty is lost. So a failure is an error like any other, and nothing is written.

use coeval_codes::Coded;
use serde::Serialize;
use serde_json::Value;

/// Something that was to be stored can't be; nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("{what} can't be encoded: {reason}")]
#[code(
    NOT_ENCODED,
    advice = "Nothing was written. Report it with the server's log; it is a fault of the server."
)]
pub struct EncodeError {
    what: &'static str,
    reason: String,
}

/// As the bytes of a record; `what` names it to whoever reads the error.
pub fn encode(
    what: &'static str,
    value: &(impl Serialize + ?Sized),
) -> Result<Vec<u8>, EncodeError> {
    serde_json::to_vec(value).map_err(|error| not_encoded(what, &error))
}

/// As a value that becomes a part of a record.
pub fn encode_value(
    what: &'static str,
    value: &(impl Serialize + ?Sized),
) -> Result<Value, EncodeError> {
    serde_json::to_value(value).map_err(|error| not_encoded(what, &error))
}

/// What `serde_json` could not write.
pub fn not_encoded(what: &'static str, error: &serde_json::Error) -> EncodeError {
    EncodeError {
        what,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;
    use coeval_codes::ErrorKind;
    use std::collections::BTreeMap;

    #[test]
    fn what_json_can_not_say_is_an_error_and_no_empty_record() {
        // the keys of an object are strings
        let unsayable = BTreeMap::from([(vec![1], 2)]);
        for error in [
            encode("a map", &unsayable).unwrap_err(),
            encode_value("a map", &unsayable).unwrap_err(),
        ] {
            assert_eq!(error.code(), coeval_codes::NOT_ENCODED);
            assert_eq!(error.error_kind(), ErrorKind::Internal);
            assert!(error.to_string().starts_with("a map can't be encoded"));
        }
    }
}
