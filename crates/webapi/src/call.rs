//! One request, as handlers see it.

use crate::error::WebError;
use coeval_api::caller::CallerRefusal;
use coeval_api::negotiation::RequestHeaders;
use coeval_api::rest::{BodyFields as _, PathParams, QueryParams};
use coeval_engine::{Caller, WantedVersions};
use coeval_storage::Revision;
use http::{HeaderMap, header};
use serde_json::{Map, Value};

/// One request, all of it read and its sender known.
#[derive(Debug)]
pub(crate) struct WebCall {
    /// Who calls; there always is one where the route needs a user.
    pub(crate) caller: Option<Caller>,
    /// The secret that the caller was known by, if it was one.
    pub(crate) secret: Option<String>,
    /// Whether that came in the cookie.
    pub(crate) by_cookie: bool,
    pub(crate) params: PathParams,
    pub(crate) query: QueryParams,
    pub(crate) headers: HeaderMap,
    pub(crate) body: bytes::Bytes,
    /// Where it comes from.
    pub(crate) source: Option<String>,
}

impl WebCall {
    /// Who calls.
    pub(crate) fn caller(&self) -> Result<&Caller, WebError> {
        let missing = || CallerRefusal::CredentialsMissing.into();
        self.caller.as_ref().ok_or_else(missing)
    }

    /// The caller, wanting exactly the version that the query names, if it names one.
    pub(crate) fn caller_at_version(&self) -> Result<Caller, WebError> {
        let mut caller = self.caller()?.clone();
        let said = self.query.get("version").unwrap_or_default();
        let version = coeval_api::methods::parse_version(said)
            .map_err(|error| WebError::query("version", error.to_string()))?;
        if let Some(version) = version {
            caller.wanted = WantedVersions::exactly(version);
        }
        Ok(caller)
    }

    /// A part of the path that varies.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.get(name)
    }

    /// A query parameter, if it says something.
    pub(crate) fn said(&self, name: &str) -> Option<String> {
        self.query.said(name).map(str::to_owned)
    }

    /// The body as a JSON object that has only these fields.
    pub(crate) fn object(&self, fields: &[&str]) -> Result<Map<String, Value>, WebError> {
        let map = coeval_api::rest::read_object(&self.body)?;
        map.only(fields)?;
        Ok(map)
    }

    /// The same, where nothing at all may be sent too.
    pub(crate) fn object_or_nothing(
        &self,
        fields: &[&str],
    ) -> Result<Map<String, Value>, WebError> {
        if self.body.is_empty() {
            Ok(Map::new())
        } else {
            self.object(fields)
        }
    }

    /// Whether the caller insists.
    pub(crate) fn force(&self) -> Result<bool, WebError> {
        Ok(RequestHeaders(&self.headers).force()?)
    }

    /// The revision that `If-Match` names, as it was given, without its quotes. `*` names none.
    pub(crate) fn if_match(&self) -> Result<Option<String>, WebError> {
        let said = RequestHeaders(&self.headers).one(header::IF_MATCH.as_str())?;
        let Some(text) = said.filter(|text| !matches!(*text, "" | "*")) else {
            return Ok(None);
        };
        // Also without quotes, as scripts send it.
        let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        Ok(Some(quoted.unwrap_or(text).to_owned()))
    }

    /// The revision on which a change is conditioned: of `If-Match` or of the body. Two that differ
    /// are refused.
    pub(crate) fn revision(&self, said: &str) -> Result<RevisionCondition, WebError> {
        let if_match = self.if_match()?;
        // Where the condition was said decides how its failure is told: a header's as 412, a body's as 409.
        Ok(match (if_match, said) {
            (None, said) => RevisionCondition {
                revision: said.to_owned(),
                if_match: false,
            },
            // The same in both is fine: clients send back what they read, and the header as well.
            (Some(of_header), said) if said.is_empty() || said == of_header => RevisionCondition {
                revision: of_header,
                if_match: true,
            },
            _ => {
                return Err(WebError::invalid(
                    "If-Match and the body name different revisions",
                ));
            }
        })
    }
}

/// What a change is conditioned on, and where that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RevisionCondition {
    /// Empty: nothing.
    pub(crate) revision: String,
    pub(crate) if_match: bool,
}

impl RevisionCondition {
    /// As it is compared; what can't be one never matches.
    pub(crate) fn read(&self) -> Option<Revision> {
        (!self.revision.is_empty()).then(|| coeval_api::methods::parse_revision(&self.revision))
    }
}
