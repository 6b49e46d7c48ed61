//! Type versions: their file, their schema, what they declare.

mod annotations;
mod body;
mod compile;
mod cost;
mod declared_key;
mod declared_only;
mod declares;
mod defaults;
mod dialect;
mod differing;
mod document;
mod document_stream;
mod extensible;
mod file;
mod file_error;
mod json;
pub mod limits;
mod list_key;
mod located;
mod map_fields;
mod nulls;
mod number;
mod part;
mod pattern;
mod pattern_inclusion;
pub mod pointer;
mod position;
mod prune;
mod redact;
mod remote_refs;
mod restriction;
mod schema;
mod schema_error;
mod shape;
mod since;
pub(crate) mod subschemas;
#[cfg(test)]
mod tests;
mod type_version;
mod undeclared;
mod validate;
mod view;
mod yaml;

pub use annotations::{
    COLUMNS, ColumnType, ListColumn, VersionDeprecation, columns_flaw, same_definition,
    without_annotations,
};
pub use body::{BodyError, read_body};
pub(crate) use declares::is_free;
pub use declares::{DeclaredPath, DeclaredPaths};
pub use defaults::{DefaultsEndless, FilledContent};
pub(crate) use dialect::{percent_decoded, ref_stands_alone};
pub use differing::differing;
pub use document::{Document, DocumentError, DocumentForm, read_document};
pub use document_stream::{LocatedDocument, read_documents};
pub use file_error::{FileError, FileProblem, TypeFileError};
pub use limits::BodyLimits;
pub(crate) use list_key::DeclaredList;
pub(crate) use nulls::{forbids, without_absent_at};
pub(crate) use number::{exact as exact_number, whole};
pub(crate) use part::{AdditionalSchema, PartId, PartTypes, SchemaPart};
pub(crate) use pattern::compile as compile_pattern;
pub(crate) use pattern_inclusion::{PatternInclusion, within};
pub use pointer::{PathPattern, PathToken};
pub use position::Position;
pub use prune::PrunedContent;
pub use redact::RedactedContent;
pub use remote_refs::{RemoteRef, RemoteRefs};
pub use restriction::{Restriction, Visibility};
pub use schema::Schema;
pub(crate) use schema::{deeper_than, dismantle, pattern_limits};
pub use schema_error::{SchemaError, SchemaFlaw};
pub(crate) use shape::{under_index, under_key};
pub use since::{FieldsSince, FieldsTooNew, TooNew, same};
pub use type_version::{
    DeclaredConversion, HookPoint, InterfaceId, SkewPolicy, TypeVersion, TypeVersionId,
};
pub use validate::{ContentError, SchemaViolation};
pub use view::{DOWNGRADED_LABEL, RestrictedContent, RestrictedView};
