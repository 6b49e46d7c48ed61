//! What an error that declares its code says.

use coeval_codes::{BUSY, CodeOf, Coded, DAMAGED, ErrorKind, FULL, KEY_INVALID};
use std::fmt::Debug;

#[derive(Debug, thiserror::Error, Coded)]
#[code(advice = "Look at {self}.")]
enum ShelfError {
    #[error("{key} of {} is no key", shelf.len())]
    #[code(KEY_INVALID, advice = "Correct {key} in {{{shelf:?}}}.")]
    Key { key: String, shelf: Vec<u8> },
    #[error("{0} and {1}")]
    #[code(DAMAGED, kind = NotFound, advice = "Restore {1}, then {0:?}.")]
    Damaged(&'static str, u32),
    #[error("it is full")]
    #[code(FULL)]
    Full,
}

#[derive(Debug, thiserror::Error, Coded)]
enum ReaderError {
    #[error(transparent)]
    #[code(transparent)]
    Boxed(Box<ShelfError>),
    #[error("{place}: {error}")]
    #[code(from = error, advice = format!("At {place}: {}", error.advice()))]
    At { place: u32, error: ShelfError },
    #[error("hidden: {}", .0.0)]
    #[code(from = _0.0, kind = kind_of(_0))]
    Hidden((ShelfError, bool)),
}

fn kind_of(hidden: &(ShelfError, bool)) -> ErrorKind {
    if hidden.1 {
        ErrorKind::NotFound
    } else {
        hidden.0.error_kind()
    }
}

#[derive(Debug, thiserror::Error, Coded)]
#[error("busy with {what:?}")]
#[code(BUSY, advice = self.patience())]
struct BusyError<T: Debug> {
    what: T,
}

impl<T: Debug> BusyError<T> {
    fn patience(&self) -> &'static str {
        "Wait."
    }
}

#[derive(Debug, thiserror::Error, Coded)]
#[code(BUSY, kind = Aborted)]
enum SharedError {
    #[error("one")]
    #[code(advice = "Begin.")]
    One,
    #[error("two")]
    #[code(advice = "Go on.", kind = Internal)]
    Two,
}

#[test]
fn an_advice_names_fields_by_name_and_by_position() {
    let key = ShelfError::Key {
        key: "a".to_owned(),
        shelf: vec![1],
    };
    assert_eq!(key.code(), KEY_INVALID);
    assert_eq!(key.advice(), "Correct a in {[1]}.");
    assert_eq!(
        ShelfError::Damaged("x", 2).advice(),
        "Restore 2, then \"x\"."
    );
    assert_eq!(ShelfError::Full.advice(), "Look at it is full.");
}

#[test]
fn a_kind_is_that_of_the_code_unless_the_variant_declares_another() {
    assert_eq!(ShelfError::Full.error_kind(), FULL.kind());
    let damaged = ShelfError::Damaged("x", 2);
    assert_eq!(damaged.code(), DAMAGED);
    assert_eq!(damaged.error_kind(), ErrorKind::NotFound);
}

#[test]
fn an_error_that_passes_one_on_has_its_code_kind_and_advice() {
    let boxed = ReaderError::Boxed(Box::new(ShelfError::Damaged("x", 2)));
    assert_eq!(boxed.code(), DAMAGED);
    assert_eq!(boxed.error_kind(), ErrorKind::NotFound);
    assert_eq!(boxed.advice(), "Restore 2, then \"x\".");
    let at = ReaderError::At {
        place: 3,
        error: ShelfError::Full,
    };
    assert_eq!(at.code(), FULL);
    assert_eq!(at.advice(), "At 3: Look at it is full.");
    let hidden = |hidden| ReaderError::Hidden((ShelfError::Full, hidden));
    assert_eq!(hidden(true).error_kind(), ErrorKind::NotFound);
    assert_eq!(hidden(false).error_kind(), FULL.kind());
    assert_eq!(hidden(true).advice(), "Look at it is full.");
}

#[test]
fn a_struct_and_an_enum_of_one_code_declare_it_once() {
    let busy = BusyError { what: 1 };
    assert_eq!((busy.code(), busy.advice()), (BUSY, "Wait.".to_owned()));
    assert_eq!(SharedError::One.code(), BUSY);
    assert_eq!(SharedError::One.error_kind(), ErrorKind::Aborted);
    assert_eq!(SharedError::One.advice(), "Begin.");
    assert_eq!(SharedError::Two.code(), BUSY);
    assert_eq!(SharedError::Two.error_kind(), ErrorKind::Internal);
}

#[test]
fn what_is_no_error_has_a_code_alone() {
    #[derive(CodeOf)]
    enum FlawKind {
        #[code(FULL)]
        Full(()),
        #[code(BUSY)]
        Busy,
    }
    assert_eq!(FlawKind::Full(()).code(), FULL);
    assert_eq!(FlawKind::Busy.code(), BUSY);
}
