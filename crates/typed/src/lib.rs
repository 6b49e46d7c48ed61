//! How a type version is said in protobuf. Plain data in, plain data out: no descriptor, no wire.
//!
//! - [`names`]: the names of packages, messages and fields
//! - [`FieldForm`]: what a field holds, by the table in the page on typed services
//! - [`Ledger`]: every field that ever had a number, for one major of a type; it never forgets
//! - [`PackageLayout`]: one package, made from the ledger and the versions of the major
//! - [`PackageFile`]: the package as messages and a service, which can be printed
//! - [`lens`]: what a message says of content, and content with what a message says

mod file;
mod finding;
mod kind;
mod layout;
mod ledger;
pub mod lens;
pub mod limits;
pub mod names;
mod print;
mod service;
mod sketch;
#[cfg(test)]
mod testing;

pub use file::{
    Cardinality, PackageFile, ProtoField, ProtoMessage, ProtoMethod, ProtoService, ValueType,
};
pub use finding::{PackageFinding, PackageFindingKind};
pub use kind::{FieldForm, ItemKind};
pub use layout::{ExtraField, LayoutField, LayoutMessage, PackageLayout, ReservedField};
pub use ledger::{Ledger, NumberedField, PackageCandidate};
pub use lens::LensError;
pub use names::PackageName;
pub use print::comment_lines;
