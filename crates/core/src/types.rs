//! Type versions: their file, their schema, what they declare.

mod annotations;
mod body;
mod compile;
mod cost;
mod declared_only;
mod declares;
mod defaults;
mod dialect;
mod differing;
mod document;
mod documents;
mod fields;
mod file;
mod file_error;
mod json;
pub mod limits;
mod located;
mod nulls;
mod number;
mod part;
mod pattern;
mod pattern_inclusion;
pub mod pointer;
mod position;
mod prune;
mod remote_refs;
mod restricted;
mod restriction;
mod schema;
mod schema_error;
mod shape;
mod since;
#[cfg(test)]
mod tests;
mod type_version;
mod validate;
mod view;
mod yaml;

pub use annotations::{
    COLUMNS, Column, ColumnType, Deprecation, columns_flaw, same_definition, with_annotations,
    without_annotations,
};
pub use body::{BodyError, read_body};
pub(crate) use declares::is_free;
pub use declares::{DeclaredPath, DeclaredPaths};
pub use defaults::{DefaultsEndless, Filled};
pub(crate) use dialect::{percent_decoded, ref_stands_alone};
pub use differing::differing;
pub use document::{Document, DocumentError, Form, read_document};
pub use documents::{LocatedDocument, read_documents};
pub use file_error::{FileError, Problem, TypeFileError};
pub use limits::BodyLimits;
pub(crate) use nulls::{forbids, without_absent_at};
pub(crate) use number::exact as exact_number;
pub(crate) use part::{Additional, Id as PartId, Part, Types as PartTypes};
pub(crate) use pattern::compile as compile_pattern;
pub(crate) use pattern_inclusion::{Within, within};
pub use pointer::{PathPattern, Step};
pub use position::Position;
pub use prune::Pruned;
pub use remote_refs::{RemoteRef, RemoteRefs};
pub use restricted::Redacted;
pub use restriction::{Restriction, Visibility};
pub use schema::Schema;
pub(crate) use schema::{deeper_than, dismantle, pattern_limits};
pub use schema_error::{Flaw, SchemaError};
pub(crate) use shape::{under_index, under_key};
pub use since::{FieldsTooNew, Since, TooNew, same};
pub use type_version::{Conversion, Hook, InterfaceId, Skew, TypeVersion, TypeVersionId};
pub use validate::{ContentError, Violation};
pub use view::{DOWNGRADED_LABEL, Restricted, RestrictedView};
