//! What can go wrong, and how clients are told: a status and a minor code that they know, and
//! beside these our own code, what happened and what to do next.

use crate::error_form::ErrorForm;
use crate::xml;
use coeval_api::caller::{CallerError, CallerRefusal};
use coeval_api::negotiation::HeaderError;
use coeval_api::rest::{RestAnswer, RestError, seconds};
use coeval_codes::Coded;
use coeval_core::convert::{ConversionObstacle, ConversionRefusal};
use coeval_core::types::BodyError;
use coeval_engine::EngineError;
use coeval_engine::entries::EntryError;
use coeval_engine::identity::IdentityError;
use coeval_filter::FilterError;
use coeval_filter::fiql::FiqlError;
use http::{Method, StatusCode, header};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What is wrong with a request, or with what it met.
#[derive(Debug, thiserror::Error, Coded)]
pub(crate) enum ApiError {
    #[error(transparent)]
    #[code(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    #[code(transparent)]
    Rest(RestError),
    #[error(transparent)]
    #[code(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    #[code(
        transparent,
        advice = caller_advice(_0)
    )]
    Caller(#[from] CallerRefusal),
    #[error("the API version {said} is not served")]
    #[code(
        API_VERSION_UNKNOWN,
        advice = "Ask for one that /api/versions lists, or say none for the newest."
    )]
    VersionUnknown { said: String },
    #[error("{text:?} is not {what}: {reason}")]
    #[code(ID_INVALID, advice = "Use an id as the server answers it.")]
    Id {
        text: String,
        what: &'static str,
        reason: String,
    },
    #[error("a write must say with If-Match which revision it changes")]
    #[code(
        IF_MATCH_NEEDED,
        advice = "Read the entity first and send its ETag as If-Match."
    )]
    IfMatchNeeded,
    #[error("this server has nothing at {path}")]
    #[code(
        ROUTE_UNKNOWN,
        advice = "Check the path, and the server's release in the header coeval-release."
    )]
    RouteUnknown { path: String },
    #[error("{path} does not answer {method}")]
    #[code(METHOD_UNKNOWN, advice = "Use one of the methods in the header Allow.")]
    MethodUnknown { path: String, method: Method },
    #[error("a global role can't be kept from some organizations")]
    #[code(
        GLOBAL_ROLE_FOR_ALL,
        advice = "Unpublish the bundle that brings the rights, or make a role of one organization."
    )]
    GlobalRole,
    #[error("no token is given: {reason}")]
    #[code(
        GRANT_TYPE_UNKNOWN,
        advice = "Use refresh_token, or jwt-bearer for a client that is registered."
    )]
    Grant { reason: String },
    /// A write changes fields that need full control; clients look for them in brackets.
    #[error("the fields [ {fields} ] are restricted: {refusal}")]
    #[code(from = refusal)]
    Restricted {
        fields: String,
        refusal: ConversionRefusal,
    },
    /// The same, told with a status or a minor code of its own.
    #[error("{error}")]
    #[code(from = error)]
    Told {
        error: Box<ApiError>,
        status: StatusCode,
        minor: &'static str,
    },
}

/// As clients of RDE log in.
fn caller_advice(refusal: &CallerRefusal) -> String {
    match refusal {
        CallerRefusal::CredentialsMissing => {
            "Log in at /cloudapi/1.0.0/sessions and send the token as Authorization: Bearer."
                .to_owned()
        }
        CallerRefusal::TooManyRequests { .. } => {
            "Wait as long as Retry-After says, then go on.".to_owned()
        }
        CallerRefusal::Certificate(refusal) => refusal.advice(),
    }
}

impl ApiError {
    pub(crate) fn request(reason: impl Into<String>) -> Self {
        Self::Rest(RestError::request(reason))
    }

    pub(crate) fn query(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Rest(RestError::query(name, reason))
    }

    pub(crate) fn id(text: &str, what: &'static str, reason: impl Into<String>) -> Self {
        Self::Id {
            text: text.chars().take(200).collect(),
            what,
            reason: reason.into(),
        }
    }

    /// Of a refused conversion.
    pub(crate) fn of_conversion(refusal: ConversionRefusal) -> Self {
        match &refusal.reason {
            ConversionObstacle::RestrictedFields(all) => {
                // Without the slash before them, as clients look for them.
                let names = all.iter().map(|pointer| pointer.trim_start_matches('/'));
                let fields = names.collect::<Vec<_>>().join(", ");
                Self::Restricted { fields, refusal }
            }
            _ => EngineError::Conversion(refusal).into(),
        }
    }

    /// Told as a user error with this minor code.
    pub(crate) fn minor(self, minor: &'static str) -> Self {
        self.told(StatusCode::BAD_REQUEST, minor)
    }

    /// Told with a status and a minor code.
    pub(crate) fn told(self, status: StatusCode, minor: &'static str) -> Self {
        let error = Box::new(self);
        Self::Told {
            error,
            status,
            minor,
        }
    }

