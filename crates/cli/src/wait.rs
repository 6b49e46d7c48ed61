//! `coeval wait`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::output::notes::Spinner;
use crate::output::{Template, check_written, duration};
use crate::reading::{self, ReadQuery};
use crate::targets::{NamedTarget, TargetArguments};
use clap::Args;
use coeval_client::{ClientError, ClientErrorKind, Resource};
use futures::StreamExt as _;
use serde_json::Value;
use std::io::Write as _;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A watch that says nothing may be a watch that hangs.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Wait until resources are as you want them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval wait app web --for state=RESOLVED
  coeval wait app/web app/api --for state=RESOLVED --timeout 5m
  coeval wait app web --for jsonpath='{.spec.region}'=eu
  coeval wait app web --for exists
  coeval wait app web --for deleted

A resource that is not there is refused at once, but with `exists` and `deleted`.

Exit codes: 0 it is so, 1 it did not become so in time, or can't any more.")]
pub struct WaitOptions {
    #[command(flatten)]
    targets: TargetArguments,
    /// state=STATE, exists, deleted, jsonpath='{.spec.x}'=VALUE, or jsonpath='{.spec.x}' for any
    #[arg(long = "for", value_name = "CONDITION")]
    condition: WaitCondition,
    /// How long: 30s, 5m, 1h
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    timeout: Duration,
    #[command(flatten)]
    server: ServerOptions,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq)]
enum WaitCondition {
    State(String),
    Exists,
    Deleted,
    Path(Template, Option<String>),
}

impl FromStr for WaitCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(expression) = text.strip_prefix("jsonpath=") {
            // The braces end the expression; what follows is the value.
            let (expression, value) = match expression.rsplit_once("}=") {
                Some((expression, value)) => (format!("{expression}}}"), Some(value.to_owned())),
                None => (expression.to_owned(), None),
            };
            return Ok(Self::Path(Template::parse(&expression)?, value));
        }
        match (text, text.strip_prefix("state=")) {
            (_, Some(state)) if !state.is_empty() => Ok(Self::State(state.to_uppercase())),
            ("exists", _) => Ok(Self::Exists),
            ("deleted" | "delete", _) => Ok(Self::Deleted),
            _ => Err("write state=RESOLVED, exists, deleted or jsonpath='{.spec.x}'=VALUE".into()),
        }
    }
}

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WaitState {
    Met,
    /// Not yet; what it is now.
    Not(String),
    /// It can't become so.
    Never,
}

impl WaitCondition {
    fn of(&self, resource: Option<&Resource>) -> Result<WaitState, serde_json::Error> {
        // Absent: met for one condition, not yet for another, and never for the rest.
        let Some(resource) = resource else {
            return Ok(match self {
                Self::Deleted => WaitState::Met,
                Self::Exists => WaitState::Not("it is not there".into()),
                Self::State(_) | Self::Path(..) => WaitState::Never,
            });
        };
        let status = resource.status.clone().unwrap_or_default();
        let now = match status.message.as_str() {
            "" => format!("it is {}", status.state),
            message => format!("it is {}: {message}", status.state),
        };
        let met = match self {
            Self::State(state) => *state == status.state,
            Self::Exists => true,
            Self::Deleted => false,
            Self::Path(template, wanted) => {
                let value: Value = serde_json::to_value(resource)?;
                let found = template.render(&value);
                // Any value is enough if none was named.
                let met = template.finds(&value) && wanted.as_ref().is_none_or(|w| *w == found);
                if !met {
                    let now = match found.as_str() {
                        "" => "nothing is there".to_owned(),
                        found => format!("it is `{found}`"),
                    };
                    return Ok(WaitState::Not(now));
                }
                met
            }
        };
        Ok(if met {
            WaitState::Met
        } else {
            WaitState::Not(now)
        })
    }
}

