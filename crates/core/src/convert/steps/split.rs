//! `split: {path, at, into}`: one string becomes several fields. The last field takes the rest;
//! where there are fewer parts, the last fields are absent.

use super::value::{excerpt, kind};
use crate::convert::note::{KeptNote, Margin, NoteCondition, NotePurpose};
use crate::convert::path::{FieldPath, Trail};
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::sketch::{SchemaSketch, SketchField, finite, listed, shared};
use crate::convert::step::{
    Budget, ConversionClass, ConversionStep, DirectedStep, StepId, StepLoss, StepWay,
};
use crate::convert::tree::NotedValue;
use serde_json::{Map, Value, json};

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    let at = args.text("at")?.to_owned();
    let into = args.paths("into", 2)?;
    let split = SplitText {
        id: making.id(),
        path,
        at,
        into,
    };
    // Rules that `join` shares, so that both are refused for the same reasons.
    split.check().map_err(|reason| args.flaw("into", reason))?;
    Ok(vec![DirectedStep::forward(split)])
}

#[derive(Debug)]
pub(crate) struct SplitText {
    pub(crate) id: StepId,
    /// The string.
    pub(crate) path: FieldPath,
    /// The text between the parts.
    pub(crate) at: String,
    /// The parts.
    pub(crate) into: Vec<FieldPath>,
}

type SplitParts = Vec<Option<NotedValue>>;

impl SplitText {
    pub(crate) fn check(&self) -> Result<(), String> {
        let inside = |part: &&FieldPath| {
            part.keys().len() != self.path.keys().len() && self.path.overlaps(part)
        };
        match self.into.iter().find(inside) {
            Some(part) => Err(format!("{part} and {} are one inside the other", self.path)),
            None => Ok(()),
        }
    }

    fn parts_of(&self, text: &str) -> SplitParts {
        let parts = text.splitn(self.into.len(), &self.at);
        let mut parts: SplitParts = parts
            .map(|part| Some(NotedValue::from(Value::from(part))))
            .collect();
        parts.resize_with(self.into.len(), || None);
        parts
    }

    /// What is known of the parts: the first is there, others are where the string is known.
    fn sketched_parts(&self, field: SketchField) -> Vec<SketchField> {
        if field.is_never() {
            return vec![SketchField::NEVER; self.into.len()];
        }
        // The values are not known: only the first part is there for certain, as a text without a
        // separator has no other.
        let Some(texts) = finite(&field.schema) else {
            let part = |number: usize| SketchField {
                schema: json!({"type": "string"}),
                always: field.always && number == 0,
            };
            return (0..self.into.len()).map(part).collect();
        };
        // Each text is divided as a document would be, so that the parts are known as exactly as
        // the texts.
        let all = texts.iter().filter_map(Value::as_str);
        let all: Vec<SplitParts> = all.map(|text| self.parts_of(text)).collect();
        let part = |number: usize| {
            let of_each = all
                .iter()
                .map(|parts| parts.get(number).and_then(Option::as_ref));
            let there = of_each.clone().flatten().map(|part| part.value.clone());
            SketchField {
                schema: listed(there),
                always: field.always && of_each.clone().all(|part| part.is_some()),
            }
        };
        (0..self.into.len()).map(part).collect()
    }

    fn join(&self, parts: &SplitParts) -> Carried<String> {
        // Parts behind the last one that is there leave no separator.
        let last = parts.iter().rposition(Option::is_some).unwrap_or(0);
        let mut text = String::new();
        for (number, (part, path)) in parts.iter().zip(&self.into).enumerate().take(last + 1) {
            if number > 0 {
                text.push_str(&self.at);
            }
            match part.as_ref().map(|part| &part.value) {
                // A part in the middle that is missing is as good as an empty one here; the note
                // on the string tells them apart.
                None => {}
                Some(Value::String(part)) => text.push_str(part),
                Some(other) => {
                    let why = format!("{} is no string", excerpt(other));
                    return Err(ConversionRefusal::value(path, why));
                }
            }
        }
        Ok(text)
    }

