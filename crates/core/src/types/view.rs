//! Restricted views: what clients see of a version whose meaning they can't know.

use crate::version::Version;
use serde_json::Value;

/// The label that a restricted view carries, with the reason as its value.
pub const DOWNGRADED_LABEL: &str = "coeval.internal/downgraded";

/// Instead of a conversion: fixed content for clients below a version.
#[derive(Clone, Debug, PartialEq)]
pub struct RestrictedView {
    /// Clients below this version see it.
    pub below: Version,
    /// What they see in place of the content.
    pub content: Value,
    /// Why, for people.
    pub reason: String,
}

/// What an older client is shown. It can't be written back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestrictedContent<'v> {
    /// In place of the content.
    pub content: &'v Value,
    /// The label's name and value.
    pub label: (&'static str, &'v str),
}

impl RestrictedView {
    /// What a client of that version is shown; `None` if it sees the resource as others do.
    ///
    /// ```
    /// use coeval_core::types::RestrictedView;
    /// use coeval_core::version::Version;
    ///
    /// let (below, content) = (Version::new(2, 0, 0), serde_json::json!({"image": "see v2"}));
    /// let view = RestrictedView { below, content, reason: "Images have signatures.".into() };
    /// assert!(view.shown_to(Version::new(1, 3, 0)).is_some());
    /// assert!(view.shown_to(below).is_none());
    /// ```
    #[must_use]
    pub fn shown_to(&self, client: Version) -> Option<RestrictedContent<'_>> {
        (client < self.below).then(|| RestrictedContent {
            content: &self.content,
            label: (DOWNGRADED_LABEL, &self.reason),
        })
    }
}
