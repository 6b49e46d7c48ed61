//! Bodies: what is accepted is what another reader of JSON reads, with no key twice; what is
//! refused as no JSON is refused by that one too.
#![no_main]

use coeval_core::types::{BodyError, BodyLimits, read_body};
use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

fuzz_target!(|bytes: &[u8]| {
    let limits = BodyLimits::default();
    match read_body(bytes, limits) {
        Ok(read) => {
            let other: Value = other_reader(bytes).expect("both accept it");
            assert_eq!(read, other);
            // Equality knows neither the order of keys nor the sign of zero.
            let printed = read.to_string();
            assert_eq!(printed, other.to_string());
            assert!(other_reader::<NoKeyTwice>(bytes).is_ok());
            assert_eq!(read_body(printed.as_bytes(), limits), Ok(read));
        }
        Err(BodyError::NotJson { .. } | BodyError::NotUtf8 { .. }) => {
            assert!(other_reader::<Value>(bytes).is_err());
        }
        Err(BodyError::DuplicateKey { .. }) => {
            assert!(other_reader::<NoKeyTwice>(bytes).is_err());
        }
        Err(BodyError::TooLarge { .. } | BodyError::TooDeep { .. } | BodyError::Number { .. }) => {}
    }
});

fn other_reader<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    // Its own limit is one level lower than ours.
    reader.disable_recursion_limit();
    let read = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(read)
}

/// Any JSON in which no object has a key twice.
struct NoKeyTwice;

impl<'de> Deserialize<'de> for NoKeyTwice {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for NoKeyTwice {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some((key, Self)) = map.next_entry::<String, Self>()? {
            if !seen.insert(key) {
                return Err(A::Error::custom("a key is there twice"));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Self) = items.next_element()? {}
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
}
