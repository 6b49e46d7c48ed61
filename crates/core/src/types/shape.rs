//! A whole schema as numbered parts: references are resolved, and walks over content can't run for
//! ever, because nothing leads back to itself without a step into the value.

use super::limits::{SCHEMA_CHAIN, SCHEMA_CHAIN_RECURSIVE, SCHEMA_WORK};
use super::part::{PartId, PartTypes, SchemaPart};
use super::schema_error::{SchemaError, SchemaFlaw};
use std::collections::BTreeSet;

/// So many arrivals at parts are fast in any case.
const QUIET: u64 = 20_000;

/// All parts, and what follows from them.
#[derive(Debug)]
pub(crate) struct SchemaShape {
    parts: Vec<SchemaPart>,
    /// For each part: itself and all that apply with it for certain.
    certain: Vec<Vec<PartId>>,
    /// For each part: those and all that may apply with it.
    possible: Vec<Vec<PartId>>,
    /// The JSON types that fit, as far as these and alternatives say.
    types: Vec<PartTypes>,
    /// Whether null fits.
    null: Vec<bool>,
    /// Whether a part is reached from itself.
    recursive: bool,
    /// Whether validation could evaluate far more schemas than there are, so that it must count.
    pub(crate) explosive: bool,
}

impl SchemaShape {
    pub(crate) fn of(parts: Vec<SchemaPart>) -> Result<Self, SchemaError> {
        let order = inner_first(&parts)?;
        let arrivals = arrivals(&parts);
        let recursive = arrivals.is_none();
        let mut shape = Self {
            certain: vec![Vec::new(); parts.len()],
            possible: vec![Vec::new(); parts.len()],
            types: vec![PartTypes::ANY; parts.len()],
            null: vec![true; parts.len()],
            recursive,
            explosive: arrivals.is_none_or(|arrivals| arrivals > QUIET),
            parts,
        };
        let mut work = vec![1_usize; shape.parts.len()];
        let mut chain = vec![1_usize; shape.parts.len()];
        for id in order {
            shape.derive(id, &mut work, &mut chain)?;
        }
        Ok(shape)
    }

    /// What a part gets from those beside it, which are known already.
    fn derive(
        &mut self,
        id: PartId,
        work: &mut [usize],
        chain: &mut [usize],
    ) -> Result<(), SchemaError> {
        let Some(part) = self.parts.get(id) else {
            return Ok(());
        };
        let refuse = |why| {
            Err(SchemaError::at(
                part.pointer.clone(),
                SchemaFlaw::TooComplex(why),
            ))
        };
        let total = part
            .beside()
            .filter_map(|other| work.get(other))
            .sum::<usize>()
            + 1;
        let longest = part.beside().filter_map(|other| chain.get(other)).max();
        let longest = longest.copied().unwrap_or(0) + 1;
        if total > SCHEMA_WORK {
            return refuse("too many schemas apply to one value");
        }
        if longest > SCHEMA_CHAIN || (self.recursive && longest > SCHEMA_CHAIN_RECURSIVE) {
            return refuse("schemas lead to each other in too long a chain");
        }
        let union = |groups: &[Vec<PartId>], others: &mut dyn Iterator<Item = PartId>| {
            let mut all = vec![id];
            let inner = others.filter_map(|other| groups.get(other)).flatten();
            all.extend(inner.copied());
            let mut seen = BTreeSet::new();
            all.retain(|id| seen.insert(*id));
            all
        };
        let certain = union(&self.certain, &mut part.always.iter().copied());
        let declared = part.always.iter().chain(part.choices.iter().flatten());
        let possible = union(&self.possible, &mut declared.chain(&part.under).copied());
        let types = self.types_left(part);
        let null = self.takes_null(part);
        set(work, id, total);
        set(chain, id, longest);
        set(&mut self.certain, id, certain);
        set(&mut self.possible, id, possible);
        set(&mut self.types, id, types);
        set(&mut self.null, id, null);
        Ok(())
    }

    fn types_left(&self, part: &SchemaPart) -> PartTypes {
        if part.never {
            return PartTypes::NONE;
        }
        let of = |id: &PartId| self.types_at(*id);
        let always = part.always.iter().map(of);
        let choices = part.choices.iter();
        let choices = choices.map(|choice| {
            choice
                .iter()
                .map(of)
                .fold(PartTypes::NONE, PartTypes::either)
        });
        always.chain(choices).fold(part.types, PartTypes::both)
    }

    /// Only these keywords speak of null. A condition is taken as met in the way that allows more.
    fn takes_null(&self, part: &SchemaPart) -> bool {
        let fits = |id: &PartId| self.null.get(*id).copied().unwrap_or(true);
        !part.never
            && part.types.has(PartTypes::NULL)
            && part.null_listed != Some(false)
            && part.always.iter().all(fits)
            && part.choices.iter().all(|choice| choice.iter().any(fits))
            && !part.not.as_ref().is_some_and(fits)
    }

