//! All that is asked of one value, by every part that applies to it.

use super::kinds::{Kind, Kinds};
use super::list_demand::Lists;
use super::numbers::Numbers;
use super::object_demand::Objects;
use super::place::{Id, hash_ids};
use super::rules::{Rule, Rules};
use super::texts::Texts;
use crate::types::same;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Together so much is remembered; a schema can have any number of combinations.
const REMEMBERED: usize = 200_000;

/// What all of some parts ask, taken together.
#[derive(Debug)]
pub(super) struct Demand<'s> {
    /// The parts, in order and each once.
    pub(super) ids: Vec<Id>,
    /// Names the combination.
    pub(super) hash: u64,
    /// Kinds that the author had in mind.
    pub(super) kinds: Vec<Kind>,
    /// Kinds that fit only because nobody excluded them.
    pub(super) unmeant: Vec<Kind>,
    /// Nothing at all is said.
    pub(super) free: bool,
    pub(super) listed: Option<Vec<&'s Value>>,
    pub(super) numbers: Option<Numbers>,
    pub(super) texts: Option<Texts<'s>>,
    pub(super) lists: Option<Lists>,
    pub(super) objects: Option<Objects<'s>>,
}

impl<'s> Demand<'s> {
    fn of(all: &Rules<'s>, ids: Vec<Id>) -> Self {
        let rules: Vec<&Rule<'s>> = ids.iter().filter_map(|id| all.get(*id)).collect();
        let never = rules.iter().any(|rule| rule.never);
        let kinds = rules.iter().map(|rule| rule.kinds);
        let kinds = kinds.fold(if never { Kinds::NONE } else { Kinds::ANY }, Kinds::and);
        let hints = rules.iter().map(|rule| rule.hints);
        let hints = hints.fold(Kinds::NONE, Kinds::or).and(kinds);
        let meant = if hints == Kinds::NONE { kinds } else { hints };
        let unmeant: Vec<_> = kinds.list();
        let unmeant = unmeant
            .into_iter()
            .filter(|kind| !meant.list().contains(kind));
        let hash = hash_ids(&ids);
        let listed = listed(&rules, kinds);
        // A listed value needs no making.
        let open = if listed.is_some() { Kinds::NONE } else { kinds };
        let when = |kind: Kinds| open.has(kind).then_some(());
        Self {
            hash,
            unmeant: unmeant.collect(),
            free: kinds == Kinds::ANY && hints == Kinds::NONE && listed.is_none(),
            numbers: when(Kinds::NUMBER).map(|()| Numbers::of(&rules, kinds, all.whole_floats)),
            texts: when(Kinds::TEXT).map(|()| Texts::of(&rules, hash)),
            lists: when(Kinds::LIST).map(|()| Lists::of(all, &rules)),
            objects: when(Kinds::OBJECT).map(|()| Objects::of(all, &rules)),
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
fn listed<'s>(rules: &[&Rule<'s>], kinds: Kinds) -> Option<Vec<&'s Value>> {
    let mut lists = rules.iter().filter_map(|rule| rule.listed.as_ref());
    let mut common = lists.next()?.clone();
    common.retain(|value| kinds.has(Kinds::of(value)));
    for list in lists {
        common.retain(|value| list.iter().any(|other| same(value, other)));
    }
    Some(common)
}

/// Demands that were put together before.
#[derive(Debug, Default)]
pub(super) struct Demands<'s> {
    known: HashMap<Vec<Id>, Arc<Demand<'s>>>,
    size: usize,
}

impl<'s> Demands<'s> {
    pub(super) fn of(&mut self, rules: &Rules<'s>, ids: &[Id]) -> Arc<Demand<'s>> {
        if let Some(demand) = self.known.get(ids) {
            return Arc::clone(demand);
        }
        let demand = Arc::new(Demand::of(rules, ids.to_vec()));
        self.size += demand.size();
        if self.size > REMEMBERED {
            self.known.clear();
            self.size = demand.size();
        }
        self.known.insert(ids.to_vec(), Arc::clone(&demand));
        demand
    }
}
