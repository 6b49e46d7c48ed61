//! The same, of maps, lists and alternatives.

use crate::documents::odd_key;
use crate::node::{Keys, Kind, List, Map, Node, Rest, Tuple};
use crate::widen::Choices;
use fastrand::Rng;
use serde_json::{Value, json};

impl Choices<'_> {
    pub(crate) fn map(&mut self, map: &Map, rng: &mut Rng) {
        let filled = |count: usize, rng: &mut Rng| -> Value {
            let keys = ["a", "b", "c", "d", "e", "f"].iter().take(count);
            keys.map(|key| ((*key).to_owned(), self.world.valid(&map.value, rng, 0)))
                .collect()
        };
        let with = |change: &dyn Fn(&mut Map)| {
            let mut map = map.clone();
            change(&mut map);
            Kind::Map(map)
        };
        let enough = map.least.unwrap_or_default();
        let (many, few) = (
            filled(map.most.unwrap_or(3) + 1, rng),
            filled(enough.saturating_sub(1), rng),
        );
        let mut odd = filled(enough, rng);
        if let Some(key) = odd_key(map.keys) {
            let value = self.world.valid(&map.value, rng, 0);
            odd[key] = value;
            let wider = match map.keys {
                Keys::Named(_) => Keys::Named(true),
                _ => Keys::Pattern(true),
            };
            self.push(
                with(&|map| map.keys = wider),
                odd.clone(),
                ("names widened", "names narrowed"),
            );
        } else if !matches!(map.keys, Keys::Any) {
            odd["A_"] = self.world.valid(&map.value, rng, 0);
            self.push(
                with(&|map| map.keys = Keys::Any),
                odd,
                ("names free", "names by pattern"),
            );
        }
        if map.most.is_some() {
            self.push(
                with(&|map| map.most = None),
                many,
                ("maxProperties gone", "maxProperties new"),
            );
        }
        if map.least.is_some() {
            self.push(
                with(&|map| map.least = None),
                few,
                ("minProperties gone", "minProperties new"),
            );
        }
    }

    pub(crate) fn list(&mut self, list: &List, rng: &mut Rng) {
        let with = |change: &dyn Fn(&mut List)| {
            let mut list = list.clone();
            change(&mut list);
            Kind::List(list)
        };
        if list.least.is_some() {
            self.push(
                with(&|list| list.least = None),
                json!([]),
                ("minItems gone", "minItems new"),
            );
        }
        if let Some(most) = list.most.filter(|_| !list.unique) {
            let items = (0..=most)
                .map(|_| self.world.valid(&list.item, rng, 0))
                .collect();
            let sort = ("maxItems raised", "maxItems lowered");
            self.push(with(&|list| list.most = Some(most + 1)), items, sort);
        }
        if list.unique {
            let item = self.world.valid(&list.item, rng, 0);
            let twice = json!([item, item]);
            self.push(
                with(&|list| list.unique = false),
                twice,
                ("uniqueItems gone", "uniqueItems new"),
            );
        }
    }

    pub(crate) fn tuple(&mut self, tuple: &Tuple, rng: &mut Rng) {
        let mut value: Vec<Value> = tuple
            .items
            .iter()
            .map(|node| self.world.valid(node, rng, 0))
            .collect();
        let open = Kind::Tuple(Tuple {
            rest: Rest::Open,
            ..tuple.clone()
        });
        match &tuple.rest {
            Rest::Open => {}
            Rest::Closed => {
                value.push(json!(1));
                self.push(open, Value::Array(value), ("tuple opened", "tuple closed"));
            }
            Rest::Schema(node) => {
                let Some(other) = self.refused(node) else {
                    return;
                };
                value.push(other);
                self.push(
                    open,
                    Value::Array(value),
                    ("further items free", "further items typed"),
                );
            }
        }
    }

    pub(crate) fn either(&mut self, all: &[Node]) {
        if all.iter().all(|node| node.kind_of_value() != "boolean") {
            let mut more = all.to_vec();
            more.push(Node::of(Kind::Flag));
            self.push(
                Kind::Either(more),
                json!(true),
                ("anyOf: one more", "anyOf: one less"),
            );
        }
    }
}
