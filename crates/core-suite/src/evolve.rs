//! Random histories of a type: every version is its parent with random steps applied, and its
//! schema says what comes out of them.

use crate::changes::{is_mirror, path};
use crate::expected::{ValueChange, ValueTransform};
use crate::field::{FieldId, FieldKind, WorldField};
use crate::world::WorldVersion;
use coeval_core::version::Version;
use fastrand::Rng;
use serde_json::{Value, json};

pub struct TypeEvolution<'r> {
    pub rng: &'r mut Rng,
    pub next: FieldId,
    /// Whether nothing was changed yet.
    pub first: bool,
    /// Fields that are made from each other.
    pub kin: Vec<(FieldId, FieldId)>,
}

pub fn evolve(rng: &mut Rng) -> Vec<WorldVersion> {
    // Few versions, so that a failing world can be read; two branches need three of them.
    let count = rng.usize(2..=5);
    let mut evolving = TypeEvolution {
        rng,
        next: 0,
        first: true,
        kin: Vec::new(),
    };
    let fields = evolving.fields(3..=6, 2);
    // The first version has no parent, and so no steps.
    let mut all = vec![WorldVersion {
        version: Version::new(1, 0, 0),
        parent: None,
        fields,
        steps: Vec::new(),
        closed: false,
        mirrors: Vec::new(),
    }];
    for number in 1..count {
        evolving.first = true;
        // Any version may be the parent, so histories branch.
        let parent = evolving.rng.usize(0..all.len());
        let mut made = all[parent].clone();
        made.version = evolving.next_version(&all, parent);
        made.steps = Vec::new();
        // Closed ones now and then: there, what others declare is forbidden and not merely
        // unknown.
        made.closed = evolving.rng.u8(..) < 40;
        made.parent = Some(parent);
        if evolving.rng.u8(..) < 80 {
            // Without steps only the undeclared conversion is left: the nearest older one.
            let older = |at: &usize| all[*at].version < made.version;
            let nearest = (0..number).filter(older).max_by_key(|at| all[*at].version);
            let nearest = nearest.unwrap();
            made.parent = Some(nearest);
            made.fields = all[nearest].fields.clone();
            made.mirrors = all[nearest].mirrors.clone();
            evolving.undeclared(&mut made.fields, &made.mirrors);
        } else {
            for _ in 0..evolving.rng.usize(1..=4) {
                let step = evolving.some_step(&mut made.fields, &mut made.mirrors, 0);
                evolving.first &= step.is_none();
                made.steps.extend(step);
            }
            // A declared conversion has a step at least, so one that always fits is added.
            if made.steps.is_empty() {
                let name = format!("new{number}");
                made.steps.push(json!({"add": {"path": path(&[&name])}}));
                let kind = FieldKind::Int;
                made.fields.push(evolving.field_of(name, kind));
            }
        }
        // After the steps, so that no step speaks of the new value.
        evolving.widen(&mut made.fields, &made.mirrors);
        all.push(made);
    }
    // Identities at last: which fields are kin is known once all versions exist.
    let kin = evolving.kin;
    for made in &mut all {
        identify(&mut made.fields, &kin);
    }
    all
}

/// Fields that are made from each other get one identity, the smallest of them.
/// Over all that are kin of kin: a field may be split, and its parts joined with others.
fn identify(fields: &mut [WorldField], kin: &[(FieldId, FieldId)]) {
    for field in fields {
        let mut family = vec![field.id];
        let mut at = 0;
        // A list that grows while it is walked, since the relation is not ordered.
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
        // The laws are checked differently where several fields share one identity.
        field.family = family.len() > 1;
        field.id = family.into_iter().min().unwrap();
        match &mut field.kind {
            FieldKind::Object(inner)
            | FieldKind::Keyed(inner)
            | FieldKind::Items(inner)
            | FieldKind::Map(inner) => {
                identify(inner, kin);
            }
            _ => {}
        }
    }
}