    fn divide(&self, tree: &mut NotedValue, run: &Budget) -> Carried<()> {
        let way = StepWay::Forward;
        let taken = tree.take(&self.path);
        // The string leaves before its parts are put, for a part may have its name.
        tree.close(&self.path, &self.id, way, taken.is_some(), run);
        for part in &self.into {
            tree.displace(part, &self.id, way);
        }
        let Some(mut field) = taken else {
            return Ok(());
        };
        let noted = field
            .margin
            .take_note(self.id.uses(way, NotePurpose::Original));
        let mut parts = match (noted, &field.value) {
            // As long as the string is unchanged the parts come back as they were noted.
            (Some(note), _) => self.unfold(note),
            (None, Value::String(text)) => self.parts_of(text),
            (None, other) => {
                return Err(ConversionRefusal::value(
                    &self.path,
                    format!("{} is no string", kind(other)),
                ));
            }
        };
        // What is kept for the string has to wait with one of its parts.
        if !field.margin.is_bare() {
            self.bind(&mut parts, field.margin);
        }
        for (path, part) in self.into.iter().zip(parts) {
            if let Some(part) = part {
                tree.open(path, &self.id, way);
                tree.place(path, part);
            }
        }
        Ok(())
    }

    fn unite(&self, tree: &mut NotedValue, run: &Budget) -> Carried<()> {
        let way = StepWay::Backward;
        let mut parts: SplitParts = self.into.iter().map(|path| tree.take(path)).collect();
        // From the inside out: objects that were created for the parts are empty now.
        for (path, part) in self.into.iter().zip(&parts) {
            tree.close(path, &self.id, way, part.is_some(), run);
        }
        tree.displace(&self.path, &self.id, way);
        // No part is there, so there is no string.
        if parts.iter().all(Option::is_none) {
            return Ok(());
        }
        let margin = self.unbind(&mut parts).unwrap_or_default();
        let text = self.join(&parts)?;
        // A part with an empty text, or one that is missing, may be divided differently: the
        // string alone does not tell.
        let alike = |(one, other): (&Option<NotedValue>, &Option<NotedValue>)| match (one, other) {
            (Some(one), Some(other)) => one.value == other.value && one.margin.is_bare(),
            (one, other) => one.is_none() && other.is_none(),
        };
        let plain = parts.iter().zip(&self.parts_of(&text)).all(alike);
        let value = Value::from(text);
        let mut field = NotedValue { value, margin };
        if !plain {
            field.margin.notes.push(self.fold(parts));
        }
        tree.open(&self.path, &self.id, way);
        tree.place(&self.path, field);
        Ok(())
    }

    /// The parts in a note on the string.
    fn fold(&self, parts: SplitParts) -> KeptNote {
        let mut map = Map::new();
        let mut margin = Margin::default();
        // By number, because a part that is missing has no value to be written.
        for (number, part) in parts.into_iter().enumerate() {
            if let Some(part) = part {
                map.insert(number.to_string(), part.value);
                margin.set_key(&number.to_string(), part.margin);
            }
        }
        let note = self.id.note(
            StepWay::Backward,
            NotePurpose::Original,
            NoteCondition::Same,
        );
        note.value(Value::Object(map)).margin(margin)
    }

    fn unfold(&self, note: KeptNote) -> SplitParts {
        // A record that somebody has edited may have anything here.
        let mut map = match note.value {
            Some(Value::Object(map)) => map,
            _ => Map::new(),
        };
        let mut margin = note.margin;
        let numbers = (0..self.into.len()).map(|number| number.to_string());
        numbers
            .map(|number| {
                let value = map.shift_remove(&number)?;
                let margin = margin.take_key(&number);
                Some(NotedValue { value, margin })
            })
            .collect()
    }

    /// What was noted on the string holds while all parts are unchanged: each gets a note that goes
    /// with a change, and the first one has it all.
    fn bind(&self, parts: &mut SplitParts, margin: Margin) {
        let present = present(parts);
        let mut margin = Some(margin);
        for part in parts.iter_mut().flatten() {
            let sign = self.id.makes(StepWay::Forward, NotePurpose::Part);
            let mut note = KeptNote::new(sign, NoteCondition::Same);
            if let Some(margin) = margin.take() {
                note = note.value(present.clone()).margin(margin);
            }
            part.margin.notes.push(note);
        }
    }

