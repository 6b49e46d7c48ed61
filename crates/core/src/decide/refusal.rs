//! Why a read or a write is refused, and what to do about it.

use super::{CarryObstacle, VersionPair};
use crate::version::{ClientVersion, KnownVersion, KnownVersions, StoredVersion, Version};
use coeval_codes::Coded;

/// A read or write that can't be done at these versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum VersionRefusal {
    /// The version asked for, or the body's, can't be loaded here.
    #[error("this server does not know version {}", version.short())]
    #[code(
        VERSION_UNKNOWN,
        advice = unknown_version_advice(*newest)
    )]
    VersionUnknown {
        /// Which.
        version: Version,
        /// The newest one known here.
        newest: Option<KnownVersion>,
    },
    /// Stored at a major of which nothing is known here.
    #[error("stored at {stored}, a major version that this server does not know")]
    #[code(
        MAJOR_UNKNOWN,
        advice = "Ask a server of a newer release, or upgrade this one."
    )]
    MajorUnknown {
        /// Where it is stored.
        stored: StoredVersion,
    },
    /// Stored at a minor that is not known here, and more than a look at it was asked for.
    #[error("stored at {stored}, a version that this server does not know")]
    #[code(
        STORED_VERSION_UNKNOWN,
        advice = "Ask a server of a newer release, or upgrade this one."
    )]
    StoredUnknown {
        /// Where it is stored.
        stored: StoredVersion,
    },
    /// Nothing that is known here is old enough.
    #[error("the client understands versions up to {client}; this server knows none of these")]
    #[code(CLIENT_TOO_OLD, advice = "Upgrade the client.")]
    ClientTooOld {
        /// What the client understands.
        client: ClientVersion,
    },
    /// A view that was lowered came back, and can't be carried onto what is stored.
    #[error("the body is marked {}+downgraded and can't be stored: {why}", body.short())]
    #[code(MARKED_BODY, advice = marked_advice(*why))]
    MarkedBody {
        /// The body's version.
        body: Version,
        /// Why it can't be carried.
        why: CarryObstacle,
    },
    /// The only record known here is a copy of one that is not.
    #[error("what this server knows of it is a read-only copy; it is stored at {new}")]
    #[code(
        MARKED_RECORD,
        advice = "Write through a server that knows both versions, or upgrade this one."
    )]
    MarkedRecord {
        /// The record that rules.
        new: StoredVersion,
    },
    /// The type refuses edits made at another version.
    #[error("the body is at {}, and its type accepts only edits made at the stored version", body.short())]
    #[code(
        SKEW_STRICT,
        advice = "Read it at the stored version and edit that, or upgrade the client."
    )]
    Strict {
        /// The body's version.
        body: Version,
    },
    /// The type refuses edits made at another version, and a save is not an upgrade to another
    /// major.
    #[error("the body is at {}, a higher major version than the stored one, and its type accepts only edits made at the stored version", body.short())]
    #[code(
        MAJOR_HIGHER,
        advice = "Upgrade the resource first, or migrate its type to the new major."
    )]
    MajorHigher {
        /// The body's version.
        body: Version,
    },
    /// Nothing automatic interprets what changed its meaning, or drops a restriction.
    #[error("the body is at {}; on the way there from the stored version, {} changes what a field means or restricts what older clients see", body.short(), at.short())]
    #[code(
        MEANING_BETWEEN,
        advice = "Upgrade the resource first, or migrate its type to the new major."
    )]
    MeaningBetween {
        /// The body's version.
        body: Version,
        /// The first such version.
        at: Version,
    },
    /// Only who has full control changes versions and forces.
    #[error("changing the version of a resource and forcing a write need full control of it")]
    #[code(
        FULL_CONTROL_NEEDED,
        advice = "Write at the stored version without force, or ask for full control."
    )]
    FullControlNeeded,
    /// Clients at that version saw a stand-in, not the resource.
    #[error("at {} only a restricted view can be seen, and it can't be written back", body.short())]
    #[code(
        RESTRICTED_VIEW,
        advice = "Use a client that understands the stored version."
    )]
    RestrictedView {
        /// The body's version.
        body: Version,
    },
    /// Its records are tied to two majors until the migration is done.
    #[error("it is being migrated from {old} to {new} and takes no body at {body}")]
    #[code(
        IN_MIGRATION,
        advice = "Write at {old} or {new}, or wait for the end of the migration."
    )]
    InMigration {
        /// The body's version.
        body: KnownVersion,
        /// From where.
        old: StoredVersion,
        /// To where.
        new: StoredVersion,
    },
    /// A concurrent change came first.
    #[error("the resource has another revision by now")]
    // The code is the store's, where a conflict that nobody expected is the server's fault.
    #[code(
        CONFLICT,
        kind = FailedPrecondition,
        advice = "Read it again, apply your change to that, and write."
    )]
    Stale,
}

impl VersionRefusal {
    pub(super) fn version_unknown(version: Version, known: &KnownVersions) -> Self {
        let newest = known.newest();
        Self::VersionUnknown { version, newest }
    }

    pub(super) const fn in_migration(body: KnownVersion, pair: VersionPair) -> Self {
        Self::InMigration {
            body,
            old: pair.old(),
            new: pair.new_record(),
        }
    }
}

fn unknown_version_advice(newest: Option<KnownVersion>) -> String {
    match newest {
        Some(newest) => format!("Use {newest} or an older version, or upgrade this server."),
        None => "Register the type, or upgrade this server.".to_owned(),
    }
}

const fn marked_advice(why: CarryObstacle) -> &'static str {
    match why {
        CarryObstacle::NothingStored => "To create it, leave out `+downgraded`.",
        CarryObstacle::StoredUnknown => "Write through a server that knows the stored version.",
        CarryObstacle::Strict => {
            "Read it at the stored version and edit that, or upgrade the client."
        }
        CarryObstacle::NoRevision => "Send the revision that was read together with the content.",
    }
}
