//! The packages of a type that typed APIs describe, and the numbers that its fields have in them.

use crate::types::definition::Definition;
use crate::types::state::TypeState;
use coeval_core::types::TypeVersion;
use coeval_core::version::Version;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{Revision, StoredEntry};
use coeval_typed::{Ledger, PackageCandidate, PackageLayout, PackageName};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Packages of a type for callers who see only some of its versions; more are made each time.
pub(crate) const MOST_PARTIAL: usize = 64;

/// What is stored of it, as it was read.
#[derive(Debug, Default)]
pub struct StoredTyped {
    /// The type that has the package's name, whichever.
    pub claim: Option<TypeKey>,
    /// By major.
    pub ledgers: BTreeMap<u32, NumbersOf>,
}

/// The numbers of one major.
#[derive(Debug)]
pub struct NumbersOf {
    pub revision: Revision,
    /// Nothing, if the record can't be read.
    pub ledger: Option<Ledger>,
}

impl NumbersOf {
    pub(crate) fn decode(entry: &StoredEntry) -> Option<Self> {
        let record = entry.stored.record();
        let ledger = record.and_then(|record| serde_json::from_slice(&record.content.body).ok());
        if ledger.is_none() {
            tracing::error!(key = %entry.key, "the numbers of a type's fields can't be read");
        }
        Some(Self {
            revision: entry.stored.revision()?,
            ledger,
        })
    }
}

impl StoredTyped {
    /// With a record of numbers.
    pub fn note(&mut self, entry: &StoredEntry) {
        let major = keys::major_of_ledger(&entry.key);
        if let (Some(major), Some(numbers)) = (major, NumbersOf::decode(entry)) {
            self.ledgers.insert(major, numbers);
        }
    }

    /// With the record of who has the name.
    pub(crate) fn note_claim(&mut self, entry: Option<&StoredEntry>) {
        self.claim = entry.and_then(claimed_by);
    }
}

pub(crate) fn claimed_by(entry: &StoredEntry) -> Option<TypeKey> {
    let record = entry.stored.record()?;
    TypeKey::parse(std::str::from_utf8(&record.content.body).ok()?)
}

/// The name of a type's package; nothing if it can't have one. The engine's own kinds have none.
pub(crate) fn name_of(of: &TypeKey) -> Option<PackageName> {
    PackageName::of(&of.vendor, &of.nss).ok()
}

/// The packages of a type.
#[derive(Debug, Default)]
pub struct Typed {
    pub layouts: Vec<Arc<PackageLayout>>,
    /// The numbers behind them, by major.
    pub ledgers: BTreeMap<u32, Ledger>,
    /// The packages of callers who see only some versions of a major.
    pub partial: Mutex<HashMap<Vec<Version>, Option<Arc<PackageLayout>>>>,
    /// Something has no number in the store yet.
    pub behind: bool,
}

impl Typed {
    pub fn of(
        key: &TypeKey,
        stored: &StoredTyped,
        definitions: &BTreeMap<Version, Definition>,
    ) -> Self {
        let mut typed = Self::default();
        let Some(name) = name_of(key) else {
            return typed;
        };
        // Another type has the name of the package.
        if stored.claim.as_ref().is_some_and(|other| other != key) {
            return typed;
        }
        let mut majors: Vec<u32> = definitions.keys().map(|version| version.major).collect();
        // In the order of versions, so equal majors are neighbors.
        majors.dedup();
        for major in majors {
            let versions = of_major(definitions, major, None);
            let candidates = candidates(&versions);
            let before = stored.ledgers.get(&major);
            let ledger = match before {
                None => Ledger::default(),
                Some(NumbersOf { ledger, .. }) => match ledger {
                    Some(ledger) => ledger.clone(),
                    // Rather no package than one with other numbers.
                    None => continue,
                },
            };
            if ledger.extended(&candidates) != ledger {
                // Numbers are stored before anybody is shown them.
                typed.behind = true;
                continue;
            }
            let (layout, _) = PackageLayout::of(&name, &ledger, &candidates);
            typed.layouts.extend(layout.map(Arc::new));
            typed.ledgers.insert(major, ledger);
        }
        // A name that nobody has claimed could still go to another type.
        typed.behind |= stored.claim.is_none() && !typed.layouts.is_empty();
        typed
    }

    /// The packages as they are for somebody who sees these versions, or all if there is no saying: each
    /// describes the newest of its major that can be seen, and no field that only hidden ones have.
    pub(crate) fn seen(
        &self,
        state: &TypeState,
        sees: Option<&dyn Fn(Version) -> bool>,
    ) -> Vec<Arc<PackageLayout>> {
        let Some(sees) = sees else {
            return self.layouts.clone();
        };
        let layouts = self.layouts.iter();
        layouts
            .filter_map(|whole| self.partial(state, sees, whole))
            .collect()
    }

    pub(crate) fn partial(
        &self,
        state: &TypeState,
        sees: &dyn Fn(Version) -> bool,
        whole: &Arc<PackageLayout>,
    ) -> Option<Arc<PackageLayout>> {
        let versions = of_major(&state.definitions, whole.major, None);
        let mut candidates = candidates(&versions);
        // A package ends before what is unproven, seen or not: nothing after it has a number.
        let proven = candidates.iter().take_while(|one| !one.unproven).count();
        candidates.truncate(proven);
        candidates.retain(|one| sees(one.version.id.version));
        if candidates.len() == proven {
            return Some(Arc::clone(whole));
        }
        let key: Vec<Version> = candidates
            .iter()
            .map(|one| one.version.id.version)
            .collect();
        let mut kept = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = kept.get(&key) {
            return layout.clone();
        }
        let (name, ledger) = (name_of(&state.key)?, self.ledgers.get(&whole.major)?);
        let (layout, _) = PackageLayout::of(&name, ledger, &candidates);
        let layout = layout.map(Arc::new);
        // Bounded: sets of visible versions are as many as callers, and a package is soon made
        // again.
        if kept.len() >= MOST_PARTIAL {
            kept.clear();
        }
        kept.insert(key, layout.clone());
        layout
    }
}

/// The versions of a major; without one that is to be replaced.
pub(crate) fn of_major(
    definitions: &BTreeMap<Version, Definition>,
    major: u32,
    without: Option<Version>,
) -> Vec<Numbered<'_>> {
    let own = definitions
        .values()
        .filter(|one| one.version.major == major);
    let own = own.filter(|one| Some(one.version) != without);
    let numbered = own.map(|one| {
        let loaded = one.loaded.as_ref().ok().map(Arc::as_ref);
        (one.meta.number, loaded, one.meta.unproven)
    });
    numbered.collect()
}

/// In the order of their registration.
pub(crate) fn candidates<'v>(versions: &[Numbered<'v>]) -> Vec<PackageCandidate<'v>> {
    let mut versions = versions.to_vec();
    versions.sort_by_key(|(number, ..)| *number);
    let mut candidates = Vec::new();
    for (_, version, unproven) in versions {
        match version {
            Some(version) => candidates.push(PackageCandidate { version, unproven }),
            None if unproven => break,
            None => {}
        }
    }
    candidates
}

/// A version of a major: when it was registered, what it is if this server can load it, whether it
/// is unproven.
pub(crate) type Numbered<'v> = (u64, Option<&'v TypeVersion>, bool);
