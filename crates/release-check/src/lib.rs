//! RFD 179's rules as code: what this code serves, compared with every release that is kept.
//!
//! A server of release N serves clients of N and N-1, and a client of N may meet a server of N-1.
//! That holds only if no release takes something away that the one before it gave. People forget;
//! so what a release served is kept in `releases/`, and this crate says what breaks.
//!
//! 1. [`read_surface`] reads the files of a release into one [`ReleaseSurface`]: the REST APIs and gRPC in
//!    one model of operations and shapes, everything else as a catalog of items.
//! 2. [`check`] walks two surfaces side by side and collects what differs.
//! 3. Each [`ReleaseRule`] judges the differences that it knows. What it refuses is a [`RuleViolation`]: which
//!    rule, where, which release it breaks, and how to go on.
//!
//! ```
//! use coeval_release_check::{ApiStyle, read_openapi};
//!
//! let document = serde_json::json!({ "paths": { "/v1/webapi/foos": { "get": {
//!     "responses": { "200": { "description": "Foos." } },
//! } } } });
//! let api = read_openapi(ApiStyle::Webapi, &document).unwrap();
//! assert!(api.operations.contains_key("GET /v1/webapi/foos"));
//! ```

mod check;
mod compare;
mod model;
mod read;
mod rules;
mod samples;
mod summary;
mod violation;

pub use check::check;
pub use compare::{SurfaceArea, SurfacePlace};
pub use model::{
    AnswerKey, ApiDocument, ApiOperation, ApiStyle, CatalogItem, CatalogKind, CommandOutputs,
    DeclaredDeprecation, DeprecationNote, KeptRelease, ListShape, ObjectShape, ReleaseSurface,
    ScalarShape, SurfaceField, ValueLimits, ValueShape,
};
pub use read::{
    DocumentProblem, ReadError, catalog_by_key, read_commands, read_descriptors, read_errors,
    read_kept_releases, read_kind_version, read_levels, read_metrics, read_openapi, read_outputs,
    read_surface,
};
pub use rules::{ReleaseRule, RuleSet, rules_table};
pub use samples::{print_outputs, types_by_path};
pub use summary::SurfaceSummary;
pub use violation::RuleViolation;
