//! `convert: {path, to, from}`: another type of scalar. `from` is a string unless it is said, or the
//! older version's schema tells.

use super::value::{ValueExchange, ValueStep, excerpt, kind};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::sketch::JsonKinds;
use crate::convert::step::{ConversionClass, DirectedStep, StepWay};
use crate::types::{exact_number, whole};
use serde_json::{Number, Value, json};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let to = ScalarType::read(args, "to")?;
    let from = match args.take("from") {
        Some(_) => Some(ScalarType::read(args, "from")?),
        // Most types that change were strings, because anything can be written as one.
        None if to != ScalarType::String => Some(ScalarType::String),
        None => making.origin(&path).and_then(|(schema, origin)| {
            let types = schema.types_at(&origin);
            // Two scalar types would leave open which one the way back leads to.
            let mut scalars = types.iter().filter_map(|name| ScalarType::of(name));
            scalars.next().filter(|_| scalars.next().is_none())
        }),
    };
    let from = match from {
        Some(from) if from != to => from,
        // A conversion that changes nothing is a mistake in the file, not a wish.
        Some(_) => return Err(args.flaw("to", "that is its type already")),
        None if making.knows_schemas() => {
            let reason = "the older version's schema does not tell the type; say from";
            return Err(args.flaw("to", reason));
        }
        // Without schemas, in an example of the documentation say, a number is the widest guess.
        None => ScalarType::Number,
    };
    Ok(vec![DirectedStep::forward(ValueStep {
        id: making.id(),
        path,
        exchange: ScalarExchange { from, to },
    })])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarType {
    String,
    Integer,
    Number,
    Boolean,
}

impl ScalarType {
    fn of(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "number" => Some(Self::Number),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    fn read(args: &mut StepArgs<'_>, key: &'static str) -> Result<Self, StepFlaw> {
        let found = Self::of(args.text(key)?);
        found.ok_or_else(|| args.flaw(key, "a type is string, integer, number or boolean"))
    }

    const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
        }
    }

    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => whole(value).is_some(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
        }
    }
}

/// An integer as JSON, if 64 bits hold it.
pub(super) fn integer(whole: i128) -> Option<Value> {
    let signed = i64::try_from(whole).ok().map(Value::from);
    signed.or_else(|| u64::try_from(whole).ok().map(Value::from))
}

#[derive(Debug)]
struct ScalarExchange {
    from: ScalarType,
    to: ScalarType,
}

impl ValueExchange for ScalarExchange {
    fn exchange(&self, way: StepWay, value: &Value) -> Result<Value, String> {
        let (from, to) = way.choose((self.from, self.to), (self.to, self.from));
        // A type that was loose may have had the new type all along.
        if !from.is_of(value) && to.is_of(value) {
            return Ok(value.clone());
        }
        let converted = match (value, to) {
            (Value::String(text), ScalarType::Integer) => {
                // Through 128 bits, so that a number beyond 64 is refused rather than wrapped
                // around.
                text.parse().ok().and_then(|whole: i128| integer(whole))
            }
            (Value::String(text), ScalarType::Number) => exact_number(text).map(Value::Number),
            (Value::String(text), ScalarType::Boolean) => text.parse().ok().map(Value::Bool),
            (Value::Number(number), ScalarType::String) => Some(Value::from(text_of(number))),
            (Value::Bool(flag), ScalarType::String) => Some(Value::from(flag.to_string())),
            (Value::Number(number), ScalarType::Integer) => rounded(number),
            (Value::Number(_), ScalarType::Number) => Some(value.clone()),
            (Value::Bool(flag), ScalarType::Integer | ScalarType::Number) => {
                Some(Value::from(u8::from(*flag)))
            }
            // Only the two numbers that a boolean becomes on the way back.
            (Value::Number(_), ScalarType::Boolean) => match whole(value) {
                Some(0) => Some(Value::Bool(false)),
                Some(1) => Some(Value::Bool(true)),
                _ => None,
            },
            // A container has no scalar form that could be undone.
            (Value::Array(_) | Value::Object(_), _) => {
                return Err(format!("{} is no scalar", kind(value)));
            }
            _ => None,
        };
        converted.ok_or_else(|| format!("{} can't be {}", excerpt(value), to.name()))
    }

