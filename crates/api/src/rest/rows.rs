//! Rows that are all at hand, such as definitions, rights, organizations, users: filters and orders
//! work on them as they do on resources.

use crate::rest::error::RestError;
use crate::sort_order::parse_order;
use coeval_filter::fiql;
use coeval_filter::{ContentPath, FilterError, FilterField, FilterView, SortOrder};
use serde_json::Value;
use std::borrow::Cow;

/// A row, as filters and orders look at it.
struct RowView<'a>(&'a Value);

impl FilterView for RowView<'_> {
    fn id(&self) -> Cow<'_, str> {
        let id = self.0.get("id").and_then(Value::as_str);
        id.unwrap_or_default().into()
    }

    fn content(&self) -> Option<&Value> {
        Some(self.0)
    }
}

/// Rows, and the first parts of what they can be filtered and sorted by.
#[derive(Clone, Copy, Debug)]
pub struct FilterableRows<'k> {
    keys: &'k [&'k str],
}

impl<'k> FilterableRows<'k> {
    /// With these keys.
    #[must_use]
    pub const fn by(keys: &'k [&'k str]) -> Self {
        Self { keys }
    }

    /// What a key means.
    ///
    /// # Errors
    /// If they have none that is called so.
    pub fn field(self, key: &str) -> Result<FilterField, FilterError> {
        // Only the first part is fixed: rows have objects in them, such as references with a name and an id.
        let first = key.split('.').next().unwrap_or_default();
        if self.keys.contains(&first) {
            ContentPath::from_dotted(key).map(FilterField::Content)
        } else {
            Err(FilterError::no_field(
                key,
                "these can't be filtered or sorted by it",
            ))
        }
    }

    /// Those that a filter matches.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn matching(self, rows: &mut Vec<Value>, filter: &str) -> Result<(), RestError> {
        let filter = fiql::parse(filter, |key| self.field(key))?.compile();
        let filter = filter?;
        rows.retain(|row| filter.matches(&RowView(row)));
        Ok(())
    }

    /// In an order.
    pub fn sort(self, rows: &mut [Value], order: &SortOrder) {
        // Keys are read out of JSON, so each is computed once and not for every comparison.
        rows.sort_by_cached_key(|row| order.key(&RowView(row)));
    }

    /// An order as people write it: `name, created desc`.
    ///
    /// # Errors
    /// If a field is not known, or there are too many.
    pub fn order(self, text: &str) -> Result<Option<SortOrder>, RestError> {
        let invalid = |reason| RestError::query("orderBy", reason);
        parse_order(text, |name| self.field(name), invalid)
    }
}
