//! Why a text is not a version.

use coeval_codes::Coded;
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("{text} is not a version: {flaw}")]
#[code(from = flaw)]
pub struct VersionError {
    /// What was sent.
    pub text: Excerpt,
    /// What is wrong with it.
    pub flaw: VersionFlaw,
}

/// What is wrong with a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[non_exhaustive]
#[code(advice = "Write MAJOR.MINOR.PATCH in plain digits, as in 1.1.0.")]
pub enum VersionFlaw {
    /// Nothing there.
    #[error("it is empty")]
    #[code(VERSION_INVALID)]
    Empty,
    /// Longer than the longest version.
    #[error("it is too long")]
    #[code(VERSION_INVALID)]
    TooLong,
    /// A blank, a tab, a line end.
    #[error("it has a space in it")]
    #[code(VERSION_INVALID)]
    Space,
    /// A digit of another script looks right and is not.
    #[error("{0:?} is a digit, but not one of 0 to 9")]
    #[code(VERSION_INVALID)]
    ForeignDigit(char),
    /// Any other character.
    #[error("{0:?} is not a digit")]
    #[code(VERSION_INVALID)]
    NotADigit(char),
    /// `1.0.0-alpha`.
    #[error("{0} is a pre-release label, and versions of types have none")]
    #[code(
        VERSION_PRE_RELEASE,
        advice = "Use a version of its own for an experiment, and open it to few with its access list."
    )]
    PreRelease(Excerpt),
    /// `1.0.0+build.5`.
    #[error("{0} is build metadata; only the mark `+downgraded` may follow a version")]
    #[code(
        VERSION_BUILD_METADATA,
        advice = "Leave out everything from the `+` on."
    )]
    BuildMetadata(Excerpt),
    /// `+downgraded` on something that is not a view.
    #[error("the mark `+downgraded` belongs to a view and can't be part of it here")]
    #[code(MARK_NOT_ALLOWED, advice = "Leave out `+downgraded`.")]
    MarkNotAllowed,
    /// `1..0`, `1.`, `v`.
    #[error("a number is missing")]
    #[code(VERSION_INVALID)]
    MissingNumber,
    /// `1.01.0`.
    #[error("a number begins with 0")]
    #[code(VERSION_INVALID)]
    LeadingZero,
    /// Over 32 bits.
    #[error("a number is larger than {}", u32::MAX)]
    #[code(
        VERSION_TOO_LARGE,
        advice = "Use small numbers; a date is better kept in the description."
    )]
    TooLarge,
    /// `1.0.0.0`.
    #[error("it has more than three numbers")]
    #[code(VERSION_INVALID)]
    TooManyNumbers,
    /// `1.1` where it could mean two things.
    #[error("it has fewer than three numbers")]
    #[code(
        VERSION_INCOMPLETE,
        advice = "Write all three numbers, as in 1.1.0, or the short form v1.1."
    )]
    TooFewNumbers,
    /// `v1.0.0` in a type id.
    #[error("here it is written without the `v`")]
    #[code(VERSION_INVALID, advice = "Write three numbers, as in 1.1.0.")]
    UnexpectedV,
    /// `V1`.
    #[error("the `v` is a small letter")]
    #[code(VERSION_INVALID, advice = "Write v1.1.")]
    CapitalV,
}
