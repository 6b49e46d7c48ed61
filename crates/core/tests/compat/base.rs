//! Random schemas, such as people write.

use crate::node::{Field, Keys, Kind, List, Map, Node, Object, Rest, Tuple, When, World};
use fastrand::Rng;
use jsonschema::Draft;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const NAMES: [&str; 24] = [
    "name",
    "size",
    "region",
    "image",
    "replicas",
    "owner",
    "labels",
    "nodes",
    "status",
    "phase",
    "conditions",
    "storage",
    "network",
    "ports",
    "version",
    "address",
    "quota",
    "zone",
    "policy",
    "limits",
    "endpoint",
    "mode",
    "tags",
    "created",
];
const DRAFTS: [Draft; 6] = [
    Draft::Draft7,
    Draft::Draft4,
    Draft::Draft6,
    Draft::Draft7,
    Draft::Draft201909,
    Draft::Draft202012,
];

pub(crate) struct Maker<'r> {
    pub(crate) rng: &'r mut Rng,
    pub(crate) draft: Draft,
    defaults: bool,
    names: usize,
    definitions: BTreeMap<String, Node>,
}

pub(crate) fn world(defaults: bool, rng: &mut Rng) -> World {
    let draft = DRAFTS[rng.usize(..DRAFTS.len())];
    let mut maker = Maker {
        rng,
        draft,
        defaults,
        names: 0,
        definitions: BTreeMap::new(),
    };
    let root = Node::of(Kind::Object(maker.object(3)));
    World {
        draft,
        root,
        definitions: maker.definitions,
    }
}