    fn losses(&self, way: StepWay) -> Vec<(ConversionClass, String)> {
        let (from, to) = way.choose((self.from, self.to), (self.to, self.from));
        match (from, to) {
            // Every scalar has a text, and an integer is a number already.
            (_, ScalarType::String) | (ScalarType::Integer, ScalarType::Number) => Vec::new(),
            (ScalarType::Boolean, _) => Vec::new(),
            (ScalarType::Number, ScalarType::Integer) => vec![
                (
                    ConversionClass::Keeps,
                    "is rounded towards zero, what it was is kept".to_owned(),
                ),
                (
                    ConversionClass::MayRefuse,
                    "is refused beyond 64 bits".to_owned(),
                ),
            ],
            (_, to) => vec![
                (
                    ConversionClass::MayRefuse,
                    format!("is refused where it can't be {}", to.name()),
                ),
                (
                    ConversionClass::Keeps,
                    "is kept where it was written in another way".to_owned(),
                ),
            ],
        }
    }

    fn image(&self, way: StepWay, schema: &Value) -> Value {
        let to = way.choose(self.to, self.from);
        // A boolean has two values, so all results can be listed, which proves more than a type.
        if JsonKinds::of(schema).without(JsonKinds::NULL) == JsonKinds::BOOLEAN {
            return match to {
                ScalarType::String => json!({"enum": ["false", "true"]}),
                ScalarType::Integer | ScalarType::Number => json!({"enum": [0, 1]}),
                ScalarType::Boolean => json!({"type": "boolean"}),
            };
        }
        json!({"type": to.word()})
    }
}

fn text_of(number: &Number) -> String {
    match whole(&Value::Number(number.clone())) {
        Some(whole) => whole.to_string(),
        None => number.to_string(),
    }
}

