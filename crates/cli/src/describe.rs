//! `coeval describe`.

mod page;

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::get::report_all_but_last;
use crate::output::check_written;
use crate::reading::{self, ResourceReading};
use crate::targets::{self, NamedTarget, TargetArguments};
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::{ClientError, Resource};
use coeval_proto::access::v1 as access;
use coeval_proto::resources::v1 as pb;
use coeval_proto::tasks::v1 as tasks;
use coeval_proto::types::v1::GetTypeVersionRequest;
use page::DescribePage;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

/// Revisions that are shown.
const REVISIONS: usize = 5;

/// Show all about one resource, for people.
#[derive(Debug, Args)]
#[command(disable_version_flag = true)] // --version is a resource's here
#[command(after_help = "Examples:
  coeval describe app web
  coeval describe app/web --version 1.0

Shows how it is doing, its content with what its type says about each field, what
a view leaves out, who may do what with it, its last revisions and the tasks that
are at work on it; of these what you may see. For programs there is
`coeval get -o json`.")]
pub struct DescribeOptions {
    #[command(flatten)]
    targets: TargetArguments,
    /// Show it at exactly this version: 1.0
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    version: String,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: DescribeOptions) -> Result<ExitCode, Failure> {
    let targets = options.targets.required()?;
    let session = options.server.session()?;
    let mut failures = Vec::new();
    let mut first = true;
    for target in &targets {
        // One page after another: what follows does not wait for all.
        match page(&session, target, &options.version).await {
            Ok(page) => {
                let gap = if first { "" } else { "\n" };
                let mut stdout = anstream::stdout();
                check_written(write!(
                    stdout,
                    "{gap}{}",
                    page.text(std::io::stdout().is_terminal())
                ))?;
                first = false;
            }
            Err(error) => failures.push(Failure::from(error)),
        }
    }
    report_all_but_last(failures)
}

/// All that can be found out. What the caller may not see is left out.
async fn page(
    session: &ClientSession,
    target: &NamedTarget,
    version: &str,
) -> Result<DescribePage, ClientError> {
    let found = reading::get(session, &target.kind, &target.name, version).await?;
    // At once: each is a question of its own, and slow ones should not add up.
    let (grants, revisions, tasks, descriptions) = tokio::join!(
        grants(session, target),
        revisions(session, target),
        open_tasks(session, &found),
        descriptions(session, &found.resource),
    );
    Ok(DescribePage {
        found,
        // What the caller may not see is no error here: the page shows the rest.
        grants: grants.unwrap_or_default(),
        revisions: revisions.unwrap_or_default(),
        tasks: tasks.unwrap_or_default(),
        descriptions: descriptions.unwrap_or_default(),
    })
}

async fn grants(session: &ClientSession, target: &NamedTarget) -> Option<Vec<access::Grant>> {
    let request = access::GetResourceAclRequest {
        kind: target.kind.clone(),
        name: target.name.clone(),
        namespace: session.namespace.clone(),
    };
    let answer = session.client.access().get_resource_acl(request).await;
    Some(answer.ok()?.into_inner().grants)
}

async fn revisions(session: &ClientSession, target: &NamedTarget) -> Option<Vec<pb::Revision>> {
    let request = pb::ListRevisionsRequest {
        kind: target.kind.clone(),
        name: target.name.clone(),
        namespace: session.namespace.clone(),
        ..Default::default()
    };
    let mut service = session.client.resource_service();
    let answer = service.list_revisions(request).await;
    let mut revisions = answer.ok()?.into_inner().revisions;
    revisions.truncate(REVISIONS);
    Some(revisions)
}

async fn open_tasks(session: &ClientSession, found: &ResourceReading) -> Option<Vec<tasks::Task>> {
    let mut open = Vec::new();
    // A task that is done is not at work; the server can filter by one status only.
    for status in [tasks::TaskStatus::Running, tasks::TaskStatus::Queued] {
        let request = tasks::ListTasksRequest {
            page_size: 200,
            status: status.into(),
            ..Default::default()
        };
        let answer = session.client.tasks().list_tasks(request).await.ok()?;
        let id = &found.resource.metadata.id;
        let of_it = answer.into_inner().tasks.into_iter();
        open.extend(of_it.filter(|task| task.resource == *id));
    }
    Some(open)
}

/// What the type says of the fields of the content, the outermost ones.
async fn descriptions(
    session: &ClientSession,
    resource: &Resource,
) -> Option<BTreeMap<String, String>> {
    // From the id rather than the kind, which may be short for several types.
    let id = type_version(resource)?;
    let request = GetTypeVersionRequest { id };
    let answer = session.client.types().get_type_version(request).await;
    let file = answer.ok()?.into_inner().type_version?.file;
    // The file of a newer release may be one that this one can't parse as a type; its descriptions
    // it can read.
    let file: Value = serde_norway::from_str(&file).ok()?;
    let schema = file
        .pointer("/spec/schema")
        // Files of earlier forms have the schema at the top.
        .or_else(|| file.get("schema"))?;
    let properties = schema.get("properties")?.as_object()?.iter();
    let described = properties.filter_map(|(name, property)| {
        let text = property
            .get("description")
            .or_else(|| property.get("title"))?;
        Some((name.clone(), text.as_str()?.to_owned()))
    });
    Some(described.collect())
}

/// `acme:app:1.1.0`, from the id, which names the type, and the version of the view.
fn type_version(resource: &Resource) -> Option<String> {
    let mut parts = resource
        .metadata
        .id
        .strip_prefix("urn:vcloud:entity:")?
        .split(':');
    let (vendor, nss) = (parts.next()?, parts.next()?);
    let version = resource.version.split('+').next()?;
    // Files write `v1`, and ids `1.0.0`.
    let mut numbers: Vec<_> = version.strip_prefix('v')?.split('.').collect();
    numbers.resize(3, "0");
    Some(format!("{vendor}:{nss}:{}", numbers.join(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_version_of_a_view_is_found_by_its_id() {
        for (version, expected) in [
            ("v1", "1.0.0"),
            ("v1.1+downgraded", "1.1.0"),
            ("v2.0.3", "2.0.3"),
        ] {
            let mut resource = Resource::new("app", version, "web", Value::Null);
            resource.metadata.id = "urn:vcloud:entity:acme:app:7d1f".into();
            let expected = format!("acme:app:{expected}");
            assert_eq!(type_version(&resource), Some(expected));
        }
    }
}
