//! Why a text is not a version.

use coeval_codes::{Code, Coded};
use std::fmt;

/// The beginning of a text that somebody sent, fit to be shown: one line, not too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    const LONGEST: usize = 60;

    pub(crate) fn of(text: &str) -> Self {
        let mut shown: String = text
            .chars()
            .take(Self::LONGEST)
            .flat_map(char::escape_debug)
            .collect();
        if text.chars().nth(Self::LONGEST).is_some() {
            shown.push('…');
        }
        Self(shown)
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// A text that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not a version: {flaw}")]
pub struct VersionError {
    /// What was sent.
    pub text: Excerpt,
    /// What is wrong with it.
    pub flaw: VersionFlaw,
}

/// What is wrong with a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionFlaw {
    /// Nothing there.
    #[error("it is empty")]
    Empty,
    /// Longer than the longest version.
    #[error("it is too long")]
    TooLong,
    /// A blank, a tab, a line end.
    #[error("it has a space in it")]
    Space,
    /// A digit of another script looks right and is not.
    #[error("{0:?} is a digit, but not one of 0 to 9")]
    ForeignDigit(char),
    /// Any other character.
    #[error("{0:?} is not a digit")]
    NotADigit(char),
    /// `1.0.0-alpha`.
    #[error("{0} is a pre-release label, and versions of types have none")]
    PreRelease(Excerpt),
    /// `1.0.0+build.5`.
    #[error("{0} is build metadata; only the mark `+downgraded` may follow a version")]
    BuildMetadata(Excerpt),
    /// `+downgraded` on something that is not a view.
    #[error("the mark `+downgraded` belongs to a view and can't be part of it here")]
    MarkNotAllowed,
    /// `1..0`, `1.`, `v`.
    #[error("a number is missing")]
    MissingNumber,
    /// `1.01.0`.
    #[error("a number begins with 0")]
    LeadingZero,
    /// Over 32 bits.
    #[error("a number is larger than {}", u32::MAX)]
    TooLarge,
    /// `1.0.0.0`.
    #[error("it has more than three numbers")]
    TooManyNumbers,
    /// `1.1` where it could mean two things.
    #[error("it has fewer than three numbers")]
    TooFewNumbers,
    /// `v1.0.0` in a type id.
    #[error("here it is written without the `v`")]
    UnexpectedV,
    /// `V1`.
    #[error("the `v` is a small letter")]
    CapitalV,
}

impl Coded for VersionError {
    fn code(&self) -> Code {
        match self.flaw {
            VersionFlaw::PreRelease(_) => coeval_codes::VERSION_PRE_RELEASE,
            VersionFlaw::BuildMetadata(_) => coeval_codes::VERSION_BUILD_METADATA,
            VersionFlaw::MarkNotAllowed => coeval_codes::MARK_NOT_ALLOWED,
            VersionFlaw::TooLarge => coeval_codes::VERSION_TOO_LARGE,
            VersionFlaw::TooFewNumbers => coeval_codes::VERSION_INCOMPLETE,
            _ => coeval_codes::VERSION_INVALID,
        }
    }

    fn advice(&self) -> String {
        match self.flaw {
            VersionFlaw::PreRelease(_) => {
                "Use a version of its own for an experiment, and open it to few with its access list."
            }
            VersionFlaw::BuildMetadata(_) => "Leave out everything from the `+` on.",
            VersionFlaw::MarkNotAllowed => "Leave out `+downgraded`.",
            VersionFlaw::TooLarge => "Use small numbers; a date is better kept in the description.",
            VersionFlaw::TooFewNumbers => "Write all three numbers, as in 1.1.0, or the short form v1.1.",
            VersionFlaw::UnexpectedV => "Write three numbers, as in 1.1.0.",
            VersionFlaw::CapitalV => "Write v1.1.",
            _ => "Write MAJOR.MINOR.PATCH in plain digits, as in 1.1.0.",
        }
        .to_owned()
    }
}
