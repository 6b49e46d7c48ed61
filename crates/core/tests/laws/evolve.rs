//! Random histories of a type: every version is its parent with random steps applied, and its
//! schema says what comes out of them.

use crate::world::{Field, Id, Kind, Made};
use coeval_core::version::Version;
use fastrand::Rng;
use serde_json::{Value, json};

struct Evolving<'r> {
    rng: &'r mut Rng,
    next: Id,
    /// Whether nothing was changed yet.
    first: bool,
    /// Fields that are made from each other.
    kin: Vec<(Id, Id)>,
}

pub(crate) fn evolve(rng: &mut Rng) -> Vec<Made> {
    let count = rng.usize(2..=5);
    let mut evolving = Evolving {
        rng,
        next: 0,
        first: true,
        kin: Vec::new(),
    };
    let fields = evolving.fields(3..=6, 2);
    let mut all = vec![Made {
        version: Version::new(1, 0, 0),
        parent: None,
        fields,
        steps: Vec::new(),
        closed: false,
        mirrors: Vec::new(),
    }];
    for number in 1..count {
        evolving.first = true;
        let parent = evolving.rng.usize(0..all.len());
        let mut made = all[parent].clone();
        made.version = Version::new(u32::try_from(number).unwrap() + 1, 0, 0);
        made.steps = Vec::new();
        made.closed = evolving.rng.u8(..) < 40;
        // Without steps only the undeclared conversion is left: the nearest older one.
        made.parent = Some(parent);
        if evolving.rng.u8(..) < 80 {
            made.parent = Some(number - 1);
            made.fields = all[number - 1].fields.clone();
            made.mirrors = all[number - 1].mirrors.clone();
            evolving.undeclared(&mut made.fields, &made.mirrors);
        } else {
            for _ in 0..evolving.rng.usize(1..=4) {
                let step = evolving.step(&mut made.fields, &mut made.mirrors, 0);
                evolving.first &= step.is_none();
                made.steps.extend(step);
            }
            if made.steps.is_empty() {
                let name = format!("new{number}");
                made.steps.push(json!({"add": {"path": path(&[&name])}}));
                let kind = Kind::Int;
                made.fields.push(evolving.field_of(name, kind));
            }
        }
        all.push(made);
    }
    let kin = evolving.kin;
    for made in &mut all {
        identify(&mut made.fields, &kin);
    }
    all
}

/// Fields that are made from each other get one identity, the smallest of them.
fn identify(fields: &mut [Field], kin: &[(Id, Id)]) {
    for field in fields {
        let mut family = vec![field.id];
        let mut at = 0;
        while let Some(one) = family.get(at).copied() {
            at += 1;
            for (a, b) in kin {
                for (from, to) in [(a, b), (b, a)] {
                    if *from == one && !family.contains(to) {
                        family.push(*to);
                    }
                }
            }
        }
        field.family = family.len() > 1;
        field.id = family.into_iter().min().unwrap();
        match &mut field.kind {
            Kind::Object(inner) | Kind::Keyed(inner) | Kind::Items(inner) | Kind::Map(inner) => {
                identify(inner, kin);
            }
            _ => {}
        }
    }
}

