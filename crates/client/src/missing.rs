//! What a server does not have, because its release is older than this library: asked once, then the
//! older way is taken, or the caller is told which release is needed.

use crate::error::{ClientError, Kind};
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// A part of the API that not every server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Upsert,
    Mask,
    Revisions,
    Restore,
    Watch,
}

/// Each with its name and the first release that has it.
const SINCE: [(Part, &str, &str); 5] = [
    (Part::Upsert, "UpsertResource", "0.1.0"),
    (Part::Mask, "UpdateResource with a mask", "0.1.0"),
    (Part::Revisions, "ListRevisions", "0.1.0"),
    (Part::Restore, "RestoreResource", "0.1.0"),
    (Part::Watch, "WatchResources", "0.1.0"),
];

/// What the server is known not to have, until one of another release answers.
#[derive(Debug, Default)]
pub(crate) struct Missing(RwLock<BTreeSet<Part>>);

impl Missing {
    pub(crate) fn has(&self, part: Part) -> bool {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.contains(&part)
    }

    pub(crate) fn note(&self, part: Part) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.insert(part);
    }

    pub(crate) fn forget(&self) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.clear();
    }
}

/// Says which release is needed, and which one the server has.
pub(crate) fn needed(part: Part, release: Option<&str>) -> ClientError {
    let mut known = SINCE.iter();
    let known = known.find(|(one, ..)| *one == part);
    let (_, name, since) = known.copied().unwrap_or((part, "this", "a newer release"));
    let has = release.unwrap_or("that does not say its release");
    let message = format!("the server, of release {has}, has no {name}: it came with {since}");
    let advice = format!("Use a server of release {since} or newer.");
    ClientError::new(Kind::Unimplemented, message, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;

    #[test]
    fn every_part_is_told_with_the_release_that_has_it_and_the_one_that_lacks_it() {
        for (part, name, since) in SINCE {
            let error = needed(part, Some("0.0.9"));
            let text = error.to_string();
            assert!(text.contains(name) && text.contains(since), "{text}");
            assert!(text.contains("0.0.9"), "{text}");
            assert_eq!(error.code(), coeval_codes::RELEASE_TOO_OLD);
        }
    }
}
