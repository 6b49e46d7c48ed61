//! Random schemas of single values.

use crate::base::Maker;
use crate::node::{FORMATS, Kind, Number, PATTERNS, Shape, Text};
use jsonschema::Draft;
use serde_json::json;

impl Maker<'_> {
    pub(crate) fn scalar(&mut self) -> Kind {
        match self.rng.u8(..16) {
            0 => Kind::Any,
            1 | 2 => Kind::Flag,
            3..=7 => Kind::Text(self.text()),
            8..=11 => Kind::Number(self.number()),
            12 | 13 => self.values(),
            _ => Kind::Types(match self.rng.u8(..3) {
                0 => vec!["integer", "string"],
                1 => vec!["string", "boolean"],
                _ => vec!["number", "boolean", "string"],
            }),
        }
    }

    pub(crate) fn text(&mut self) -> Text {
        let mut text = Text::default();
        match self.rng.u8(..8) {
            0 | 1 => text.shape = Shape::Pattern(self.rng.usize(..PATTERNS.len()), self.rng.bool()),
            2 => {
                // The first one is none of drafts 4 and 6, though some validators judge by it.
                let first = usize::from(matches!(self.draft, Draft::Draft4 | Draft::Draft6));
                text.shape = Shape::Format(self.rng.usize(first..FORMATS.len()));
            }
            3 => text.never = Some("none".to_owned()),
            4 => text.least = Some(self.rng.usize(1..4)),
            5 => text.most = Some(self.rng.usize(3..64)),
            6 => {
                text.least = Some(self.rng.usize(1..4));
                text.most = Some(self.rng.usize(4..64));
            }
            _ => {}
        }
        text
    }

    pub(crate) fn number(&mut self) -> Number {
        let mut number = Number {
            whole: self.rng.u8(..4) > 0,
            ..Number::default()
        };
        if self.rng.bool() {
            number.least = Some((self.rng.i64(-5..10), self.chance(4)));
        }
        if self.rng.bool() {
            number.most = Some((self.rng.i64(100..300), self.chance(4)));
        }
        if self.chance(6) {
            number.step = Some([2, 4, 5, 10][self.rng.usize(..4)]);
        }
        number
    }

    fn values(&mut self) -> Kind {
        let lists = [
            json!(["small", "medium", "large"]),
            json!(["Always", "Never"]),
            json!(["v1"]),
            json!([1, 2, 4, 8]),
            json!(["auto", 0, true]),
            json!(["TCP", "UDP", "SCTP"]),
        ];
        let list = &lists[self.rng.usize(..lists.len())];
        Kind::Values(list.as_array().unwrap().clone())
    }
}
