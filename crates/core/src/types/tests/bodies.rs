use crate::types::{BodyError, BodyLimits, Position, read_body};
use coeval_codes::Coded;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: &str) -> Result<Value, BodyError> {
    read_body(text.as_bytes(), BodyLimits::default())
}

fn at(line: usize, column: usize) -> Position {
    Position { line, column }
}

#[test]
fn a_body_means_what_was_sent() {
    let text = r#" {"b": [1, -2.5e3, true, null, "\u00e4\ud83d\ude00\/\n"], "a": {}, "": []} "#;
    let expected: Value = serde_json::from_str(text).unwrap();
    let found = read(text).unwrap();
    assert_eq!(found, expected);
    assert_eq!(
        found.to_string(),
        expected.to_string(),
        "the order of keys is kept"
    );
    for scalar in ["0", "\"x\"", "null", "true", "[]"] {
        assert!(read(scalar).is_ok(), "{scalar}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_refused_also_when_it_is_written_differently() {
    let position = at(2, 2);
    let key = "a".to_owned();
    assert_eq!(
        read("{\"a\": 1,\n \"\\u0061\": 1}"),
        Err(BodyError::DuplicateKey { position, key })
    );
    assert!(read(r#"{"a": {"a": 1}, "b": {"a": 1}}"#).is_ok());
    assert!(matches!(
        read(r#"[{"x": {"a":1,"b":2,"a":3}}]"#),
        Err(BodyError::DuplicateKey { .. })
    ));
}

#[test]
fn a_number_that_would_change_is_refused_with_its_place() {
    let error = read("[1,\n  18446744073709551616]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 3: the number 18446744073709551616 can't be held exactly in 64 bits"
    );
    assert_eq!(error.code(), coeval_codes::BODY_NUMBER);
    assert_eq!(
        read("[18446744073709551615, -9223372036854775808, 0.1]").unwrap(),
        json!([u64::MAX, i64::MIN, 0.1])
    );
}

#[test]
fn what_is_not_json_is_refused_where_it_goes_wrong() {
    for (text, position) in [
        ("", at(1, 1)),
        ("{\"a\": 1,}", at(1, 9)),
        ("[1 2]", at(1, 4)),
        ("[1]\n]", at(2, 1)),
        ("{a: 1}", at(1, 2)),
        ("{\"a\" 1}", at(1, 6)),
        ("[01]", at(1, 4)),
        ("[1.]", at(1, 4)),
        ("[1e]", at(1, 4)),
        ("[-]", at(1, 3)),
        ("\"a", at(1, 3)),
        ("\"\\ud800\"", at(1, 1)),
        ("\"\\x\"", at(1, 1)),
        ("\"a\tb\"", at(1, 3)),
        ("nul", at(1, 1)),
        ("[}", at(1, 2)),
        ("{]", at(1, 2)),
        ("\u{feff}1", at(1, 1)),
        ("// x\n1", at(1, 1)),
        ("NaN", at(1, 1)),
    ] {
        match read(text) {
            Err(BodyError::NotJson {
                position: found, ..
            }) => assert_eq!(found, position, "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert_eq!(
        read_body(b"\"\xff\"", BodyLimits::default()),
        Err(BodyError::NotUtf8 { offset: 1 })
    );
}

#[test]
fn depth_and_size_are_limited_and_no_depth_overflows_the_stack() {
    let limits = BodyLimits {
        bytes: 10_000_000,
        depth: 128,
    };
    for (levels, fits) in [
        (1, true),
        (128, true),
        (129, false),
        (10_000, false),
        (1_000_000, false),
    ] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}1{}", open.repeat(levels), close.repeat(levels));
            let found = read_body(text.as_bytes(), limits);
            match found {
                Ok(_) => assert!(fits),
                Err(error) => assert!(
                    !fits && error.code() == coeval_codes::BODY_TOO_DEEP,
                    "{error}"
                ),
            }
        }
        assert!(read_body("[".repeat(levels).as_bytes(), limits).is_err());
    }
    let limits = BodyLimits { bytes: 3, depth: 1 };
    assert_eq!(
        read_body(b"1234", limits),
        Err(BodyError::TooLarge { bytes: 4, limit: 3 })
    );
}

proptest! {
    #[test]
    fn whatever_is_accepted_is_what_serde_json_reads(text in r#"[\[\]{}:,"a01.eE+\- tfn\\u]{0,24}"#) {
        if let Ok(found) = read(&text) {
            let expected: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = read_body(&bytes, BodyLimits::default());
    }

    #[test]
    fn every_double_that_a_program_prints_is_accepted(double in proptest::num::f64::NORMAL, digits in 0_usize..30) {
        for text in [format!("{double}"), format!("{double:e}"), format!("{double:.digits$e}")] {
            let printed: f64 = text.parse().unwrap();
            // A whole number without a point is an integer, and those have 64 bits.
            let whole = !text.contains(['.', 'e']);
            if printed == double && !whole {
                prop_assert_eq!(read(&text).unwrap().as_f64(), Some(double));
            }
        }
    }
}
