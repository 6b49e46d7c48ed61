//! Values as bytes that compare like the values.
//!
//! missing < null < false < true < numbers < strings < lists < objects. Numbers compare exactly, whichever of the
//! three 64-bit forms holds them, so 1 and 1.0 are the same bytes. No encoding is the beginning of another one,
//! so they can be put one after the other, and inverted for the other direction.

use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::version::Version;
use serde_json::{Number, Value};

/// Ends a list or an object; below every tag, so the shorter one comes first.
const END: u8 = 0x30;
pub(crate) const MISSING: u8 = 0x31;
pub(crate) const NULL: u8 = 0x32;
const FALSE: u8 = 0x33;
const TRUE: u8 = 0x34;
pub(crate) const NUMBER: u8 = 0x35;
pub(crate) const STRING: u8 = 0x36;
pub(crate) const VERSION: u8 = 0x37;
const ARRAY: u8 = 0x38;
const OBJECT: u8 = 0x39;
/// In an index: a resource with more values than the index takes.
pub(crate) const MANY: u8 = 0x3a;

/// A number's bytes, without a tag.
pub(crate) type NumberBytes = [u8; 11];

/// The bytes of a scalar, in the order of the values; `None` for lists and objects.
#[must_use]
pub fn index_value(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Array(_) | Value::Object(_) => None,
        scalar => {
            let mut bytes = Vec::new();
            put_value(scalar, &mut bytes);
            Some(bytes)
        }
    }
}

pub(crate) fn put_value(value: &Value, bytes: &mut Vec<u8>) {
    put_inside(value, CONTENT_DEPTH, bytes);
}

/// What is deeper than content can be counts as null.
fn put_inside(value: &Value, deeper: usize, bytes: &mut Vec<u8>) {
    // Counted down instead of up, so that the bound is in one place.
    let next = deeper.checked_sub(1);
    match (value, next) {
        (Value::Bool(false), _) => bytes.push(FALSE),
        (Value::Bool(true), _) => bytes.push(TRUE),
        (Value::Number(number), _) => put_number(&number_bytes(number), bytes),
        (Value::String(text), _) => put_text(text, bytes),
        (Value::Array(items), Some(deeper)) => {
            bytes.push(ARRAY);
            for item in items {
                put_inside(item, deeper, bytes);
            }
            bytes.push(END);
        }
        (Value::Object(map), Some(deeper)) => {
            // Clients print objects in any order; equal objects have to be equal bytes.
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            bytes.push(OBJECT);
            for (key, inner) in entries {
                put_text(key, bytes);
                put_inside(inner, deeper, bytes);
            }
            bytes.push(END);
        }
        (Value::Null, _) | (_, None) => bytes.push(NULL),
    }
}

pub(crate) fn put_number(number: &NumberBytes, bytes: &mut Vec<u8>) {
    bytes.push(NUMBER);
    bytes.extend_from_slice(number);
}

pub(crate) fn put_text(text: &str, bytes: &mut Vec<u8>) {
    put_text_start(text, bytes);
    bytes.extend_from_slice(&[0x00, 0x01]);
}

/// What the encoding of every text that begins so begins with.
pub(crate) fn put_text_start(text: &str, bytes: &mut Vec<u8>) {
    bytes.push(STRING);
    for byte in text.bytes() {
        bytes.push(byte);
        if byte == 0 {
            bytes.push(0xff);
        }
    }
}

pub(crate) fn put_version(version: Version, bytes: &mut Vec<u8>) {
    bytes.push(VERSION);
    for number in [version.major, version.minor, version.patch] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
}

/// Sign, exponent of the highest bit, and the 64 bits from it on; a negative number's are inverted.
pub(crate) fn number_bytes(number: &Number) -> NumberBytes {
    // Whole numbers first: a double could not hold all 64 bits of them.
    if let Some(whole) = number.as_u64() {
        return parts(false, whole, 0);
    }
    if let Some(whole) = number.as_i64() {
        return parts(whole < 0, whole.unsigned_abs(), 0);
    }
    // Without arbitrary precision every other number is a finite double.
    let bits = number.as_f64().unwrap_or_default().to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let negative = bits >> 63 == 1;
    // Subnormal numbers have no hidden bit.
    match i32::try_from((bits >> 52) & 0x7ff).unwrap_or_default() {
        0 => parts(negative, fraction, -1_074),
        exponent => parts(negative, fraction | (1 << 52), exponent - 1_075),
    }
}

/// Of ± magnitude × 2^exponent.
fn parts(negative: bool, magnitude: u64, exponent: i32) -> NumberBytes {
    const ZERO: u8 = 0x32;
    let mut bytes = [0; 11];
    let [class, rest @ ..] = &mut bytes;
    *class = ZERO;
    // Zero has no highest bit to count from.
    if magnitude == 0 {
        return bytes;
    }
    // Shifted so that the highest bit is always the first: then the exponent compares before the
    // digits.
    let shift = magnitude.leading_zeros();
    // From -1074 to 1023, moved above zero.
    let highest = exponent + 63 - i32::try_from(shift).unwrap_or_default() + 2_048;
    let highest = u16::try_from(highest).unwrap_or_default().to_be_bytes();
    let digits = (magnitude << shift).to_be_bytes();
    // Inverted, the larger magnitude of a negative number comes first.
    for (to, from) in rest.iter_mut().zip(highest.into_iter().chain(digits)) {
        *to = if negative { !from } else { from };
    }
    *class = if negative { ZERO - 1 } else { ZERO + 1 };
    bytes
}
