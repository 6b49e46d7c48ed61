//! Why a listing is refused.

use crate::seal::error::KeyringError;
use crate::token::TokenError;
use coeval_codes::Coded;
use coeval_filter::FilterError;

/// A listing that is not given.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Coded)]
pub enum ListError {
    /// The filter or the order.
    #[error(transparent)]
    #[code(transparent)]
    Filter(#[from] FilterError),
    /// The filter or the order names what no version has.
    #[error("no version of the type declares spec.{field}{}", similar(near))]
    #[code(
        FILTER_FIELD_UNDECLARED,
        advice = "Name a field that `coeval explain` shows for the kind; capitals count."
    )]
    FieldUndeclared {
        /// The path, dotted.
        field: String,
        /// Declared paths that are similar, dotted.
        near: Vec<String>,
    },
    /// The page token.
    #[error(transparent)]
    // As released: whatever is wrong with the token of a page, the listing starts again.
    #[code(transparent, kind = InvalidArgument)]
    Token(#[from] TokenError),
    /// The key of page tokens.
    #[error(transparent)]
    #[code(transparent, kind = InvalidArgument)]
    Key(#[from] KeyringError),
    /// There are more than can be sorted.
    #[error("there are more than {most} to be sorted")]
    #[code(
        SORT_TOO_LARGE,
        advice = "Narrow the listing with a filter, or sort by name, owner, state or id."
    )]
    SortTooLarge {
        /// Resources, or bytes of what they are sorted by.
        most: &'static str,
    },
    /// No such page can be.
    #[error("{what}")]
    #[code(
        PAGE_INVALID,
        advice = "Ask for a page from 1 on, of 1 to 1,000 resources."
    )]
    PageInvalid {
        /// What is wrong.
        what: String,
    },
    /// A numbered page has a fixed number of resources, and these are too large.
    #[error("the resources of the page have more than {most} bytes")]
    #[code(
        PAGE_TOO_LARGE,
        advice = "Ask for smaller pages, or go from page to page by token."
    )]
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