fn rounded(number: &Number) -> Option<Value> {
    let value = Value::Number(number.clone());
    let whole = whole(&value).or_else(|| {
        let double = number.as_f64().filter(|double| double.abs() < 1e19)?;
        #[expect(clippy::cast_possible_truncation, reason = "it is small enough")]
        let towards_zero = double.trunc() as i128;
        Some(towards_zero)
    });
    integer(whole?)
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, is_in_the_way};
    use serde_json::json;

    #[test]
    fn a_string_becomes_an_integer() {
        let pair = Pair::of(json!([{"convert": {"path": "/port", "to": "integer"}}]));
        pair.means(json!({"port": "8080"}), json!({"port": 8080}));
        pair.means(json!({"port": "-1"}), json!({"port": -1}));
        pair.means(json!({"port": null}), json!({"port": null}));
        let most = u64::MAX;
        pair.means(json!({"port": most.to_string()}), json!({"port": most}));
        pair.forward(json!({"port": "007"}), json!({"port": 7}), &["/port"]);
        pair.refuses_forward(json!({"port": "http"}), "/port");
        pair.refuses_forward(json!({"port": "18446744073709551616"}), "/port");
        pair.refuses_forward(json!({"port": [1]}), "/port");
        pair.refuses_backward(json!({"port": {}}), "/port");
    }

    #[test]
    fn what_has_the_type_already_stays() {
        let pair = Pair::of(json!([{"convert": {"path": "/port", "to": "integer"}}]));
        pair.forward(json!({"port": 80}), json!({"port": 80}), &["/port"]);
        pair.backward(json!({"port": "80"}), json!({"port": "80"}), &["/port"]);
    }

    #[test]
    fn other_scalars() {
        let number = Pair::of(json!([{"convert": {"path": "/x", "to": "number"}}]));
        number.means(json!({"x": "1.5"}), json!({"x": 1.5}));
        number.forward(json!({"x": "1.50"}), json!({"x": 1.5}), &["/x"]);
        let flag = Pair::of(json!([{"convert": {"path": "/x", "to": "boolean"}}]));
        flag.means(json!({"x": "true"}), json!({"x": true}));
        flag.refuses_forward(json!({"x": "yes"}), "/x");
        let text = json!({"path": "/x", "from": "boolean", "to": "string"});
        let text = Pair::of(json!([{"convert": text}]));
        text.means(json!({"x": false}), json!({"x": "false"}));
        let whole = json!({"path": "/x", "from": "number", "to": "integer"});
        let whole = Pair::of(json!([{"convert": whole}]));
        whole.means(json!({"x": 3}), json!({"x": 3}));
        whole.forward(json!({"x": -1.5}), json!({"x": -1}), &["/x"]);
        whole.refuses_forward(json!({"x": 1e300}), "/x");
        let bit = json!({"path": "/x", "from": "integer", "to": "boolean"});
        let bit = Pair::of(json!([{"convert": bit}]));
        bit.means(json!({"x": 1}), json!({"x": true}));
        bit.refuses_forward(json!({"x": 2}), "/x");
    }

    #[test]
    fn the_older_type_is_said_or_told_by_the_schema() {
        let steps = json!([{"convert": {"path": "/x", "to": "string"}}]);
        let reason = Pair::flaw_with(steps.clone(), json!({}));
        assert!(reason.contains("say from"), "{reason}");
        let schema = json!({"properties": {"x": {"type": "boolean"}}});
        Pair::with(steps, schema).means(json!({"x": true}), json!({"x": "true"}));
        let reason = flaw(json!({"convert": {"path": "/x", "from": "string", "to": "string"}}));
        assert!(reason.contains("already"), "{reason}");
    }

    #[test]
    fn what_can_be_lost_is_told() {
        let pair = |from: &str, to: &str| {
            Pair::of(json!([{"convert": {"path": "/x", "from": from, "to": to}}]))
        };
        let rounded = (ConversionClass::Keeps, "/x", "rounded towards zero");
        let beyond = (ConversionClass::MayRefuse, "/x", "beyond 64 bits");
        pair("number", "integer").loses(&[rounded, beyond]);
        pair("number", "integer").loses_back(&[]);
        pair("boolean", "integer").loses(&[]);
        pair("boolean", "string").loses(&[]);
        let refused = (ConversionClass::MayRefuse, "/x", "can't be an integer");
        let written = (ConversionClass::Keeps, "/x", "written in another way");
        pair("string", "integer").loses(&[refused, written]);
        pair("string", "integer").loses_back(&[]);
        let refused = (ConversionClass::MayRefuse, "/x", "can't be a boolean");
        pair("boolean", "number").loses_back(&[refused, written]);
        is_in_the_way(json!({"convert": {"path": "/b", "to": "integer"}}));
    }

    #[test]
    fn a_bit_is_false_or_true() {
        let bit = json!({"path": "/x", "from": "integer", "to": "boolean"});
        let bit = Pair::of(json!([{"convert": bit}]));
        bit.means(json!({"x": 0}), json!({"x": false}));
        bit.means(json!({"x": 1}), json!({"x": true}));
    }

    #[test]
    fn a_refusal_says_what_it_met_and_what_it_wanted() {
        let pair = Pair::of(json!([{"convert": {"path": "/x", "to": "integer"}}]));
        assert!(pair.why(json!({"x": [1]})).contains("a list is no scalar"));
        assert!(
            pair.why(json!({"x": {}}))
                .contains("an object is no scalar")
        );
        let why = pair.why(json!({"x": "y"}));
        assert!(why.contains("\"y\" can't be an integer"), "{why}");
    }

    #[test]
    fn as_long_as_no_schema_is_known_the_older_type_need_not_be() {
        let pair = Pair::of(json!([{"convert": {"path": "/x", "to": "string"}}]));
        pair.means(json!({"x": 1.5}), json!({"x": "1.5"}));
    }
}
