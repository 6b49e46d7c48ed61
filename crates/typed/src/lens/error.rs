//! Why what a message says can't be put on what is stored.

use coeval_codes::Coded;

/// A refusal: nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum LensError {
    /// Something in a list can't be said, and the list is changed in a way that does not tell where
    /// it belongs.
    #[error("the list {} is changed, and holds something that the message can't say", place(.at))]
    #[code(
        TYPED_ITEM_UNMATCHED,
        advice = "Write {at} through the generic service (coeval.resources.v1), which says all of it."
    )]
    List {
        /// Where, as a JSON pointer.
        at: String,
    },
}

impl LensError {
    pub(super) fn list(at: &str) -> Self {
        Self::List { at: at.to_owned() }
    }
}

fn place(at: &str) -> &str {
    if at.is_empty() {
        "that is the content"
    } else {
        at
    }
}
