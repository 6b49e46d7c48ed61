//! What a server does not have, because its release is older than this library: asked once, then the
//! older way is taken, or the caller is told which release is needed.

use crate::error::{ClientError, ClientErrorKind};
use crate::headers::{RELEASE, STATUS, text};
use coeval_proto::errors::v1::ErrorDetail;
use coeval_proto::wire;
use coeval_releases::{Feature, Release};
use http::HeaderMap;
use prost::Message as _;
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};
use tonic::{Code, Status};

/// What the server is known not to have, until one of another release answers.
#[derive(Debug, Default)]
pub(crate) struct MissingFeatures(RwLock<BTreeSet<Feature>>);

impl MissingFeatures {
    pub(crate) fn has(&self, feature: Feature) -> bool {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.contains(&feature)
    }

    pub(crate) fn note(&self, feature: Feature) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.insert(feature);
    }

    pub(crate) fn forget(&self) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.clear();
    }
}

/// Says which release is needed, and which one the server has.
pub(crate) fn needed(feature: Feature, release: Option<&str>) -> ClientError {
    let server = release.and_then(|release| release.parse().ok());
    let message = feature.refusal(server);
    let advice = format!("Use a server of release {} or later.", feature.since());
    ClientError::new(ClientErrorKind::Unimplemented, message, advice)
}

/// The same for a method of the stubs, by its path: what is said where a server has no such method. Nothing
/// if its release should have it; then something else is in between.
fn method_needed(path: &str, server: Release) -> Option<(String, Release)> {
    let since: Release = wire::since(path)?.parse().ok()?;
    // It should have the method, so the answer comes from something else, such as a proxy.
    if since <= server {
        return None;
    }
    let mut features = Feature::ALL.iter();
    let feature = features.find(|feature| feature.method() == Some(path));
    let method = path.rsplit('/').next().unwrap_or(path);
    let message = match feature {
        Some(feature) => feature.refusal(Some(server)),
        None => {
            format!("{method} needs a server of release {since} or later (this one is {server})")
        }
    };
    Some((message, since))
}

/// An answer that the server has no such method says which release has it.
pub(crate) fn explain(headers: &mut HeaderMap, path: &str) {
    // Trailers only: gRPC puts a refusal without a body into the headers.
    let unimplemented = (Code::Unimplemented as i32).to_string();
    if text(headers, &STATUS) != Some(unimplemented.as_str()) {
        return;
    }
    let release = text(headers, &RELEASE).unwrap_or_default().to_owned();
    let server = release.parse().ok();
    let needed = server.and_then(|server| method_needed(path, server));
    if let Some((message, since)) = needed {
        let detail = ErrorDetail {
            code: coeval_codes::RELEASE_TOO_OLD.to_string(),
            message: message.clone(),
            advice: format!("Use a server of release {since} or later."),
            release,
            ..ErrorDetail::default()
        };
        let code = Code::Unimplemented;
        // Written as a server of ours would: from here on nobody sees the difference.
        let status = tonic_types::pb::Status {
            code: code as i32,
            message: message.clone(),
            details: vec![prost_types::Any {
                type_url: "type.googleapis.com/coeval.errors.v1.ErrorDetail".to_owned(),
                value: detail.encode_to_vec(),
            }],
        };
        let status = Status::with_details(code, message, status.encode_to_vec().into());
        // Made of text that fits into headers.
        let _ = status.add_header(headers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;

    #[test]
    fn every_feature_is_told_with_the_release_that_has_it_and_the_one_that_lacks_it() {
        for feature in Feature::ALL {
            let error = needed(*feature, Some("0.0.9"));
            let text = error.to_string();
            let since = feature.since().to_string();
            assert!(
                text.contains(feature.what()) && text.contains(&since),
                "{text}"
            );
            assert!(text.contains("0.0.9"), "{text}");
            assert_eq!(error.code(), coeval_codes::RELEASE_TOO_OLD);
        }
    }

    #[test]
    fn the_table_of_features_and_the_proto_files_name_the_same_releases() {
        let mut with_method = 0;
        for feature in Feature::ALL {
            if let Some(method) = feature.method() {
                let since = wire::since(method).expect(method);
                assert_eq!(feature.since().to_string(), since, "{feature:?}");
                with_method += 1;
            }
        }
        assert!(with_method >= 5);
    }

    #[test]
    fn a_method_that_a_release_should_have_is_missing_for_another_reason() {
        let listing = "/coeval.releases.v1.ReleaseService/ListDeprecations";
        let (old, new) = (Release::new(0, 1, 0), Release::new(0, 2, 0));
        let (message, since) = method_needed(listing, old).unwrap();
        assert_eq!(
            message,
            "listing deprecations needs a server of release 0.2.0 or later (this one is 0.1.0)"
        );
        assert_eq!(since, new);
        assert_eq!(method_needed(listing, new), None);
        assert_eq!(method_needed("/acme.app.v1.AppService/GetApp", old), None);
    }
}
