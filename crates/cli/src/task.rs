//! `coeval task`.

mod wait;

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::rows::{OutputOptions, print_one, print_rows, say};
use clap::{Args, Subcommand, ValueEnum};
use coeval_client::ClientError;
use coeval_proto::tasks::v1 as pb;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) use wait::{follow_to_end, wait_for_success};

/// Look at tasks, wait for them, cancel them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval task list
  coeval task list --status running -o name
  coeval task wait urn:vcloud:task:2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39

A task is a long-running job, such as moving all resources of a type to another version. An id
can be given with or without urn:vcloud:task: before it.")]
pub struct TaskOptions {
    #[command(subcommand)]
    action: TaskCommand,
}

#[derive(Debug, Subcommand)]
enum TaskCommand {
    /// Show the tasks of your organization, newest first
    #[command(after_help = "Examples:
  coeval task list
  coeval task list --status error --limit 10
  coeval task list --operation migrateEntities -o json
  coeval task list --resource urn:vcloud:entity:acme:app:2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39")]
    List {
        /// Only those that stand so
        #[arg(long, value_enum)]
        status: Option<StatusFilter>,
        /// Only those of this operation, such as migrateEntities
        #[arg(long, value_name = "NAME")]
        operation: Option<String>,
        /// Only those about the resource with this id, as `coeval describe` shows it
        #[arg(long, value_name = "ID", value_parser = resource_id)]
        resource: Option<String>,
        /// At most so many
        #[arg(long, value_name = "NUMBER", default_value = "100")]
        limit: u32,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show one with its result
    #[command(
        after_help = "Examples:\n  coeval task get 2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39 -o json"
    )]
    Get {
        /// Its id
        id: String,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Wait until one has ended, and show how far it is
    #[command(after_help = "Examples:
  coeval task wait 2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39
  coeval task wait 2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39 --timeout 10m

Exit codes: 0 it did its work, 1 it failed or was canceled, 4 it has not ended in time.")]
    Wait {
        /// Its id
        id: String,
        /// How long to wait, as 90s, 10m or 2h; for ever, if nothing is said
        #[arg(long, value_name = "TIME", value_parser = duration)]
        timeout: Option<Duration>,
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Ask for one to end; what it has done stays done
    #[command(after_help = "Examples:\n  coeval task cancel 2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39")]
    Cancel {
        /// Its id
        id: String,
        #[command(flatten)]
        server: ServerOptions,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatusFilter {
    Queued,
    Running,
    Success,
    Error,
    Canceled,
    Aborted,
}

impl StatusFilter {
    const fn sent(self) -> pb::TaskStatus {
        match self {
            Self::Queued => pb::TaskStatus::Queued,
            Self::Running => pb::TaskStatus::Running,
            Self::Success => pb::TaskStatus::Success,
            Self::Error => pb::TaskStatus::Error,
            Self::Canceled => pb::TaskStatus::Canceled,
            Self::Aborted => pb::TaskStatus::Aborted,
        }
    }
}

/// An id, and not a name: tasks outlive names.
fn resource_id(text: &str) -> Result<String, String> {
    // The server takes ids only; a name would find nothing, and not say why.
    match text.strip_prefix("urn:vcloud:entity:") {
        Some(rest) if !rest.is_empty() => Ok(text.to_owned()),
        _ => Err(
            "use the id: `coeval get KIND NAME -o jsonpath='{.metadata.id}'` prints it".to_owned(),
        ),
    }
}

/// `90s`, `10m`, `2h`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: say it as 90s, 10m or 2h");
    let number = text.trim_end_matches(['s', 'm', 'h']);
    let each = match text.get(number.len()..) {
        Some("s") => 1,
        Some("m") => 60,
        Some("h") => 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    // A hundred years are for ever.
    let seconds = number.saturating_mul(each).min(100 * 365 * 86_400);
    Ok(Duration::from_secs(seconds))
}

pub(crate) async fn run(options: TaskOptions) -> Result<ExitCode, Failure> {
    match options.action {
        TaskCommand::List {
            status,
            operation,
            resource,
            limit,
            output,
            server,
        } => {
            let asked = pb::ListTasksRequest {
                status: status.map_or(0, |status| status.sent().into()),
                operation: operation.unwrap_or_default(),
                resource: resource.unwrap_or_default(),
                ..Default::default()
            };
            list(&server.session()?, asked, limit, output).await?;
        }
        TaskCommand::Get { id, output, server } => {
            show(&get(&server.session()?, id).await?, output)?;
        }
        TaskCommand::Wait {
            id,
            timeout,
            output,
            server,
        } => return wait::run(&server.session()?, id, timeout, output).await,
        TaskCommand::Cancel { id, server } => {
            let session = server.session()?;
            let request = pb::CancelTaskRequest { id };
            let done = session.client.tasks().cancel_task(request).await;
            let done = done.map_err(ClientError::of_write)?.into_inner().task;
            let task = done.unwrap_or_default();
            let how = match status(&task) {
                "canceled" => "canceled",
                _ => "asked to end; `coeval task wait` tells when it has",
            };
            say(&format!("{} {how}", task.id));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn get(session: &ClientSession, id: String) -> Result<pb::Task, ClientError> {
    let request = pb::GetTaskRequest { id };
    let found = session.client.tasks().get_task(request).await?;
    Ok(found.into_inner().task.unwrap_or_default())
}

async fn list(
    session: &ClientSession,
    asked: pb::ListTasksRequest,
    limit: u32,
    output: OutputOptions,
) -> Result<(), Failure> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut page_token) = (Vec::new(), String::new());
    let more = loop {
        let mut request = asked.clone();
        // No more than are wanted: a server may have very many.
        request.page_size = i32::try_from(limit.saturating_sub(found.len()).min(1000)).unwrap_or(0);
        request.page_token = page_token;
        let page = session.client.tasks().list_tasks(request).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        // One that can't be read does not hide the others.
        for bad in &page.quarantined {
            say(&format!(
                "{} can't be read: {} ({})",
                bad.id, bad.reason, bad.code
            ));
        }
        // A server of an older release lists those of all resources.
        let wanted = |task: &pb::Task| asked.resource.is_empty() || task.resource == asked.resource;
        found.extend(page.tasks.into_iter().filter(wanted));
        page_token = page.next_page_token;
        if page_token.is_empty() || found.len() >= limit {
            // Whether there were more decides on the note at the end.
            break !page_token.is_empty();
        }
    };
    found.truncate(limit);
    let row = |task: &pb::Task| {
        vec![
            task.id.trim_start_matches("urn:vcloud:task:").to_owned(),
            task.operation.clone(),
            status(task).to_owned(),
            progress(task),
            about(task),
            time(task.created.as_ref()),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(value).collect();
    let headers = ["id", "operation", "status", "progress", "about", "created"];
    print_rows(&output.output, &headers, &rows, &values)?;
    if more {
        say(&format!(
            "there are more than {limit}; see them with --limit"
        ));
    }
    Ok(())
}

fn status(task: &pb::Task) -> &'static str {
    match task.status() {
        pb::TaskStatus::Queued => "queued",
        pb::TaskStatus::Running => "running",
        pb::TaskStatus::Success => "success",
        pb::TaskStatus::Error => "error",
        pb::TaskStatus::Canceled => "canceled",
        pb::TaskStatus::Aborted => "aborted",
        pb::TaskStatus::Unspecified => "(unknown)",
    }
}

fn progress(task: &pb::Task) -> String {
    match task.total {
        Some(total) => format!("{}/{total}", task.done),
        None if task.done > 0 => task.done.to_string(),
        None => String::new(),
    }
}

/// The type version or the resource that it is about.
fn about(task: &pb::Task) -> String {
    if !task.resource.is_empty() {
        return task.resource.clone();
    }
    match (task.r#type.as_str(), task.version.as_str()) {
        (of, "") => of.to_owned(),
        (of, version) => format!("{of}:{version}"),
    }
}

fn time(of: Option<&prost_types::Timestamp>) -> String {
    let read = |of: &prost_types::Timestamp| jiff::Timestamp::new(of.seconds, of.nanos).ok();
    let time = of.and_then(read);
    time.map_or_else(String::new, |time| format!("{time:.0}"))
}

fn value(task: &pb::Task) -> Value {
    let failure = task.failure.as_ref();
    let failure = failure.map(|why| json!({"code": why.code, "message": why.message}));
    let result: Value = serde_json::from_str(&task.result).unwrap_or(Value::Null);
    json!({
        "id": task.id, "operation": task.operation, "description": task.description,
        "status": status(task), "type": task.r#type, "version": task.version,
        "resource": task.resource, "user": task.user, "namespace": task.namespace,
        "created": time(task.created.as_ref()), "started": time(task.started.as_ref()),
        "ended": time(task.ended.as_ref()), "done": task.done, "total": task.total,
        "message": task.message, "failure": failure, "result": result,
        "cancelRequested": task.cancel_requested,
    })
}

fn show(task: &pb::Task, output: OutputOptions) -> Result<(), Failure> {
    let mut fields = vec![
        ("id", task.id.clone()),
        ("operation", task.operation.clone()),
        ("description", task.description.clone()),
        ("status", status(task).to_owned()),
        ("progress", progress(task)),
        ("about", about(task)),
        ("organization", task.namespace.clone()),
        ("created", time(task.created.as_ref())),
        ("started", time(task.started.as_ref())),
        ("ended", time(task.ended.as_ref())),
    ];
    let more = [
        ("message", task.message.clone()),
        ("result", task.result.clone()),
    ];
    fields.extend(more.into_iter().filter(|(_, said)| !said.is_empty()));
    if let Some(failure) = &task.failure {
        let said = format!("{} ({})", failure.message, failure.code);
        fields.push(("failure", said));
    }
    print_one(&output.output, &task.id, &fields, &value(task))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_named_by_its_id_and_never_by_nothing() {
        assert!(resource_id("urn:vcloud:entity:acme:app:1").is_ok());
        for text in ["", "web", "urn:vcloud:entity:", "urn:vcloud:task:1"] {
            assert!(resource_id(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_said_with_their_unit() {
        for (text, seconds) in [("0s", 0), ("90s", 90), ("10m", 600), ("2h", 7200)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "s", "10", "10d", "-1s", "1.5h", "5mm", "m5"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration("18446744073709551615h").is_ok());
    }
}
