//! Reading: which version of a resource a caller gets to see.

use super::wanted::ViewBase;
use super::{LeadingRecord, SkewRule, StoredVersions, VersionRefusal, ViewedRecord, WantedVersion};
use crate::version::{
    KnownVersion, KnownVersions, MarkedVersion, StoredVersion, Version, VersionMark,
};

/// A read that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct VersionedRead<'a> {
    /// What there is.
    pub stored: StoredVersions,
    /// The versions that this server can load.
    pub known: &'a KnownVersions,
    /// What the caller asks for.
    pub wanted: WantedVersion,
    /// Where the stored version names a restricted view: those below this version get it.
    pub restricted_below: Option<Version>,
}

/// How a resource is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewDecision {
    /// The record to read.
    pub from: ViewedRecord,
    /// The version of the view.
    pub at: KnownVersion,
    /// Whether the view is marked `+downgraded`.
    pub mark: VersionMark,
    /// What to do with the stored content.
    pub shown: ViewRendering,
}

/// What to do with the stored content to get the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewRendering {
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

impl ViewDecision {
    /// The same view of a record in which data of a higher version is kept: it shows less than what
    /// is stored, so it is marked.
    ///
    /// Where the type is strict it stays as it is, unless it is lower than what is stored. A marked
    /// body is always refused there: nobody could save the resource at its own version any more,
    /// and at a higher one nobody would be told of the upgrade.
    #[must_use]
    pub fn hiding_kept(self, skew: SkewRule) -> Self {
        if skew == SkewRule::Strict {
            return self;
        }
        let mark = VersionMark::Downgraded;
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
/// use coeval_core::decide::{VersionedRead, ViewRendering, StoredVersions, WantedVersion, decide_read};
/// use coeval_core::version::{ClientVersion, KnownVersions, StoredVersion, Version};
///
/// let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
/// let known: KnownVersions = [v1, v2].into_iter().collect();
/// let stored = StoredVersions::Alone(StoredVersion(v2));
/// let wanted = WantedVersion::AtMost(ClientVersion(v1));
/// let reading = VersionedRead { stored, known: &known, wanted, restricted_below: None };
/// let view = decide_read(&reading).unwrap();
/// assert_eq!(view.version().to_string(), "v1+downgraded");
/// assert_eq!(view.shown, ViewRendering::Converted);
/// ```
pub fn decide_read(reading: &VersionedRead<'_>) -> Result<ViewDecision, VersionRefusal> {
    match reading.stored {
        StoredVersions::Alone(stored) => view(reading, stored, ViewedRecord::Only),
        StoredVersions::Pair(pair) => match pair.lead() {
            // The new record is a mirror and may be stale: never a substitute.
            LeadingRecord::Old => view(reading, pair.old(), ViewedRecord::Old),
            LeadingRecord::New => view(reading, pair.new_record(), ViewedRecord::New)
                .or_else(|refusal| read_only_copy(reading, pair.old()).ok_or(refusal)),
        },
    }
}

/// For a server to which the new major means nothing, the old record is still there to look at.
fn read_only_copy(reading: &VersionedRead<'_>, old: StoredVersion) -> Option<ViewDecision> {
    let view = view(reading, old, ViewedRecord::Old).ok()?;
    let mark = VersionMark::Downgraded;
    Some(ViewDecision { mark, ..view })
}

fn view(
    reading: &VersionedRead<'_>,
    stored: StoredVersion,
    from: ViewedRecord,
) -> Result<ViewDecision, VersionRefusal> {
    let base = ViewBase::of(stored, reading.known)?;
    let at = base.show(reading.wanted, stored, reading.known)?;
    // Compared with what is stored, not with the base: a pruned view at its own minor shows less, too.
    let lowered = at.version() < stored.0;
    // Only a view below the stored version is restricted: at its own version nothing would be
    // hidden.
    let restricted = reading
        .restricted_below
        .is_some_and(|below| at.version() < below);
    Ok(ViewDecision {
        from,
        at,
        mark: if lowered {
            VersionMark::Downgraded
        } else {
            VersionMark::Plain
        },
        shown: match base {
            // The stored version is unknown here, so no conversion leads from it: content is cut
            // to what the base declares.
            ViewBase::Pruned(to) => ViewRendering::Pruned { to },
            ViewBase::Stored(base) if base == at => ViewRendering::AsStored,
            ViewBase::Stored(_) if lowered && restricted => ViewRendering::Restricted,
            ViewBase::Stored(_) => ViewRendering::Converted,
        },
    })
}
