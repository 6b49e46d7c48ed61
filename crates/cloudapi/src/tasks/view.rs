//! What is told of a task, in whichever form.

use crate::api::CloudState;
use crate::error::ApiError;
use crate::orgs::places;
use crate::urn;
use coeval_api::rest::rfc3339;
use coeval_core::version::Version;
use coeval_engine::tasks::Task;
use coeval_engine::{Caller, TypeKey};

/// How long clients may count on it.
const KEPT_FOR: i64 = 90 * 24 * 60 * 60 * 1_000;

/// Somebody or something that a task names.
#[derive(Debug)]
pub(super) struct TaskReference {
    pub(super) href: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: &'static str,
}

/// A task, ready to be written.
#[derive(Debug)]
pub(super) struct TaskView {
    pub(super) id: String,
    pub(super) href: String,
    pub(super) status: &'static str,
    /// For people; it ends with the id of what the task is about, in brackets.
    pub(super) operation: String,
    pub(super) operation_name: String,
    pub(super) started: String,
    pub(super) ended: Option<String>,
    pub(super) expires: String,
    pub(super) cancel_requested: bool,
    pub(super) owner: Option<TaskReference>,
    /// Its code and message.
    pub(super) error: Option<(String, String)>,
    pub(super) user: TaskReference,
    pub(super) org: TaskReference,
    pub(super) progress: u8,
    pub(super) details: String,
    /// JSON as a text.
    pub(super) result: Option<String>,
}

impl TaskView {
    pub(super) async fn of(
        api: &CloudState,
        caller: &Caller,
        task: &Task,
    ) -> Result<Self, ApiError> {
        let owner = owner(api, task);
        let (user, org) = (task.user(), task.org());
        let name = async |id: &str| -> Result<String, ApiError> {
            let name = api.engine.name_of(caller, id).await?;
            Ok(name.map_or_else(String::new, |name| name.to_string()))
        };
        Ok(Self {
            id: task.urn(),
            href: places::href(api, "task", &task.id.to_string()),
            status: task.status.name(),
            operation: operation(&task.description, owner.as_ref()),
            operation_name: task.operation.clone(),
            // A task that waits has no start of its own: its creation stands in for it.
            started: rfc3339(task.started.unwrap_or(task.created)),
            ended: task.ended.map(rfc3339),
            expires: rfc3339(task.created.saturating_add(KEPT_FOR)),
            cancel_requested: task.cancel_requested,
            error: task
                .error
                .as_ref()
                .map(|error| (error.code.clone(), error.message.clone())),
            user: TaskReference {
                href: places::href(api, "admin/user", user),
                name: name(user).await?,
                id: user.to_owned(),
                kind: places::USER,
            },
            org: TaskReference {
                href: places::org_href(api, org),
                name: name(org).await?,
                id: org.to_owned(),
                kind: places::ORG,
            },
            progress: task.progress.percent(),
            details: task.message.clone().unwrap_or_default(),
            result: task.result.as_ref().map(ToString::to_string),
            owner,
        })
    }
}

/// The entity, or the type version, that it is about.
fn owner(api: &CloudState, task: &Task) -> Option<TaskReference> {
    let base = format!("{}/cloudapi/1.0.0", api.settings.public_url);
    if let Some(id) = &task.about.resource {
        return Some(TaskReference {
            href: format!("{base}/entities/{id}"),
            id: id.clone(),
            name: "entity".to_owned(),
            kind: "application/json",
        });
    }
    // What can't be read names nothing: the task is shown without an owner.
    let of = TypeKey::parse(task.about.of.as_deref()?)?;
    let version = Version::parse_full(task.about.version.as_deref()?).ok()?;
    let id = urn::of_type(&of, version);
    Some(TaskReference {
        href: format!("{base}/entityTypes/{id}"),
        id,
        name: of.nss.to_string(),
        kind: "application/json",
    })
}

fn operation(description: &str, owner: Option<&TaskReference>) -> String {
    let Some(owner) = owner else {
        return description.to_owned();
    };
    // The id stands at the end exactly once.
    let end = format!("({})", owner.id);
    if description.ends_with(&end) {
        description.to_owned()
    } else {
        format!("{description}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_ends_with_what_it_is_about_once() {
        let owner = TaskReference {
            href: String::new(),
            id: "urn:vcloud:entity:a:b:c".to_owned(),
            name: String::new(),
            kind: "",
        };
        let expected = "Creating x(urn:vcloud:entity:a:b:c)";
        assert_eq!(operation("Creating x", Some(&owner)), expected);
        assert_eq!(operation(expected, Some(&owner)), expected);
        assert_eq!(operation("Creating x", None), "Creating x");
    }
}
