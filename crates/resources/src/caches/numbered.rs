//! Where numbered pages begin, and how many resources listings have.
//!
//! It is a matter of speed alone: bound to the sequence of the store, at which every page has one content.

use crate::caches::place::Place;
use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A listing at one moment of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment(pub(crate) [u8; 32]);

/// What is remembered.
#[derive(Debug)]
pub struct Numbered {
    /// By listing, size and number of a page: where it begins.
    pub places: Cache<(Moment, usize, u64), Arc<Bookmark>>,
    pub totals: Cache<Moment, u64>,
}

impl Numbered {
    pub fn new() -> Self {
        Self {
            places: Cache::builder()
                .max_capacity(MOST)
                .time_to_idle(AGE)
                .build(),
            totals: Cache::builder()
                .max_capacity(MOST)
                .time_to_idle(AGE)
                .build(),
        }
    }

    /// Where that page begins, if the one before it was just given.
    pub fn place(&self, moment: Moment, size: usize, number: u64) -> Option<Arc<Bookmark>> {
        self.places.get(&(moment, size, number))
    }

    pub fn total(&self, moment: Moment) -> Option<u64> {
        self.totals.get(&moment)
    }

    /// Remembers where the page after a full one begins.
    pub fn remember(&self, moment: Moment, size: usize, next: &Bookmark) {
        let place = Arc::new(next.clone());
        self.places.insert((moment, size, next.number), place);
    }

    /// Remembers how many there are.
    pub(crate) fn remember_total(&self, moment: Moment, total: u64) {
        self.totals.insert(moment, total);
    }
}

/// How many places and totals are remembered.
pub(crate) const MOST: u64 = 10_000;

/// For how long after they were last used.
pub(crate) const AGE: Duration = Duration::from_secs(10 * 60);

/// What a page token holds. Releases add fields, and ignore those that they don't know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    pub place: Place,
    /// The first page's sequence.
    pub first: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Of the page that it leads to.
    pub number: u64,
    /// The sorted list, if this server still has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
}
