//! The same, of texts, numbers and listed values.

use crate::documents::of_type;
use crate::node::{FORMATS, Kind, Number, PATTERNS, Shape, Text};
use crate::widen::Choices;
use jsonschema::Draft;
use serde_json::{Value, json};

impl Choices<'_> {
    pub(crate) fn text(&mut self, text: &Text) {
        let with = |change: &dyn Fn(&mut Text)| {
            let mut text = text.clone();
            change(&mut text);
            Kind::Text(text)
        };
        if let Some(least) = text.least {
            let short = json!("t".repeat(least - 1));
            let sort = ("minLength lowered", "minLength raised");
            self.push(
                with(&|text| text.least = Some(least - 1).filter(|least| *least > 0)),
                short,
                sort,
            );
        }
        if let Some(most) = text.most {
            let long = json!("t".repeat(most + 1));
            let sort = ("maxLength raised", "maxLength lowered");
            self.push(with(&|text| text.most = Some(most + 1)), long.clone(), sort);
            self.push(
                with(&|text| text.most = None),
                long,
                ("maxLength gone", "maxLength new"),
            );
        }
        match text.shape {
            Shape::Pattern(row, wide) => {
                self.push(
                    with(&|text| text.shape = Shape::Free),
                    json!("? !"),
                    ("pattern gone", "pattern new"),
                );
                if !wide {
                    let between = json!(PATTERNS[row].between);
                    let sort = ("pattern widened", "pattern narrowed");
                    self.push(
                        with(&|text| text.shape = Shape::Pattern(row, true)),
                        between,
                        sort,
                    );
                }
            }
            // Newer drafts only say a format.
            Shape::Format(row)
                if matches!(
                    self.world.draft,
                    Draft::Draft4 | Draft::Draft6 | Draft::Draft7
                ) =>
            {
                let bad = json!(FORMATS[row].2);
                self.push(
                    with(&|text| text.shape = Shape::Free),
                    bad,
                    ("format gone", "format new"),
                );
            }
            Shape::Format(_) => {}
            Shape::Free if text.least.is_none() && text.most.is_none() => {
                if let Some(never) = &text.never {
                    self.push(
                        with(&|text| text.never = None),
                        json!(never),
                        ("not gone", "not new"),
                    );
                } else {
                    self.types(&["string"]);
                }
            }
            Shape::Free => {}
        }
    }

    pub(crate) fn number(&mut self, number: &Number) {
        let with = |change: &dyn Fn(&mut Number)| {
            let mut number = number.clone();
            change(&mut number);
            Kind::Number(number)
        };
        let step = number.step.unwrap_or(1);
        let (first, _) = number.range();
        let first = first + (-first).rem_euclid(step);
        if let Some((bound, open)) = number.least {
            let below = if open { bound } else { bound - 1 };
            let below = below - below.rem_euclid(step);
            self.push(
                with(&|number| number.least = Some((below, false))),
                json!(below),
                ("minimum lowered", "minimum raised"),
            );
            self.push(
                with(&|number| number.least = None),
                json!(below),
                ("minimum gone", "minimum new"),
            );
        }
        if let Some((bound, open)) = number.most {
            let above = if open { bound } else { bound + 1 };
            let above = above + (-above).rem_euclid(step);
            self.push(
                with(&|number| number.most = Some((above, false))),
                json!(above),
                ("maximum raised", "maximum lowered"),
            );
            self.push(
                with(&|number| number.most = None),
                json!(above),
                ("maximum gone", "maximum new"),
            );
        }
        if number.whole && number.step.is_none() {
            let between = json!(first as f64 + 0.5);
            self.push(
                with(&|number| number.whole = false),
                between,
                ("integer to number", "number to integer"),
            );
        }
        if number.step.is_some() {
            self.push(
                with(&|number| number.step = None),
                json!(first + 1),
                ("multipleOf gone", "multipleOf new"),
            );
            if step == 4 || step == 10 {
                let value = json!(first + step / 2);
                self.push(
                    with(&|number| number.step = Some(step / 2)),
                    value,
                    ("multipleOf finer", "multipleOf coarser"),
                );
            }
        }
    }

    pub(crate) fn values(&mut self, values: &[Value]) {
        let mut more = values.to_vec();
        more.push(json!("another"));
        self.push(
            Kind::Values(more),
            json!("another"),
            ("enum value added", "enum value removed"),
        );
        if values.iter().all(Value::is_string) {
            self.push(
                Kind::Text(Text::default()),
                json!("free"),
                ("enum gone", "enum new"),
            );
        }
    }

    pub(crate) fn types(&mut self, types: &[&'static str]) {
        let sort = ("type added", "type removed");
        for word in ["boolean", "string", "array"] {
            if !types.contains(&word) {
                let mut more = types.to_vec();
                more.push(word);
                self.push(Kind::Types(more), of_type(word), sort);
            }
        }
        if types.contains(&"integer") {
            let wider = types
                .iter()
                .map(|word| if *word == "integer" { "number" } else { word });
            self.push(
                Kind::Types(wider.collect()),
                json!(2.5),
                ("integer to number", "number to integer"),
            );
        }
    }
}
