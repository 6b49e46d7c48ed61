//! Numbers within bounds: those at the edges, and any.

use super::kinds::ExampleKinds;
use super::rules::PartRule;
use fastrand::Rng;
use serde_json::{Number, Value};

/// The whole numbers that JSON values hold exactly.
const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = u64::MAX as i128;

/// Beyond all of them; bounds are cut here, so that sums and products fit.
const FAR: i128 = 1 << 100;

/// The numbers that all rules allow.
#[derive(Debug)]
pub(super) struct NumberDemand {
    /// The telling ones, plain ones first.
    pub(super) edges: Vec<Value>,
    whole: Option<WholeRange>,
    real: Option<(f64, f64)>,
    /// Of `multipleOf`, where it is a fraction.
    fractions: Vec<f64>,
}

/// Whole numbers: multiples of a step from the lowest to the highest of them.
#[derive(Clone, Copy, Debug)]
struct WholeRange {
    low: i128,
    high: i128,
    step: i128,
}

/// Bounds, as whole numbers and as doubles.
#[derive(Clone, Copy)]
struct NumberBounds {
    low: i128,
    high: i128,
    real_low: f64,
    real_high: f64,
}

impl NumberDemand {
    pub(super) fn of(rules: &[&PartRule<'_>], kinds: ExampleKinds, whole_floats: bool) -> Self {
        let mut bounds = NumberBounds {
            low: LEAST,
            high: MOST,
            real_low: -1e30,
            real_high: 1e30,
        };
        let mut step = 1_i128;
        let mut fractions = Vec::new();
        for rule in rules {
            bounds.narrow(rule);
            match keyword(rule, "multipleOf") {
                Some(multiple) if whole(multiple).is_some() => {
                    step = common(step, whole(multiple).unwrap_or(1));
                }
                Some(multiple) => fractions.extend(multiple.as_f64().filter(|m| *m > 0.0)),
                None => {}
            }
        }
        let whole = WholeRange {
            low: bounds.low.saturating_add(step - 1).div_euclid(step) * step,
            high: bounds.high.div_euclid(step) * step,
            step,
        };
        let whole = Some(whole).filter(|w| kinds.has(ExampleKinds::WHOLE) && w.low <= w.high);
        let real = (bounds.real_low, bounds.real_high);
        let real =
            Some(real).filter(|(low, high)| kinds.has(ExampleKinds::FRACTION) && low <= high);
        let mut numbers = Self {
            edges: Vec::new(),
            whole,
            real: real.filter(|_| step == 1),
            fractions,
        };
        numbers.find_edges(whole_floats || kinds.has(ExampleKinds::FRACTION));
        numbers
    }

    fn find_edges(&mut self, whole_floats: bool) {
        let mut found: Vec<Value> = Vec::new();
        if let Some(WholeRange { low, high, step }) = self.whole {
            let near = 0.clamp(low, high);
            let all = [near, near + step, near + 2 * step, -step, low, low + step];
            let limits = [high - step, high, i128::from(i64::MAX), (1 << 53) + 1];
            let inside = |n: &i128| (low..=high).contains(n) && n % step == 0;
            let all = all.into_iter().chain(limits).filter(inside);
            let all: Vec<_> = all.filter_map(number).collect();
            found.extend(all);
            if whole_floats {
                let floats = [near, near + step].into_iter().filter(inside);
                found.extend(floats.map(|n| Value::from(n as f64)));
            }
        }
        if let Some((low, high)) = self.real {
            let all = [0.5, -1.5, 0.1, 1e-7, 1e21, low, high, (low + high) / 2.0];
            let bound = |x: &f64| (low..=high).contains(x) && x.abs() < 1e29;
            let multiples = self.fractions.iter().flat_map(|m| [*m, m * 3.0, m * 100.0]);
            let all = all.into_iter().chain(multiples).filter(bound);
            found.extend(all.filter(|x| self.is_multiple(*x)).map(Value::from));
        }
        found.retain(|value| {
            let real = value.as_f64().unwrap_or(0.0);
            self.is_multiple(real)
        });
        let mut seen: Vec<Value> = Vec::new();
        found.retain(|value| {
            let new = !seen.contains(value);
            seen.push(value.clone());
            new
        });
        self.edges = found;
    }

    /// Nearly: the validator has the last word.
    fn is_multiple(&self, x: f64) -> bool {
        let near = |m: &f64| ((x / m) - (x / m).round()).abs() < 1e-9;
        self.fractions.iter().all(near)
    }

    /// Any number that is allowed.
    pub(super) fn random(&self, rng: &mut Rng) -> Option<Value> {
        let real = self.real.filter(|_| self.whole.is_none() || rng.bool());
        if let Some((low, high)) = real {
            let spread = if rng.bool() { 10.0 } else { 1e6 };
            let (low, high) = (low.max(-spread).min(high), high.min(spread).max(low));
            let x = low + (high - low) * rng.f64();
            let x = match self.fractions.first() {
                Some(m) => (x / m).round() * m,
                None => (x * 100.0).round() / 100.0,
            };
            return (low..=high).contains(&x).then(|| Value::from(x));
        }
        let WholeRange { low, high, step } = self.whole?;
        let (low, high) = (low / step, high / step);
        let spread = if rng.u8(..4) == 0 { MOST } else { 100 };
        let near = 0.clamp(low, high);
        let low = low.max(near.saturating_sub(spread));
        let high = high.min(near.saturating_add(spread));
        number(rng.i128(low..=high.max(low)) * step)
    }
}

impl NumberBounds {
    fn narrow(&mut self, rule: &PartRule<'_>) {
        let flag = |name| {
            let flag = rule.keywords.and_then(|keywords| keywords.get(name));
            flag == Some(&Value::Bool(true))
        };
        if let Some(low) = keyword(rule, "minimum") {
            self.at_least(low, flag("exclusiveMinimum"));
        }
        if let Some(high) = keyword(rule, "maximum") {
            self.at_most(high, flag("exclusiveMaximum"));
        }
        if let Some(low) = keyword(rule, "exclusiveMinimum") {
            self.at_least(low, true);
        }
        if let Some(high) = keyword(rule, "exclusiveMaximum") {
            self.at_most(high, true);
        }
    }

