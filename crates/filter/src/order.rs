//! Orders over what is seen: total, because the id decides at last.

use crate::encoding::{MISSING, put_text};
use crate::error::{FilterError, FilterLimit};
use crate::field::FilterField;
use crate::index::{IndexInfo, put_shown};
use crate::limits::ORDER_FIELDS;
use crate::view::{FilterView, visit};
use serde::Serialize;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SortDirection {
    /// The least first; missing is least.
    Ascending,
    /// The greatest first.
    Descending,
}

/// Fields to sort by, the first first. What is equal in all of them is in the order of the ids, in the direction of the last
/// field: so the reverse of an order is the order of the reverse, and an index can be read both ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SortOrder(Vec<(FilterField, SortDirection)>);

/// Bytes that compare as the order does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortKey(Vec<u8>);

impl SortKey {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for SortKey {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl SortOrder {
    /// Of these fields; of none it is the order of the ids.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub fn new(fields: Vec<(FilterField, SortDirection)>) -> Result<Self, FilterError> {
        if fields.len() > ORDER_FIELDS {
            Err(FilterError::too_much(FilterLimit::OrderFields))
        } else {
            Ok(Self(fields))
        }
    }

    /// Its fields.
    #[must_use]
    pub fn fields(&self) -> &[(FilterField, SortDirection)] {
        &self.0
    }

    /// Whether a field is in the content; if none is, it is never asked for.
    #[must_use]
    pub fn needs_content(&self) -> bool {
        self.0.iter().any(|(field, _)| field.is_content())
    }

    /// The same text for the same order, in every release: what a page token is bound to.
    ///
    /// # Errors
    /// If it can't be written as JSON: nothing is bound to less than the whole of it.
    pub fn fingerprint(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Where a resource stands. A field with several values stands where its first one in this order does.
    #[must_use]
    pub fn key(&self, seen: &(impl FilterView + ?Sized)) -> SortKey {
        let mut key = Vec::new();
        for (field, direction) in &self.0 {
            let mut first: Option<Vec<u8>> = None;
            visit(field, seen, &mut |shown| {
                let mut bytes = Vec::new();
                put_shown(&shown, &mut bytes);
                direct(&mut bytes, *direction);
                // The smallest in this direction: with several values the first one decides.
                first = Some(match first.take() {
                    Some(other) => other.min(bytes),
                    None => bytes,
                });
                // Never enough: a later value may come first.
                false
            });
            // Missing has a place of its own, before all values in ascending order.
            let missing = || {
                let mut bytes = vec![MISSING];
                direct(&mut bytes, *direction);
                bytes
            };
            key.extend(first.unwrap_or_else(missing));
        }
        // The id at last, so that no two resources are equal and pages never overlap.
        let mut id = Vec::new();
        put_text(&seen.id(), &mut id);
        direct(&mut id, self.last_direction());
        key.extend(id);
        SortKey(key)
    }

    fn last_direction(&self) -> SortDirection {
        self.0
            .last()
            .map_or(SortDirection::Ascending, |(_, direction)| *direction)
    }

    /// The index that has this order, and which way to read it: if the order has one field, and the field one value.
    /// Keys for which [`crate::may_be_cut`] holds are sorted among themselves by the reader.
    #[must_use]
    pub fn by_index(&self, indexes: &[IndexInfo]) -> Option<(String, SortDirection)> {
        let [(field, direction)] = self.0.as_slice() else {
            return None;
        };
        let serves = |index: &&IndexInfo| index.single && index.field == *field;
        let index = indexes.iter().find(serves)?;
        Some((index.name.clone(), *direction))
    }
}

fn direct(bytes: &mut [u8], direction: SortDirection) {
    if direction == SortDirection::Descending {
        for byte in bytes {
            *byte = !*byte;
        }
    }
}
