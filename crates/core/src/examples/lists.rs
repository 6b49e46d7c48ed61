//! Making of lists.

use super::demand::PartDemand;
use super::draw::{DecisionKind, DecisionPoint, DrawMode};
use super::list_demand::{ItemCount, ListDemand};
use super::make::{DocumentMaker, ask};
use super::place::{ExamplePlace, PartNumber, mix};
use crate::types::same;
use serde_json::Value;

/// Items of a list that must have many; whoever needs more gets none.
const LONGEST: usize = 2_000;
/// How often an item is made again because it equals another.
const AGAIN: usize = 6;

impl<'s> DocumentMaker<'s> {
    pub(super) fn list(
        &mut self,
        demand: &PartDemand<'s>,
        mut place: ExamplePlace,
    ) -> Option<Value> {
        let lists = demand.lists.as_ref()?;
        if lists.least > lists.most || lists.least > LONGEST {
            return None;
        }
        let again = self.again(demand);
        place.explored &= again < 2;
        let count = self.how_many(demand, lists, again, place)?;
        self.above.push(demand.hash);
        let items = self.items(demand, lists, count, place);
        self.above.pop();
        items.map(Value::Array)
    }

    fn how_many(
        &mut self,
        demand: &PartDemand<'s>,
        lists: &ListDemand,
        again: usize,
        place: ExamplePlace,
    ) -> Option<ItemCount> {
        let of = |items: usize| {
            let found = lists
                .counts
                .iter()
                .position(|count| count.items == items && !count.equal);
            found.unwrap_or(0)
        };
        let small = of(lists.least);
        let full = match (again, lists.prefix) {
            (2.., _) => small,
            _ if self.tight(place) => small,
            (_, 1..) => of(lists.prefix),
            _ if place.repeated >= 2 => of(1.max(lists.least)),
            _ => of(2.max(lists.least)),
        };
        let options = lists.counts.len();
        let tight = self.tight(place);
        let ask = DecisionPoint {
            small,
            full,
            ..ask(
                place,
                mix(mix(place.hash, demand.hash), 6),
                DecisionKind::Form,
                options,
            )
        };
        let one = self.draw.pick(ask, |draw| {
            if tight {
                small
            } else if draw.percent(60) {
                draw.below(options)
            } else {
                usize::MAX
            }
        });
        if let Some(count) = lists.counts.get(one) {
            return Some(*count);
        }
        let items = self.draw.below(6).clamp(lists.least, lists.most);
        let equal = false;
        Some(ItemCount { items, equal })
    }

    fn items(
        &mut self,
        demand: &PartDemand<'s>,
        lists: &ListDemand,
        count: ItemCount,
        place: ExamplePlace,
    ) -> Option<Vec<Value>> {
        let mut items: Vec<Value> = Vec::new();
        for index in 0..count.items {
            // Copies of copies would soon be a large document.
            if count.equal && index >= lists.least.max(1) && self.tight(place) {
                break;
            }
            let item = match items.first().filter(|_| count.equal) {
                Some(first) => self.copy(first),
                None => self.item(demand, lists, index, &items, place),
            };
            match item {
                Some(item) => items.push(item),
                None if index >= lists.least => break,
                None => return None,
            }
        }
        Some(items)
    }

    /// The schemas of an item.
    pub(super) fn ids_of_item(&self, demand: &PartDemand<'s>, index: usize) -> Vec<PartNumber> {
        let rules = self.rules_of(&demand.ids);
        let ids = rules.iter().filter_map(|rule| rule.of_item(index));
        let mut ids: Vec<_> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn item(
        &mut self,
        demand: &PartDemand<'s>,
        lists: &ListDemand,
        index: usize,
        others: &[Value],
        place: ExamplePlace,
    ) -> Option<Value> {
        let mut ids = self.ids_of_item(demand, index);
        let contained = lists.contains.filter(|(_, least)| index < *least);
        ids.extend(contained.map(|(id, _)| id));
        let mut inner = place.member(index);
        // Each item of a prefix is a field of its own.
        inner.explored |= place.explored && index < lists.prefix;
        let mode = self.draw.mode;
        // Deep inside it is not worth the making.
        let telling = matches!(mode, DrawMode::Exact(_)) && place.repeated < 2;
        if !lists.unique && !telling {
            return self.value(&ids, inner);
        }
        // Comparing costs too, in a long list.
        self.spend(others.len() / 16)?;
        let mut item = self.value(&ids, inner)?;
        for again in 0..AGAIN {
            if !others.iter().any(|other| same(other, &item)) {
                return Some(item);
            }
            item = if again < AGAIN / 2 {
                // As if it stood elsewhere: so documents with the same decisions stay the same.
                inner.hash = mix(inner.hash, 11);
                self.value(&ids, inner)?
            } else {
                self.random_value(&ids, inner)?
            };
        }
        (!lists.unique).then_some(item)
    }
}
