//! What kind of change a new version of a type is: identical, additive, breaking, or undecided.
//!
//! Two questions are asked, one in each direction: does every document that fits the old schema fit
//! the new one, and the other way round. An answer is *proven* by set algebra on the parts that
//! differ, or shown by a document that both validators have seen. Where neither succeeds it is
//! *undecided*, and says so; it is never guessed.
//!
//! Some rules are policy, because people expect them although JSON Schema has it otherwise: a new
//! optional field is an addition, even where an old document may already use its name; a declared
//! field that is gone and a default that is another break, even where every old document still
//! fits.

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

pub use change::Change;
pub use finding::{Bump, Contained, Finding, Kind, Side, Verdict, Witness};
pub use history::{Against, Checked, check};
pub use language::without_descriptions;
pub use rule::Rule;
