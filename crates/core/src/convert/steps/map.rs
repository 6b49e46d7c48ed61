//! `map: {path, table, otherwise}`: a value for a value. The table is written `{old: new}`, or as a
//! list of `[old, new]` where the old values are no texts. `otherwise` is for values that the table
//! does not have: one value, for the way to the newer version, or `{forward, backward}`.

use super::value::{ValueExchange, ValueStep, excerpt};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::sketch::{JsonKinds, listed};
use crate::convert::step::{ConversionClass, DirectedStep, StepWay};
use crate::types::same;
use serde_json::Value;
use std::collections::HashMap;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let pairs = pairs(args)?;
    let (forward, backward) = otherwise(args)?;
    let one_to_one = |side: fn(&(Value, Value)) -> &Value| {
        let sides: Vec<_> = pairs.iter().map(side).collect();
        let again =
            // Compared as JSON compares: 1 and 1.0 are one value.
            |(at, one): (usize, &&Value)| sides.iter().take(at).any(|other| same(one, other));
        !sides.iter().enumerate().any(again)
    };
    // Otherwise the order of the rows would decide. Two old values for one new one are allowed:
    // the old one is kept.
    if !one_to_one(|(old, _)| old) {
        return Err(args.flaw("table", "an old value is there twice"));
    }
    let one_to_one = one_to_one(|(_, new)| new);
    let table = ValueMap {
        forward: MapHalf::new(pairs.iter().map(|(old, new)| (old, new)), forward),
        backward: MapHalf::new(pairs.iter().map(|(old, new)| (new, old)), backward),
        one_to_one,
    };
    Ok(vec![DirectedStep::forward(ValueStep {
        id: making.id(),
        path,
        exchange: table,
    })])
}

fn scalar(args: &StepArgs<'_>, key: &str, value: &Value) -> Result<Value, StepFlaw> {
    match value {
        Value::Array(_) | Value::Object(_) | Value::Null => {
            Err(args.flaw(key, "a value must be a text, a number or a boolean"))
        }
        value => Ok(value.clone()),
    }
}

fn pairs(args: &mut StepArgs<'_>) -> Result<Vec<(Value, Value)>, StepFlaw> {
    let mut pairs = Vec::new();
    match args.need("table")? {
        Value::Object(map) => {
            // JSON has only texts as names; other old values need the list form.
            for (old, new) in map {
                pairs.push((Value::from(old.as_str()), scalar(args, "table", new)?));
            }
        }
        Value::Array(rows) => {
            for row in rows {
                let Some([old, new]) = row.as_array().map(Vec::as_slice) else {
                    return Err(args.flaw("table", "a row must be [old, new]"));
                };
                pairs.push((scalar(args, "table", old)?, scalar(args, "table", new)?));
            }
        }
        _ => return Err(args.flaw("table", "a table is {old: new} or a list of [old, new]")),
    }
    if pairs.is_empty() {
        return Err(args.flaw("table", "the table is empty"));
    }
    Ok(pairs)
}

fn otherwise(args: &mut StepArgs<'_>) -> Result<(Option<Value>, Option<Value>), StepFlaw> {
    let Some(value) = args.take("otherwise") else {
        return Ok((None, None));
    };
    // One value for the forward direction is the common case; for both ways it has to be written
    // out.
    let Value::Object(map) = value else {
        return Ok((Some(scalar(args, "otherwise", value)?), None));
    };
    // A typing error here would make a step that refuses what its author has allowed.
    if map.keys().any(|key| key != "forward" && key != "backward") {
        return Err(args.flaw("otherwise", "it has forward and backward, nothing else"));
    }
    let side = |key| {
        let value = map.get(key).map(|value| scalar(args, "otherwise", value));
        value.transpose()
    };
    Ok((side("forward")?, side("backward")?))
}

#[derive(Debug)]
struct MapHalf {
    texts: HashMap<String, Value>,
    others: Vec<(Value, Value)>,
    otherwise: Option<Value>,
}