impl Evolving<'_> {
    fn name(&mut self) -> String {
        const NAMES: [&str; 14] = [
            "a", "b", "c", "d", "e", "f", "g", "h", "a/b", "~", "0", "to", "with", "ü",
        ];
        NAMES[self.rng.usize(..NAMES.len())].to_owned()
    }

    fn fresh(&mut self, fields: &[Field]) -> Option<String> {
        (0..8)
            .map(|_| self.name())
            .find(|name| *name != "name" && fields.iter().all(|field| field.name != *name))
    }

    fn field_of(&mut self, name: String, kind: Kind) -> Field {
        self.next += 1;
        Field {
            id: self.next,
            name,
            kind,
            required: false,
            default: None,
            derived: false,
            alias: false,
            family: false,
        }
    }

    fn fields(&mut self, count: std::ops::RangeInclusive<usize>, depth: usize) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for _ in 0..self.rng.usize(count) {
            if let Some(name) = self.fresh(&fields) {
                let kind = self.kind(depth);
                fields.push(self.field_of(name, kind));
            }
        }
        fields
    }

    fn scalar(&mut self) -> Kind {
        match self.rng.u8(0..6) {
            0 => Kind::Text,
            1 => Kind::Digits,
            2 => Kind::Bool,
            3 => Kind::Enum(vec!["red".into(), "green".into(), "blue".into()]),
            4 => Kind::Json(Box::new(Kind::Int)),
            _ => Kind::Int,
        }
    }

    fn kind(&mut self, depth: usize) -> Kind {
        if depth == 0 || self.rng.u8(..) < 90 {
            return self.scalar();
        }
        match self.rng.u8(0..6) {
            0 | 1 => Kind::Object(self.fields(1..=3, depth - 1)),
            2 => Kind::Keyed(self.fields(1..=3, depth - 1)),
            3 => Kind::Items(self.fields(1..=2, depth - 1)),
            4 => Kind::Map(self.fields(1..=3, depth - 1)),
            _ => Kind::List(Box::new(self.scalar())),
        }
    }

    /// A change of the schema that no step speaks of: fields come and go.
    fn undeclared(&mut self, fields: &mut Vec<Field>, mirrors: &[(String, String)]) {
        // Without steps a name that comes back is the same field, so new ones have new names.
        {
            let name = format!("u{}", self.next);
            let kind = self.kind(1);
            let mut field = self.field_of(name, kind);
            if field.kind == Kind::Int && self.rng.bool() {
                field.required = true;
                field.default = Some(json!(7));
            }
            fields.push(field);
        }
        let gone = self.rng.usize(..fields.len());
        if fields.len() > 2 && self.rng.bool() && !is_mirror(mirrors, &fields[gone].name) {
            fields.remove(gone);
        }
        for field in fields.iter_mut() {
            let inner = match &mut field.kind {
                Kind::Object(inner)
                | Kind::Keyed(inner)
                | Kind::Items(inner)
                | Kind::Map(inner) => inner,
                _ => continue,
            };
            if self.rng.u8(..) < 170 {
                let mut copy = inner.clone();
                let name = format!("u{}", self.next);
                let kind = self.scalar();
                copy.push(self.field_of(name, kind));
                *inner = copy;
            }
        }
    }

    /// A step that fits, or none.
    fn step(
        &mut self,
        fields: &mut Vec<Field>,
        mirrors: &mut Vec<(String, String)>,
        depth: usize,
    ) -> Option<Value> {
        let at = self.rng.usize(..fields.len().max(1));
        match self.rng.u8(0..22) {
            0 => self.rename(fields, mirrors, at),
            1 => self.add(fields),
            2 => self.remove(fields, mirrors, at),
            3 => self.copy(fields, mirrors, at, depth),
            4 => self.wrap(fields, mirrors, at),
            5 => self.unwrap(fields, at),
            6 => self.nest(fields, mirrors),
            7 => self.unnest(fields, at),
            8 => self.map(fields, mirrors, at),
            9 => self.convert(fields, mirrors, at),
            10 => self.scale(fields, mirrors, at),
            11 => self.split(fields, mirrors, at),
            12 => self.join(fields, mirrors),
            13 => self.keyed(fields, at),
            14 => self.parse(fields, mirrors, at),
            15 if depth < 2 => self.when(fields),
            16 => self.move_in(fields, mirrors, at),
            17 => self.pick(fields, at),
            _ if depth < 2 => self.each(fields, at, depth),
            _ => None,
        }
    }

    fn rename(
        &mut self,
        fields: &mut [Field],
        mirrors: &mut [(String, String)],
        at: usize,
    ) -> Option<Value> {
        let to = self.fresh(fields)?;
        let field = fields.get_mut(at)?;
        if field.name == "name" {
            return None;
        }
        let from = std::mem::replace(&mut field.name, to.clone());
        for (one, other) in mirrors.iter_mut() {
            for name in [one, other] {
                if *name == from {
                    name.clone_from(&to);
                }
            }
        }
        Some(json!({"rename": {"path": path(&[&from]), "to": path(&[&to])}}))
    }

    fn add(&mut self, fields: &mut Vec<Field>) -> Option<Value> {
        let name = self.fresh(fields)?;
        let kind = self.kind(1);
        let mut field = self.field_of(name.clone(), kind);
        let mut step = json!({"path": path(&[&name])});
        if field.kind == Kind::Int && self.rng.bool() {
            step["value"] = json!(5);
            field.required = self.rng.bool();
            if field.required {
                field.default = Some(json!(5));
            }
        }
        fields.push(field);
        Some(json!({"add": step}))
    }

    fn remove(
        &mut self,
        fields: &mut Vec<Field>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        if fields.len() < 2 || is_mirror(mirrors, &fields[at].name) || fields[at].name == "name" {
            return None;
        }
        let field = fields.remove(at);
        let mut step = json!({"path": path(&[&field.name])});
        match field.kind {
            Kind::Int if field.required || self.rng.bool() => step["value"] = json!(3),
            _ if field.required => step["value"] = field.default.unwrap_or(json!(0)),
            _ => {}
        }
        Some(json!({"remove": step}))
    }

    fn copy(
        &mut self,
        fields: &mut Vec<Field>,
        mirrors: &mut Vec<(String, String)>,
        at: usize,
        depth: usize,
    ) -> Option<Value> {
        let old = fields.get(at)?.clone();
        let plain = matches!(
            old.kind,
            Kind::Int | Kind::Text | Kind::Bool | Kind::Enum(_)
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
        let new = Field {
            name: name.clone(),
            ..old.clone()
        };
        fields.push(new);
        mirrors.push((name.clone(), old.name.clone()));
        Some(json!({"copy": {"from": path(&[&name]), "to": path(&[&old.name])}}))
    }

    fn wrap(
        &mut self,
        fields: &mut [Field],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        if !is_scalar(&field.kind)
            || field.default.is_some()
            || is_mirror(mirrors, &field.name)
            || field.name == "name"
        {
            return None;
        }
        field.kind = Kind::List(Box::new(field.kind.clone()));
        Some(json!({"wrap": {"path": path(&[&field.name])}}))
    }

    fn unwrap(&mut self, fields: &mut [Field], at: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let Kind::List(kind) = field.kind.clone() else {
            return None;
        };
        field.kind = *kind;
        Some(json!({"unwrap": {"path": path(&[&field.name])}}))
    }

    fn nest(&mut self, fields: &mut Vec<Field>, mirrors: &[(String, String)]) -> Option<Value> {
        let under = self.fresh(fields)?;
        let count = self.rng.usize(1..=2);
        let mut inner = Vec::new();
        for _ in 0..count {
            if fields.len() < 2 {
                break;
            }
            let at = self.rng.usize(..fields.len());
            if fields[at].required
                || is_mirror(mirrors, &fields[at].name)
                || fields[at].name == "name"
            {
                return None;
            }
            inner.push(fields.remove(at));
        }
        if inner.is_empty() {
            return None;
        }
        let paths: Vec<_> = inner.iter().map(|field| path(&[&field.name])).collect();
        let object = self.field_of(under.clone(), Kind::Object(inner));
        fields.push(object);
        Some(json!({"nest": {"paths": paths, "under": path(&[&under])}}))
    }

    fn unnest(&mut self, fields: &mut Vec<Field>, at: usize) -> Option<Value> {
        let Kind::Object(inner) = fields.get(at)?.kind.clone() else {
            return None;
        };
        // Its fields are found in the older version's schema, so it must be as it was there.
        if !self.first || inner.is_empty() {
            return None;
        }
        let clash =
            |field: &Field| fields.iter().any(|other| other.name == field.name) || field.required;
        if inner.iter().any(clash) || fields[at].required {
            return None;
        }
        let object = fields.remove(at);
        fields.extend(inner);
        Some(json!({"unnest": {"path": path(&[&object.name])}}))
    }

    fn move_in(
        &mut self,
        fields: &mut Vec<Field>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let from = fields.get(at)?.clone();
        let target = fields
            .iter()
            .position(|field| matches!(field.kind, Kind::Object(_)))?;
        if target == at || from.required || is_mirror(mirrors, &from.name) || from.name == "name" {
            return None;
        }
        let outer = fields[target].name.clone();
        let Kind::Object(inner) = &mut fields[target].kind else {
            return None;
        };
        let name = self.fresh(inner)?;
        inner.push(Field {
            name: name.clone(),
            ..from.clone()
        });
        fields.remove(at);
        Some(json!({"move": {"from": path(&[&from.name]), "to": path(&[&outer, &name])}}))
    }

    fn map(
        &mut self,
        fields: &mut [Field],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let Kind::Enum(values) = field.kind.clone() else {
            return None;
        };
        if is_mirror(mirrors, &field.name) || field.default.is_some() {
            return None;
        }
        let many_to_one = self.rng.bool();
        let new = |value: &String| {
            if many_to_one && value != "red" {
                "COLD".to_owned()
            } else {
                value.to_uppercase()
            }
        };
        let table: serde_json::Map<String, Value> = values
            .iter()
            .map(|value| (value.clone(), json!(new(value))))
            .collect();
        let mut news: Vec<_> = values.iter().map(new).collect();
        news.sort();
        news.dedup();
        let mut step = json!({"path": path(&[&field.name]), "table": table});
        if self.rng.bool() {
            news.push("OTHER".to_owned());
            step["otherwise"] = json!({"forward": "OTHER", "backward": values[0]});
        }
        field.kind = Kind::Enum(news);
        Some(json!({"map": step}))
    }

    fn convert(
        &mut self,
        fields: &mut [Field],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        if field.default.is_some() || is_mirror(mirrors, &field.name) || field.name == "name" {
            return None;
        }
        let (kind, to, from) = match field.kind {
            Kind::Digits => (Kind::Int, "integer", "string"),
            Kind::Int => (Kind::Digits, "string", "integer"),
            _ => return None,
        };
        field.kind = kind;
        Some(json!({"convert": {"path": path(&[&field.name]), "to": to, "from": from}}))
    }

    fn scale(
        &mut self,
        fields: &mut [Field],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        if field.kind != Kind::Int || field.default.is_some() || is_mirror(mirrors, &field.name) {
            return None;
        }
        let by = [json!(10), json!("1/3"), json!(0.5)][self.rng.usize(0..3)].clone();
        Some(json!({"scale": {"path": path(&[&field.name]), "by": by}}))
    }

    fn split(
        &mut self,
        fields: &mut Vec<Field>,
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get(at)?.clone();
        let plain = field.kind == Kind::Text && !field.required;
        if !plain || is_mirror(mirrors, &field.name) || field.name == "name" {
            return None;
        }
        let first = self.fresh(fields)?;
        let second = self.fresh(fields).filter(|second| *second != first)?;
        fields.remove(at);
        for name in [&first, &second] {
            let part = self.field_of(name.clone(), Kind::Text);
            self.kin.push((field.id, part.id));
            fields.push(part);
        }
        let into = [path(&[&first]), path(&[&second])];
        Some(json!({"split": {"path": path(&[&field.name]), "at": ":", "into": into}}))
    }

    fn join(&mut self, fields: &mut Vec<Field>, mirrors: &[(String, String)]) -> Option<Value> {
        let fits = |field: &&Field| {
            field.kind == Kind::Text
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
        let joined = self.field_of(into.clone(), Kind::Text);
        self.kin.push((first.id, second.id));
        self.kin.push((first.id, joined.id));
        fields.push(joined);
        let paths: Vec<_> = names.iter().map(|name| path(&[name])).collect();
        Some(json!({"join": {"paths": paths, "with": ":", "into": path(&[&into])}}))
    }

    fn keyed(&mut self, fields: &mut [Field], at: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let Kind::Keyed(inner) = field.kind.clone() else {
            return None;
        };
        field.kind = Kind::Map(inner);
        Some(json!({"keyed": {"path": path(&[&field.name]), "key": "name"}}))
    }

    fn parse(
        &mut self,
        fields: &mut [Field],
        mirrors: &[(String, String)],
        at: usize,
    ) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let Kind::Json(kind) = field.kind.clone() else {
            return None;
        };
        if is_mirror(mirrors, &field.name) {
            return None;
        }
        field.kind = *kind;
        Some(json!({"parse": {"path": path(&[&field.name])}}))
    }

    fn when(&mut self, fields: &mut Vec<Field>) -> Option<Value> {
        // The branches must lead to one schema, so they fill the same new field differently.
        let asked = fields
            .iter()
            .find(|field| matches!(field.kind, Kind::Enum(_) | Kind::Bool))?;
        let is = match &asked.kind {
            Kind::Enum(values) => json!(values[0]),
            _ => json!(true),
        };
        let asked = path(&[&asked.name]);
        let name = self.fresh(fields)?;
        let mut new = self.field_of(name.clone(), Kind::Int);
        new.derived = true;
        fields.push(new);
        let add = |value: i32| json!([{"add": {"path": path(&[&name]), "value": value}}]);
        Some(json!({"when": {"path": asked, "is": is, "steps": add(1), "otherwise": add(2)}}))
    }

    fn pick(&mut self, fields: &mut Vec<Field>, at: usize) -> Option<Value> {
        let field = fields.get(at)?.clone();
        let Kind::Keyed(inner) = &field.kind else {
            return None;
        };
        let value = inner.get(self.rng.usize(..inner.len().max(1)))?;
        if !is_scalar(&value.kind) {
            return None;
        }
        let name = self.fresh(fields)?;
        let mut picked = self.field_of(name.clone(), value.kind.clone());
        picked.alias = true;
        fields.push(picked);
        Some(json!({"pick": {
            "path": path(&[&field.name]), "key": "name", "equals": "n1",
            "field": value.name, "into": path(&[&name]),
        }}))
    }

    fn each(&mut self, fields: &mut [Field], at: usize, depth: usize) -> Option<Value> {
        let field = fields.get_mut(at)?;
        let name = field.name.clone();
        let (keyed, inner) = match &mut field.kind {
            Kind::Keyed(inner) => (true, inner),
            Kind::Items(inner) | Kind::Map(inner) => (false, inner),
            _ => return None,
        };
        let mut steps = Vec::new();
        for _ in 0..self.rng.usize(1..=3) {
            let step = self.step(inner, &mut Vec::new(), depth + 1);
            self.first &= step.is_none();
            steps.extend(step);
        }
        if steps.is_empty() {
            return None;
        }
        let mut each = json!({"path": path(&[&name]), "steps": steps});
        if keyed {
            each["key"] = json!("name");
        }
        Some(json!({"each": each}))
    }
}

fn is_scalar(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Text | Kind::Digits | Kind::Enum(_) | Kind::Int | Kind::Bool | Kind::Json(_)
    )
}

fn is_mirror(mirrors: &[(String, String)], name: &str) -> bool {
    mirrors
        .iter()
        .any(|(one, other)| one == name || other == name)
}

pub(crate) fn path(keys: &[&str]) -> String {
    let escaped = keys
        .iter()
        .map(|key| key.replace('~', "~0").replace('/', "~1"));
    escaped.map(|key| format!("/{key}")).collect()
}
