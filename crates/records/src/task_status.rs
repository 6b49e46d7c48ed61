//! Where a task stands.

use serde::{Deserialize, Serialize};

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nobody works on it yet.
    Queued,
    /// A server works on it, or did until it stopped.
    Running,
    /// Done.
    Success,
    /// Given up; the error says why.
    Error,
    /// Ended because somebody asked for it.
    Canceled,
    /// Ended by a fault of the job itself.
    Aborted,
}

impl Status {
    /// Whether nothing follows.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The word on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Success => "success",
            Self::Error => "error",
            Self::Canceled => "canceled",
            Self::Aborted => "aborted",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
