#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::*;
use coeval_engine::TypeKey;
use coeval_storage::StorageError;

fn told(error: impl Into<EngineError>) -> (u16, Option<String>) {
    let answer = ApiError::from(error.into()).answer(ErrorForm::Json, "request");
    let after = answer.headers.get(header::RETRY_AFTER);
    let after = after.map(|value| value.to_str().unwrap().to_owned());
    (answer.status.as_u16(), after)
}

#[test]
fn a_store_that_restores_closes_or_is_busy_is_asked_again_later() {
    let busy = StorageError::Busy {
        reason: "many writes".to_owned(),
    };
    for error in [StorageError::Restoring, StorageError::Closed, busy] {
        let expected = (503, Some("1".to_owned()));
        assert_eq!(told(error.clone()), expected, "{error}");
    }
}

#[test]
fn a_release_that_is_too_old_is_not_the_callers_fault() {
    let error = EngineError::ReleaseTooOld {
        of: TypeKey::new("coeval", "user"),
        open: "1.2.0".parse().unwrap(),
        known: "1.1.0".parse().unwrap(),
    };
    assert_eq!(told(error), (503, Some("1".to_owned())));
}