impl MapHalf {
    /// Of several rows with the same value the first counts.
    fn new<'v>(
        rows: impl Iterator<Item = (&'v Value, &'v Value)>,
        otherwise: Option<Value>,
    ) -> Self {
        let mut half = Self {
            texts: HashMap::new(),
            others: Vec::new(),
            otherwise,
        };
        for (value, other) in rows {
            match value {
                Value::String(text) => {
                    // `or_insert_with`: of several old values with one new one the first is what
                    // the way back leads to.
                    let entry = half.texts.entry(text.clone());
                    entry.or_insert_with(|| other.clone());
                }
                // Not texts, so they can't be looked up by a hash. There are few: a table is
                // written by hand.
                value => half.others.push((value.clone(), other.clone())),
            }
        }
        half
    }

    fn find(&self, value: &Value) -> Option<&Value> {
        let found = match value {
            Value::String(text) => self.texts.get(text),
            value => {
                let mut others = self.others.iter();
                let found = others.find(|(one, _)| same(one, value));
                found.map(|(_, other)| other)
            }
        };
        found.or(self.otherwise.as_ref())
    }
}

#[derive(Debug)]
struct ValueMap {
    forward: MapHalf,
    backward: MapHalf,
    one_to_one: bool,
}

impl ValueExchange for ValueMap {
    fn exchange(&self, way: StepWay, value: &Value) -> Result<Value, String> {
        let half = way.choose(&self.forward, &self.backward);
        let found = half.find(value).cloned();
        found.ok_or_else(|| format!("{} is not in the table", excerpt(value)))
    }

    fn losses(&self, way: StepWay) -> Vec<(ConversionClass, String)> {
        let half = way.choose(&self.forward, &self.backward);
        let mut losses = Vec::new();
        match &half.otherwise {
            None => losses.push((
                ConversionClass::MayRefuse,
                "is refused where the table does not have its value".to_owned(),
            )),
            Some(value) => losses.push((
                ConversionClass::Keeps,
                format!("becomes {value} where the table does not have its value, which is kept"),
            )),
        }
        if way == StepWay::Forward && !self.one_to_one {
            let what = "is kept where several values become one";
            losses.push((ConversionClass::Keeps, what.to_owned()));
        }
        losses
    }

    /// Whatever the table can give.
    fn image(&self, way: StepWay, schema: &Value) -> Value {
        let half = way.choose(&self.forward, &self.backward);
        let kinds = JsonKinds::of(schema);
        let texts = kinds.has(JsonKinds::STRING).then(|| half.texts.values());
        // Rows that the schema does not let through give nothing, so the result is as narrow as
        // can be.
        let fits = |(value, _): &&(Value, Value)| kinds.has(JsonKinds::of_value(value));
        let others = half.others.iter().filter(fits).map(|(_, other)| other);
        let all = texts.into_iter().flatten().chain(others);
        let mut values: Vec<Value> = all.chain(&half.otherwise).cloned().collect();
        // Sorted, because a hash map has no order and the sketch is compared as a text.
        values.sort_by_key(ToString::to_string);
        listed(values)
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw};
    use serde_json::json;

    #[test]
    fn a_table_from_value_to_value() {
        let table = json!({"small": "S", "large": "L"});
        let pair = Pair::of(json!([{"map": {"path": "/size", "table": table}}]));
        pair.means(json!({"size": "small"}), json!({"size": "S"}));
        pair.means(json!({"size": null}), json!({"size": null}));
        pair.means(json!({}), json!({}));
        pair.refuses_forward(json!({"size": "huge"}), "/size");
        pair.refuses_backward(json!({"size": "XL"}), "/size");
        pair.refuses_forward(json!({"size": {"x": 1}}), "/size");
    }

