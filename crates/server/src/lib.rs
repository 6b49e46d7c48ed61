//! The listener: one port for every API.
//!
//! It speaks HTTP/1.1 and HTTP/2, with TLS or without, answers `/healthz`, `/readyz` and
//! `/metrics`, and drains: a server that is told to stop first says that it is not ready, then
//! stops accepting, then lets running requests end. What is served besides is an axum router
//! that the caller brings; this crate knows nothing of storage or of any API.

mod age;
mod answer;
mod config;
mod connection;
mod error;
mod lifecycle;
mod listener;
mod path;
mod peer;
mod readiness;
mod request;
mod routes;
mod stall;
mod tls;
mod unread;

pub use age::ConnectionEnd;
pub use answer::error_answer;
pub use config::{ConnectionLimits, DrainPeriods, ListenerConfig, ListenerTlsFiles, RequestSpans};
pub use error::ServerError;
pub use lifecycle::Lifecycle;
pub use listener::{Listener, StopOutcome};
pub use peer::{CalledBy, Peer};
pub use readiness::Readiness;
pub use request::REQUEST_ID;
