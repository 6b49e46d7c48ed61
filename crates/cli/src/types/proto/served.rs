//! The files that a server has for the caller.

use super::super::server_types::{type_of, versions_of};
use super::{HEADER, ProtoFile};
use crate::context::ClientSession;
use crate::failure::Failure;
use coeval_typed::PackageName;
use serde_json::Value;
use std::path::PathBuf;

/// Where a token can come from that is not the context's: never from a flag, which others can see.
const TOKEN: &str = "COEVAL_TOKEN";

pub(super) async fn of_server(
    types: &[PathBuf],
    session: &ClientSession,
    with_header: bool,
) -> Result<Vec<ProtoFile>, Failure> {
    let listed = get(session, "/protos").await?;
    // An answer without a list is refused below, whatever it is.
    let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
    let files = listed.get("files").and_then(Value::as_array);
    let files = files.ok_or_else(|| {
        Failure::refused(
            "the server's list of files can't be read",
            "Check the URL: it is the server's own, such as http://127.0.0.1:8080.",
        )
    })?;
    let files: Vec<&str> = files.iter().filter_map(Value::as_str).collect();
    let mut found = Vec::new();
    for name in types {
        let said = name.to_string_lossy();
        // Without a vendor the server has to say which type is meant.
        let folder = if said.contains(':') {
            folder(&said)?
        } else {
            let versions = versions_of(session, &said).await?;
            folder(&versions.first().map(type_of).unwrap_or_default())?
        };
        let own: Vec<&str> = files
            .iter()
            .copied()
            .filter(|path| path.starts_with(&folder))
            .collect();
        // It may be there and hidden from the caller; the advice is the same.
        if own.is_empty() {
            let message = format!("the server has no file for {} here", name.display());
            let advice = format!(
                "Register the type, or log in with `coeval login`, or set {TOKEN}, as somebody who sees it."
            );
            return Err(Failure::refused(message, advice));
        }
        found.extend(own);
    }
    // The packages import it; printed to a terminal it would only be in the way.
    if with_header {
        found.push(HEADER);
    }
    let mut fetched = Vec::new();
    for path in found {
        fetched.push(ProtoFile {
            path: path.to_owned(),
            text: get(session, &format!("/protos/{path}")).await?,
        });
    }
    Ok(fetched)
}

/// `acme/app/v` of `acme:app`: what the paths of its packages begin with.
fn folder(of: &str) -> Result<String, Failure> {
    let usage = || {
        Failure::usage(
            format!("{of:?} is no type"),
            "To ask a server name types as vendor:nss, such as acme:app.",
        )
    };
    let (vendor, nss) = of.split_once(':').ok_or_else(usage)?;
    let name = PackageName::of(vendor, nss).map_err(|_| usage())?;
    Ok(name.base().replace('.', "/") + "/v")
}

async fn get(session: &ClientSession, path: &str) -> Result<String, Failure> {
    let answer = session.client.get_plain(path).await?;
    if (200..300).contains(&answer.status) {
        return Ok(answer.text);
    }
    let told: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    let said = |key: &str| told.get(key).and_then(Value::as_str).unwrap_or_default();
    let message = format!(
        "the server answers {}: {} {}",
        answer.status,
        said("code"),
        said("message")
    );
    let advice = match said("advice") {
        "" => "Check that the address is that of a Coeval server.",
        advice => advice,
    };
    Err(Failure::refused(message.trim_end(), advice))
}
