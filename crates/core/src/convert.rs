//! Conversions between the versions of a type, and writes at a version that is not the stored one.
//!
//! A conversion never forgets. What the version that is arrived at can't hold is written beside the
//! document, on the place where it belongs, and is back when the document is. So every conversion is
//! one to one between documents *with what is kept*, any two versions convert along the one path
//! between them in the tree of versions, and a write at another version is: go there, replace the
//! document, come back.
//!
//! - [`Versions`]: all versions of a type; [`Versions::view`], [`Versions::moved`] and
//!   [`Versions::put`] read, upgrade and write
//! - [`Versions::check_conversion`], [`Versions::check_laws`]: what is tried before a version is
//!   registered
//!
//! The examples use this type:
//!
//! ```yaml
#![doc = include_str!("../doctests/app.yaml")]
//! ```
//!
//! Each of its steps is read in both directions:
//!
//! ```
//! # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
//! use coeval_core::convert::{ContentRecord, Versions};
//! use coeval_core::types::TypeVersion;
//! use coeval_core::version::Version;
//! use serde_json::json;
//!
//! let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
//! let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
//! let (old, new) = (json!({"img": "web", "memory": 2}), json!({"image": "web", "memory": 2048}));
//! assert_eq!(app.view(ContentRecord::new(v1, old.clone()), v2).unwrap().content, new);
//! assert_eq!(app.view(ContentRecord::new(v2, new), v1).unwrap().content, old);
//! ```

mod align;
mod carry_schema;
mod check;
mod express;
mod fit;
mod identity;
mod images;
pub(crate) mod inclusion;
mod item_keys;
mod kept;
mod keyless;
mod laws;
mod links;
mod note;
mod path;
mod place_graph;
mod program;
mod program_builder;
mod pruned;
mod put;
mod put_moved;
mod refusal;
mod restricted;
mod same_items;
pub(crate) mod sketch;
mod step;
mod steps;
#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod unexpressed;
mod versions;
mod weight;

pub use check::{CheckedDirection, ConversionError, ConversionFit};
pub use identity::KeyOrigin;
pub use item_keys::KeyedList;
pub use kept::{KeptEntry, KeptPlace, KeptValues};
pub use keyless::KeylessList;
pub use laws::{ConversionLaw, LawBroken, LawsChecked};
pub(crate) use program_builder::ProgramBuilder;
pub use program_builder::{STEP_LEVELS, STEPS, StepFlaw, WHEN_LEVELS};
pub use put::PutOutcome;
pub use refusal::{ConversionObstacle, ConversionRefusal, KeyRemedy};
pub use restricted::{MASK, RecordSecrets, SeenView, join_secure};
pub use step::{ConversionClass, StepLoss};
pub use versions::{ContentRecord, ContentView, Versions, VersionsError};