    pub(crate) fn part(&self, id: PartId) -> Option<&SchemaPart> {
        self.parts.get(id)
    }

    pub(crate) fn parts(&self) -> &[SchemaPart] {
        &self.parts
    }

    pub(crate) fn types_at(&self, id: PartId) -> PartTypes {
        self.types.get(id).copied().unwrap_or(PartTypes::ANY)
    }

    pub(crate) fn takes_null_at(&self, id: PartId) -> bool {
        self.null.get(id).copied().unwrap_or(true)
    }

    /// All parts that apply for certain where those given do.
    pub(crate) fn certain(&self, ids: &[PartId]) -> Vec<&SchemaPart> {
        self.gather(&self.certain, ids)
    }

    /// All parts that may apply where those given do.
    pub(crate) fn possible(&self, ids: &[PartId]) -> Vec<&SchemaPart> {
        self.gather(&self.possible, ids)
    }

    /// The first thing said on the way through references: what stands nearest to the field wins.
    pub(crate) fn nearest<'s, T>(
        &'s self,
        ids: &[PartId],
        said: impl Fn(&'s SchemaPart) -> Option<&'s T>,
    ) -> Option<&'s T> {
        let own = ids.iter().find_map(|id| said(self.parts.get(*id)?));
        own.or_else(|| self.certain(ids).into_iter().find_map(said))
    }

    fn gather(&self, groups: &[Vec<PartId>], ids: &[PartId]) -> Vec<&SchemaPart> {
        let all = ids.iter().filter_map(|id| groups.get(*id)).flatten();
        if let [_] = ids {
            return all.filter_map(|id| self.parts.get(*id)).collect();
        }
        let distinct: BTreeSet<_> = all.collect();
        let parts = distinct.into_iter().filter_map(|id| self.parts.get(*id));
        parts.collect()
    }
}

/// The schemas that these parts give to a property.
pub(crate) fn under_key(parts: &[&SchemaPart], key: &str) -> Vec<PartId> {
    let mut ids: Vec<_> = parts
        .iter()
        .flat_map(|part| part.of_property(key))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The schemas that these parts give to an item.
pub(crate) fn under_index(parts: &[&SchemaPart], index: usize) -> Vec<PartId> {
    let mut ids: Vec<_> = parts
        .iter()
        .filter_map(|part| part.of_item(index))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn set<T>(all: &mut [T], id: PartId, value: T) {
    if let Some(place) = all.get_mut(id) {
        *place = value;
    }
}

/// An order in which every part comes after all that stand beside it.
fn inner_first(parts: &[SchemaPart]) -> Result<Vec<PartId>, SchemaError> {
    let mut waiting: Vec<usize> = parts.iter().map(|part| part.beside().count()).collect();
    let mut users: Vec<Vec<PartId>> = vec![Vec::new(); parts.len()];
    for (id, part) in parts.iter().enumerate() {
        for other in part.beside() {
            if let Some(users) = users.get_mut(other) {
                users.push(id);
            }
        }
    }
    let ready = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut order: Vec<PartId> = ready.map(|(id, _)| id).collect();
    let mut next = 0;
    while let Some(id) = order.get(next).copied() {
        next += 1;
        for user in users.get(id).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(*user) {
                *count -= 1;
                if *count == 0 {
                    order.push(*user);
                }
            }
        }
    }
    let stuck = waiting.iter().position(|count| *count > 0);
    match stuck.and_then(|id| parts.get(id)) {
        Some(part) => Err(SchemaError::at(part.pointer.clone(), SchemaFlaw::Endless)),
        None => Ok(order),
    }
}

/// In how many ways parts are reached from the whole, all together; `None` if one is reached from
/// itself.
fn arrivals(parts: &[SchemaPart]) -> Option<u64> {
    let next = |part: &SchemaPart| part.beside().chain(part.below()).collect::<Vec<_>>();
    let mut waiting = vec![0_usize; parts.len()];
    for other in parts.iter().flat_map(next) {
        if let Some(count) = waiting.get_mut(other) {
            *count += 1;
        }
    }
    let ready = waiting.iter().enumerate().filter(|(_, count)| **count == 0);
    let mut free: Vec<PartId> = ready.map(|(id, _)| id).collect();
    let mut ways = vec![1_u64; parts.len()];
    let (mut gone, mut total) = (0, 0_u64);
    while let Some(id) = free.pop() {
        gone += 1;
        let of_this = ways.get(id).copied().unwrap_or(1);
        total = total.saturating_add(of_this);
        for other in parts.get(id).map(next).into_iter().flatten() {
            if let (Some(count), Some(ways)) = (waiting.get_mut(other), ways.get_mut(other)) {
                *ways = ways.saturating_add(of_this);
                *count -= 1;
                if *count == 0 {
                    free.push(other);
                }
            }
        }
    }
    (gone == parts.len()).then_some(total)
}
