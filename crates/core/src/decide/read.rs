//! Reading: which version of a resource a caller gets to see.

use super::wanted::Base;
use super::{Lead, Record, Refusal, Skew, Stored, Wanted};
use crate::version::{Known, KnownVersion, Mark, MarkedVersion, StoredVersion, Version};

/// A read that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// What there is.
    pub stored: Stored,
    /// The versions that this server can load.
    pub known: &'a Known,
    /// What the caller asks for.
    pub wanted: Wanted,
    /// Where the stored version names a restricted view: those below this version get it.
    pub restricted_below: Option<Version>,
}

/// How a resource is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The record to read.
    pub from: Record,
    /// The version of the view.
    pub at: KnownVersion,
    /// Whether the view is marked `+downgraded`.
    pub mark: Mark,
    /// What to do with the stored content.
    pub shown: Shown,
}

/// What to do with the stored content to get the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    AsStored,
    /// Convert it to the version of the view.
    Converted,
    /// Show only what version `to` declares, because the stored version is not known here; then
    /// convert that to the version of the view, if it is another.
    Pruned {
        /// The newest known minor below the stored one.
        to: KnownVersion,
    },
    /// Show the restricted view that the stored version names, with its label.
    Restricted,
}

impl View {
    /// The same view of a record in which data of a higher version is kept: it shows less than what
    /// is stored, so it is marked.
    ///
    /// Where the type is strict it stays as it is, unless it is lower than what is stored. A marked
    /// body is always refused there: nobody could save the resource at its own version any more,
    /// and at a higher one nobody would be told of the upgrade.
    #[must_use]
    pub fn hiding_kept(self, skew: Skew) -> Self {
        if skew == Skew::Strict {
            return self;
        }
        let mark = Mark::Downgraded;
        Self { mark, ..self }
    }

    /// The version as the caller sees it.
    #[must_use]
    pub const fn version(&self) -> MarkedVersion {
        MarkedVersion {
            version: self.at.version(),
            mark: self.mark,
        }
    }
}

/// Decides a read.
///
/// ```
/// use coeval_core::decide::{Reading, Shown, Stored, Wanted, decide_read};
/// use coeval_core::version::{ClientVersion, Known, StoredVersion, Version};
///
/// let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
/// let known: Known = [v1, v2].into_iter().collect();
/// let stored = Stored::Alone(StoredVersion(v2));
/// let wanted = Wanted::AtMost(ClientVersion(v1));
/// let reading = Reading { stored, known: &known, wanted, restricted_below: None };
/// let view = decide_read(&reading).unwrap();
/// assert_eq!(view.version().to_string(), "v1+downgraded");
/// assert_eq!(view.shown, Shown::Converted);
/// ```
pub fn decide_read(reading: &Reading<'_>) -> Result<View, Refusal> {
    match reading.stored {
        Stored::Alone(stored) => view(reading, stored, Record::Only),
        Stored::Pair(pair) => match pair.lead() {
            // The new record is a mirror and may be stale: never a substitute.
            Lead::Old => view(reading, pair.old(), Record::Old),
            Lead::New => view(reading, pair.new_record(), Record::New)
                .or_else(|refusal| read_only_copy(reading, pair.old()).ok_or(refusal)),
        },
    }
}

/// For a server to which the new major means nothing, the old record is still there to look at.
fn read_only_copy(reading: &Reading<'_>, old: StoredVersion) -> Option<View> {
    let view = view(reading, old, Record::Old).ok()?;
    let mark = Mark::Downgraded;
    Some(View { mark, ..view })
}

fn view(reading: &Reading<'_>, stored: StoredVersion, from: Record) -> Result<View, Refusal> {
    let base = Base::of(stored, reading.known)?;
    let at = base.show(reading.wanted, stored, reading.known)?;
    // Compared with what is stored, not with the base: a pruned view at its own minor shows less, too.
    let lowered = at.version() < stored.0;
    let restricted = reading
        .restricted_below
        .is_some_and(|below| at.version() < below);
    Ok(View {
        from,
        at,
        mark: if lowered {
            Mark::Downgraded
        } else {
            Mark::Plain
        },
        shown: match base {
            Base::Pruned(to) => Shown::Pruned { to },
            Base::Stored(base) if base == at => Shown::AsStored,
            Base::Stored(_) if lowered && restricted => Shown::Restricted,
            Base::Stored(_) => Shown::Converted,
        },
    })
}
