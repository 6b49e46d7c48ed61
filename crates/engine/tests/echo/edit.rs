//! What an edit at one version may change at another: the oracle. It knows the type from the
//! generator and asks nothing of the code that converts.

use crate::tally::Tally;
use coeval_codes::Code;
use coeval_core::types::same;
use coeval_core_suite::expected::{ExpectedView, expected, is_part};
use coeval_core_suite::field::{FieldKind, WorldField};
use coeval_core_suite::places::{Leaf, LeafPlace, chosen, declared_fields, leaves};
use coeval_core_suite::world::TypeWorld;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// An edit of a view.
pub(crate) struct Edit<'e> {
    world: &'e TypeWorld,
    /// The number of the version.
    at: usize,
    view: &'e Value,
    body: &'e Value,
    /// Leaves that differ.
    touched: BTreeSet<LeafPlace>,
    /// Whether something is gone, and with it what was kept for it.
    pub(crate) deletes: bool,
    /// Whether another version has a field that is taken out of an item of a list.
    picks: bool,
}

impl<'e> Edit<'e> {
    pub(crate) fn new(world: &'e TypeWorld, at: usize, view: &'e Value, body: &'e Value) -> Self {
        let fields = &world.made[at].fields;
        let (before, after) = (leaves(fields, view), leaves(fields, body));
        let places: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let touched = places
            .into_iter()
            .filter(|place| !alike(before.get(place), after.get(place)))
            .cloned()
            .collect();
        let aliases = |fields: &[WorldField]| !chosen(fields, &|field| field.alias).is_empty();
        Self {
            world,
            at,
            view,
            body,
            touched,
            deletes: deletes(view, body),
            picks: world.made.iter().any(|made| aliases(&made.fields)),
        }
    }

    /// Everything that a document says, as an edit of nothing.
    pub(crate) fn all(world: &'e TypeWorld, at: usize, body: &'e Value) -> Self {
        Self::new(world, at, &Value::Null, body)
    }

    pub(crate) const fn view(&self) -> &Value {
        self.view
    }

    pub(crate) fn is_nothing(&self) -> bool {
        same(self.view, self.body)
    }

    /// Whether what was kept may go: with something that is deleted, or with the value that it refines.
    /// The rest of a list goes with a changed first item where that was parsed or split on the way.
    pub(crate) fn may_drop(&self) -> bool {
        let lists = |place: &LeafPlace| {
            (0..self.world.made.len()).any(|number| {
                let fields = self.fields_at(number);
                let mut here = fields.get(&place.pattern()).into_iter().flatten();
                here.any(|field| matches!(field.kind, FieldKind::List(_)))
            })
        };
        self.deletes || self.touched.iter().any(lists)
    }

    /// Whether a list of items was changed whose items have no key everywhere.
    pub(crate) fn touches_list(&self) -> bool {
        fn lists(value: &Value, found: &mut Vec<Value>) {
            match value {
                Value::Array(items) => {
                    found.push(value.clone());
                    items.iter().for_each(|item| lists(item, found));
                }
                Value::Object(map) => map.values().for_each(|inner| lists(inner, found)),
                _ => {}
            }
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        lists(self.view, &mut old);
        lists(self.body, &mut new);
        old != new
    }

    /// Whether a version can't show what was written, by what the generator knows.
    pub(crate) fn is_unfit_at(&self, other: usize) -> bool {
        self.is_unfit(other, true)
    }

    /// Whether a version can't store it.
    pub(crate) fn is_unstorable_at(&self, other: usize) -> bool {
        self.is_unfit(other, false)
    }

    fn is_unfit(&self, other: usize, readers: bool) -> bool {
        let (body, fields) = (self.body_leaves(), self.fields_at(other));
        // What a version lacks may be in the way at one that lies between.
        let elsewhere: Vec<_> = (0..self.world.made.len())
            .map(|number| self.fields_at(number))
            .collect();
        self.touched.iter().any(|place| {
            let written = body.get(place).into_iter().flatten();
            let pattern = place.pattern();
            if !fields.contains_key(&pattern) {
                let fields = elsewhere.iter().filter_map(|fields| fields.get(&pattern));
                let fields: Vec<_> = fields.flatten().collect();
                return written.into_iter().any(|leaf| {
                    let refused = |field: &&&WorldField| {
                        expected(leaf.field, field, leaf.value) == ExpectedView::Refused
                    };
                    fields.iter().any(refused)
                });
            }
            let fields = fields.get(&pattern).into_iter().flatten();
            let pairs = written.flat_map(|leaf| fields.clone().map(move |field| (leaf, field)));
            pairs.into_iter().any(|(leaf, field)| {
                let expected = expected(leaf.field, field, leaf.value);
                let whole_list = matches!(field.kind, FieldKind::Items(_));
                expected.is_unfit(field, readers).unwrap_or(whole_list)
            })
        })
    }

    fn body_leaves(&self) -> BTreeMap<LeafPlace, Vec<Leaf<'_>>> {
        leaves(&self.world.made[self.at].fields, self.body)
    }