impl TypeEvolution<'_> {
    /// The next minor of the parent's major, or a new major: there are three at most.
    fn next_version(&mut self, all: &[WorldVersion], parent: usize) -> Version {
        let newest = all.iter().map(|one| one.version.major).max().unwrap();
        if newest < 3 && self.rng.bool() {
            return Version::new(newest + 1, 0, 0);
        }
        let major = all[parent].version.major;
        let same_major = all.iter().filter(|one| one.version.major == major);
        let minor = same_major.map(|one| one.version.minor).max().unwrap();
        Version::new(major, minor + 1, 0)
    }

    /// Enums get a further value, of which no step speaks.
    fn widen(&mut self, fields: &mut [WorldField], mirrors: &[(String, String)]) {
        for field in fields {
            match &mut field.kind {
                FieldKind::Enum(values)
                    if !is_mirror(mirrors, &field.name) && self.rng.u8(..) < 40 =>
                {
                    values.push(format!("new{}", values.len()));
                }
                FieldKind::Object(inner)
                | FieldKind::Keyed(inner)
                | FieldKind::Items(inner)
                | FieldKind::Map(inner) => self.widen(inner, &[]),
                _ => {}
            }
        }
    }

    pub fn change(&mut self, field: &mut WorldField, what: ValueTransform) {
        self.next += 1;
        let id = self.next;
        field.changes.push(ValueChange { id, what });
    }

    fn name(&mut self) -> String {
        const NAMES: [&str; 14] = [
            "a", "b", "c", "d", "e", "f", "g", "h", "a/b", "~", "0", "to", "with", "ü",
        ];
        NAMES[self.rng.usize(..NAMES.len())].to_owned()
    }

    pub fn fresh(&mut self, fields: &[WorldField]) -> Option<String> {
        (0..8)
            .map(|_| self.name())
            .find(|name| *name != "name" && fields.iter().all(|field| field.name != *name))
    }

    pub fn field_of(&mut self, name: String, kind: FieldKind) -> WorldField {
        // Every field that is drawn is a new one, also if its name was used before.
        self.next += 1;
        WorldField {
            id: self.next,
            origin: self.next,
            name,
            kind,
            required: false,
            default: None,
            derived: false,
            alias: false,
            family: false,
            changes: Vec::new(),
        }
    }

    fn fields(&mut self, count: std::ops::RangeInclusive<usize>, depth: usize) -> Vec<WorldField> {
        let mut fields: Vec<WorldField> = Vec::new();
        for _ in 0..self.rng.usize(count) {
            if let Some(name) = self.fresh(&fields) {
                let kind = self.kind(depth);
                fields.push(self.field_of(name, kind));
            }
        }
        fields
    }

    pub fn scalar(&mut self) -> FieldKind {
        match self.rng.u8(0..6) {
            0 => FieldKind::Text,
            1 => FieldKind::Digits,
            2 => FieldKind::Bool,
            3 => FieldKind::Enum(vec!["red".into(), "green".into(), "blue".into()]),
            4 => FieldKind::Json(Box::new(FieldKind::Int)),
            _ => FieldKind::Int,
        }
    }

    pub fn kind(&mut self, depth: usize) -> FieldKind {
        if depth == 0 || self.rng.u8(..) < 90 {
            return self.scalar();
        }
        match self.rng.u8(0..6) {
            0 | 1 => FieldKind::Object(self.fields(1..=3, depth - 1)),
            2 => FieldKind::Keyed(self.fields(1..=3, depth - 1)),
            3 => FieldKind::Items(self.fields(1..=2, depth - 1)),
            4 => FieldKind::Map(self.fields(1..=3, depth - 1)),
            _ => FieldKind::List(Box::new(self.scalar())),
        }
    }

    /// A change of the schema that no step speaks of: fields come and go.
    fn undeclared(&mut self, fields: &mut Vec<WorldField>, mirrors: &[(String, String)]) {
        // Without steps a name that comes back is the same field, so new ones have new names.
        {
            let name = format!("u{}", self.next);
            // Without steps a new version may declare fields; a required one then needs a default,
            // or old documents would not fit.
            let kind = self.kind(1);
            let mut field = self.field_of(name, kind);
            if field.kind == FieldKind::Int && self.rng.bool() {
                field.required = true;
                field.default = Some(json!(7));
            }
            fields.push(field);
        }
        let gone = self.rng.usize(..fields.len());
        // Never the last fields: a type without any would test nothing.
        if fields.len() > 2 && self.rng.bool() && !is_mirror(mirrors, &fields[gone].name) {
            fields.remove(gone);
        }
        for field in fields.iter_mut() {
            let is_list = matches!(field.kind, FieldKind::Keyed(_) | FieldKind::Items(_));
            let inner = match &mut field.kind {
                FieldKind::Object(inner)
                | FieldKind::Keyed(inner)
                | FieldKind::Items(inner)
                | FieldKind::Map(inner) => inner,
                _ => continue,
            };
            // Inside of objects and lists as well, because hiding and filling recurse.
            if self.rng.u8(..) < 170 {
                let mut copy = inner.clone();
                let name = format!("u{}", self.next);
                let kind = self.scalar();
                let mut field = self.field_of(name, kind);
                if is_list && field.kind == FieldKind::Int && self.rng.bool() {
                    field.required = true;
                    field.default = Some(json!(7));
                }
                copy.push(field);
                *inner = copy;
            }
        }
    }

    /// A step that fits, if one is found in a few tries. Every second one changes values: what they were
    /// made from is kept beside them, and that is the harder half of the laws.
    pub fn some_step(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &mut Vec<(String, String)>,
        depth: usize,
    ) -> Option<Value> {
        // One half of the steps change values, see above.
        let refined = if self.rng.bool() {
            self.refine(fields, mirrors)
        } else {
            None
        };
        // Most steps need a field of some kind, so a draw can fail: a few tries are enough.
        refined.or_else(|| (0..6).find_map(|_| self.step(fields, mirrors, depth)))
    }

    fn refine(
        &mut self,
        fields: &mut Vec<WorldField>,
        mirrors: &mut [(String, String)],
    ) -> Option<Value> {
        // From a random field on, so that the first one is not preferred.
        let start = self.rng.usize(..fields.len().max(1));
        (0..fields.len()).find_map(|offset| {
            let at = (start + offset) % fields.len();
            match fields[at].kind {
                FieldKind::Enum(_) => self.map(fields, mirrors, at),
                FieldKind::Int if self.rng.bool() => self.scale(fields, mirrors, at),
                FieldKind::Int | FieldKind::Digits => self.convert(fields, mirrors, at),
                FieldKind::Json(_) => self.parse(fields, mirrors, at),
                FieldKind::Text if self.rng.bool() => self.join(fields, mirrors),
                FieldKind::Text => self.split(fields, mirrors, at),
                _ => None,
            }
        })
    }

    /// A step that fits, or none.
    pub fn step(
        &mut self,
        fields: &mut Vec<WorldField>,
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
}