    fn at_least(&mut self, bound: &Number, beyond: bool) {
        let real = bound.as_f64().unwrap_or(0.0);
        let low = match whole(bound) {
            Some(n) => n + i128::from(beyond),
            None => real.ceil() as i128,
        };
        let real = if beyond { real + nudge(real) } else { real };
        self.low = self.low.max(low.min(FAR));
        self.real_low = self.real_low.max(real);
    }

    fn at_most(&mut self, bound: &Number, beyond: bool) {
        let real = bound.as_f64().unwrap_or(0.0);
        let high = match whole(bound) {
            Some(n) => n - i128::from(beyond),
            None => real.floor() as i128,
        };
        let real = if beyond { real - nudge(real) } else { real };
        self.high = self.high.min(high.max(-FAR));
        self.real_high = self.real_high.min(real);
    }
}

/// A step that a double of this size can make.
fn nudge(real: f64) -> f64 {
    real.abs().max(1.0) / 1_024.0
}

fn keyword<'r>(rule: &PartRule<'r>, name: &str) -> Option<&'r Number> {
    match rule.keywords?.get(name)? {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// The number, if it is whole and not out of all measure.
fn whole(number: &Number) -> Option<i128> {
    let exact = number
        .as_i64()
        .map(i128::from)
        .or(number.as_u64().map(i128::from));
    let real = number
        .as_f64()
        .filter(|x| x.fract() == 0.0 && x.abs() < 1e20);
    exact.or(real.map(|x| x as i128))
}

fn number(n: i128) -> Option<Value> {
    let signed = i64::try_from(n).ok().map(Value::from);
    signed.or_else(|| u64::try_from(n).ok().map(Value::from))
}

/// The least common multiple, or the larger one where that is out of all measure.
fn common(a: i128, b: i128) -> i128 {
    let (mut x, mut y) = (a, b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let product = (a / x.max(1)).checked_mul(b.max(1));
    product
        .filter(|n| *n <= MOST)
        .unwrap_or(a.max(b))
        .clamp(1, MOST)
}
