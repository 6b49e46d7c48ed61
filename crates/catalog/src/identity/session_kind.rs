//! Sessions of people, and the tokens of programs.

use serde::{Deserialize, Serialize};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SessionKind {
    /// Began with a login.
    Session,
    /// Made for a program.
    ApiToken,
}

impl SessionKind {
    pub const ALL: &[Self] = &[Self::Session, Self::ApiToken];

    /// What its secret begins with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "cvs_",
            Self::ApiToken => "cvt_",
        }
    }
}
