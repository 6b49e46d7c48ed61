//! Patterns for strings: `*` stands for any characters, also for none. Case matters.

use crate::error::{FilterError, FilterLimit};
use crate::limits::{OPERAND_BYTES, WILDCARDS};
use serde::{Deserialize, Serialize};

/// Literal pieces with a wildcard between each two; at least two pieces, some maybe empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct WildcardPattern(Vec<String>);

/// A text with wildcards and escapes, read.
pub(crate) enum WildcardText {
    /// It had no wildcard.
    Plain(String),
    /// It had some.
    Pattern(WildcardPattern),
}

impl WildcardPattern {
    /// Of the pieces between wildcards: `["a", ""]` is `a*`. One piece alone has no wildcard and is no pattern.
    ///
    /// # Errors
    ///
    /// If there is no wildcard, or too many of them.
    pub fn of_pieces(pieces: Vec<String>) -> Result<Self, FilterError> {
        match pieces.len() {
            0 | 1 => Err(FilterError::operand(
                &pieces.concat(),
                "a pattern has a wildcard",
            )),
            n if n > WILDCARDS + 1 => Err(FilterError::too_much(FilterLimit::Wildcards)),
            _ => Ok(Self(pieces)),
        }
    }

    /// Of a text in which `*` is a wildcard and a backslash takes the next character as it is.
    pub(crate) fn read(text: &str) -> Result<WildcardText, FilterError> {
        // An escape makes two bytes of one: what is longer than this is too long in any case.
        if text.len() > 2 * OPERAND_BYTES {
            return Err(FilterError::too_much(FilterLimit::OperandBytes));
        }
        let mut pieces = Vec::new();
        let mut piece = String::new();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                // A star ends a piece, so two stars side by side leave an empty piece, which
                // matches anything.
                '*' => pieces.push(std::mem::take(&mut piece)),
                '\\' => piece.push(
                    chars
                        .next()
                        .ok_or_else(|| FilterError::operand(text, "it ends in a backslash"))?,
                ),
                _ => piece.push(c),
            }
        }
        // Without a star it is compared as a whole, which is cheaper and can use an index.
        if pieces.is_empty() {
            return Ok(WildcardText::Plain(piece));
        }
        pieces.push(piece);
        Self::of_pieces(pieces).map(WildcardText::Pattern)
    }

    /// Whether the whole text is of this pattern. Each piece is looked for once, leftmost: with nothing but
    /// `*` between them an earlier place never excludes a match.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.0.split_first() else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return first == text;
        };
        // The first piece has to be at the very beginning; only what is between stars may float.
        let Some(mut left) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        for piece in middle {
            match left.split_once(piece.as_str()) {
                Some((_, after)) => left = after,
                None => return false,
            }
        }
        // What is left begins behind the middle, so the end can't overlap with it.
        left.ends_with(last.as_str())
    }

    /// What every match begins with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    pub(crate) fn pieces(&self) -> &[String] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for WildcardPattern {
    type Error = FilterError;

    fn try_from(pieces: Vec<String>) -> Result<Self, FilterError> {
        Self::of_pieces(pieces)
    }
}