    #[test]
    fn values_that_are_no_texts_are_written_in_rows() {
        let table = json!([[1, "one"], [true, "yes"], ["two", 2]]);
        let pair = Pair::of(json!([{"map": {"path": "/n", "table": table}}]));
        pair.means(json!({"n": 1}), json!({"n": "one"}));
        pair.means(json!({"n": true}), json!({"n": "yes"}));
        pair.means(json!({"n": "two"}), json!({"n": 2}));
        pair.forward(json!({"n": 1.0}), json!({"n": "one"}), &[]);
    }

    #[test]
    fn where_several_become_one_the_original_is_kept() {
        let table = json!({"tiny": "S", "small": "S", "large": "L"});
        let pair = Pair::of(json!([{"map": {"path": "/size", "table": table}}]));
        pair.means(json!({"size": "tiny"}), json!({"size": "S"}));
        pair.forward(json!({"size": "small"}), json!({"size": "S"}), &["/size"]);
    }

    #[test]
    fn a_named_fallback_takes_what_the_table_does_not_have() {
        let otherwise = json!({"forward": "other", "backward": "unknown"});
        let map = json!({"path": "/size", "table": {"a": "A"}, "otherwise": otherwise});
        let pair = Pair::of(json!([{"map": map}]));
        pair.forward(json!({"size": "zzz"}), json!({"size": "other"}), &["/size"]);
        pair.backward(json!({"size": "B"}), json!({"size": "unknown"}), &["/size"]);
        let one_way = json!({"path": "/size", "table": {"a": "A"}, "otherwise": "other"});
        let pair = Pair::of(json!([{"map": one_way}]));
        pair.forward(json!({"size": 5}), json!({"size": "other"}), &["/size"]);
        pair.refuses_backward(json!({"size": "B"}), "/size");
    }

    #[test]
    fn a_table_says_one_thing_for_each_old_value() {
        let twice = json!({"path": "/n", "table": [[1, 2], [1.0, 3]]});
        assert!(flaw(json!({"map": twice})).contains("twice"));
        let empty = json!({"path": "/n", "table": {}});
        assert!(flaw(json!({"map": empty})).contains("empty"));
        let list = json!({"path": "/n", "table": {"a": [1]}});
        assert!(flaw(json!({"map": list})).contains("must be a text"));
    }

    #[test]
    fn what_it_may_refuse_or_keep_depends_on_the_table() {
        let map = |table, otherwise| {
            let map = json!({"path": "/n", "table": table, "otherwise": otherwise});
            Pair::of(json!([{"map": map}]))
        };
        let refuses = (ConversionClass::MayRefuse, "/n", "does not have its value");
        let plain = Pair::of(json!([{"map": {"path": "/n", "table": {"a": "b"}}}]));
        plain.loses(&[refuses]);
        plain.loses_back(&[refuses]);
        let several = map(json!({"a": "c", "b": "c"}), json!({"backward": "z"}));
        several.loses(&[
            refuses,
            (ConversionClass::Keeps, "/n", "several values become one"),
        ]);
        several.loses_back(&[(ConversionClass::Keeps, "/n", "becomes \"z\"")]);
        map(json!({"a": "b"}), json!("y")).loses(&[(
            ConversionClass::Keeps,
            "/n",
            "becomes \"y\"",
        )]);
    }

    #[test]
    fn a_fallback_is_a_scalar_for_each_direction() {
        for (otherwise, reason) in [
            (json!({"forwards": 1}), "forward and backward"),
            (json!({"forward": [1]}), "must be a text"),
            (json!([1]), "must be a text"),
            (json!(null), "must be a text"),
        ] {
            let map = json!({"path": "/n", "table": {"a": 1}, "otherwise": otherwise});
            let said = flaw(json!({"map": map}));
            assert!(said.contains(reason), "{otherwise}: {said}");
        }
        for table in [json!([[1]]), json!([1]), json!("a")] {
            let said = flaw(json!({"map": {"path": "/n", "table": table}}));
            assert!(said.contains("[old, new]"), "{table}: {said}");
        }
    }
}
