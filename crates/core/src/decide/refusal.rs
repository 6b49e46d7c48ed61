//! Why a read or a write is refused, and what to do about it.

use super::{CarryObstacle, VersionPair};
use crate::version::{ClientVersion, KnownVersion, KnownVersions, StoredVersion, Version};
use coeval_codes::{Code, Coded, ErrorKind};

/// A read or write that can't be done at these versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionRefusal {
    /// The version asked for, or the body's, can't be loaded here.
    #[error("this server does not know version {}", version.short())]
    VersionUnknown {
        /// Which.
        version: Version,
        /// The newest one known here.
        newest: Option<KnownVersion>,
    },
    /// Stored at a major of which nothing is known here.
    #[error("stored at {stored}, a major version that this server does not know")]
    MajorUnknown {
        /// Where it is stored.
        stored: StoredVersion,
    },
    /// Stored at a minor that is not known here, and more than a look at it was asked for.
    #[error("stored at {stored}, a version that this server does not know")]
    StoredUnknown {
        /// Where it is stored.
        stored: StoredVersion,
    },
    /// Nothing that is known here is old enough.
    #[error("the client understands versions up to {client}; this server knows none of these")]
    ClientTooOld {
        /// What the client understands.
        client: ClientVersion,
    },
    /// A view that was lowered came back, and can't be carried onto what is stored.
    #[error("the body is marked {}+downgraded and can't be stored: {why}", body.short())]
    MarkedBody {
        /// The body's version.
        body: Version,
        /// Why it can't be carried.
        why: CarryObstacle,
    },
    /// The only record known here is a copy of one that is not.
    #[error("what this server knows of it is a read-only copy; it is stored at {new}")]
    MarkedRecord {
        /// The record that rules.
        new: StoredVersion,
    },
    /// The type refuses edits made at another version.
    #[error("the body is at {}, and its type accepts only edits made at the stored version", body.short())]
    Strict {
        /// The body's version.
        body: Version,
    },
    /// The type refuses edits made at another version, and a save is not an upgrade to another
    /// major.
    #[error("the body is at {}, a higher major version than the stored one, and its type accepts only edits made at the stored version", body.short())]
    MajorHigher {
        /// The body's version.
        body: Version,
    },
    /// Nothing automatic interprets what changed its meaning, or drops a restriction.
    #[error("the body is at {}; on the way there from the stored version, {} changes what a field means or restricts what older clients see", body.short(), at.short())]
    MeaningBetween {
        /// The body's version.
        body: Version,
        /// The first such version.
        at: Version,
    },
    /// Only who has full control changes versions and forces.
    #[error("changing the version of a resource and forcing a write need full control of it")]
    FullControlNeeded,
    /// Clients at that version saw a stand-in, not the resource.
    #[error("at {} only a restricted view can be seen, and it can't be written back", body.short())]
    RestrictedView {
        /// The body's version.
        body: Version,
    },
    /// Its records are tied to two majors until the migration is done.
    #[error("it is being migrated from {old} to {new} and takes no body at {body}")]
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

impl Coded for VersionRefusal {
    fn code(&self) -> Code {
        match self {
            Self::VersionUnknown { .. } => coeval_codes::VERSION_UNKNOWN,
            Self::MajorUnknown { .. } => coeval_codes::MAJOR_UNKNOWN,
            Self::StoredUnknown { .. } => coeval_codes::STORED_VERSION_UNKNOWN,
            Self::ClientTooOld { .. } => coeval_codes::CLIENT_TOO_OLD,
            Self::MarkedBody { .. } => coeval_codes::MARKED_BODY,
            Self::MarkedRecord { .. } => coeval_codes::MARKED_RECORD,
            Self::Strict { .. } => coeval_codes::SKEW_STRICT,
            Self::MajorHigher { .. } => coeval_codes::MAJOR_HIGHER,
            Self::MeaningBetween { .. } => coeval_codes::MEANING_BETWEEN,
            Self::FullControlNeeded => coeval_codes::FULL_CONTROL_NEEDED,
            Self::RestrictedView { .. } => coeval_codes::RESTRICTED_VIEW,
            Self::InMigration { .. } => coeval_codes::IN_MIGRATION,
            Self::Stale => coeval_codes::CONFLICT,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::VersionUnknown {
                newest: Some(newest),
                ..
            } => format!("Use {newest} or an older version, or upgrade this server."),
            Self::VersionUnknown { newest: None, .. } => {
                "Register the type, or upgrade this server.".to_owned()
            }
            Self::MajorUnknown { .. } | Self::StoredUnknown { .. } => {
                "Ask a server of a newer release, or upgrade this one.".to_owned()
            }
            Self::ClientTooOld { .. } => "Upgrade the client.".to_owned(),
            Self::MarkedBody { why, .. } => marked_advice(*why).to_owned(),
            Self::MarkedRecord { .. } => {
                "Write through a server that knows both versions, or upgrade this one.".to_owned()
            }
            Self::Strict { .. } => {
                "Read it at the stored version and edit that, or upgrade the client.".to_owned()
            }
            Self::MajorHigher { .. } | Self::MeaningBetween { .. } => {
                "Upgrade the resource first, or migrate its type to the new major.".to_owned()
            }
            Self::FullControlNeeded => {
                "Write at the stored version without force, or ask for full control.".to_owned()
            }
            Self::RestrictedView { .. } => {
                "Use a client that understands the stored version.".to_owned()
            }
            Self::InMigration { old, new, .. } => {
                format!("Write at {old} or {new}, or wait for the end of the migration.")
            }
            Self::Stale => "Read it again, apply your change to that, and write.".to_owned(),
        }
    }

    fn error_kind(&self) -> ErrorKind {
        match self {
            // The code is the store's, where a conflict that nobody expected is the server's fault.
            Self::Stale => ErrorKind::FailedPrecondition,
            other => other.code().kind(),
        }
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
