//! `coeval type register`, `coeval type check --registered`: type files and what a server makes of
//! them.

use super::explain::{print, terminal_width};
use super::findings::{of_texts, only_undecided, render, values};
use super::read::read_documents;
use super::server_types::versions_of;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::say;
use coeval_client::{ClientError, ClientErrorKind};
use coeval_core::types::{BodyLimits, read_document};
use coeval_core::version::Version;
use coeval_proto::types::v1 as pb;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Refused.
const REFUSED: u8 = 1;
/// Nobody knows.
const UNDECIDED: u8 = 4;

/// What happens if something is found.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterPolicy {
    /// Register it all the same, marked unproven.
    pub(super) warn: bool,
    /// A change that can't be decided is accepted.
    pub(super) undecided: bool,
}

impl RegisterPolicy {
    fn policy(self) -> i32 {
        let policy = if self.warn {
            pb::Policy::Warn
        } else {
            pb::Policy::Refuse
        };
        policy.into()
    }
}

/// Each in order, until one is refused.
pub(super) async fn register(
    session: &ClientSession,
    files: &[PathBuf],
    accepting: RegisterPolicy,
) -> Result<ExitCode, Failure> {
    // At the first refusal the rest is not sent: later versions often build on it.
    for file in read_documents(files)? {
        let request = pb::RegisterTypeVersionRequest {
            file: file.clone(),
            policy: accepting.policy(),
            accept_undecided: accepting.undecided,
            external_id: String::new(),
        };
        // Sent as it is written: the server reads it, and may know more than this release.
        let done = session.client.types().register_type_version(request).await;
        match done.map_err(ClientError::of_write) {
            Ok(done) => report_registered(session, &done.into_inner()).await?,
            Err(error) if error.kind() == ClientErrorKind::Exists => {
                check_same_definition(session, &file, error).await?;
            }
            Err(error) if !error.detail().findings.is_empty() => return report_refusal(&error),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn report_registered(
    session: &ClientSession,
    done: &pb::RegisterTypeVersionResponse,
) -> Result<(), Failure> {
    print(&render(&done.findings, terminal_width()))?;
    let newer = newer(session, &done.id).await;
    let parent = match (done.parent.as_str(), &newer) {
        ("", None) => "the first of its type".to_owned(),
        ("", Some(newer)) => format!("older than {newer}"),
        (parent, _) => format!("compared with {parent}"),
    };
    let unproven = if done.unproven { ", unproven" } else { "" };
    say(&format!("registered {} ({parent}{unproven})", done.id));
    if let Some(newer) = newer {
        say(&unseen(&done.id, newer));
    }
    Ok(())
}

/// The newest version of its type, if that is another one. Nothing depends on it but what is said:
/// what can't be found out is left out.
async fn newer(session: &ClientSession, id: &str) -> Option<Version> {
    let (of, own) = id.rsplit_once(':')?;
    let own = Version::parse_full(own).ok()?;
    let versions = versions_of(session, of).await.ok()?;
    let versions = versions.iter().map(|one| Version::parse_full(&one.version));
    newest_beside(own, versions.flatten())
}

fn newest_beside(own: Version, all: impl Iterator<Item = Version>) -> Option<Version> {
    all.max().filter(|newest| *newest > own)
}

/// A version that is older than another one inherits no access.
fn unseen(id: &str, newer: Version) -> String {
    format!(
        "note: {id} is older than {newer} and inherits no access: organizations don't see it until \
         `coeval type grant {id} org:NAME read-write`"
    )
}

/// The findings to stdout, as those of `type check`; the rest to stderr.
fn report_refusal(error: &ClientError) -> Result<ExitCode, Failure> {
    let findings = of_texts(&error.detail().findings);
    print(&render(&findings, terminal_width()))?;
    let failure = Failure::from(error.clone());
    // Told apart by the exit code, for scripts that accept such changes by hand.
    if only_undecided(&findings) {
        let advice = "Look at it; if it is right, say --accept-undecided.";
        failure.with_advice(advice).report();
        return Ok(ExitCode::from(UNDECIDED));
    }
    failure.report();
    Ok(ExitCode::from(REFUSED))
}

/// The same definition again is nothing to complain about.
async fn check_same_definition(
    session: &ClientSession,
    file: &str,
    error: ClientError,
) -> Result<(), Failure> {
    let Some(id) = id_of(file) else {
        return Err(error.into());
    };
    let request = pb::GetTypeVersionRequest { id: id.clone() };
    let found = session.client.types().get_type_version(request).await;
    let found = found.map_err(ClientError::from)?.into_inner();
    let stored = found.type_version.unwrap_or_default().file;
    if same(&stored, file) {
        say(&format!("{id} is registered already, and is the same"));
        return Ok(());
    }
    let advice = format!(
        "A version with resources never changes: register a new one. While {id} has none, \
         `coeval type delete {id}` makes room for this one."
    );
    let message = format!("{id} is registered already, and is another one");
    let failure = Failure::from(error).with_message(message);
    Err(failure.with_advice(advice))
}

fn content(file: &str) -> Option<Value> {
    let read = read_document(file.as_bytes(), BodyLimits::default());
    read.ok().map(|document| document.content)
}

/// `acme:app:1.1.0`, as the file says.
fn id_of(file: &str) -> Option<String> {
    let content = content(file)?;
    let spec = content.get("spec")?;
    let said = |key: &str| spec.get(key).and_then(Value::as_str);
    Some(format!(
        "{}:{}:{}",
        said("vendor")?,
        said("nss")?,
        said("version")?
    ))
}

/// Comments and the order of keys don't matter.
fn same(one: &str, other: &str) -> bool {
    one == other || content(one).is_some_and(|one| content(other) == Some(one))
}

/// As the server would judge each, and nothing is written.
pub(super) async fn check(
    session: &ClientSession,
    files: &[PathBuf],
    json: bool,
) -> Result<ExitCode, Failure> {
    // Of several files the exit code tells the worst.
    let mut worst = 0;
    let mut told = Vec::new();
    for file in read_documents(files)? {
        let request = pb::CheckTypeVersionRequest {
            file,
            policy: pb::Policy::Refuse.into(),
            accept_undecided: false,
        };
        let done = session.client.types().check_type_version(request).await;
        let done = done.map_err(ClientError::from)?.into_inner();
        let code = if !done.refused {
            0
        } else if only_undecided(&done.findings) {
            UNDECIDED
        } else {
            REFUSED
        };
        // That something breaks is worse than that nobody knows.
        worst = match (worst, code) {
            (REFUSED, _) | (_, REFUSED) => REFUSED,
            (before, 0) => before,
            (_, code) => code,
        };
        if json {
            told.push(value(&done, code));
        } else {
            print(&text(&done, code))?;
        }
    }
    if json {
        let text = serde_json::to_string_pretty(&told)
            .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
        print(&(text + "\n"))?;
    }
    Ok(ExitCode::from(worst))
}

const fn verdict(code: u8) -> &'static str {
    match code {
        REFUSED => "refused",
        UNDECIDED => "undecided",
        _ => "accepted",
    }
}

fn text(done: &pb::CheckTypeVersionResponse, code: u8) -> String {
    let against = match done.parent.as_str() {
        "" => String::new(),
        parent => format!(", compared with {parent} and the other versions that are registered"),
    };
    let first = format!("{}: {}{against}\n", done.id, verdict(code));
    let findings = render(&done.findings, terminal_width());
    match findings.as_str() {
        "" => first,
        findings => format!("{first}\n{findings}"),
    }
}

fn value(done: &pb::CheckTypeVersionResponse, code: u8) -> Value {
    json!({
        "id": done.id, "parent": done.parent, "verdict": verdict(code),
        "findings": values(&done.findings),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_older_than_another_is_told_to_be_unseen() {
        let v = |minor| Version::new(1, minor, 0);
        assert_eq!(newest_beside(v(1), [v(1)].into_iter()), None);
        assert_eq!(newest_beside(v(2), [v(1), v(2)].into_iter()), None);
        assert_eq!(
            newest_beside(v(1), [v(1), v(3), v(2)].into_iter()),
            Some(v(3))
        );
        let told = unseen("acme:app:1.1.0", v(3));
        assert!(
            told.contains("older than 1.3.0 and inherits no access"),
            "{told}"
        );
        assert!(told.contains("`coeval type grant acme:app:1.1.0 org:NAME read-write`"));
    }

    #[test]
    fn the_same_definition_may_be_written_otherwise() {
        let one = "kind: type # here\nspec: {vendor: acme, nss: app, version: 1.0.0}\n";
        let other = r#"{"spec":{"version":"1.0.0","vendor":"acme","nss":"app"},"kind":"type"}"#;
        assert!(same(one, other));
        assert!(!same(one, &other.replace("1.0.0", "1.0.1")));
        assert_eq!(id_of(one).as_deref(), Some("acme:app:1.0.0"));
        assert_eq!(id_of("[]"), None);
    }
}
