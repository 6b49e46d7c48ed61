//! A task as it is stored and shown.

use crate::tasks::by::By;
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_records::header::Time;
use coeval_records::task_status::Status;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a task is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The type, `acme:app`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The type version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The resource's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// So many are done.
    pub done: u64,
    /// Of so many, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl Progress {
    /// In hundredths; 100 only when all is done.
    #[must_use]
    pub fn percent(self) -> u8 {
        let percent = match self.total {
            None => 0,
            Some(0) => 100,
            Some(total) => u128::from(self.done) * 100 / u128::from(total),
        };
        u8::try_from(percent.min(100)).unwrap_or(100)
    }
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFailure {
    /// As every error's: `COEVAL-6001`.
    pub code: String,
    /// In a sentence or two, with what to do.
    pub message: String,
}

impl TaskFailure {
    pub fn of(error: &impl Coded) -> Self {
        Self {
            code: error.code().to_string(),
            message: coeval_records::text::short(&format!("{error} {}", error.advice())),
        }
    }
}

/// Who works on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The server.
    pub server: String,
    /// When it was heard of last.
    pub at: Time,
    /// Counts the claims of this task, so that no two are the same.
    pub number: u64,
}

/// A long-running job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its id; a later task has a greater one.
    #[serde(with = "crate::tasks::record::id_text")]
    pub id: Uuid,
    /// What is done, as a name: `migrateEntities`.
    pub operation: String,
    /// What is done, for people.
    pub description: String,
    /// Whose it is: the user, and the organization that it acted in.
    pub by: By,
    /// What it is about.
    #[serde(default)]
    pub about: About,
    /// Where it stands.
    pub status: Status,
    /// When it was asked for.
    pub created: Time,
    /// When a server first began with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// How far it is.
    #[serde(default)]
    pub progress: Progress,
    /// Why it does not move, or what else there is to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TaskFailure>,
    /// What came out. A listing leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// What the job was told.
    #[serde(default)]
    pub input: Value,
    /// From where the job goes on.
    #[serde(default)]
    pub checkpoint: Value,
    /// Somebody asked for it to end.
    #[serde(default)]
    pub cancel_requested: bool,
    /// Who works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// How often it was claimed.
    #[serde(default)]
    pub claims: u64,
}

impl Task {
    /// The id of the user who started it.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.by.user
    }

    /// The organization that it belongs to.
    #[must_use]
    pub fn org(&self) -> &str {
        self.by.acting_in()
    }

    /// How often a server began to work on it. What it asks others to do may have been done as
    /// often.
    #[must_use]
    pub const fn attempts(&self) -> u64 {
        self.claims
    }

    /// `urn:vcloud:task:<uuid>`
    #[must_use]
    pub fn urn(&self) -> String {
        format!("urn:vcloud:task:{}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_percent_means_that_all_is_done() {
        for (done, total, percent) in [
            (0, None, 0),
            (7, None, 0),
            (0, Some(0), 100),
            (0, Some(3), 0),
            (2, Some(3), 66),
            (999, Some(1_000), 99),
            (1_000, Some(1_000), 100),
            (u64::MAX, Some(1), 100),
        ] {
            assert_eq!(Progress { done, total }.percent(), percent, "{done}");
        }
    }
}
