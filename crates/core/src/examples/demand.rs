//! All that is asked of one value, by every part that applies to it.

use super::kinds::{ExampleKind, ExampleKinds};
use super::list_demand::ListDemand;
use super::numbers::NumberDemand;
use super::object_demand::ObjectDemand;
use super::place::{PartNumber, hash_ids};
use super::rules::{PartRule, PartRules};
use super::texts::TextDemand;
use crate::types::same;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Together so much is remembered; a schema can have any number of combinations.
const REMEMBERED: usize = 200_000;

/// What all of some parts ask, taken together.
#[derive(Debug)]
pub(super) struct PartDemand<'s> {
    /// The parts, in order and each once.
    pub(super) ids: Vec<PartNumber>,
    /// Names the combination.
    pub(super) hash: u64,
    /// Kinds that the author had in mind.
    pub(super) kinds: Vec<ExampleKind>,
    /// Kinds that fit only because nobody excluded them.
    pub(super) unmeant: Vec<ExampleKind>,
    /// Nothing at all is said.
    pub(super) free: bool,
    pub(super) listed: Option<Vec<&'s Value>>,
    pub(super) numbers: Option<NumberDemand>,
    pub(super) texts: Option<TextDemand<'s>>,
    pub(super) lists: Option<ListDemand>,
    pub(super) objects: Option<ObjectDemand<'s>>,
}

impl<'s> PartDemand<'s> {
    fn of(all: &PartRules<'s>, ids: Vec<PartNumber>) -> Self {
        let rules: Vec<&PartRule<'s>> = ids.iter().filter_map(|id| all.get(*id)).collect();
        let never = rules.iter().any(|rule| rule.never);
        let kinds = rules.iter().map(|rule| rule.kinds);
        let kinds = kinds.fold(
            if never {
                ExampleKinds::NONE
            } else {
                ExampleKinds::ANY
            },
            ExampleKinds::and,
        );
        let hints = rules.iter().map(|rule| rule.hints);
        let hints = hints.fold(ExampleKinds::NONE, ExampleKinds::or).and(kinds);
        let meant = if hints == ExampleKinds::NONE {
            kinds
        } else {
            hints
        };
        let unmeant: Vec<_> = kinds.list();
        let unmeant = unmeant
            .into_iter()
            .filter(|kind| !meant.list().contains(kind));
        let hash = hash_ids(&ids);
        let listed = listed(&rules, kinds);
        // A listed value needs no making.
        let open = if listed.is_some() {
            ExampleKinds::NONE
        } else {
            kinds
        };
        let when = |kind: ExampleKinds| open.has(kind).then_some(());
        Self {
            hash,
            unmeant: unmeant.collect(),
            free: kinds == ExampleKinds::ANY && hints == ExampleKinds::NONE && listed.is_none(),
            numbers: when(ExampleKinds::NUMBER)
                .map(|()| NumberDemand::of(&rules, kinds, all.whole_floats)),
            texts: when(ExampleKinds::TEXT).map(|()| TextDemand::of(&rules, hash)),
            lists: when(ExampleKinds::LIST).map(|()| ListDemand::of(all, &rules)),
            objects: when(ExampleKinds::OBJECT).map(|()| ObjectDemand::of(all, &rules)),
            kinds: meant.list(),
            listed,
            ids,
        }
    }

    /// Roughly its size.
    fn size(&self) -> usize {
        let texts = self.texts.iter().flat_map(|texts| &texts.edges);
        let fields = self.objects.iter().map(|objects| objects.fields.len() * 4);
        let listed = self.listed.iter().map(Vec::len);
        let texts = texts.map(|text| text.len() / 16 + 1);
        self.ids.len() + texts.chain(fields).chain(listed).sum::<usize>() + 16
    }
}

/// The values that all lists have and all types allow.
fn listed<'s>(rules: &[&PartRule<'s>], kinds: ExampleKinds) -> Option<Vec<&'s Value>> {
    let mut lists = rules.iter().filter_map(|rule| rule.listed.as_ref());
    let mut common = lists.next()?.clone();
    common.retain(|value| kinds.has(ExampleKinds::of(value)));
    for list in lists {
        common.retain(|value| list.iter().any(|other| same(value, other)));
    }
    Some(common)
}

/// Demands that were put together before.
#[derive(Debug, Default)]
pub(super) struct DemandCache<'s> {
    known: HashMap<Vec<PartNumber>, Arc<PartDemand<'s>>>,
    size: usize,
}

impl<'s> DemandCache<'s> {
    pub(super) fn of(&mut self, rules: &PartRules<'s>, ids: &[PartNumber]) -> Arc<PartDemand<'s>> {
        if let Some(demand) = self.known.get(ids) {
            return Arc::clone(demand);
        }
        let demand = Arc::new(PartDemand::of(rules, ids.to_vec()));
        self.size += demand.size();
        if self.size > REMEMBERED {
            self.known.clear();
            self.size = demand.size();
        }
        self.known.insert(ids.to_vec(), Arc::clone(&demand));
        demand
    }
}
