//! Documents that fit, also with a given value at a given place.

use crate::node::{
    FORMATS, Keys, Kind, List, Map, Node, Number, Object, PATTERNS, Shape, Text, Tuple, World,
};
use crate::places::Step;
use fastrand::Rng;
use serde_json::{Map as Members, Value, json};

/// What an object is to have and to lack.
#[derive(Default)]
pub(crate) struct Wish<'w> {
    pub(crate) with: Option<(&'w str, Value)>,
    pub(crate) without: Option<&'w str>,
    /// No field that need not be there.
    pub(crate) bare: bool,
}

impl World {
    /// A document with the value at the end of the path.
    pub(crate) fn holding(&self, path: &[Step], value: Value, rng: &mut Rng) -> Value {
        self.around(&self.root, path, value, rng)
    }

    fn around(&self, node: &Node, path: &[Step], value: Value, rng: &mut Rng) -> Value {
        let Some((step, rest)) = path.split_first() else {
            return value;
        };
        let child = self.child(node, step);
        let inner = self.around(child, rest, value, rng);
        match (&node.kind, step) {
            (Kind::Object(object), Step::Property(name)) => {
                let wish = Wish {
                    with: Some((name, inner)),
                    ..Wish::default()
                };
                self.fill_object(object, wish, rng, 1)
            }
            (Kind::Object(object), Step::Rest) => {
                let wish = Wish {
                    with: Some(("other", inner)),
                    ..Wish::default()
                };
                self.fill_object(object, wish, rng, 1)
            }
            (Kind::Object(object), Step::Extension) => {
                let wish = Wish {
                    with: Some(("x-note", inner)),
                    ..Wish::default()
                };
                self.fill_object(object, wish, rng, 1)
            }
            (Kind::Map(map), _) => self.fill_map(map, Some(inner), rng, 1),
            (Kind::List(list), _) => self.fill_list(list, Some(inner), rng, 1),
            (Kind::Tuple(tuple), step) => {
                let mut items = self.fill_tuple(tuple, rng, 1);
                match step {
                    Step::Slot(number) => items[*number] = inner,
                    _ => items.as_array_mut().unwrap().push(inner),
                }
                items
            }
            (Kind::Tagged(all), Step::Choice(number)) => with_tag(inner, &all[*number].0),
            (Kind::All(all), Step::Choice(number)) => {
                let mut whole = inner;
                for (_, other) in all.iter().enumerate().filter(|(place, _)| place != number) {
                    merge(&mut whole, self.valid(other, rng, 1));
                }
                whole
            }
            _ => inner,
        }
    }

    /// Some document that fits. Without fuel nothing is in it that need not be.
    pub(crate) fn valid(&self, node: &Node, rng: &mut Rng, fuel: usize) -> Value {
        if node.null && rng.u8(..6) == 0 {
            return Value::Null;
        }
        match &node.kind {
            Kind::Any => {
                [json!("any"), json!(7), json!({"a": []}), json!(false)][rng.usize(..4)].clone()
            }
            Kind::Flag => json!(rng.bool()),
            Kind::Text(text) => json!(text.fitting(rng)),
            Kind::Number(number) => json!(number.fitting(rng)),
            Kind::Values(values) => values[rng.usize(..values.len())].clone(),
            Kind::Types(types) => of_type(types[rng.usize(..types.len())]),
            Kind::Object(object) => self.fill_object(object, Wish::default(), rng, fuel),
            Kind::Map(map) => self.fill_map(map, None, rng, fuel),
            Kind::List(list) => self.fill_list(list, None, rng, fuel),
            Kind::Tuple(tuple) => self.fill_tuple(tuple, rng, fuel),
            Kind::Either(all) => self.valid(&all[rng.usize(..all.len())], rng, fuel),
            Kind::Tagged(all) => {
                let (tag, node) = &all[rng.usize(..all.len())];
                with_tag(self.valid(node, rng, fuel), tag)
            }
            Kind::All(all) => {
                let mut whole = json!({});
                for node in all {
                    merge(&mut whole, self.valid(node, rng, fuel));
                }
                whole
            }
            Kind::Ref(name) => self.valid(&self.definitions[name], rng, fuel.saturating_sub(1)),
        }
    }

