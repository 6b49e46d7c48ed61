//! Whether a value seems to be meant for a part. It looks only a little way inside; whoever asks
//! has a validator for the last word.

use super::kinds::ExampleKinds;
use super::place::PartNumber;
use super::rules::PartRules;
use crate::types::same;
use serde_json::Value;

/// Levels into the value: enough for a field that tells the alternatives apart.
const LEVELS: usize = 2;
/// Parts that are looked at; after them everything is plausible.
const LOOKS: usize = 2_000;

pub(super) struct PlausibleLook<'r, 's> {
    rules: &'r PartRules<'s>,
    looks: usize,
}

impl<'r, 's> PlausibleLook<'r, 's> {
    pub(super) const fn new(rules: &'r PartRules<'s>) -> Self {
        Self {
            rules,
            looks: LOOKS,
        }
    }

    pub(super) fn is(&mut self, id: PartNumber, value: &Value) -> bool {
        self.look(id, value, LEVELS)
    }

    /// It goes as deep as parts lead to each other, on few levels of the value.
    fn look(&mut self, id: PartNumber, value: &Value, levels: usize) -> bool {
        let Some(rule) = self.rules.get(id) else {
            return true;
        };
        if self.looks == 0 {
            return true;
        }
        self.looks -= 1;
        let listed = |listed: &Vec<&Value>| listed.iter().any(|one| same(one, value));
        if rule.never || !rule.kinds.has(ExampleKinds::of(value)) || !rule.listed.iter().all(listed)
        {
            return false;
        }
        if let Value::Object(map) = value {
            let there = |name: &String| map.contains_key(name);
            if !rule.required.iter().all(there) {
                return false;
            }
            for (key, inner) in map {
                let Some(ids) = rule.of_key(key) else {
                    return false;
                };
                if levels > 0 && !ids.iter().all(|id| self.look(*id, inner, levels - 1)) {
                    return false;
                }
            }
        }
        rule.always.iter().all(|id| self.look(*id, value, levels))
            && rule
                .choices
                .iter()
                .all(|choice| choice.iter().any(|id| self.look(*id, value, levels)))
    }
}