    /// As the kind of the error says: 403 for what may not be done *or does not exist*, 412 for a
    /// revision that is not the current one, 400 for everything else that the caller can mend.
    pub(crate) fn status(&self) -> StatusCode {
        if let Self::Told { status, .. } = self {
            return *status;
        }
        let status = self.error_kind().statuses().cloudapi;
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The code that clients of this API look at.
    fn minor_code(&self) -> &'static str {
        match self {
            Self::Told { minor, .. } => minor,
            Self::Engine(EngineError::StateForbids {
                state: coeval_engine::State::PreCreated,
                ..
            }) => "RDE_ENTITY_NOT_RESOLVED",
            Self::Engine(EngineError::BehaviorUnknown { .. }) => "RDE_INVALID_BEHAVIOR_SCOPE",
            Self::Restricted { .. } => "RDE_RESTRICTED_FIELDS",
            Self::Engine(EngineError::Entry(EntryError::ReadOnlyInOwnDomain { .. })) => {
                "VCD_META_CRUD_INVALID_FLAG"
            }
            Self::Rest(RestError::Filter(_) | RestError::Fiql(_)) => "INVALID_FILTER",
            // All others have the code that goes with their status.
            _ => match self.status() {
                StatusCode::UNAUTHORIZED => "UNAUTHORIZED",
                StatusCode::FORBIDDEN => "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
                StatusCode::NOT_FOUND => "NOT_FOUND",
                StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
                StatusCode::NOT_ACCEPTABLE => "NOT_ACCEPTABLE",
                StatusCode::REQUEST_TIMEOUT => "REQUEST_TIMEOUT",
                StatusCode::PRECONDITION_FAILED => "PRECONDITION_FAILED",
                StatusCode::PRECONDITION_REQUIRED => "PRECONDITION_REQUIRED",
                StatusCode::PAYLOAD_TOO_LARGE => "PAYLOAD_TOO_LARGE",
                StatusCode::TOO_MANY_REQUESTS => "TOO_MANY_REQUESTS",
                StatusCode::SERVICE_UNAVAILABLE => "SERVICE_UNAVAILABLE",
                StatusCode::INTERNAL_SERVER_ERROR => "INTERNAL_SERVER_ERROR",
                _ => "BAD_REQUEST",
            },
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Caller(CallerRefusal::TooManyRequests { retry_after }) => Some(*retry_after),
            Self::Told { error, .. } => error.retry_after(),
            Self::Engine(EngineError::Identity(IdentityError::LoginBlocked { retry_after_ms })) => {
                Some(Duration::from_millis(*retry_after_ms))
            }
            Self::Engine(EngineError::Identity(IdentityError::LoginsTooMany)) => {
                Some(Duration::from_secs(1))
            }
            other => other.error_kind().retry_after(),
        }
    }

    /// More for programs: where it does not fit, what it is by now.
    fn details(&self) -> Map<String, Value> {
        let mut all = Map::new();
        if let Self::Engine(error) = self
            && let Some(error) = error.content()
        {
            let violations = error.violations().iter().map(|one| {
                json!({ "path": one.pointer.to_string(), "message": one.sentence.to_string() })
            });
            all.insert("violations".into(), violations.collect());
        }
        match self {
            Self::Told { error, .. } => return error.details(),
            Self::Engine(EngineError::Conflict { current, paths }) => {
                all.insert("currentRevision".into(), json!(current.to_string()));
                all.insert("differs".into(), json!(paths));
            }
            // An answer without its findings is still the right refusal.
            Self::Engine(EngineError::Incompatible { findings, .. }) => {
                match serde_json::to_value(findings) {
                    Ok(findings) => {
                        all.insert("findings".into(), findings);
                    }
                    Err(error) => tracing::error!(%error, "findings can't be encoded"),
                }
            }
            Self::Engine(EngineError::NameAmbiguous { ids, .. }) => {
                all.insert("ids".into(), json!(ids));
            }
            _ => {}
        }
        all
    }

    /// As an answer. What went wrong inside of the server goes to its log, not to the caller.
    pub(crate) fn answer(&self, form: ErrorForm, request_id: &str) -> RestAnswer {
        let status = self.status();
        let message = if status.is_server_error() {
            // Its own text may name hosts and files: that is for the log.
            tracing::error!(code = %self.code(), error = %self, "a request failed");
            self.code().title().to_owned()
        } else {
            self.to_string()
        };
        // In brackets, as other servers of this API write it.
        let message = format!("[ {request_id} ] {message}");
        let minor = self.minor_code();
        let mut answer = match form {
            ErrorForm::Json => {
                let mut body = json!({
                    "minorErrorCode": minor,
                    "message": message,
                    "stackTrace": null,
                    "code": self.code().to_string(),
                    "advice": self.advice(),
                });
                let details = self.details();
                if let (Value::Object(body), false) = (&mut body, details.is_empty()) {
                    body.insert("details".into(), Value::Object(details));
                }
                RestAnswer::json(status, &body)
            }
            ErrorForm::Xml => {
                let (code, advice) = (self.code().to_string(), self.advice());
                let status_text = status.as_u16().to_string();
                let text = xml::document(|w| {
                    w.empty(
                        "Error",
                        &[
                            ("xmlns", xml::VCLOUD),
                            ("message", &message),
                            ("majorErrorCode", &status_text),
                            ("minorErrorCode", minor),
                            ("code", &code),
                            ("advice", &advice),
                        ],
                    );
                });
                let mut answer = RestAnswer::xml("vnd.vmware.vcloud.error+xml", text);
                answer.status = status;
                answer
            }
        };
        if let Some(after) = self.retry_after() {
            answer = answer.with(header::RETRY_AFTER, &seconds(after).to_string());
        }
        answer
    }
}

impl From<CallerError> for ApiError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::Engine(error) => Self::Engine(error),
            CallerError::Header(error) => Self::Header(error),
            CallerError::Refused(refusal) => Self::Caller(refusal),
        }
    }
}

impl From<RestError> for ApiError {
    fn from(error: RestError) -> Self {
        match error {
            // Nothing of a body can be called ignorable here, so that is no advice.
            RestError::FieldUnknown { .. } => Self::request(error.to_string()),
            error => Self::Rest(error),
        }
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        Self::Rest(error.into())
    }
}

impl From<FilterError> for ApiError {
    fn from(error: FilterError) -> Self {
        Self::Rest(error.into())
    }
}

impl From<FiqlError> for ApiError {
    fn from(error: FiqlError) -> Self {
        Self::Rest(error.into())
    }
}

#[cfg(test)]
mod tests;