pub(crate) async fn run(options: WaitOptions) -> Result<ExitCode, Failure> {
    let targets = options.targets.required()?;
    let session = options.server.session()?;
    let now = Instant::now();
    // `--timeout` may be longer than a clock can count.
    let far = now + Duration::from_secs(86_400 * 365);
    let deadline = now.checked_add(options.timeout).unwrap_or(far);
    for target in &targets {
        let spinner = Spinner::new(&format!("waiting for {target}"));
        wait_for(&session, target, &options, deadline, &spinner).await?;
        drop(spinner);
        check_written(writeln!(std::io::stdout(), "{target} {}", options.met()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl WaitOptions {
    fn met(&self) -> String {
        match &self.condition {
            WaitCondition::State(state) => format!("is {state}"),
            WaitCondition::Exists => "exists".to_owned(),
            WaitCondition::Deleted => "is deleted".to_owned(),
            WaitCondition::Path(..) => "is so".to_owned(),
        }
    }
}

async fn wait_for(
    session: &ClientSession,
    target: &NamedTarget,
    options: &WaitOptions,
    deadline: Instant,
    spinner: &Spinner,
) -> Result<(), Failure> {
    let query = ReadQuery {
        kind: target.kind.clone(),
        namespace: session.namespace.clone(),
        ..ReadQuery::default()
    };
    // Before the first look, so that no change falls in between. Without one it is looked at again
    // and again.
    let changes = timeout_at(deadline, reading::changes(session, &query, "")).await;
    let mut changes = changes.ok().and_then(Result::ok).map(Box::pin);
    let mut now = "the server does not answer".to_owned();
    loop {
        // A look that was begun ends: it is what the answer tells.
        let patience = deadline.max(Instant::now() + LOOK_AGAIN);
        let look = reading::get(session, &target.kind, &target.name, "");
        let found = match timeout_at(patience, look).await {
            Err(_) => None,
            Ok(Ok(found)) => Some(Some(found.resource)),
            Ok(Err(error)) if error.kind() == ClientErrorKind::NotFound && is_missing(&error) => {
                Some(None)
            }
            Ok(Err(error)) if error.kind() == ClientErrorKind::Unavailable => None,
            Ok(Err(error)) => return Err(error.into()),
        };
        if let Some(found) = &found {
            let standing = options.condition.of(found.as_ref());
            let standing = standing
                .map_err(|error| Failure::internal(format!("can't look into {target}: {error}")))?;
            now = match standing {
                WaitState::Met => return Ok(()),
                WaitState::Never => {
                    return Err(Failure::coded(
                        coeval_codes::RESOURCE_NOT_FOUND,
                        format!("there is no {target}"),
                        "Check its name; `--for exists` waits until somebody makes it.",
                    ));
                }
                WaitState::Not(now) => now,
            };
        }
        // After the look: a wait of no time at all still looks once.
        if Instant::now() >= deadline {
            return Err(Failure::coded(
                coeval_codes::WAIT_OVER,
                format!("{target} did not become so in time: {now}"),
                format!("Look at it with `coeval describe {target}`, or give it more --timeout."),
            ));
        }
        spinner.tell(&format!("waiting for {target}: {now}"));
        let again = deadline.min(Instant::now() + LOOK_AGAIN);
        match &mut changes {
            // A watch that ends is not begun again: looking from time to time is enough.
            Some(told) => {
                if let Ok(None | Some(Err(_))) = timeout_at(again, told.next()).await {
                    changes = None;
                }
            }
            None => tokio::time::sleep_until(again).await,
        }
    }
}

/// The resource, not its kind.
fn is_missing(error: &ClientError) -> bool {
    error.said_code() == coeval_codes::RESOURCE_NOT_FOUND.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_client::ResourceStatus;
    use serde_json::json;

    fn standing(condition: &str, resource: Option<&Resource>) -> WaitState {
        let condition: WaitCondition = condition.parse().unwrap();
        condition.of(resource).unwrap()
    }

    #[test]
    fn conditions_are_judged_by_what_the_resource_is() {
        let mut resource = Resource::new("app", "v1", "web", json!({"n": 3, "x": "a=b"}));
        resource.status = Some(ResourceStatus {
            state: "PRE_CREATED".into(),
            ..ResourceStatus::default()
        });
        let pre = WaitState::Not("it is PRE_CREATED".into());
        let is = |text: &str| WaitState::Not(text.into());
        for (condition, there, absent) in [
            ("state=PRE_CREATED", WaitState::Met, WaitState::Never),
            ("state=pre_created", WaitState::Met, WaitState::Never),
            ("state=RESOLVED", pre.clone(), WaitState::Never),
            ("exists", WaitState::Met, is("it is not there")),
            ("deleted", pre, WaitState::Met),
            ("jsonpath={.spec.n}=3", WaitState::Met, WaitState::Never),
            ("jsonpath={.spec.n}=4", is("it is `3`"), WaitState::Never),
            ("jsonpath={.spec.x}=a=b", WaitState::Met, WaitState::Never),
            ("jsonpath={.spec.n}", WaitState::Met, WaitState::Never),
            (
                "jsonpath={.spec.y}",
                is("nothing is there"),
                WaitState::Never,
            ),
            (
                "jsonpath={.spec.y}=",
                is("nothing is there"),
                WaitState::Never,
            ),
        ] {
            assert_eq!(standing(condition, Some(&resource)), there, "{condition}");
            assert_eq!(standing(condition, None), absent, "{condition}");
        }
        for wrong in ["", "state", "state=", "ready", "jsonpath=", "jsonpath={.x"] {
            assert!(wrong.parse::<WaitCondition>().is_err(), "{wrong}");
        }
    }
}
