//! Which parts apply to a value: those that always do, and of alternatives one.

use super::demand::PartDemand;
use super::draw::{DecisionKind, DecisionPoint};
use super::make::{DocumentMaker, ask};
use super::place::{ExamplePlace, PartNumber, mix};
use super::plausible::PlausibleLook;
use super::rules::{ConditionalRule, PartRule};
use serde_json::Value;
use std::sync::Arc;

/// From this level on, and in lists of lists, also the fullest document takes the alternative that
/// ends soonest.
const FULL_DEPTH: usize = 6;

impl<'s> DocumentMaker<'s> {
    /// What is asked of a value to which these parts apply. Alternatives are decided, or, for a
    /// value that is there already, chosen from those that it seems to be of.
    pub(super) fn demand(
        &mut self,
        ids: &[PartNumber],
        place: ExamplePlace,
        there: Option<&Value>,
    ) -> Arc<PartDemand<'s>> {
        let ids = self.resolve(ids, place, there);
        self.demands.of(&self.rules, &ids)
    }

    /// It ends, because no part leads back to itself without a step into the value.
    fn resolve(
        &mut self,
        ids: &[PartNumber],
        place: ExamplePlace,
        there: Option<&Value>,
    ) -> Vec<PartNumber> {
        let mut found: Vec<PartNumber> = Vec::with_capacity(ids.len() + 2);
        let mut todo = ids.to_vec();
        while let Some(id) = todo.pop() {
            if found.contains(&id) {
                continue;
            }
            found.push(id);
            let Some(rule) = self.rules.get(id) else {
                continue;
            };
            todo.extend(rule.always);
            for number in 0..rule.choices.len() {
                todo.extend(self.alternative(id, number, place, there));
            }
            let condition = self.rules.get(id).and_then(|rule| rule.condition);
            if let Some(condition) = condition {
                todo.extend(self.branch(id, condition, place, there));
            }
        }
        // So the same demand is recognised by whatever name it was reached.
        let says = |id: &PartNumber| !self.rules.get(*id).is_some_and(PartRule::is_reference);
        found.retain(says);
        // Thousands of parts for one value cost as much as as many values.
        self.spend(found.len() / 16);
        found.sort_unstable();
        found
    }

    fn alternative(
        &mut self,
        id: PartNumber,
        number: usize,
        place: ExamplePlace,
        there: Option<&Value>,
    ) -> Option<PartNumber> {
        let tight = self.tight(place);
        let choice = self.rules.get(id)?.choices.get(number)?;
        if let Some(value) = there {
            let mut plausible = PlausibleLook::new(&self.rules);
            let some = choice.iter().filter(|id| plausible.is(**id, value));
            let some: Vec<_> = some.collect();
            let one = self.draw.below(some.len());
            if let Some(id) = some.get(one) {
                return Some(**id);
            }
        }
        let height = |id: &PartNumber| self.rules.height(*id).unwrap_or(usize::MAX);
        let heights: Vec<_> = choice.iter().map(height).collect();
        let lowest = heights.iter().copied().min().unwrap_or(0);
        let lowest = heights.iter().position(|height| *height == lowest)?;
        let options = choice.len();
        let ask = DecisionPoint {
            small: lowest,
            full: if tight || place.depth >= FULL_DEPTH || place.repeated >= 2 {
                lowest
            } else {
                0
            },
            ..ask(
                place,
                mix(
                    mix(place.hash, id as u64),
                    0x0063_686f_6963_6500 + number as u64,
                ),
                DecisionKind::Form,
                options,
            )
        };
        let one = self
            .draw
            .pick(ask, |draw| if tight { lowest } else { draw.below(options) });
        self.rules.get(id)?.choices.get(number)?.get(one).copied()
    }

    fn branch(
        &mut self,
        id: PartNumber,
        condition: ConditionalRule,
        place: ExamplePlace,
        there: Option<&Value>,
    ) -> Vec<PartNumber> {
        let at = mix(mix(place.hash, id as u64), 0x6966);
        let met = match there {
            Some(value) => PlausibleLook::new(&self.rules).is(condition.asked, value),
            None => {
                let ask = ask(place, at, DecisionKind::Form, 2);
                self.draw.pick(ask, |draw| draw.below(2)) == 0
            }
        };
        if met {
            [Some(condition.asked), condition.met]
                .into_iter()
                .flatten()
                .collect()
        } else {
            condition.unmet.into_iter().collect()
        }
    }
}
