//! The same, of objects.

use crate::documents::Wish;
use crate::node::{Field, Kind, Node, Object, Rest, Text};
use crate::widen::{Choices, Policy};
use fastrand::Rng;
use serde_json::json;

impl Choices<'_> {
    pub(crate) fn object(&mut self, object: &Object, rng: &mut Rng) {
        self.fields(object, rng);
        self.rest(object, rng);
        self.counts(object, rng);
        self.links(object, rng);
    }

    fn fields(&mut self, object: &Object, rng: &mut Rng) {
        let linked = |name: &str| {
            let needs = object
                .needs
                .iter()
                .any(|(one, other)| one == name || other == name);
            needs
                || object
                    .when
                    .as_ref()
                    .is_some_and(|when| when.field == name || when.then == name)
        };
        for (number, field) in object
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| !linked(&field.name))
        {
            let mut wider = object.clone();
            let policy = |of: fn(String) -> Policy| of(field.name.clone());
            if field.required && object.least.is_none() {
                wider.fields[number].required = false;
                let wish = Wish {
                    without: Some(&field.name),
                    ..Wish::default()
                };
                let value = self.world.fill_object(object, wish, rng, 1);
                self.push_as(
                    Kind::Object(wider),
                    value,
                    ("required dropped", "required added"),
                    policy(Policy::Optional),
                );
            } else if !field.required
                && matches!(object.rest, Rest::Open)
                && object.fields.len() > 1
            {
                let Some(value) = self.refused(&field.node) else {
                    continue;
                };
                wider.fields.remove(number);
                let wish = Wish {
                    with: Some((&field.name, value)),
                    ..Wish::default()
                };
                let value = self.world.fill_object(object, wish, rng, 1);
                let sort = (
                    "field of an open object gone",
                    "field of an open object new",
                );
                self.push_as(Kind::Object(wider), value, sort, policy(Policy::Undeclared));
            }
        }
        if matches!(object.rest, Rest::Closed) && object.most.is_none() {
            let mut wider = object.clone();
            let name = format!("added{}", object.fields.len());
            let node = Node::of(Kind::Text(Text::default()));
            wider.fields.push(Field {
                name: name.clone(),
                node,
                required: false,
            });
            let wish = Wish {
                with: Some((&name, json!("x"))),
                ..Wish::default()
            };
            let value = self.world.fill_object(object, wish, rng, 1);
            let sort = (
                "field of a closed object new",
                "field of a closed object gone",
            );
            self.push_as(Kind::Object(wider), value, sort, Policy::Declared(name));
        }
    }

    fn rest(&mut self, object: &Object, rng: &mut Rng) {
        let mut wider = object.clone();
        wider.rest = Rest::Open;
        let (other, sort) = match &object.rest {
            Rest::Open => (None, ("", "")),
            Rest::Closed => (Some(json!(1)), ("object opened", "object closed")),
            Rest::Schema(node) => (
                self.refused(node),
                ("other properties free", "other properties typed"),
            ),
        };
        if let Some(other) = other {
            let wish = Wish {
                with: Some(("unheardOf", other)),
                ..Wish::default()
            };
            let value = self.world.fill_object(object, wish, rng, 1);
            self.push(Kind::Object(wider), value, sort);
        }
        if let Some(node) = &object.extensions
            && matches!(object.rest, Rest::Open)
            && let Some(other) = self.refused(node)
        {
            let mut wider = object.clone();
            wider.extensions = None;
            let wish = Wish {
                with: Some(("x-note", other)),
                ..Wish::default()
            };
            let value = self.world.fill_object(object, wish, rng, 1);
            let sort = ("patternProperties gone", "patternProperties new");
            self.push_as(Kind::Object(wider), value, sort, Policy::Silent);
        }
    }

    fn counts(&mut self, object: &Object, rng: &mut Rng) {
        if object.least == Some(1) && object.fields.iter().all(|field| !field.required) {
            let wider = Object {
                least: None,
                ..object.clone()
            };
            self.push(
                Kind::Object(wider),
                json!({}),
                ("minProperties gone", "minProperties new"),
            );
        }
        if let Some(most) = object.most {
            let wider = Object {
                most: None,
                ..object.clone()
            };
            let mut value = self.world.fill_object(object, Wish::default(), rng, 0);
            let members = value.as_object_mut().unwrap();
            for number in 0..=most {
                if members.len() <= most {
                    members.insert(format!("more{number}"), json!(number));
                }
            }
            self.push(
                Kind::Object(wider),
                value,
                ("maxProperties gone", "maxProperties new"),
            );
        }
    }

    fn links(&mut self, object: &Object, rng: &mut Rng) {
        let free = Object {
            needs: Vec::new(),
            when: None,
            least: None,
            ..object.clone()
        };
        let required = |name: &str| {
            object
                .fields
                .iter()
                .any(|field| field.name == name && field.required)
        };
        let find = |name: &str| {
            object
                .fields
                .iter()
                .find(|field| field.name == name)
                .map(|field| &field.node)
        };
        if let [(name, needed)] = object.needs.as_slice()
            && !required(needed)
            && let Some(node) = find(name)
        {
            let inner = self.world.valid(node, rng, 0);
            let wish = Wish {
                with: Some((name, inner)),
                without: Some(needed),
                bare: true,
            };
            let value = self.world.fill_object(&free, wish, rng, 0);
            let wider = Object {
                needs: Vec::new(),
                ..object.clone()
            };
            self.push(
                Kind::Object(wider),
                value,
                ("dependency gone", "dependency new"),
            );
        }
        if let Some(when) = &object.when
            && !required(&when.then)
        {
            let wish = Wish {
                with: Some((&when.field, when.is.clone())),
                without: Some(&when.then),
                bare: true,
            };
            let value = self.world.fill_object(&free, wish, rng, 0);
            let wider = Object {
                when: None,
                ..object.clone()
            };
            self.push(
                Kind::Object(wider),
                value,
                ("condition gone", "condition new"),
            );
        }
    }

    pub(crate) fn tagged(&mut self, all: &[(String, Node)]) {
        let mut more = all.to_vec();
        let object = Object {
            fields: vec![Field {
                name: "label".to_owned(),
                node: Node::of(Kind::Text(Text::default())),
                required: true,
            }],
            ..Object::default()
        };
        more.push(("tape".to_owned(), Node::of(Kind::Object(object))));
        let value = json!({"kind": "tape", "label": "x"});
        if all.iter().all(|(tag, _)| tag != "tape") {
            self.push(
                Kind::Tagged(more),
                value,
                ("oneOf: one more", "oneOf: one less"),
            );
        }
    }
}
