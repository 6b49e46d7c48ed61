//! What a server has registered.

use super::annotate;
use crate::context::ClientSession;
use crate::failure::Failure;
use coeval_client::ClientError;
use coeval_core::types::TypeVersion;
use coeval_proto::types::v1 as pb;
use std::collections::BTreeSet;

/// All type versions that the caller sees, of one vendor or name if they are said; by type and
/// version.
pub(crate) async fn all(
    session: &ClientSession,
    vendor: &str,
    nss: &str,
) -> Result<Vec<pb::TypeVersion>, Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListTypeVersionsRequest {
            page_size: 0,
            page_token,
            vendor: vendor.to_owned(),
            nss: nss.to_owned(),
        };
        let page = session.client.types().list_type_versions(request).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.type_versions);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(found);
        }
    }
}

/// The versions of one type, `app` or `acme:app`, lowest first; there is at least one.
pub(crate) async fn versions_of(
    session: &ClientSession,
    kind: &str,
) -> Result<Vec<pb::TypeVersion>, Failure> {
    let (vendor, nss) = kind.split_once(':').unwrap_or(("", kind));
    let found = all(session, vendor, nss).await?;
    // A name may be used by several vendors.
    let types: BTreeSet<String> = found.iter().map(type_of).collect();
    match types.len() {
        // A field given as `app.size` is the usual mistake.
        0 => {
            let mut advice = "`coeval type list` shows those that there are.".to_owned();
            if kind.contains('.') {
                advice.push_str(" A field is said as KIND.spec.FIELD.");
            }
            let message = format!("there is no type {kind} that you see");
            Err(Failure::refused(message, advice))
        }
        1 => Ok(found),
        _ => {
            let all: Vec<_> = types.into_iter().collect();
            Err(Failure::usage(
                format!("{kind} can be {}", all.join(" or ")),
                "Say which, with the vendor before it.",
            ))
        }
    }
}

/// `acme:app:1.1.0`, also of `app:1.1.0`.
pub(crate) async fn full_id(session: &ClientSession, id: String) -> Result<String, Failure> {
    // Two parts are a name and a version, three are whole already.
    let Some((nss, version)) = id.split_once(':').filter(|(_, rest)| !rest.contains(':')) else {
        return Ok(id);
    };
    let found = versions_of(session, nss).await?;
    let kind = found.first().map(type_of);
    Ok(format!("{}:{version}", kind.unwrap_or_default()))
}

/// `acme:app`
pub(crate) fn type_of(version: &pb::TypeVersion) -> String {
    format!("{}:{}", version.vendor, version.nss)
}

/// Their files. What a newer server has and this release can't read is left out and told.
pub(crate) fn parsed(versions: &[pb::TypeVersion]) -> Vec<TypeVersion> {
    // A newer server may have what this release can't parse.
    let read = |version: &pb::TypeVersion| match TypeVersion::parse(&version.file) {
        Ok(mut parsed) => {
            // The file has what never changes; the server says the rest.
            parsed.deprecated = version.deprecated.as_ref().map(annotate::deprecation);
            let columns: Vec<_> = version.columns.iter().map(annotate::known_column).collect();
            parsed.columns = (!columns.is_empty()).then_some(columns);
            Some(parsed)
        }
        Err(why) => {
            let first = why.to_string();
            let first = first.lines().next().unwrap_or_default();
            crate::rows::say(&format!(
                "note: {} can't be read by this release: {first}",
                version.id
            ));
            None
        }
    };
    versions.iter().filter_map(read).collect()
}
