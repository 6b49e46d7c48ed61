//! Filters and orders over what a caller sees: compiled once, evaluated often, indexes used where they help.
//!
//! - [`FilterField`], [`Filter`], [`FieldComparison`], [`Operand`], [`WildcardPattern`]: the model that every front end builds
//! - [`CompiledFilter`]: a checked filter; [`CompiledFilter::matches`] evaluates it on anything that is [`FilterView`]
//! - [`SortOrder`], [`SortKey`]: a total order over what is seen, as bytes that compare like the values
//! - [`index_keys`], [`IndexPlan`]: the same bytes as keys of an index, and which of them a filter has to read
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
#[cfg(test)]
mod tests;
mod view;

pub use compiled::CompiledFilter;
pub use encoding::index_value;
pub use error::{FilterError, FilterLimit};
pub use field::FilterField;
pub use filter::{FieldComparison, FieldTest, Filter};
pub use index::{IndexInfo, index_keys, may_be_cut};
pub use operand::Operand;
pub use order::{SortDirection, SortKey, SortOrder};
pub use path::ContentPath;
pub use pattern::WildcardPattern;
pub use plan::{IndexPlan, KeyRange};
pub use view::{FilterView, UnixMillis};
