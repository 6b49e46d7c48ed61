//! What is asked of a list.

use super::place::PartNumber;
use super::rules::{PartRule, PartRules};

/// Items of a list at its greatest length; longer ones are not made for the edge alone.
const LONG: usize = 12;

/// A number of items, equal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemCount {
    pub(super) items: usize,
    pub(super) equal: bool,
}

#[derive(Debug)]
pub(super) struct ListDemand {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) unique: bool,
    /// The telling numbers of items.
    pub(super) counts: Vec<ItemCount>,
    /// Items that have a schema of their own.
    pub(super) prefix: usize,
    /// What some items must be, and how many.
    pub(super) contains: Option<(PartNumber, usize)>,
}

impl ListDemand {
    pub(super) fn of(all: &PartRules<'_>, rules: &[&PartRule<'_>]) -> Self {
        let counts = |keyword| rules.iter().filter_map(move |rule| rule.count(keyword));
        let least = counts("minItems").max().unwrap_or(0);
        let most = counts("maxItems").min().unwrap_or(usize::MAX);
        let prefix = rules.iter().map(|rule| rule.prefix.len()).max();
        let prefix = prefix.unwrap_or(0);
        // Where an item can't be made the list ends.
        let impossible = |index: &usize| {
            let ids = rules.iter().filter_map(|rule| rule.of_item(*index));
            all.height_of(&ids.collect::<Vec<_>>()).is_none()
        };
        let most = (0..=prefix).find(impossible).unwrap_or(most).min(most);
        let unique = rules.iter().any(|rule| {
            let unique = rule
                .keywords
                .and_then(|keywords| keywords.get("uniqueItems"));
            unique == Some(&serde_json::Value::Bool(true))
        });
        let contains = rules.iter().find_map(|rule| {
            let least = rule.count("minContains").unwrap_or(1);
            Some((rule.contains?, least))
        });
        let mut lists = Self {
            least,
            most,
            unique,
            counts: Vec::new(),
            prefix,
            contains,
        };
        lists.find_counts();
        lists
    }

    fn find_counts(&mut self) {
        let different = [
            0,
            1,
            2,
            self.prefix,
            self.least,
            self.least.saturating_add(1),
        ];
        let longest = Some(self.most).filter(|most| *most <= LONG);
        let mut found = Vec::new();
        for items in different.into_iter().chain(longest) {
            let count = ItemCount {
                items,
                equal: false,
            };
            if (self.least..=self.most).contains(&items) && !found.contains(&count) {
                found.push(count);
            }
        }
        for items in [2, 3] {
            if (self.least..=self.most).contains(&items) && !self.unique && self.prefix == 0 {
                found.push(ItemCount { items, equal: true });
            }
        }
        self.counts = found;
    }
}