    fn fields_at(&self, other: usize) -> BTreeMap<Vec<u32>, Vec<&WorldField>> {
        declared_fields(&self.world.made[other].fields)
    }

    /// Holds what another version shows of a document that was created against it.
    pub(crate) fn check_created(
        &self,
        other: usize,
        seen: Result<&Value, Code>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        match seen {
            Ok(seen) => self.is_seen(other, &Value::Null, seen, tally),
            Err(_) if self.is_unfit_at(other) => Ok(()),
            Err(code) => Err(format!("it can't be shown: {code}")),
        }
    }

    /// Holds what another version shows before and after the write against it.
    pub(crate) fn check(
        &self,
        other: usize,
        before: Result<&Value, Code>,
        after: Result<&Value, Code>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let nothing = Value::Null;
        match (before, after) {
            (Err(_), Err(_)) => Ok(()),
            (Ok(_), Err(_)) if self.is_unfit_at(other) => Ok(()),
            (Ok(_), Err(code)) => Err(format!("it can't be shown any more: {code}")),
            (Err(code), Ok(_)) if self.touched.is_empty() && !self.deletes => {
                Err(format!("it can be shown now, and was refused with {code}"))
            }
            (Err(_), Ok(after)) => self.is_seen(other, &nothing, after, tally),
            (Ok(before), Ok(after)) => {
                self.leaves_alone(other, before, after, tally)?;
                self.is_seen(other, before, after, tally)
            }
        }
    }

    /// What was not touched is as before.
    fn leaves_alone(
        &self,
        other: usize,
        before: &Value,
        after: &Value,
        tally: &mut Tally,
    ) -> Result<(), String> {
        if before.get("x1") != after.get("x1") {
            return Err("x1, which no version declares, was changed".to_owned());
        }
        let fields = &self.world.made[other].fields;
        let (before, after) = (leaves(fields, before), leaves(fields, after));
        for (place, value) in &before {
            if self.touched.contains(place) || self.is_vague(place, value) {
                continue;
            }
            tally.untouched_checked += 1;
            let now = after.get(place);
            let went_along = now.is_none() && self.deletes;
            if !alike(Some(value), now) && !went_along {
                let (was, is) = (values(value), now.map(|now| values(now)));
                return Err(format!("{place:?} was {was:?} and is {is:?}"));
            }
        }
        for (place, value) in &after {
            let is_new = !before.contains_key(place) && !self.touched.contains(place);
            // What was added may be required to have more there.
            let filled = |leaf: &Leaf<'_>| leaf.field.required || leaf.field.default.is_some();
            if is_new && !self.is_vague(place, value) && !value.iter().all(filled) {
                let is = values(value);
                return Err(format!("{place:?} was not there and is {is:?}"));
            }
        }
        Ok(())
    }

