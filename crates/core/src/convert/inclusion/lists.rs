//! The items of lists.

use super::conjunction::Conjunction;
use super::{DocumentStep, SchemaComparison};
use crate::convert::sketch::item_parts;
use serde_json::Value;

impl<'a> SchemaComparison<'a> {
    pub(super) fn list(&mut self, c: &Conjunction<'a>, t: &'a Value) {
        let wanted = item_parts(t);
        let known = c.items(self.from);
        // By positions, as far as either side has schemas for single items; the last one speaks of
        // all that follow.
        for number in 0..wanted.len().max(known.len()) {
            let item = known.get(number).or(known.last());
            let schema = wanted.get(number).or(wanted.last());
            if let (Some(item), Some(schema)) = (item, schema) {
                self.inside(DocumentStep::Item(number), |this| {
                    this.compare(item, schema);
                });
            }
        }
    }
}
