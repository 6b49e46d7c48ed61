//! Conversions between the versions of a type, and writes at a version that is not the stored one.
//!
//! A conversion never forgets. What the version that is arrived at can't hold is written beside the
//! document, on the place where it belongs, and is back when the document is. So every conversion is
//! one to one between documents *with what is kept*, any two versions convert along the one path
//! between them in the tree of versions, and a write at another version is: go there, replace the
//! document, come back.

mod align;
mod carry_schema;
mod check;
mod express;
mod expressing;
mod fit;
mod images;
pub(crate) mod inclusion;
mod item_keys;
mod kept;
mod keyless;
mod laws;
mod links;
mod making;
mod note;
mod path;
mod program;
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

pub use check::{CheckedWay, ConversionError, Fit};
pub use item_keys::{KeyOrigin, KeyRemedy, KeyedList};
pub use kept::{Kept, KeptEntry, KeptPlace};
pub use keyless::KeylessList;
pub use laws::{Law, LawBroken, LawsChecked};
pub(crate) use making::Making;
pub use making::{STEP_LEVELS, STEPS, StepFlaw, WHEN_LEVELS};
pub use put::Put;
pub use refusal::{Reason, Refusal};
pub use restricted::{MASK, Secrets, SeenView, join_secure};
pub use step::{Class, Loss};
pub use versions::{Record, Versions, VersionsError, View};