    /// Fields whose value follows from others in ways that the model does not tell.
    fn is_vague(&self, place: &LeafPlace, leaves: &[Leaf<'_>]) -> bool {
        let follows = |leaf: &Leaf<'_>| leaf.field.alias || leaf.field.derived;
        let edited = !self.is_nothing();
        let picked = self.picks && place.has_item("n1");
        edited && (picked || leaves.iter().any(follows))
    }

    /// What was written is seen, in the other version's terms.
    fn is_seen(
        &self,
        other: usize,
        before: &Value,
        after: &Value,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let fields = self.fields_at(other);
        let body = self.body_leaves();
        let own = &self.world.made[other].fields;
        let (before, after) = (leaves(own, before), leaves(own, after));
        for place in &self.touched {
            self.parts_follow(place, &fields, &after, tally)?;
            let Some([field]) = fields.get(&place.pattern()).map(Vec::as_slice) else {
                continue;
            };
            let picked = self.picks && place.has_item("n1");
            if field.family || field.alias || field.derived || picked {
                continue;
            }
            tally.edits_checked += 1;
            let now = after.get(place).and_then(|leaves| leaves.first());
            match body.get(place).map(Vec::as_slice) {
                None => {
                    // Whether `remove` or `add` have a value for it is not known here.
                    let filled =
                        field.required || field.default.is_some() || field.kind == FieldKind::Int;
                    if let Some(now) = now.filter(|_| !filled) {
                        let now = now.value;
                        return Err(format!("{place:?} was deleted and is {now}"));
                    }
                }
                Some([leaf]) => {
                    tally.converted_checked += u64::from(leaf.field.changes != field.changes);
                    let expected = expected(leaf.field, field, leaf.value);
                    let fits = now.is_some_and(|now| expected.is(now.value));
                    let nothing_to_show = now.is_none() && expected == ExpectedView::Unknown;
                    if !fits && !nothing_to_show {
                        let now = now.map(|now| now.value);
                        return Err(format!("{place:?} is {now:?}, and not {expected:?}"));
                    }
                    self.items_follow(place, before.get(place), now)?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// A text that was changed is seen in its parts, where a version has those instead.
    fn parts_follow(
        &self,
        place: &LeafPlace,
        fields: &BTreeMap<Vec<u32>, Vec<&WorldField>>,
        after: &BTreeMap<LeafPlace, Vec<Leaf<'_>>>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let view = leaves(&self.world.made[self.at].fields, self.view);
        let body = self.body_leaves();
        let value_of = |all: &BTreeMap<LeafPlace, Vec<Leaf<'_>>>, field: &WorldField| {
            let mut here = all.get(place).into_iter().flatten();
            here.find(|leaf| leaf.field.origin == field.origin)
                .map(|leaf| leaf.value.clone())
        };
        for leaf in body.get(place).into_iter().flatten() {
            if value_of(&view, leaf.field).is_some_and(|was| same(&was, leaf.value)) {
                continue;
            }
            let parts = fields.get(&place.pattern()).into_iter().flatten();
            for part in parts.filter(|field| is_part(field, leaf.field)) {
                let expected = expected(leaf.field, part, leaf.value);
                let now = value_of(after, part);
                tally.parts_checked += u64::from(expected != ExpectedView::Unknown);
                if expected != ExpectedView::Unknown
                    && !now.as_ref().is_some_and(|now| expected.is(now))
                {
                    let (whole, name) = (leaf.value, &part.name);
                    return Err(format!(
                        "{whole} has a part {name} {now:?}, not {expected:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// In a list without keys the items that were sent as they were read are what they were, wherever
    /// they stand by now.
    fn items_follow(
        &self,
        place: &LeafPlace,
        before: Option<&Vec<Leaf<'_>>>,
        now: Option<&Leaf<'_>>,
    ) -> Result<(), String> {
        let own = leaves(&self.world.made[self.at].fields, self.view);
        let list = |leaf: Option<&Leaf<'_>>| {
            let leaf = leaf.filter(|leaf| matches!(leaf.field.kind, FieldKind::Items(_)));
            leaf.and_then(|leaf| leaf.value.as_array().cloned())
        };
        let first = |leaves: Option<&Vec<Leaf<'_>>>| list(leaves.and_then(|all| all.first()));
        let body = self.body_leaves();
        let all = (
            first(own.get(place)),
            first(body.get(place)),
            first(before),
            list(now),
        );
        let (Some(view), Some(body), Some(before), Some(now)) = all else {
            return Ok(());
        };
        if view.len() != before.len() || body.len() != now.len() {
            return Err(format!("{place:?} has another number of items: {now:?}"));
        }
        for (index, item) in body.iter().enumerate() {
            let were: Vec<_> = (0..view.len())
                .filter(|at| same(&view[*at], item))
                .collect();
            let are = body.iter().filter(|other| same(other, item)).count();
            let follows = were.iter().any(|at| same(&before[*at], &now[index]));
            if were.len() == are && !follows {
                let now = &now[index];
                return Err(format!("{place:?}/{index} was sent as read and is {now}"));
            }
        }
        Ok(())
    }
}

fn values<'l>(leaves: &'l [Leaf<'_>]) -> Vec<&'l Value> {
    leaves.iter().map(|leaf| leaf.value).collect()
}

fn alike(one: Option<&Vec<Leaf<'_>>>, other: Option<&Vec<Leaf<'_>>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| same(one.value, other.value))
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Whether a key or an item of a view is not in the body any more.
fn deletes(view: &Value, body: &Value) -> bool {
    match (view, body) {
        (Value::Object(view), Value::Object(body)) => view
            .iter()
            .any(|(key, inner)| body.get(key).is_none_or(|body| deletes(inner, body))),
        (Value::Array(view), Value::Array(body)) if view.len() > body.len() => true,
        (Value::Array(view), Value::Array(body)) => view.iter().any(|item| {
            let partner = body.iter().find(|other| match item.get("name") {
                Some(name) => other.get("name") == Some(name),
                None => same(item, other),
            });
            partner.is_none_or(|partner| deletes(item, partner))
        }),
        (Value::Object(_) | Value::Array(_), _) => true,
        _ => false,
    }
}
