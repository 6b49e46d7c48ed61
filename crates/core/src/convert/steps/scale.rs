//! `scale: {path, by, whole}`: another unit; the newer value is the older one times `by`, which is a
//! number or a fraction such as "1/1024". A whole number stays whole, rounded towards zero, and what
//! it was is kept; with `whole: false` it becomes a fraction instead.

use super::convert::integer;
use super::value::{ValueExchange, ValueStep, excerpt};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::sketch::JsonKinds;
use crate::convert::step::{ConversionClass, DirectedStep, StepWay};
use crate::types::whole;
use serde_json::{Number, Value, json};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    // Written as a text a fraction is exact; a number in a file may not be.
    let by = match args.need("by")? {
        Value::Number(number) => fraction(&number.to_string()),
        Value::String(text) => fraction(text),
        _ => None,
    };
    let by = by.ok_or_else(|| {
        args.flaw(
            "by",
            "it must be more than 0: a number, or a fraction such as \"1/1024\"",
        )
    })?;
    // Most likely a typing error; an author who means it leaves the step out.
    if by.0 == by.1 {
        return Err(args.flaw("by", "times 1 changes nothing"));
    }
    let whole = args.flag("whole", true)?;
    let exchange = ScaleNumber { by, whole };
    Ok(vec![DirectedStep::forward(ValueStep {
        id: making.id(),
        path,
        exchange,
    })])
}

/// The largest numerator and denominator: products with 64-bit numbers stay within 128 bits.
const LARGEST: i128 = 1_000_000_000_000_000_000;

/// Whole numbers below this are exact as doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// `1024`, `0.001`, `3/4`.
fn fraction(text: &str) -> Option<(i128, i128)> {
    let (above, below) = match text.split_once('/') {
        Some((above, below)) => {
            // Both sides may have decimals: the fraction is made of whole numbers by exchanging
            // their powers of ten.
            let (above, ones) = decimal(above.trim())?;
            let (below, others) = decimal(below.trim())?;
            (above.checked_mul(others)?, below.checked_mul(ones)?)
        }
        None => decimal(text.trim())?,
    };
    // Reduced, so that the bounds hold for what the step really multiplies by.
    let divisor = greatest_divisor(above, below)?;
    let reduced = (above.checked_div(divisor)?, below.checked_div(divisor)?);
    let fits = |n: i128| (1..=LARGEST).contains(&n);
    (fits(reduced.0) && fits(reduced.1)).then_some(reduced)
}

fn greatest_divisor(mut a: i128, mut b: i128) -> Option<i128> {
    while b != 0 {
        (a, b) = (b, a.checked_rem(b)?);
    }
    Some(a)
}

/// A decimal number as a fraction.
fn decimal(text: &str) -> Option<(i128, i128)> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(decimals) || text.len() > 18 {
        return None;
    }
    let below = 10_i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    let above: i128 = format!("{whole}{decimals}").parse().ok()?;
    Some((above, below))
}

#[derive(Debug)]
struct ScaleNumber {
    by: (i128, i128),
    whole: bool,
}

impl ValueExchange for ScaleNumber {
    fn exchange(&self, way: StepWay, value: &Value) -> Result<Value, String> {
        let (times, over) = match way {
            StepWay::Forward => self.by,
            // The way back multiplies by the inverse, in whole numbers, so that both directions
            // are exact where they can be.
            StepWay::Backward => (self.by.1, self.by.0),
        };
        let Value::Number(number) = value else {
            return Err(format!("{} is no number", excerpt(value)));
        };
        let scaled = match whole(value) {
            // Whole numbers are scaled without floating point: beyond 2^53 a double would round
            // them.
            Some(whole) => whole.checked_mul(times).and_then(|product| {
                let exact = product.checked_rem(over) == Some(0);
                if exact || self.whole {
                    integer(product.checked_div(over)?)
                } else {
                    double(number, times, over)
                }
            }),
            None => double(number, times, over),
        };
        scaled.ok_or_else(|| format!("{} times {times}/{over} is too large", excerpt(value)))
    }

    fn losses(&self, way: StepWay) -> Vec<(ConversionClass, String)> {
        let over = way.choose(self.by.1, self.by.0);
        let mut losses = vec![(
            ConversionClass::MayRefuse,
            "is refused where it is no number, or beyond 64 bits".to_owned(),
        )];
        if over != 1 {
            losses.push((
                ConversionClass::Keeps,
                "is kept where the new unit can't say it".to_owned(),
            ));
        }
        losses
    }

