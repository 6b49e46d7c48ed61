//! A deprecation as a document declares it, which may be wrong.

use coeval_releases::{DeprecationFault, Release, ReleaseDeprecation};

/// What is declared about something that is to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeprecationNote {
    /// With all that is needed.
    Declared(DeclaredDeprecation),
    /// Not all of it, and what is wrong.
    Incomplete(String),
}

/// Since when, and when it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredDeprecation {
    /// The first release that calls it deprecated.
    pub since: Release,
    /// The last release whose own clients used it.
    pub last_used_in: Release,
    /// The release that no longer has it.
    pub removed_in: Release,
    /// What to use in its place.
    pub instead: String,
}

impl DeprecationNote {
    /// From the texts of the four parts.
    #[must_use]
    pub fn from_parts(since: &str, last_used_in: &str, removed_in: &str, instead: &str) -> Self {
        let release = |part: &str, text: &str| {
            let parsed = text.parse::<Release>();
            parsed.map_err(|error| Self::Incomplete(format!("{part}: {error}")))
        };
        let read = || {
            Ok(DeclaredDeprecation {
                since: release("since", since)?,
                last_used_in: release("lastUsedIn", last_used_in)?,
                removed_in: release("removedIn", removed_in)?,
                instead: instead.to_owned(),
            })
        };
        match read() {
            Ok(declared) if declared.instead.trim().is_empty() => {
                Self::Incomplete("it does not say what to use instead".to_owned())
            }
            Ok(declared) => Self::Declared(declared),
            Err(incomplete) => incomplete,
        }
    }
}

impl DeclaredDeprecation {
    /// What is wrong with it in code of that release.
    #[must_use]
    pub fn faults(&self, current: Release) -> Vec<DeprecationFault> {
        let plain = ReleaseDeprecation {
            since: self.since,
            last_used_in: self.last_used_in,
            removed_in: self.removed_in,
            // What to use instead has no part in when it goes.
            instead: "",
        };
        plain.faults(current)
    }

    /// The first release that may lack it: the one that was announced, and never one that still
    /// serves clients which use it.
    #[must_use]
    pub fn earliest_removal(&self) -> Release {
        self.removed_in.max(self.last_used_in.earliest_removal())
    }
}
