//! The files that a server has for the caller.

use super::{HEADER, ProtoFile};
use coeval_cli::Failure;
use coeval_typed::PackageName;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Where the token comes from: never from a flag, which others can see.
const TOKEN: &str = "COEVAL_TOKEN";
/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn of_server(
    types: &[PathBuf],
    server: &str,
    with_header: bool,
) -> Result<Vec<ProtoFile>, Failure> {
    let server = Server::new(server);
    let listed: Value = serde_json::from_str(&server.get("/protos")?).unwrap_or_default();
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
        let folder = folder(&name.to_string_lossy())?;
        let own: Vec<&str> = files
            .iter()
            .copied()
            .filter(|path| path.starts_with(&folder))
            .collect();
        if own.is_empty() {
            let message = format!("the server has no file for {} here", name.display());
            let advice =
                format!("Register the type, or set {TOKEN} to the token of somebody who sees it.");
            return Err(Failure::refused(message, advice));
        }
        found.extend(own);
    }
    if with_header {
        found.push(HEADER);
    }
    let each = found.into_iter().map(|path| {
        Ok(ProtoFile {
            path: path.to_owned(),
            text: server.get(&format!("/protos/{path}"))?,
        })
    });
    each.collect()
}

/// `acme/app/v` of `acme:app`: what the paths of its packages begin with.
fn folder(of: &str) -> Result<String, Failure> {
    let usage = || {
        Failure::usage(
            format!("{of:?} is no type"),
            "With --server name types as vendor:nss, such as acme:app.",
        )
    };
    let (vendor, nss) = of.split_once(':').ok_or_else(usage)?;
    let name = PackageName::of(vendor, nss).map_err(|_| usage())?;
    Ok(name.base().replace('.', "/") + "/v")
}

struct Server {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
}

impl Server {
    fn new(url: &str) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(PATIENCE))
            .build();
        let token = std::env::var(TOKEN).ok();
        Self {
            agent: agent.into(),
            url: url.trim_end_matches('/').to_owned(),
            token: token.filter(|token| !token.is_empty()),
        }
    }

    fn get(&self, path: &str) -> Result<String, Failure> {
        let failed = |error: ureq::Error| {
            let failure = Failure::refused(format!("{} does not answer: {error}", self.url), "");
            failure.with_advice("Check the URL and whether the server runs.")
        };
        let mut request = self.agent.get(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut response = request.call().map_err(failed)?;
        let status = response.status();
        let text = response.body_mut().read_to_string().map_err(failed)?;
        if status.is_success() {
            return Ok(text);
        }
        let told: Value = serde_json::from_str(&text).unwrap_or_default();
        let said = |key: &str| told.get(key).and_then(Value::as_str).unwrap_or_default();
        let message = format!(
            "the server answers {status}: {} {}",
            said("code"),
            said("message")
        );
        Err(Failure::refused(message.trim_end(), said("advice")))
    }
}