    fn image(&self, way: StepWay, schema: &Value) -> Value {
        let (times, over) = way.choose(self.by, (self.by.1, self.by.0));
        let integer = JsonKinds::of(schema)
            .without(JsonKinds::NULL)
            .within(JsonKinds::INTEGER);
        let stays_whole = integer && (self.whole || over == 1);
        let kind = if stays_whole { "integer" } else { "number" };
        let mut image = json!({"type": kind});
        // Rounding can lead over a bound, but not over the next whole number.
        let scaled = |word: &str, outwards: fn(f64) -> f64| {
            let bound = schema.get(word)?.as_number()?;
            let scaled = double(bound, times, over)?.as_f64()?;
            // Beyond this a double is no longer exact, and a bound that is slightly off would
            // prove something wrong.
            let exact = scaled.abs() < EXACT;
            let bound = exact.then(|| Number::from_f64(outwards(scaled)));
            bound.flatten().map(Value::Number)
        };
        // An exclusive bound becomes an inclusive one further out, which lets more through and is
        // safe.
        let least =
            scaled("minimum", f64::floor).or_else(|| scaled("exclusiveMinimum", f64::floor));
        let most = scaled("maximum", f64::ceil).or_else(|| scaled("exclusiveMaximum", f64::ceil));
        if let Some(map) = image.as_object_mut() {
            map.extend(least.map(|least| ("minimum".to_owned(), least)));
            map.extend(most.map(|most| ("maximum".to_owned(), most)));
        }
        image
    }
}

fn double(number: &Number, times: i128, over: i128) -> Option<Value> {
    #[expect(clippy::cast_precision_loss, reason = "what is lost is kept")]
    let scaled = number.as_f64()? * (times as f64) / (over as f64);
    Number::from_f64(scaled).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw};
    use serde_json::json;

    #[test]
    fn a_value_in_another_unit() {
        let pair = Pair::of(json!([{"scale": {"path": "/size", "by": 1024}}]));
        pair.means(json!({"size": 2}), json!({"size": 2048}));
        pair.forward(json!({"size": 1.5}), json!({"size": 1536}), &["/size"]);
        pair.means(json!({"size": 0.1}), json!({"size": 102.4}));
        pair.means(json!({"size": 0}), json!({"size": 0}));
        pair.backward(json!({"size": 2049}), json!({"size": 2}), &["/size"]);
        pair.backward(json!({"size": -2049}), json!({"size": -2}), &["/size"]);
        pair.refuses_forward(json!({"size": u64::MAX}), "/size");
        pair.refuses_forward(json!({"size": "2"}), "/size");
    }

    #[test]
    fn fractions_where_they_are_asked_for() {
        let whole = Pair::of(json!([{"scale": {"path": "/cpu", "by": 0.001}}]));
        whole.forward(json!({"cpu": 1500}), json!({"cpu": 1}), &["/cpu"]);
        let cores = json!({"path": "/cpu", "by": "1/1000", "whole": false});
        let cores = Pair::of(json!([{"scale": cores}]));
        cores.means(json!({"cpu": 1500}), json!({"cpu": 1.5}));
        cores.means(json!({"cpu": 2000}), json!({"cpu": 2}));
    }

    #[test]
    fn a_factor_is_more_than_0_and_not_1() {
        for by in [
            json!(0),
            json!(-1),
            json!("x"),
            json!("1/0"),
            json!(1),
            json!("2/2"),
            json!(1e300),
        ] {
            let reason = flaw(json!({"scale": {"path": "/x", "by": by}}));
            assert!(
                reason.contains("more than 0") || reason.contains("nothing"),
                "{by}: {reason}"
            );
        }
    }

    #[test]
    fn what_can_be_lost_is_told() {
        let by = |by| Pair::of(json!([{"scale": {"path": "/x", "by": by}}]));
        let refuses = (ConversionClass::MayRefuse, "/x", "no number");
        let keeps = (ConversionClass::Keeps, "/x", "can't say it");
        by(json!(1000)).loses(&[refuses]);
        by(json!(1000)).loses_back(&[refuses, keeps]);
        by(json!("1/1000")).loses(&[refuses, keeps]);
        by(json!("1/1000")).loses_back(&[refuses]);
    }

    #[test]
    fn a_fraction_is_reduced() {
        let pair = Pair::of(json!([{"scale": {"path": "/x", "by": "4/2"}}]));
        pair.means(json!({"x": 3}), json!({"x": 6}));
        pair.loses(&[(ConversionClass::MayRefuse, "/x", "no number")]);
    }

    #[test]
    fn a_factor_has_digits_and_18_characters_at_most() {
        let scale = |by: &str| json!({"scale": {"path": "/x", "by": by}});
        for by in [
            ".5",
            "+5",
            "5.+5",
            "5.x",
            "x.5",
            "",
            "/",
            "1/",
            "0000000000000000005",
        ] {
            assert!(flaw(scale(by)).contains("more than 0"), "{by:?}");
        }
        let pair = Pair::of(json!([scale("000000000000000005")]));
        pair.means(json!({"x": 1}), json!({"x": 5}));
    }
}