    pub(crate) fn fill_object(
        &self,
        object: &Object,
        wish: Wish<'_>,
        rng: &mut Rng,
        fuel: usize,
    ) -> Value {
        let mut made = Members::new();
        let inner = fuel.saturating_sub(1);
        for field in &object.fields {
            let wanted = fuel > 0 && !wish.bare && rng.u8(..3) == 0;
            if wish.without != Some(&field.name) && (field.required || wanted) {
                made.insert(field.name.clone(), self.valid(&field.node, rng, inner));
            }
        }
        if let Some((name, value)) = wish.with {
            made.insert(name.to_owned(), value);
        }
        let needed = object
            .needs
            .iter()
            .filter(|(name, _)| made.contains_key(name));
        let mut missing: Vec<&str> = needed.map(|(_, needed)| needed.as_str()).collect();
        let when = object.when.as_ref();
        let asked = when.filter(|when| made.get(&when.field) == Some(&when.is));
        missing.extend(asked.map(|when| when.then.as_str()));
        let enough = object.least.unwrap_or_default();
        let all = object.fields.iter().map(|field| field.name.as_str());
        let spare = all
            .filter(|name| wish.without != Some(name))
            .collect::<Vec<_>>();
        for name in missing.into_iter().chain(spare) {
            let needed = object.needs.iter().any(|(_, needed)| needed == name)
                || when.is_some_and(|when| when.then == name);
            if !made.contains_key(name)
                && (made.len() < enough || needed)
                && wish.without != Some(name)
            {
                let field = object.fields.iter().find(|field| field.name == name);
                made.insert(
                    name.to_owned(),
                    self.valid(&field.unwrap().node, rng, inner),
                );
            }
        }
        Value::Object(made)
    }

    fn fill_map(&self, map: &Map, inner: Option<Value>, rng: &mut Rng, fuel: usize) -> Value {
        let mut made = Members::new();
        if let Some(inner) = inner {
            made.insert("a".to_owned(), inner);
        }
        let extra = if fuel > 0 { rng.usize(..2) } else { 0 };
        for key in ["b", "c"]
            .iter()
            .take(extra.max(map.least.unwrap_or_default()))
        {
            made.insert(
                (*key).to_owned(),
                self.valid(&map.value, rng, fuel.saturating_sub(1)),
            );
        }
        Value::Object(made)
    }

    fn fill_list(&self, list: &List, inner: Option<Value>, rng: &mut Rng, fuel: usize) -> Value {
        let mut items: Vec<Value> = inner.into_iter().collect();
        while items.len() < list.least.unwrap_or_default() {
            items.push(self.valid(&list.item, rng, fuel.saturating_sub(1)));
        }
        if items.is_empty() && fuel > 0 && rng.bool() {
            items.push(self.valid(&list.item, rng, fuel - 1));
        }
        Value::Array(items)
    }

    fn fill_tuple(&self, tuple: &Tuple, rng: &mut Rng, fuel: usize) -> Value {
        let items = tuple.items.iter();
        items
            .map(|node| self.valid(node, rng, fuel.saturating_sub(1)))
            .collect()
    }
}

fn with_tag(mut object: Value, tag: &str) -> Value {
    object["kind"] = json!(tag);
    object
}

fn merge(whole: &mut Value, part: Value) {
    if let (Some(whole), Value::Object(part)) = (whole.as_object_mut(), part) {
        whole.extend(part);
    }
}

pub(crate) fn of_type(word: &str) -> Value {
    match word {
        "string" => json!("text"),
        "integer" => json!(3),
        "number" => json!(2.5),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" => json!({}),
        _ => Value::Null,
    }
}

impl Text {
    pub(crate) fn fitting(&self, rng: &mut Rng) -> String {
        match self.shape {
            Shape::Pattern(row, _) => PATTERNS[row].fits.to_owned(),
            Shape::Format(row) => FORMATS[row].1.to_owned(),
            Shape::Free => {
                let least = self.least.unwrap_or_default();
                let most = self.most.unwrap_or(least + 4);
                let length = rng.usize(least..=most.min(least + 4));
                "t".repeat(length)
            }
        }
    }
}

impl Number {
    /// The least whole number that fits, and the greatest one.
    pub(crate) fn range(&self) -> (i64, i64) {
        let least = self.least.map(|(bound, open)| bound + i64::from(open));
        let most = self.most.map(|(bound, open)| bound - i64::from(open));
        match (least, most) {
            (Some(least), most) => (least, most.unwrap_or(least + 50)),
            (None, Some(most)) => (most - 50, most),
            (None, None) => (-20, 30),
        }
    }

    fn fitting(&self, rng: &mut Rng) -> i64 {
        let (least, most) = self.range();
        let step = self.step.unwrap_or(1);
        let first = least + (-least).rem_euclid(step);
        first + step * rng.i64(0..=((most - first) / step).clamp(0, 20))
    }
}

/// A key for a map, which its pattern takes or only the wider one.
pub(crate) fn odd_key(keys: Keys) -> Option<&'static str> {
    match keys {
        Keys::Pattern(false) | Keys::Named(false) => Some(PATTERNS[0].between),
        Keys::Any | Keys::Pattern(true) | Keys::Named(true) => None,
    }
}