    fn unbind(&self, parts: &mut SplitParts) -> Option<Margin> {
        let present = present(parts);
        let sign = self.id.uses(StepWay::Backward, NotePurpose::Part);
        let notes = parts.iter_mut().flatten();
        let notes: Vec<_> = notes.map(|part| part.margin.take_note(sign)).collect();
        let mut notes: Vec<KeptNote> = notes.into_iter().collect::<Option<_>>()?;
        let first = notes.iter().position(|note| note.value.is_some())?;
        let first = notes.swap_remove(first);
        (first.value == Some(present)).then_some(first.margin)
    }
}

fn present(parts: &SplitParts) -> Value {
    let present = parts.iter().map(|part| Value::Bool(part.is_some()));
    Value::Array(present.collect())
}

impl ConversionStep for SplitText {
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        match way {
            StepWay::Forward => self.divide(tree, run),
            StepWay::Backward => self.unite(tree, run),
        }
    }

    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        let is = |path: &FieldPath| path.rest(&trail).is_some();
        match way {
            StepWay::Forward if is(&self.path) => self.into.first().map(FieldPath::trail),
            StepWay::Backward if self.into.iter().any(is) => Some(self.path.trail()),
            StepWay::Forward if self.into.iter().any(is) => None,
            StepWay::Backward if is(&self.path) => None,
            _ => Some(trail),
        }
    }

    fn images(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        if way == StepWay::Forward && self.path.rest(&trail).is_some() {
            return self.into.iter().map(FieldPath::trail).collect();
        }
        self.trace(way, trail).into_iter().collect()
    }

    fn paths(&self) -> Vec<&FieldPath> {
        self.into.iter().chain([&self.path]).collect()
    }

    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch) {
        let paths = self.paths();
        let depth = shared(&paths).len();
        let string = self.path.after(depth);
        sketch.around(&paths, |scope| match way {
            StepWay::Forward => {
                let field = scope.take(string);
                for part in &self.into {
                    scope.take(part.after(depth));
                }
                let parts = self.sketched_parts(field);
                for (path, part) in self.into.iter().zip(parts) {
                    scope.put(path.after(depth), part);
                }
            }
            StepWay::Backward => {
                let parts = self.into.iter().map(|path| scope.take(path.after(depth)));
                let parts: Vec<SketchField> = parts.collect();
                scope.take(string);
                if !parts.iter().all(SketchField::is_never) {
                    let always = parts.iter().any(|part| part.always);
                    let schema = json!({"type": "string"});
                    scope.put(string, SketchField { schema, always });
                }
            }
        });
    }

    fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        let refuses = |path: &FieldPath| StepLoss {
            class: ConversionClass::MayRefuse,
            path: path.to_string(),
            what: "is refused where it is no string".to_owned(),
        };
        match way {
            StepWay::Forward => vec![refuses(&self.path)],
            StepWay::Backward => {
                let mut losses: Vec<_> = self.into.iter().map(refuses).collect();
                losses.extend(self.into.iter().map(|path| StepLoss {
                    class: ConversionClass::Keeps,
                    path: path.to_string(),
                    what: format!("is kept where it contains {:?}", self.at),
                }));
                losses
            }
        }
    }

    fn deepens(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::step::ConversionClass;
    use crate::convert::steps::testing::{Pair, flaw, is_in_the_way};
    use serde_json::json;

    fn pair() -> Pair {
        let split = json!({"path": "/address", "at": ":", "into": ["/host", "/port"]});
        Pair::of(json!([{"split": split}]))
    }

    #[test]
    fn one_string_becomes_several_fields() {
        pair().means(
            json!({"address": "h:80"}),
            json!({"host": "h", "port": "80"}),
        );
        pair().means(
            json!({"address": "h:80:90"}),
            json!({"host": "h", "port": "80:90"}),
        );
        pair().means(json!({"address": "h"}), json!({"host": "h"}));
        pair().means(json!({"address": ""}), json!({"host": ""}));
        pair().means(json!({}), json!({}));
        pair().refuses_forward(json!({"address": 5}), "/address");
        pair().refuses_backward(json!({"host": "h", "port": 80}), "/port");
    }

    #[test]
    fn parts_that_could_not_be_told_apart_again_are_kept() {
        let host = json!({"host": "a:b", "port": "80"});
        pair().backward(host, json!({"address": "a:b:80"}), &["/address"]);
        pair().backward(
            json!({"port": "80"}),
            json!({"address": ":80"}),
            &["/address"],
        );
    }

    #[test]
    fn a_part_may_take_the_place_of_the_whole() {
        let split = json!({"path": "/name", "at": "/", "into": ["/vendor", "/name"]});
        let pair = Pair::of(json!([{"split": split}]));
        pair.means(
            json!({"name": "acme/app"}),
            json!({"vendor": "acme", "name": "app"}),
        );
    }

    #[test]
    fn parts_are_apart_from_each_other_and_from_the_whole() {
        let split = json!({"path": "/a", "at": ":", "into": ["/a/b", "/c"]});
        assert!(flaw(json!({"split": split})).contains("one inside the other"));
        let split = json!({"path": "/a", "at": ":", "into": ["/b", "/b"]});
        assert!(flaw(json!({"split": split})).contains("twice"));
        let split = json!({"path": "/a", "at": ":", "into": ["/b"]});
        assert!(flaw(json!({"split": split})).contains("2 paths"));
        let split = json!({"path": "/a", "at": "", "into": ["/b", "/c"]});
        assert!(flaw(json!({"split": split})).contains("text"));
    }

    #[test]
    fn the_string_is_in_all_of_its_parts() {
        pair().leads("/address", "/host");
        pair().spreads("/address", &["/host", "/port"]);
        pair().spreads("/x", &["/x"]);
        pair().comes_from("/host", "/address");
        pair().comes_from("/port", "/address");
        pair().spreads_back("/port", &["/address"]);
        pair().spreads_back("/address", &[]);
        pair().leads("/port", None);
        pair().comes_from("/address", None);
        pair().leads("/x", "/x");
        pair().comes_from("/x", "/x");
        pair().loses(&[(ConversionClass::MayRefuse, "/address", "no string")]);
        pair().loses_back(&[
            (ConversionClass::MayRefuse, "/host", "no string"),
            (ConversionClass::MayRefuse, "/port", "no string"),
            (ConversionClass::Keeps, "/host", "contains \":\""),
            (ConversionClass::Keeps, "/port", "contains \":\""),
        ]);
        is_in_the_way(json!({"split": {"path": "/b", "at": ":", "into": ["/x", "/y"]}}));
        is_in_the_way(json!({"split": {"path": "/x", "at": ":", "into": ["/y", "/b"]}}));
    }

    #[test]
    fn what_is_noted_on_the_string_holds_while_all_parts_are_the_same() {
        let table = json!({"x": "a:1", "y": "a:1"});
        let map = json!({"path": "/address", "table": table, "otherwise": {"backward": "z"}});
        let split = json!({"path": "/address", "at": ":", "into": ["/host", "/port"]});
        let pair = Pair::of(json!([{"map": map}, {"split": split}]));
        pair.exact(json!({"address": "y"}));
        let (mut tree, _) = pair.there(json!({"address": "y"}));
        assert_eq!(tree.value, json!({"host": "a", "port": "1"}));
        tree.value = json!({"host": "a"});
        assert_eq!(pair.back(tree).value, json!({"address": "z"}));
    }

    #[test]
    fn objects_around_parts_can_be_too_many() {
        let into = ["/b".repeat(60), "/c".to_owned()];
        let split = json!({"split": {"path": "/x", "at": ":", "into": into}});
        let list = "/a".repeat(100);
        let pair = Pair::of(json!([{"each": {"path": list, "steps": [split]}}]));
        let items = json!([{"x": "y"}]);
        pair.too_deep((0..100).fold(items, |inner, _| json!({"a": inner})));
    }
}
