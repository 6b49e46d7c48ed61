//! Conversions as they are registered: which are refused, and with which document.

mod arriving;
mod hostile;
mod laws;
mod random;
mod restricted;
mod steps;

use super::{CheckedDirection, ConversionError, ConversionFit};
use crate::convert::tests::{file, v, versions};
use serde_json::{Value, json};

/// Two versions and the steps between them.
struct Pair {
    forward: CheckedDirection,
    backward: CheckedDirection,
}

impl Pair {
    /// Schemas, and steps from the one to the other.
    fn of(old: Value, new: Value, steps: Value) -> Self {
        let old = file("1.0.0", &old, None);
        let new = file("2.0.0", &new, Some(("1.0.0", steps)));
        let ways = versions(vec![old, new]).check_conversion(v("2.0.0"));
        let [forward, backward] = ways.try_into().expect("two ways");
        Self { forward, backward }
    }

    /// The same for objects with these properties; all are declared, none is required.
    fn open(old: Value, new: Value, steps: Value) -> Self {
        Self::of(object(old), object(new), steps)
    }

    /// It is proven that every document fits, in both directions.
    fn fits(&self) {
        assert_eq!(self.forward.fit, ConversionFit::Fits);
        assert_eq!(self.backward.fit, ConversionFit::Fits);
    }

    fn breaks_forward(&self, example: Value, converted: Value, at: &str) {
        breaks(&self.forward, example, converted, at);
    }

    fn breaks_backward(&self, example: Value, converted: Value, at: &str) {
        breaks(&self.backward, example, converted, at);
    }

    fn fits_forward(&self) {
        assert_eq!(self.forward.fit, ConversionFit::Fits);
    }

    fn fits_backward(&self) {
        assert_eq!(self.backward.fit, ConversionFit::Fits);
    }
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

#[track_caller]
fn breaks(way: &CheckedDirection, wanted: Value, becomes: Value, at: &str) {
    let ConversionFit::DoesNotFit(ConversionError::DoesNotFit {
        example,
        converted,
        violations,
        ..
    }) = &way.fit
    else {
        panic!("{:?}", way.fit);
    };
    assert_eq!((example, converted), (&wanted, &becomes));
    let places: Vec<_> = violations.iter().map(|one| one.pointer.as_str()).collect();
    assert!(places.contains(&at), "{places:?}");
}
