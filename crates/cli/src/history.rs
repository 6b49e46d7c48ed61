//! `coeval history`: the kept revisions of a resource.

use crate::calls::{EarlierRevision, as_file, unmarked};
use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::get::unknown_version;
use crate::merge::{differences, render};
use crate::resource_argument::NamedResource;
use crate::rows::{OutputFormat, OutputOptions, print_rows};
use crate::targets;
use crate::{messages, yaml};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::ClientError;
use coeval_proto::access::v1::GetUserRequest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Characters of a revision in a table; `restore` takes them.
const SHORT: usize = 12;
/// Paths in a line of the table.
const PATHS: usize = 3;

/// Show the kept revisions of a resource.
#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    after_help = "Examples:
  coeval history app web
  coeval history app web --diff
  coeval history app web --version v1 -o yaml
  coeval restore app web --revision \"$(coeval history app web -o name | sed -n 2p)\"

Newest first; the first one is the present one. What changed is told against the one
before it: `(nothing that v1 shows)` was a change of what v1 can't show, and is seen
with --version of a higher version. `coeval restore` writes one of them again."
)]
pub struct HistoryOptions {
    #[command(flatten)]
    named: NamedResource,
    /// Show each with the lines that differ from the one before
    #[arg(long)]
    diff: bool,
    /// All at this version; each at that which it is stored at, if nothing is said
    #[arg(long, value_name = "VERSION")]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    version: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: HistoryOptions) -> Result<ExitCode, Failure> {
    let session = options.server.session()?;
    let target = options.named.target(&session)?;
    let version = options.version.unwrap_or_default();
    // One that can't be shown at this version does not hide the others.
    let (revisions, quarantined) = session.earlier(&target, &version).await?;
    for one in quarantined {
        // A version that does not exist is the same problem for every revision.
        if let Some(failure) = unknown_version(&target.kind, &version, &one.code) {
            return Err(failure);
        }
        let (id, code, reason) = (one.id, one.code, one.reason);
        messages::note(&format!("can't be shown: {id}: {reason} ({code})\n"));
    }
    match options.output.output {
        OutputFormat::Yaml => {
            for one in &revisions {
                messages::out(&format!("---\n{}", yaml::text(&whole(one))));
            }
        }
        OutputFormat::Table | OutputFormat::Wide if options.diff => {
            // Only a table shows names, and each costs a request.
            let names = names(&session, &revisions).await;
            for (one, before) in with_before(&revisions) {
                messages::out(&difference(one, before, &names)?);
            }
        }
        format => {
            let names = if format.is_table() {
                names(&session, &revisions).await
            } else {
                BTreeMap::new()
            };
            let rows = with_before(&revisions).map(|(one, before)| row(one, before, &names));
            let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
            let values: Vec<_> = revisions.iter().map(whole).collect();
            print_rows(&format, &HEADERS, &rows, &values)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn whole(one: &EarlierRevision) -> Value {
    json!({
        "generation": one.generation,
        "modified_by": one.modified_by,
        "resource": one.resource,
    })
}

/// Each with the one before it.
fn with_before(
    revisions: &[EarlierRevision],
) -> impl Iterator<Item = (&EarlierRevision, Option<&EarlierRevision>)> {
    // Newest first, so the one before each is the next in the list.
    let before = revisions.iter().skip(1).map(Some).chain([None]);
    revisions.iter().zip(before)
}

/// The names of those who made them, as far as the caller may see them.
async fn names(session: &ClientSession, revisions: &[EarlierRevision]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for one in revisions {
        let id = &one.modified_by;
        // Each user once, however many revisions are theirs.
        if id.is_empty() || names.contains_key(id) {
            continue;
        }
        let request = GetUserRequest {
            name: id.clone(),
            namespace: String::new(),
        };
        let answer = session.client.users().get_user(request).await;
        // Who may not see users sees ids.
        let user = answer.ok().and_then(|answer| answer.into_inner().user);
        let name = user.map_or(id.clone(), |user| {
            format!("{}@{}", user.name, user.namespace)
        });
        names.insert(id.clone(), name);
    }
    names
}

pub(crate) fn short(revision: &str) -> String {
    revision.chars().take(SHORT).collect()
}

const HEADERS: [&str; 6] = ["revision", "generation", "when", "by", "version", "changed"];

fn row(
    one: &EarlierRevision,
    before: Option<&EarlierRevision>,
    names: &BTreeMap<String, String>,
) -> Result<Vec<String>, ClientError> {
    let metadata = &one.resource.metadata;
    let when = metadata.modified.map(|time| format!("{time:.0}"));
    let by = names.get(&one.modified_by).unwrap_or(&one.modified_by);
    Ok(vec![
        short(&metadata.revision),
        one.generation.to_string(),
        when.unwrap_or_default(),
        by.clone(),
        unmarked(&one.resource.version).to_owned(),
        changed(one, before)?,
    ])
}

/// What changed, as a short list of paths.
fn changed(one: &EarlierRevision, before: Option<&EarlierRevision>) -> Result<String, ClientError> {
    let Some(before) = before else {
        let said = match one.generation {
            0 => "(created)",
            _ => "(none before it is kept)",
        };
        return Ok(said.to_owned());
    };
    let (was, is) = (as_file(&before.resource)?, as_file(&one.resource)?);
    let changes = differences(&was, &is);
    let paths = changes.iter().map(|change| {
        // Paths into the content are told without the part that all of them have.
        let path = change
            .path
            .strip_prefix("/spec")
            .filter(|path| path.starts_with('/'));
        render::place(path.unwrap_or_else(|| change.path.trim_start_matches('/')))
    });
    let mut said: Vec<_> = paths.take(PATHS).collect();
    if changes.len() > PATHS {
        said.push(format!("and {} more", changes.len() - PATHS));
    }
    Ok(if said.is_empty() {
        nothing(one, before)
    } else {
        said.join(", ")
    })
}

/// What is said where no difference is seen. A marked view hides something, which may be what changed.
fn nothing(one: &EarlierRevision, before: &EarlierRevision) -> String {
    let shown = unmarked(&one.resource.version);
    if is_marked(one) || is_marked(before) {
        format!("(nothing that {shown} shows)")
    } else {
        "(nothing of the content)".to_owned()
    }
}

fn is_marked(one: &EarlierRevision) -> bool {
    unmarked(&one.resource.version) != one.resource.version
}

fn difference(
    one: &EarlierRevision,
    before: Option<&EarlierRevision>,
    names: &BTreeMap<String, String>,
) -> Result<String, ClientError> {
    let text = |of: &EarlierRevision| as_file(&of.resource).map(|file| yaml::text(&file));
    let called = |of: &EarlierRevision| {
        let metadata = &of.resource.metadata;
        let when = metadata.modified.map(|time| format!("{time:.0}"));
        let by = names.get(&of.modified_by).unwrap_or(&of.modified_by);
        let (revision, when) = (short(&metadata.revision), when.unwrap_or_default());
        format!("{revision} (generation {}, {when}, {by})", of.generation)
    };
    let was = before.map(text).transpose()?.unwrap_or_default();
    let name = before.map_or_else(|| "(none before it is kept)".to_owned(), called);
    let shown = render::unified(&was, &text(one)?, (&name, &called(one)));
    Ok(if shown.is_empty() {
        format!("--- {name}\n+++ {}\n", called(one))
    } else {
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_client::Resource;

    fn earlier(version: &str, spec: Value) -> EarlierRevision {
        EarlierRevision {
            resource: Resource::new("app", version, "web", spec),
            generation: 1,
            modified_by: String::new(),
        }
    }

    #[test]
    fn a_change_of_what_a_view_hides_is_not_called_none() {
        let spec = || json!({"image": "a"});
        let (plain, marked) = (earlier("v1", spec()), earlier("v1+downgraded", spec()));
        let said = |one, before| changed(one, Some(before)).unwrap();
        assert_eq!(said(&plain, &plain), "(nothing of the content)");
        for (one, before) in [(&marked, &plain), (&marked, &marked), (&plain, &marked)] {
            assert_eq!(said(one, before), "(nothing that v1 shows)");
        }
        let other = earlier("v1+downgraded", json!({"image": "b"}));
        assert_eq!(said(&other, &marked), "/image");
    }
}
