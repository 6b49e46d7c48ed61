//! Which entity, at which version, at which revision: what requests say in paths, queries and
//! headers.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::urn;
use coeval_api::negotiation::names;
use coeval_api::rest::RestAnswer;
use coeval_core::version::Version;
use coeval_engine::{Caller, EngineError, Target, TypeKey, WantedVersions};
use coeval_storage::{Revision, Token};
use http::header::IF_MATCH;

/// The entity that the path names. Those of Coeval's own kinds are none of this API's.
pub(super) fn entity(call: &CloudCall) -> Result<(TypeKey, Target), ApiError> {
    let (of, id) = urn::entity(call.param("id"))?;
    // As for an id of nobody: this API has no resources of those kinds.
    if *of.vendor == *coeval_engine::VENDOR {
        let what = format!("resource {of} {id}");
        return Err(EngineError::NotFound { what }.into());
    }
    Ok((of, Target::Id(id)))
}

/// Those of Coeval's own kinds are none of this API's.
pub(super) fn not_own(of: &TypeKey) -> Result<(), ApiError> {
    if *of.vendor == *coeval_engine::VENDOR {
        Err(EngineError::TypeUnknown { of: of.clone() }.into())
    } else {
        Ok(())
    }
}

/// The version that `acceptType` or `entityVersion` asks for: a type's id, which must be of the
/// type at hand, or a bare version in any form: `2`, `2.0`, `v2` or `2.0.0`.
pub(super) fn accepted(
    call: &CloudCall,
    of: Option<&TypeKey>,
) -> Result<Option<Version>, ApiError> {
    let said = |name: &'static str| {
        let text = call.query.get(name).filter(|text| !text.is_empty());
        text.map(|text| version(name, text, of)).transpose()
    };
    match (said("acceptType")?, said("entityVersion")?) {
        (Some(one), Some(other)) if one != other => Err(ApiError::query(
            "entityVersion",
            "it says another version than acceptType",
        )),
        (one, other) => Ok(one.or(other)),
    }
}

fn version(name: &'static str, text: &str, of: Option<&TypeKey>) -> Result<Version, ApiError> {
    if !text.starts_with("urn:") {
        let read = Version::parse_header(text);
        return read.map_err(|error| ApiError::query(name, error.to_string()));
    }
    let (named, version) =
        urn::type_version(text).map_err(|error| ApiError::query(name, error.to_string()))?;
    match of {
        Some(of) if *of == named => Ok(version),
        Some(of) => Err(ApiError::query(
            name,
            format!("the entity is of {of}, and only versions of that can be asked for"),
        )),
        None => Err(ApiError::query(
            name,
            "entities of several types are listed: use a bare version",
        )),
    }
}

/// The caller, wanting exactly this version if one is asked for.
pub(super) fn wanting(caller: &Caller, version: Option<Version>) -> Caller {
    let mut caller = caller.clone();
    if let Some(version) = version {
        caller.wanted = WantedVersions::exactly(version);
    }
    caller
}

/// The revision that `If-Match` names, quoted or not. What can't be one never matches.
pub(super) fn if_match(api: &CloudState, call: &CloudCall) -> Result<Option<Revision>, ApiError> {
    match call.headers().one(IF_MATCH.as_str())? {
        // Where it is required, `*` still passes: the client has thought of it.
        None | Some("") if api.settings.if_match_required => Err(ApiError::IfMatchNeeded),
        None | Some("" | "*") => Ok(None),
        Some(text) => Ok(Some(revision(text))),
    }
}

/// Reads an `ETag` as it was given, with or without its quotes.
pub(super) fn revision(text: &str) -> Revision {
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    let bare = quoted.unwrap_or(text);
    let read = Revision::from_opaque(bare);
    // It is compared as it was given, letter by letter.
    if read.to_string() == bare {
        read
    } else {
        Revision::NEVER
    }
}

/// Says at which sequence something was read or written.
pub(super) fn sequenced(answer: RestAnswer, token: Token) -> RestAnswer {
    answer.saying(names::SEQUENCE, &token.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_is_read_with_or_without_its_quotes_and_what_is_none_never_matches() {
        let revision_text = "0123456789abcdef0123456789abcdef";
        let right = Revision::from_opaque(revision_text);
        assert_ne!(right, Revision::NEVER);
        for (text, expected) in [
            (format!("\"{revision_text}\""), right),
            (revision_text.to_owned(), right),
            (format!("\"{revision_text}"), Revision::NEVER),
            (format!("W/\"{revision_text}\""), Revision::NEVER),
            (revision_text.to_uppercase(), Revision::NEVER),
            (format!("\"{revision_text}\", \"x\""), Revision::NEVER),
            ("1".to_owned(), Revision::NEVER),
            ("\"\"".to_owned(), Revision::NEVER),
        ] {
            assert_eq!(revision(&text), expected, "{text}");
        }
    }
}
