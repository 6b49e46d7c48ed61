//! Waits for a task: a bar on a terminal, a line for each change elsewhere.

use super::{get, progress, show, status};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, sanitize_line, say};
use coeval_client::{ClientError, ClientErrorKind};
use coeval_codes::{Code, Coded};
use coeval_proto::tasks::v1 as pb;
use futures::StreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

/// A server that restarts is asked again, this often and so long after each time.
const TRIES: u32 = 30;
const BETWEEN: Duration = Duration::from_secs(1);

/// Why a task did not do its work.
#[derive(Debug)]
enum TaskEnd {
    Failed {
        id: String,
        code: Code,
        said: String,
    },
    Late {
        id: String,
        waited: Duration,
    },
}

impl fmt::Display for TaskEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { said, .. } => f.write_str(said),
            Self::Late { id, waited } => {
                write!(f, "{id} has not ended after {} s", waited.as_secs())
            }
        }
    }
}

impl std::error::Error for TaskEnd {}

impl Coded for TaskEnd {
    fn code(&self) -> Code {
        match self {
            Self::Failed { code, .. } => *code,
            Self::Late { .. } => coeval_codes::DEADLINE_PASSED,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Failed { id, .. } => format!("`coeval task get {id}` shows all about it."),
            Self::Late { .. } => {
                "It goes on by itself: wait again, with a longer --timeout.".to_owned()
            }
        }
    }
}

pub(super) async fn run(
    session: &ClientSession,
    id: String,
    timeout: Option<Duration>,
    output: OutputOptions,
) -> Result<ExitCode, Failure> {
    let ended = wait_for_end(session, &id);
    let task = match timeout {
        None => ended.await?,
        // The task goes on: only the waiting ends.
        Some(waited) => match tokio::time::timeout(waited, ended).await {
            Ok(task) => task?,
            Err(_) => return Err(TaskEnd::Late { id, waited }.into()),
        },
    };
    show(&succeeded(session, task).await?, output)?;
    Ok(ExitCode::SUCCESS)
}

/// An ended task with its result.
async fn succeeded(session: &ClientSession, task: pb::Task) -> Result<pb::Task, Failure> {
    if task.status() == pb::TaskStatus::Success {
        // A listing leaves the result out, and so may a watch.
        return Ok(get(session, task.id).await?);
    }
    Err(failed(task).into())
}

/// Waits until a task has done its work, and shows how far it is; the task with its result.
pub(crate) async fn wait_for_success(
    session: &ClientSession,
    id: &str,
) -> Result<pb::Task, Failure> {
    succeeded(session, wait_for_end(session, id).await?).await
}

fn failed(task: pb::Task) -> TaskEnd {
    let how = status(&task);
    let (code, why) = match task.failure {
        Some(failure) => {
            let mut known = coeval_codes::ALL.iter();
            // A code that this release does not know still has to be one.
            let known = known.find(|code| code.to_string() == failure.code);
            let known = known.copied().unwrap_or(coeval_codes::CODE_NEWER);
            (known, failure.message)
        }
        None => (coeval_codes::TASK_ENDED, task.message),
    };
    let separator = if why.is_empty() { "" } else { ": " };
    let said = format!(
        "{} ended as {how}{separator}{}",
        task.id,
        sanitize_line(&why)
    );
    TaskEnd::Failed {
        id: task.id,
        code,
        said,
    }
}

async fn wait_for_end(session: &ClientSession, id: &str) -> Result<pb::Task, ClientError> {
    let mut shown = TaskProgress::new();
    follow_to_end(session, id, |task| shown.tell(task)).await
}

/// Follows a task to its end, also across a restart of the server, and tells what it is meanwhile.
pub(crate) async fn follow_to_end(
    session: &ClientSession,
    id: &str,
    mut tell: impl FnMut(&pb::Task),
) -> Result<pb::Task, ClientError> {
    // Counted only while nothing is heard: see `follow`.
    let mut tries = 0;
    loop {
        let error = match follow(session, id, &mut tell, &mut tries).await {
            Ok(Some(task)) => return Ok(task),
            Ok(None) => None,
            Err(error) if error.kind() == ClientErrorKind::Unavailable => Some(error),
            Err(error) => return Err(error),
        };
        tries += 1;
        // Somebody may restart the server several times in a row.
        if tries > TRIES {
            let message = "the server ends the watch again and again";
            let gone =
                || ClientError::new(ClientErrorKind::Unavailable, message, "Try again later.");
            return Err(error.unwrap_or_else(gone));
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

/// `None` if the stream ended before the task did.
async fn follow(
    session: &ClientSession,
    id: &str,
    tell: &mut impl FnMut(&pb::Task),
    tries: &mut u32,
) -> Result<Option<pb::Task>, ClientError> {
    let id = id.to_owned();
    let request = pb::WatchTaskRequest { id };
    let mut stream = session.client.tasks().watch_task(request).await?;
    let stream = stream.get_mut();
    while let Some(told) = stream.next().await {
        let task = told?.task.unwrap_or_default();
        // Something was heard, so the next interruption is the first again.
        *tries = 0;
        tell(&task);
        let goes_on = [
            pb::TaskStatus::Unspecified,
            pb::TaskStatus::Queued,
            pb::TaskStatus::Running,
        ];
        if !goes_on.contains(&task.status()) {
            return Ok(Some(task));
        }
    }
    Ok(None)
}

/// What is seen of it meanwhile, on stderr.
struct TaskProgress {
    bar: Option<ProgressBar>,
    last: String,
}

impl TaskProgress {
    fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            bar: terminal.then(bar),
            last: String::new(),
        }
    }

    fn tell(&mut self, task: &pb::Task) {
        let said = [status(task), &progress(task), &task.message];
        let said: Vec<_> = said.into_iter().filter(|part| !part.is_empty()).collect();
        let line = format!("{}: {}", task.operation, said.join(" "));
        if let Some(bar) = &self.bar {
            bar.set_length(task.total.unwrap_or(0));
            bar.set_position(task.done);
            bar.set_message(sanitize_line(&line));
        } else if line != self.last {
            say(&line);
            self.last = line;
        }
    }
}

impl Drop for TaskProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.enable_steady_tick(Duration::from_millis(100));
    match ProgressStyle::with_template("{msg} {wide_bar} {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_task_ends_with_its_own_code() {
        let task = |code: &str| pb::Task {
            id: "urn:vcloud:task:1".to_owned(),
            status: pb::TaskStatus::Error.into(),
            failure: Some(pb::TaskFailure {
                code: code.to_owned(),
                message: "three don't fit".to_owned(),
            }),
            ..Default::default()
        };
        let ended = failed(task("COEVAL-6202"));
        assert_eq!(ended.code(), coeval_codes::TASK_ABORTED);
        assert_eq!(
            ended.to_string(),
            "urn:vcloud:task:1 ended as error: three don't fit"
        );
        assert_eq!(failed(task("COEVAL-9999")).code(), coeval_codes::CODE_NEWER);
    }

    #[test]
    fn a_task_that_takes_too_long_is_undecided() {
        let late = TaskEnd::Late {
            id: "1".to_owned(),
            waited: Duration::from_secs(3),
        };
        assert_eq!(late.code(), coeval_codes::DEADLINE_PASSED);
        assert!(late.advice().contains("--timeout"), "{}", late.advice());
    }
}
