//! One random step each: what it is called, and what becomes of the fields.

use crate::evolve::TypeEvolution;
use crate::expected::ValueTransform;
use crate::field::{FieldKind, KeyBy, WorldField};
use serde_json::{Value, json};

impl TypeEvolution<'_> {
    pub fn rename(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &mut [(String, String)],
        at: usize,
    ) -> Option<Value> {
        let to = self.fresh(fields)?;
        let field = fields.get_mut(at)?;
        // The key of keyed lists is called so in all versions: `each` names it.
        if field.name == "name" {
            return None;
        }
        let from = std::mem::replace(&mut field.name, to.clone());
        // Mirrors are known by name, so they are renamed with their field.
        for (one, other) in mirrors.iter_mut() {
            for name in [one, other] {
                if *name == from {
                    name.clone_from(&to);
                }
            }
        }
        Some(json!({"rename": {"path": path(&[&from]), "to": path(&[&to])}}))
    }

    pub fn add(&mut self, fields: &mut Vec<WorldField>) -> Option<Value> {
        let name = self.fresh(fields)?;
        let kind = self.kind(1);
        let mut field = self.field_of(name.clone(), kind);
        let mut step = json!({"path": path(&[&name])});
        // With a value it is filled in on the way forward, and only then it may be required.
        if field.kind == FieldKind::Int && self.rng.bool() {
            step["value"] = json!(5);
            field.required = self.rng.bool();
            if field.required {
                field.default = Some(json!(5));
            }
        }
        fields.push(field);
        Some(json!({"add": step}))
    }

    pub fn remove(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        // A mirror needs both of its fields, and a version without any field says nothing.
        if fields.len() < 2 || is_mirror(mirrors, &fields[at].name) || fields[at].name == "name" {
            return None;
        }
        let field = fields.remove(at);
        let mut step = json!({"path": path(&[&field.name])});
        match field.kind {
            // A required field has to come back with a value.
            FieldKind::Int if field.required || self.rng.bool() => step["value"] = json!(3),
            _ if field.required => step["value"] = field.default.unwrap_or(json!(0)),
            _ => {}
        }
        Some(json!({"remove": step}))
    }

    pub fn copy(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &mut Vec<(String, String)>,
        at: usize,
        depth: usize,
    ) -> Option<Value> {
        let old = fields.get(at)?.clone();
        // Scalars only: what is mirrored is compared as a whole.
        let plain = matches!(
            old.kind,
            FieldKind::Int | FieldKind::Text | FieldKind::Bool | FieldKind::Enum(_)
        );
        if depth > 0
            || !plain
            || old.required
            || is_mirror(mirrors, &old.name)
            || old.name == "name"
        {
            return None;
        }
        let name = self.fresh(fields)?;
        // The new field is the same thing, and so has the same identity.
        let new = WorldField {
            name: name.clone(),
            ..old.clone()
        };
        fields.push(new);
        mirrors.push((name.clone(), old.name.clone()));
        Some(json!({"copy": {"from": path(&[&name]), "to": path(&[&old.name])}}))
    }

    pub fn wrap(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        if !is_scalar(&field.kind)
            // A default of the old type would not fit the list.
            || field.default.is_some()
            || is_mirror(mirrors, &field.name)
            || field.name == "name"
        {
            return None;
        }
        field.kind = FieldKind::List(Box::new(field.kind.clone()));
        self.change(field, ValueTransform::Wrap);
        Some(json!({"wrap": {"path": path(&[&field.name])}}))
    }

    pub fn unwrap(&mut self, fields: &mut [WorldField], at: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let FieldKind::List(kind) = field.kind.clone() else {
            return None;
        };
        field.kind = *kind;
        self.change(field, ValueTransform::Unwrap);
        Some(json!({"unwrap": {"path": path(&[&field.name])}}))
    }

    pub fn nest(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &[(String, String)],
    ) -> Option<Value> {
        let under = self.fresh(fields)?;
        let count = self.rng.usize(1..=2);
        let mut inner = Vec::new();
        // One or two fields: more would only make the world larger.
        for _ in 0..count {
            if fields.len() < 2 {
                break;
            }
            let at = self.rng.usize(..fields.len());
            // A required field would have to be in an object that need not be there.
            if fields[at].required
                || is_mirror(mirrors, &fields[at].name)
                || fields[at].name == "name"
            {
                return None;
            }
            // Taken out of the outer object, so that a name is not drawn twice.
            inner.push(fields.remove(at));
        }
        if inner.is_empty() {
            return None;
        }
        let paths: Vec<_> = inner.iter().map(|field| path(&[&field.name])).collect();
        let object = self.field_of(under.clone(), FieldKind::Object(inner));
        fields.push(object);
        Some(json!({"nest": {"paths": paths, "under": path(&[&under])}}))
    }

    pub fn unnest(&mut self, fields: &mut Vec<WorldField>, at: usize) -> Option<Value> {
        let FieldKind::Object(inner) = fields.get(at)?.kind.clone() else {
            return None;
        };
        // Its fields are found in the older version's schema, so it must be as it was there.
        if !self.first || inner.is_empty() {
            return None;
        }
        // A field beside it may have the name already.
        let clash = |field: &WorldField| {
            fields.iter().any(|other| other.name == field.name) || field.required
        };
        if inner.iter().any(clash) || fields[at].required {
            return None;
        }
        let object = fields.remove(at);
        fields.extend(inner);
        Some(json!({"unnest": {"path": path(&[&object.name])}}))
    }

    pub fn move_in(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let from = fields.get(at)?.clone();
        let target = fields
            .iter()
            .position(|field| matches!(field.kind, FieldKind::Object(_)))?;
        if target == at || from.required || is_mirror(mirrors, &from.name) || from.name == "name" {
            return None;
        }
        let outer = fields[target].name.clone();
        let FieldKind::Object(inner) = &mut fields[target].kind else {
            return None;
        };
        let name = self.fresh(inner)?;
        // The same field at another place, with its identity.
        inner.push(WorldField {
            name: name.clone(),
            ..from.clone()
        });
        fields.remove(at);
        Some(json!({"move": {"from": path(&[&from.name]), "to": path(&[&outer, &name])}}))
    }

    pub fn map(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let FieldKind::Enum(values) = field.kind.clone() else {
            return None;
        };
        if is_mirror(mirrors, &field.name) || field.default.is_some() {
            return None;
        }
        // Several values for one, so that what it was has to be kept.
        let many_to_one = self.rng.bool();
        let new = |value: &String| {
            if many_to_one && value != "red" {
                "COLD".to_owned()
            } else {
                value.to_uppercase()
            }
        };
        let pairs: Vec<_> = values.iter().map(|old| (old.clone(), new(old))).collect();
        let table: serde_json::Map<String, Value> = pairs
            .iter()
            .map(|(old, new)| (old.clone(), json!(new)))
            .collect();
        let mut news: Vec<_> = values.iter().map(new).collect();
        news.sort();
        news.dedup();
        let mut step = json!({"path": path(&[&field.name]), "table": table});
        let mut otherwise = None;
        if self.rng.bool() {
            // With a fallback unknown values are mapped, and without one they are refused: both
            // happen.
            news.push("OTHER".to_owned());
            step["otherwise"] = json!({"forward": "OTHER", "backward": values[0]});
            otherwise = Some(("OTHER".to_owned(), values[0].clone()));
        }
        field.kind = FieldKind::Enum(news);
        let table = pairs;
        self.change(field, ValueTransform::Map { table, otherwise });
        Some(json!({"map": step}))
    }

    pub fn convert(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        // A default would have to be converted as well, which is for the type's author to do.
        if field.default.is_some() || is_mirror(mirrors, &field.name) || field.name == "name" {
            return None;
        }
        let (kind, to, from, what) = match field.kind {
            FieldKind::Digits => (
                FieldKind::Int,
                "integer",
                "string",
                ValueTransform::ToNumber,
            ),
            FieldKind::Int => (
                FieldKind::Digits,
                "string",
                "integer",
                ValueTransform::ToText,
            ),
            _ => return None,
        };
        field.kind = kind;
        self.change(field, what);
        Some(json!({"convert": {"path": path(&[&field.name]), "to": to, "from": from}}))
    }

    pub fn scale(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        if field.kind != FieldKind::Int
            || field.default.is_some()
            || is_mirror(mirrors, &field.name)
        {
            return None;
        }
        // Whole numbers leave a remainder in one direction: remainders are what is to be tested.
        let (by, times, over) = match self.rng.u8(0..3) {
            0 => (json!(10), 10, 1),
            1 => (json!("1/3"), 1, 3),
            _ => (json!(0.5), 1, 2),
        };
        self.change(field, ValueTransform::Scale(times, over));
        Some(json!({"scale": {"path": path(&[&field.name]), "by": by}}))
    }

    pub fn split(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get(at)?.clone();
        // A required text may lack its separator, and with it the second part.
        let plain = field.kind == FieldKind::Text && !field.required;
        if !plain || is_mirror(mirrors, &field.name) || field.name == "name" {
            return None;
        }
        let first = self.fresh(fields)?;
        let second = self.fresh(fields).filter(|second| *second != first)?;
        fields.remove(at);
        for (number, name) in [&first, &second].into_iter().enumerate() {
            let mut part = self.field_of(name.clone(), FieldKind::Text);
            // The parts remember what was done to the whole, since the model follows the values
            // through it.
            part.changes.clone_from(&field.changes);
            let of = field.origin;
            self.change(&mut part, ValueTransform::Part { of, number });
            // One identity for the text and its parts: an edit of one is an edit of the other.
            self.kin.push((field.id, part.id));
            fields.push(part);
        }
        let into = [path(&[&first]), path(&[&second])];
        Some(json!({"split": {"path": path(&[&field.name]), "at": ":", "into": into}}))
    }

    pub fn join(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &[(String, String)],
    ) -> Option<Value> {
        let fits = |field: &&WorldField| {
            field.kind == FieldKind::Text
                && !field.required
                && !is_mirror(mirrors, &field.name)
                && field.name != "name"
        };
        let parts: Vec<_> = fields.iter().filter(fits).take(2).cloned().collect();
        let [first, second] = parts.as_slice() else {
            return None;
        };
        let names = [first.name.clone(), second.name.clone()];
        let into = self.fresh(fields)?;
        fields.retain(|field| !names.contains(&field.name));
        let joined = self.field_of(into.clone(), FieldKind::Text);
        // Both parts are kin, and the joined text with them.
        self.kin.push((first.id, second.id));
        self.kin.push((first.id, joined.id));
        fields.push(joined);
        let paths: Vec<_> = names.iter().map(|name| path(&[name])).collect();
        Some(json!({"join": {"paths": paths, "with": ":", "into": path(&[&into])}}))
    }

    pub fn keyed(&mut self, fields: &mut [WorldField], at: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let FieldKind::Keyed(inner) = field.kind.clone() else {
            return None;
        };
        field.kind = FieldKind::Map(inner);
        Some(json!({"keyed": {"path": path(&[&field.name]), "key": "name"}}))
    }

    pub fn parse(
        &mut self,
        fields: &mut [WorldField],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let FieldKind::Json(kind) = field.kind.clone() else {
            return None;
        };
        if is_mirror(mirrors, &field.name) {
            return None;
        }
        field.kind = *kind;
        self.change(field, ValueTransform::Parse);
        Some(json!({"parse": {"path": path(&[&field.name])}}))
    }

    pub fn when(&mut self, fields: &mut Vec<WorldField>) -> Option<Value> {
        // The branches must lead to one schema, so they fill the same new field differently.
        let asked = fields
            .iter()
            .find(|field| matches!(field.kind, FieldKind::Enum(_) | FieldKind::Bool))?;
        let is = match &asked.kind {
            FieldKind::Enum(values) => json!(values[0]),
            _ => json!(true),
        };
        let asked = path(&[&asked.name]);
        let name = self.fresh(fields)?;
        let mut new = self.field_of(name.clone(), FieldKind::Int);
        // Its value follows from another field, so the model does not compare it.
        new.derived = true;
        fields.push(new);
        let add = |value: i32| json!([{"add": {"path": path(&[&name]), "value": value}}]);
        Some(json!({"when": {"path": asked, "is": is, "steps": add(1), "otherwise": add(2)}}))
    }

    pub fn pick(&mut self, fields: &mut Vec<WorldField>, at: usize) -> Option<Value> {
        let field = fields.get(at)?.clone();
        let FieldKind::Keyed(inner) = &field.kind else {
            return None;
        };
        let value = inner.get(self.rng.usize(..inner.len().max(1)))?;
        if !is_scalar(&value.kind) {
            return None;
        }
        let name = self.fresh(fields)?;
        let mut picked = self.field_of(name.clone(), value.kind.clone());
        // The same value is in the list as well, so it has two places.
        picked.alias = true;
        fields.push(picked);
        Some(json!({"pick": {
            "path": path(&[&field.name]), "key": "name", "equals": "n1",
            "field": value.name, "into": path(&[&name]),
        }}))
    }

    pub fn each(&mut self, fields: &mut [WorldField], at: usize, depth: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let name = field.name.clone();
        let by_step = KeyBy::of(field.id) == KeyBy::Step;
        let (keyed, inner) = match &mut field.kind {
            FieldKind::Keyed(inner) => (by_step, inner),
            FieldKind::Items(inner) | FieldKind::Map(inner) => (false, inner),
            _ => return None,
        };
        let mut steps = Vec::new();
        // Steps on the items may build on each other, as those of the type do.
        for _ in 0..self.rng.usize(1..=3) {
            let step = self.some_step(inner, &mut Vec::new(), depth + 1);
            self.first &= step.is_none();
            steps.extend(step);
        }
        if steps.is_empty() {
            return None;
        }
        let mut each = json!({"path": path(&[&name]), "steps": steps});
        // Only where the step is to name the key; elsewhere the schema does, or nobody.
        if keyed {
            each["key"] = json!("name");
        }
        Some(json!({"each": each}))
    }
}

fn is_scalar(kind: &FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Text
            | FieldKind::Digits
            | FieldKind::Enum(_)
            | FieldKind::Int
            | FieldKind::Bool
            | FieldKind::Json(_)
    )
}

pub fn is_mirror(mirrors: &[(String, String)], name: &str) -> bool {
    mirrors
        .iter()
        .any(|(one, other)| one == name || other == name)
}

pub fn path(keys: &[&str]) -> String {
    let escaped = keys
        .iter()
        .map(|key| key.replace('~', "~0").replace('/', "~1"));
    escaped.map(|key| format!("/{key}")).collect()
}
