//! Which type has the name of a package, as far as this server was asked.

use coeval_records::keys::TypeKey;
use moka::sync::Cache;
use std::time::Duration;

/// How many names are remembered.
const NAMES: u64 = 10_000;
/// How long it is remembered that nobody has a name: asking again and again costs little, and a
/// type that another server registers is served soon.
const NOBODY: Duration = Duration::from_millis(500);

/// How long after a look at all types none is taken. Only releases that give no names leave types
/// without one.
const LOOKED: Duration = Duration::from_secs(60);

/// What is remembered.
#[derive(Debug)]
pub struct Packages {
    owned: Cache<String, TypeKey>,
    free: Cache<String, ()>,
    /// All types were looked at.
    looked: Cache<(), ()>,
}

impl Packages {
    pub fn new() -> Self {
        Self {
            owned: Cache::new(NAMES),
            free: Cache::builder()
                .max_capacity(NAMES)
                .time_to_live(NOBODY)
                .build(),
            looked: Cache::builder()
                .max_capacity(1)
                .time_to_live(LOOKED)
                .build(),
        }
    }

    /// Its owner, or that it has none; nothing if that has to be looked up.
    pub fn known(&self, base: &str) -> Option<Option<TypeKey>> {
        // An owner never changes, so it is remembered without an end.
        if let Some(owner) = self.owned.get(base) {
            return Some(Some(owner));
        }
        self.free.get(base).map(|()| None)
    }

    /// Whether it is time to look at all types again.
    pub(crate) fn may_be_unclaimed(&self) -> bool {
        let due = self.looked.get(&()).is_none();
        if due {
            // Before the look: those who ask meanwhile need not look too.
            self.looked.insert((), ());
        }
        due
    }

    pub fn remember(&self, base: &str, owner: Option<&TypeKey>) {
        match owner {
            Some(owner) => self.owned.insert(base.to_owned(), owner.clone()),
            None => self.free.insert(base.to_owned(), ()),
        }
    }
}
