//! What the REST APIs share: how queries and bodies are read, how rows that are all at hand are
//! filtered and sorted, how times and pointers are written, and how an operation is described in
//! an `OpenAPI` document. It knows nothing of the engine, nor of any route.

mod body;
mod error;
mod fields;
mod headers;
mod inspection;
pub mod openapi;
mod query;
mod rows;
mod times;

pub use body::{object, pass_over, read_bytes, read_json};
pub use error::RestError;
pub use fields::Fields;
pub use headers::{pointers, seconds};
pub use inspection::{BodySchemas, UnknownParam, inspect_body, inspect_query, tell_deprecation};
pub use query::{Query, encode};
pub use rows::Rows;
pub use times::rfc3339;
