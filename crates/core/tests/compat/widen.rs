//! Changes at one place that let through more, each with a value that only the wider one takes.
//! Read backwards they let through less.

use crate::node::{Kind, Node, World};
use crate::truth::accepts;
use fastrand::Rng;
use serde_json::{Value, json};

/// What a change is called, as it widens and as it narrows.
pub(crate) type Sort = (&'static str, &'static str);

/// What people expect of it beside what fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Nothing: what fits decides.
    Plain,
    /// A field is gone that an open object declared; backwards it is new.
    Undeclared(String),
    /// A closed object has one field more; backwards it is gone.
    Declared(String),
    /// A field need not be there; backwards it must.
    Optional(String),
    /// Nothing that is clear.
    Silent,
}

pub(crate) struct Wider {
    pub(crate) node: Node,
    pub(crate) value: Value,
    pub(crate) sort: Sort,
    pub(crate) policy: Policy,
}

pub(crate) struct Choices<'w> {
    pub(crate) world: &'w World,
    pub(crate) node: &'w Node,
    pub(crate) found: Vec<Wider>,
}

impl<'w> Choices<'w> {
    /// `member`: one of several objects that are told apart, or apply at once.
    pub(crate) fn at(world: &'w World, node: &'w Node, member: bool, rng: &mut Rng) -> Vec<Wider> {
        let mut choices = Self {
            world,
            node,
            found: Vec::new(),
        };
        match &node.kind {
            Kind::Any | Kind::Ref(_) | Kind::All(_) => {}
            Kind::Flag => choices.types(&["boolean"]),
            Kind::Text(text) => choices.text(text),
            Kind::Number(number) => choices.number(number),
            Kind::Values(values) => choices.values(values),
            Kind::Types(types) => choices.types(types),
            Kind::Object(object) => choices.object(object, rng),
            Kind::Map(map) => choices.map(map, rng),
            Kind::List(list) => choices.list(list, rng),
            Kind::Tuple(tuple) => choices.tuple(tuple, rng),
            Kind::Either(all) => choices.either(all),
            Kind::Tagged(all) => choices.tagged(all),
        }
        if !member && !matches!(node.kind, Kind::Any) {
            choices.whole();
        }
        choices.found
    }

    pub(crate) fn push(&mut self, kind: Kind, value: Value, sort: Sort) {
        self.push_as(kind, value, sort, Policy::Plain);
    }

    pub(crate) fn push_as(&mut self, kind: Kind, value: Value, sort: Sort, policy: Policy) {
        let node = Node {
            kind,
            ..self.node.clone()
        };
        self.found.push(Wider {
            node,
            value,
            sort,
            policy,
        });
    }

    /// Null, or anything.
    fn whole(&mut self) {
        if !self.node.null {
            let node = Node {
                null: true,
                ..self.node.clone()
            };
            let sort = ("null allowed", "null refused");
            self.found.push(Wider {
                node,
                value: Value::Null,
                sort,
                policy: Policy::Plain,
            });
        }
        let scalar = matches!(
            self.node.kind,
            Kind::Flag | Kind::Text(_) | Kind::Number(_) | Kind::Types(_)
        );
        if scalar && let Some(value) = self.refused(self.node) {
            let mut node = Node {
                kind: Kind::Any,
                ..self.node.clone()
            };
            node.null = false;
            let sort = ("any value", "some type");
            self.found.push(Wider {
                node,
                value,
                sort,
                policy: Policy::Plain,
            });
        }
    }

    /// A value that a schema does not take.
    pub(crate) fn refused(&self, node: &Node) -> Option<Value> {
        let alone = World {
            root: node.clone(),
            ..self.world.clone()
        };
        let schema = alone.render();
        let values = [
            json!({"no": 1}),
            json!([[]]),
            json!("-"),
            json!(0.25),
            json!(true),
        ];
        values
            .into_iter()
            .find(|value| !accepts(&schema, self.world.draft, value))
    }
}
