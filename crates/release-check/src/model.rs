//! What a release serves, in the same words for every API and every other thing to rely on.
//!
//! Three APIs are described in two languages, and rules that were written for each would differ
//! sooner or later. So each description is read into one [`ApiDocument`], and whatever is no API into
//! [`CatalogItem`]s. A rule sees only these.

mod api;
mod catalog;
mod deprecation;
mod shape;

pub use api::{AnswerKey, ApiDocument, ApiOperation, ApiStyle};
pub use catalog::{CatalogItem, CatalogKind};
pub use deprecation::{DeclaredDeprecation, DeprecationNote};
pub use shape::{ListShape, ObjectShape, ScalarShape, SurfaceField, ValueLimits, ValueShape};

use coeval_releases::Release;
use std::collections::{BTreeMap, BTreeSet};

/// What each command prints as JSON: the types at each path.
pub type CommandOutputs = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Everything of one release that somebody outside may rely on.
#[derive(Clone, Debug)]
pub struct ReleaseSurface {
    /// Whose it is.
    pub release: Release,
    /// The APIs; one of each style at most.
    pub apis: Vec<ApiDocument>,
    /// Error codes, commands, settings, metrics, kinds and levels, by kind and name.
    pub catalog: BTreeMap<String, CatalogItem>,
    /// What commands print. It takes a running server to learn it, so it may be unknown.
    pub outputs: Option<CommandOutputs>,
}

impl ReleaseSurface {
    /// The API of that style.
    #[must_use]
    pub fn api(&self, style: ApiStyle) -> Option<&ApiDocument> {
        self.apis.iter().find(|api| api.style == style)
    }
}

/// A release that is out, and what it served.
#[derive(Clone, Debug)]
pub struct KeptRelease {
    /// What it served.
    pub surface: ReleaseSurface,
}

impl KeptRelease {
    /// Which one.
    #[must_use]
    pub fn release(&self) -> Release {
        self.surface.release
    }
}
