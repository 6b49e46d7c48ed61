//! What can be broken on purpose.

/// Something around the table that is broken on purpose, to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeededFault {
    /// Servers serve at any phase.
    NoAdmission,
    /// The store does not look at the epoch.
    NoFence,
    /// The store does not look at what was found.
    NoConditions,
    /// The store does not look at expiries.
    NoExpiryCondition,
    /// The store does not look at flags.
    NoFlagCondition,
    /// The operator does not look whether a resource was listed meanwhile.
    NoListCondition,
    /// A delete of both keys removes only the new one.
    HalfDelete,
    /// A checkpoint of an earlier epoch is used.
    OldCheckpoint,
    /// The backfill forgets to visit.
    EmptyBackfill,
    /// The copy back forgets to visit.
    EmptyCopyBack,
    /// A step in the background writes nothing.
    IdleBackfill,
    /// A move back does not turn servers round.
    NoTurn,
    /// Servers go to the higher phase, wherever all head for.
    HighestOnly,
    /// The end where it began does not count mirrors.
    UncountedMirrors,
    /// The list of failed resources outlives the migration that made it.
    OutlivingList,
    /// A claim is made again when the record has changed, for the epoch of the new one.
    ClaimAnew,
    /// A copy leaves the secrets behind.
    CopyWithoutSecrets,
    /// A removal leaves the secrets behind.
    RemovalLeavesSecrets,
    /// A removal leaves index entries behind.
    RemovalLeavesEntries,
    /// A removal takes entries along that the other record needs.
    RemovalTakesEntries,
    /// The entries of a record that was left behind are taken to be there.
    EntriesTrusted,
    /// A keep-alive moves the record alone.
    KeepAliveAlone,
    /// What is found by an index is not looked at again.
    NoSecondLook,
    /// The sweep takes a resource for gone when no other record is left, whichever counts.
    SweepByTwin,
    /// A batch does not look at the claim.
    NoClaimCondition,
    /// A run counts parts of another epoch.
    OldParts,
    /// A run is said to be done when one of its parts is.
    OnePart,
    /// Who got no answer takes it for a failure and writes again.
    TooSoon,
    /// A server without the new major reads though old records may be behind.
    ReadsOnUnchecked,
    /// It reads in every phase.
    ReadsOnForEver,
    /// It reads while the old records are said to be fresh, whatever is live.
    ReadsOnByFreshness,
    /// What it shows is never marked.
    ReadsOnUnmarked,
    /// It writes the old records.
    ReaderWrites,
    /// It moves the expiry of the old records.
    ReaderKeepsAlive,
    /// It counts as one that has got to where the others are.
    ReaderAcknowledges,
    /// A body of the new major that can't be converted back is listed, not refused.
    UnreadableBody,
    /// A body of the new major is written to the new record, whatever the source of truth.
    BodyBesideTruth,
    /// A body of the new major is refused where the migration has only begun.
    BodyRefusedAtOld,
    /// Who may see a resource is decided by the record that is read.
    AccessByRecord,
}
