//! What the REST APIs share: how queries and bodies are read, how rows that are all at hand are
//! filtered and sorted, how times and pointers are written, and how an operation is described in
//! an `OpenAPI` document. It knows nothing of the engine, nor of any route.

mod answer_headers;
mod body;
mod error;
mod fields;
mod inspection;
pub mod openapi;
mod query;
mod rows;
mod times;

pub use answer_headers::{pointers, seconds};
pub use body::{pass_over, read_bytes, read_json, read_object};
pub use error::RestError;
pub use fields::BodyFields;
pub use inspection::{BodySchemas, UnknownParam, inspect_body, inspect_query, tell_deprecation};
pub use query::{QueryParams, encode};
pub use rows::FilterableRows;
pub use times::rfc3339;
