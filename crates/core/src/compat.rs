//! What kind of change a new version of a type is: identical, additive, breaking, or undecided.
//!
//! Two questions are asked, one in each direction: does every document that fits the old schema fit
//! the new one, and the other way round. An answer is *proven* by set algebra on the parts that
//! differ, or disproved by a counterexample that both validators have seen. Where neither succeeds it is
//! *undecided*, and says so; it is never guessed.
//!
//! Some rules are policy, because people expect them although JSON Schema has it otherwise: a new
//! optional field is an addition, even where an old document may already use its name; a declared
//! field that is gone and a default that is another break, even where every old document still
//! fits.
//!
//! ```
//! # use coeval_core::compat::{SchemaChange, ChangeKind, SchemaSide};
//! # use coeval_core::types::Schema;
//! # let schema = |source| Schema::compile(source).unwrap();
//! # use serde_json::json;
//! let old = schema(json!({"type": "object", "properties": {"size": {"type": "integer"}}}));
//! let new = schema(json!({"type": "object", "properties": {"size": {"type": "integer", "maximum": 10}}}));
//! let change = SchemaChange::between(&old, &new);
//! assert_eq!(change.kind, ChangeKind::Breaking);
//! // The finding has a document that fitted before and does not fit any more.
//! let counterexample = change.findings[0].witness.as_ref().unwrap();
//! assert_eq!(counterexample.accepted_by, SchemaSide::Old);
//! assert!(new.validate(&counterexample.document).is_err());
//! ```

mod change;
mod direction;
mod fields;
mod finding;
mod history;
mod inline;
mod language;
mod readers;
mod rule;
#[cfg(test)]
mod tests;

pub use change::SchemaChange;
pub use finding::{
    ChangeKind, CompatFinding, Counterexample, FindingVerdict, SchemaContainment, SchemaSide,
    VersionBump,
};
pub use history::{HistoryCheck, VersionComparison, check};
pub use language::without_descriptions;
pub use rule::CompatRule;
