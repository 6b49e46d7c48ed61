//! Filters and orders over what a caller sees: compiled once, evaluated often, indexes used where they help.
//!
//! - [`Field`], [`Filter`], [`Compare`], [`Operand`], [`Pattern`]: the model that every front end builds
//! - [`Compiled`]: a checked filter; [`Compiled::matches`] evaluates it on anything that is [`Seen`]
//! - [`Order`], [`SortKey`]: a total order over what is seen, as bytes that compare like the values
//! - [`index_keys`], [`Plan`]: the same bytes as keys of an index, and which of them a filter has to read
//!
//! An index never makes a match disappear: what a plan reads is a superset, and the filter is evaluated again on it.

mod check;
mod compiled;
mod encoding;
mod error;
mod field;
mod filter;
pub mod fiql;
mod index;
pub mod limits;
mod operand;
mod order;
mod path;
mod pattern;
mod plan;
mod reach;
mod seen;
#[cfg(test)]
mod tests;

pub use compiled::Compiled;
pub use encoding::index_value;
pub use error::{FilterError, Limit};
pub use field::Field;
pub use filter::{Compare, Filter, Test};
pub use index::{IndexInfo, index_keys, may_be_cut};
pub use operand::Operand;
pub use order::{Direction, Order, SortKey};
pub use path::ContentPath;
pub use pattern::Pattern;
pub use plan::{KeyRange, Plan};
pub use seen::{Millis, Seen};