impl Maker<'_> {
    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.rng.usize(..one_in) == 0
    }

    /// No name twice, so that a field is at one place, or where a definition is used.
    fn name(&mut self) -> String {
        let number = self.names;
        self.names += 1;
        let word = NAMES[(number * 7 + self.rng.usize(..2)) % NAMES.len()];
        if number < 3 {
            format!("{word}{}", ["", "Ref", "Name"][number])
        } else {
            format!("{word}{number}")
        }
    }

    fn node(&mut self, depth: usize) -> Node {
        let simple = depth == 0 || self.chance(3);
        let kind = if simple {
            self.scalar()
        } else {
            self.composed(depth - 1)
        };
        let mut node = Node::of(kind);
        let plain = !matches!(
            node.kind,
            Kind::Any | Kind::Ref(_) | Kind::Either(_) | Kind::Tagged(_) | Kind::All(_)
        );
        node.null = plain && self.chance(10);
        node
    }

    fn composed(&mut self, depth: usize) -> Kind {
        match self.rng.u8(..20) {
            0..=6 => Kind::Object(self.object(depth)),
            7 | 8 => Kind::Map(self.map(depth)),
            9..=11 => Kind::List(self.list(depth)),
            12 => Kind::Tuple(self.tuple(depth)),
            13 | 14 => self.either(depth),
            15 | 16 => self.tagged(depth),
            17 => Kind::All((0..2).map(|_| self.part(depth)).collect()),
            _ => self.reference(depth),
        }
    }

    fn fields(&mut self, depth: usize, count: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        for _ in 0..count {
            let mut node = self.node(depth);
            if self.defaults && self.chance(4) {
                node.default = default(&node);
            }
            fields.push(Field {
                name: self.name(),
                node,
                required: self.chance(3),
            });
        }
        fields
    }

    fn object(&mut self, depth: usize) -> Object {
        let count = self.rng.usize(1..5);
        let mut object = Object {
            fields: self.fields(depth, count),
            ..Object::default()
        };
        object.rest = match self.rng.u8(..6) {
            0 | 1 => Rest::Closed,
            2 => Rest::Schema(Box::new(self.node(0))),
            _ => Rest::Open,
        };
        if self.chance(8) {
            object.extensions = Some(Box::new(self.node(0)));
        }
        match self.rng.u8(..16) {
            0 => object.least = Some(1),
            1 if matches!(object.rest, Rest::Open) => object.most = Some(object.fields.len() + 3),
            2 | 3 if count > 1 => {
                let (one, other) = (&object.fields[0].name, &object.fields[1].name);
                object.needs.push((one.clone(), other.clone()));
            }
            4 | 5 if count > 1 => object.when = self.when(&mut object.fields),
            _ => {}
        }
        object
    }

    fn when(&mut self, fields: &mut [Field]) -> Option<When> {
        let values = vec![json!("on"), json!("off")];
        fields[0].node = Node::of(Kind::Values(values));
        Some(When {
            field: fields[0].name.clone(),
            is: json!("on"),
            then: fields[1].name.clone(),
        })
    }

    /// An open object that is one of several which apply at once.
    fn part(&mut self, depth: usize) -> Node {
        let count = self.rng.usize(1..3);
        Node::of(Kind::Object(Object {
            fields: self.fields(depth, count),
            ..Object::default()
        }))
    }

    fn tagged(&mut self, depth: usize) -> Kind {
        let tags = ["disk", "share", "bucket"];
        let count = self.rng.usize(2..4);
        let mut all = Vec::new();
        for tag in &tags[..count] {
            let mut node = self.part(depth);
            if let Kind::Object(object) = &mut node.kind
                && self.rng.bool()
            {
                object.rest = Rest::Closed;
            }
            all.push(((*tag).to_owned(), node));
        }
        Kind::Tagged(all)
    }

    fn either(&mut self, depth: usize) -> Kind {
        let text = self.text();
        let mut all = vec![Node::of(Kind::Text(text))];
        match self.rng.u8(..3) {
            0 => all.push(Node::of(Kind::Number(self.number()))),
            1 => all.push(Node::of(Kind::Object(self.object(depth)))),
            _ => all.push(Node::of(Kind::List(self.list(depth)))),
        }
        Kind::Either(all)
    }

    fn map(&mut self, depth: usize) -> Map {
        Map {
            value: Box::new(self.node(depth)),
            keys: match self.rng.u8(..5) {
                0 => Keys::Pattern(self.rng.bool()),
                1 => Keys::Named(self.rng.bool()),
                _ => Keys::Any,
            },
            least: self.chance(6).then_some(1),
            most: self.chance(6).then_some(4),
        }
    }

    fn list(&mut self, depth: usize) -> List {
        List {
            item: Box::new(self.node(depth)),
            least: self.chance(4).then_some(1),
            most: self.chance(4).then_some(5),
            unique: self.chance(8),
        }
    }

    fn tuple(&mut self, depth: usize) -> Tuple {
        Tuple {
            items: vec![self.node(0), self.node(depth)],
            rest: match self.rng.u8(..3) {
                0 => Rest::Closed,
                1 => Rest::Schema(Box::new(self.node(0))),
                _ => Rest::Open,
            },
        }
    }

    /// To a new definition, which may refer to itself, or to one that is there.
    fn reference(&mut self, depth: usize) -> Kind {
        let known: Vec<String> = self.definitions.keys().cloned().collect();
        if !known.is_empty() && self.rng.bool() {
            return Kind::Ref(known[self.rng.usize(..known.len())].clone());
        }
        let mut node = self.part(depth);
        let name = self.name();
        if let Kind::Object(object) = &mut node.kind
            && self.rng.bool()
        {
            let again = Node::of(Kind::Ref(name.clone()));
            let kind = match self.rng.u8(..3) {
                0 => again,
                1 => Node::of(Kind::Map(Map {
                    value: Box::new(again),
                    keys: Keys::Any,
                    least: None,
                    most: None,
                })),
                _ => Node::of(Kind::List(List {
                    item: Box::new(again),
                    least: None,
                    most: None,
                    unique: false,
                })),
            };
            let field = Field {
                name: self.name(),
                node: kind,
                required: false,
            };
            object.fields.push(field);
            if self.rng.bool() {
                object.rest = Rest::Closed;
            }
        }
        // While it is made, nothing else refers to it: no endless document.
        self.definitions.insert(name.clone(), node);
        Kind::Ref(name)
    }
}

fn default(node: &Node) -> Option<Value> {
    match &node.kind {
        Kind::Flag => Some(json!(true)),
        Kind::Values(values) => values.first().cloned(),
        Kind::Types(_) => Some(json!("auto")),
        _ => None,
    }
}
