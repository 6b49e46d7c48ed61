//! The REST API of the console: `/v1/webapi/…`.

mod api;

pub use api::{Settings, WebApi};
