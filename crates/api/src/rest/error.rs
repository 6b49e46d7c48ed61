//! What can be wrong with a request before it is known what it means.

use coeval_codes::Coded;
use coeval_core::types::BodyError;
use coeval_filter::FilterError;
use coeval_filter::fiql::FiqlError;
use std::time::Duration;

/// A request that can't be read.
#[derive(Clone, Debug, thiserror::Error, Coded)]
pub enum RestError {
    /// The body can't be read.
    #[error(transparent)]
    #[code(transparent)]
    Body(#[from] BodyError),
    /// It came too slowly.
    #[error("the body did not arrive within {} s", limit.as_secs())]
    #[code(BODY_TOO_SLOW, advice = "Send the body at once after the headers.")]
    BodyTooSlow {
        /// How long it may take.
        limit: Duration,
    },
    /// A query parameter.
    #[error("the query parameter {name} is not valid: {reason}")]
    #[code(QUERY_INVALID, advice = "Correct the parameter, or leave it out.")]
    Query {
        /// Which.
        name: String,
        /// Why.
        reason: String,
    },
    /// A query parameter that came with a later release, or none at all.
    #[error("this server, of release {release}, does not know the query parameter {name}")]
    #[code(
        FIELD_UNKNOWN,
        advice = "Check the spelling. Use a server of a newer release, leave the parameter out, or name it in coeval-ignorable if the request means the same without it."
    )]
    ParamUnknown {
        /// Which.
        name: String,
        /// The server's.
        release: &'static str,
    },
    /// A field of the body that came with a later release, or none at all.
    #[error(
        "this server, of release {release}, does not know the field {name:?} here; it knows: {known}"
    )]
    #[code(
        REQUEST_INVALID,
        advice = "Check the spelling, use a server of a newer release, or leave the field out. If the request means the same without it, name it in coeval-ignorable, with those around it: metadata.NAME."
    )]
    FieldUnknown {
        /// Which.
        name: String,
        /// Those that it knows there.
        known: String,
        /// The server's.
        release: &'static str,
    },
    /// Something in the body.
    #[error("{reason}")]
    #[code(REQUEST_INVALID, advice = "Correct the body and send it again.")]
    Request {
        /// What.
        reason: String,
    },
    /// A field to filter or sort by.
    #[error(transparent)]
    #[code(transparent)]
    Filter(#[from] FilterError),
    /// A filter's text.
    #[error(transparent)]
    #[code(transparent)]
    Fiql(#[from] FiqlError),
}

impl RestError {
    /// Something in the body.
    pub fn request(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Request { reason }
    }

    /// A query parameter.
    pub fn query(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Query {
            name: name.into(),
            reason: reason.into(),
        }
    }
}
