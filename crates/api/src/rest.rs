//! What the REST APIs share: what handlers answer, how a table becomes a router, how queries and bodies are read, how rows that are all at hand are
//! filtered and sorted, how times and pointers are written, and how an operation is described in
//! an `OpenAPI` document. It knows nothing of the engine, nor of any route.

mod answer;
mod answer_headers;
mod body;
mod error;
mod fields;
mod inspection;
pub mod openapi;
mod path_params;
mod query;
mod router;
mod rows;
mod times;

pub use answer::RestAnswer;
pub use answer_headers::{pointers, seconds};
pub use body::{pass_over, read_bytes, read_json, read_object};
pub use error::RestError;
pub use fields::BodyFields;
pub use inspection::{BodySchemas, UnknownParam, inspect_body, inspect_query, tell_deprecation};
pub use path_params::PathParams;
pub use query::{QueryParams, encode};
pub use router::table_router;
pub use rows::FilterableRows;
pub use times::rfc3339;
