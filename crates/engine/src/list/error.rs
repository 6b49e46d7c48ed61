//! Why a listing is refused.

use crate::seal::KeyringError;
use crate::token::TokenError;
use coeval_codes::{Code, Coded};
use coeval_filter::FilterError;

/// A listing that is not given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ListError {
    /// The filter or the order.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The filter or the order names what no version has.
    #[error("no version of the type declares spec.{field}{}", similar(near))]
    FieldUndeclared {
        /// The path, dotted.
        field: String,
        /// Declared paths that are similar, dotted.
        near: Vec<String>,
    },
    /// The page token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The key of page tokens.
    #[error(transparent)]
    Key(#[from] KeyringError),
    /// There are more than can be sorted.
    #[error("there are more than {most} to be sorted")]
    SortTooLarge {
        /// Resources, or bytes of what they are sorted by.
        most: &'static str,
    },
    /// No such page can be.
    #[error("{what}")]
    PageInvalid {
        /// What is wrong.
        what: String,
    },
    /// A numbered page has a fixed number of resources, and these are too large.
    #[error("the resources of the page have more than {most} bytes")]
    PageTooLarge {
        /// Bytes that a page has at most.
        most: usize,
    },
}

fn similar(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; similar: spec.{}", near.join(", spec.")),
    }
}

impl Coded for ListError {
    fn code(&self) -> Code {
        match self {
            Self::Filter(inner) => inner.code(),
            Self::FieldUndeclared { .. } => coeval_codes::FILTER_FIELD_UNDECLARED,
            Self::Token(inner) => inner.code(),
            Self::Key(inner) => inner.code(),
            Self::SortTooLarge { .. } => coeval_codes::SORT_TOO_LARGE,
            Self::PageInvalid { .. } => coeval_codes::PAGE_INVALID,
            Self::PageTooLarge { .. } => coeval_codes::PAGE_TOO_LARGE,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::Filter(inner) => return inner.advice(),
            Self::Token(inner) => return inner.advice(),
            Self::Key(inner) => return inner.advice(),
            Self::FieldUndeclared { .. } => {
                "Name a field that `coeval explain` shows for the kind; capitals count."
            }
            Self::SortTooLarge { .. } => {
                "Narrow the listing with a filter, or sort by name, owner, state or id."
            }
            Self::PageInvalid { .. } => "Ask for a page from 1 on, of 1 to 1,000 resources.",
            Self::PageTooLarge { .. } => "Ask for smaller pages, or go from page to page by token.",
        };
        text.to_owned()
    }
}
