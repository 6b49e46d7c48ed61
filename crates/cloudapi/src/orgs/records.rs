//! What there are records of: their types, and the records of each.

use super::places::{self, bare, href, org_href, vdcs_of};
use crate::api::CloudState;
use crate::error::ApiError;
use coeval_api::rest::rfc3339;
use coeval_engine::Caller;
use coeval_engine::identity::Organization;
use coeval_engine::tasks::TaskQuery;
use serde_json::{Value, json};

/// A type of records.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordType {
    /// As a query names it.
    pub(super) name: &'static str,
    /// What a record's element begins with.
    pub(super) element: &'static str,
    of: RecordSource,
    /// What can be filtered and sorted by.
    pub(super) keys: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
enum RecordSource {
    Vdcs,
    Orgs,
    Users,
    Roles,
    Tasks,
}

const VDC_KEYS: &[&str] = &[
    "name",
    "id",
    "href",
    "org",
    "orgName",
    "isEnabled",
    "status",
];
const USER_KEYS: &[&str] = &[
    "name",
    "id",
    "href",
    "org",
    "orgName",
    "fullName",
    "isEnabled",
];
const TASK_KEYS: &[&str] = &[
    "name",
    "id",
    "href",
    "org",
    "orgName",
    "status",
    "ownerName",
];

/// All of them.
pub(super) const TYPES: [RecordType; 8] = [
    of("orgVdc", "OrgVdc", RecordSource::Vdcs, VDC_KEYS),
    of("adminOrgVdc", "AdminVdc", RecordSource::Vdcs, VDC_KEYS),
    of(
        "organization",
        "Org",
        RecordSource::Orgs,
        &["name", "id", "href", "displayName", "isEnabled"],
    ),
    of("user", "User", RecordSource::Users, USER_KEYS),
    of("adminUser", "AdminUser", RecordSource::Users, USER_KEYS),
    of(
        "role",
        "Role",
        RecordSource::Roles,
        &["name", "id", "href", "isReadOnly"],
    ),
    of("task", "Task", RecordSource::Tasks, TASK_KEYS),
    of("adminTask", "AdminTask", RecordSource::Tasks, TASK_KEYS),
];

/// How many tasks are looked through.
const TASKS: usize = 1_000;

const fn of(
    name: &'static str,
    element: &'static str,
    of: RecordSource,
    keys: &'static [&'static str],
) -> RecordType {
    RecordType {
        name,
        element,
        of,
        keys,
    }
}

impl RecordType {
    pub(super) fn named(name: &str) -> Option<Self> {
        TYPES.into_iter().find(|one| one.name == name)
    }

    /// All records that the caller may see.
    pub(super) async fn records(
        self,
        api: &CloudState,
        caller: &Caller,
    ) -> Result<Vec<Value>, ApiError> {
        match self.of {
            RecordSource::Vdcs => {
                let orgs = places::orgs(api, caller).await?;
                let vdcs = orgs.iter().flat_map(vdcs_of);
                Ok(vdcs
                    .map(|vdc| {
                        // The same thing: administrators have it at an address of their own.
                        let kind = if self.name == "orgVdc" {
                            "vdc"
                        } else {
                            "admin/vdc"
                        };
                        json!({
                            "href": href(api, kind, &vdc.id), "id": vdc.id, "name": vdc.name,
                            "org": org_href(api, &vdc.org.id), "orgName": vdc.org.name,
                            "isEnabled": vdc.org.enabled, "status": "READY", "isSystemVdc": false,
                            "numberOfVApps": 0, "type": places::VDC,
                        })
                    })
                    .collect())
            }
            RecordSource::Orgs => {
                let orgs = places::orgs(api, caller).await?;
                Ok(orgs.iter().map(|org| organization(api, org)).collect())
            }
            RecordSource::Users => users(api, caller).await,
            RecordSource::Roles => {
                let roles = api.engine.list_roles(caller, caller.org()).await?;
                Ok(roles
                    .iter()
                    .map(|role| {
                        json!({
                            "href": href(api, "admin/role", &role.id), "id": role.id,
                            "name": role.name, "isReadOnly": role.predefined, "type": places::ROLE,
                        })
                    })
                    .collect())
            }
            RecordSource::Tasks => tasks(api, caller).await,
        }
    }
}

fn organization(api: &CloudState, org: &Organization) -> Value {
    json!({
        "href": org_href(api, &org.id), "id": org.id, "name": org.name,
        "displayName": org.display_name.as_ref().unwrap_or(&org.name),
        "isEnabled": org.enabled, "isReadOnly": false, "numberOfVdcs": org.vdcs.len(),
        "type": places::ORG,
    })
}

/// Of the organization that the caller acts in; the provider's administrator sees all.
async fn users(api: &CloudState, caller: &Caller) -> Result<Vec<Value>, ApiError> {
    let mut rows = Vec::new();
    // A provider that acts for a tenant sees only that tenant's users.
    let acting = caller.org() != caller.subject.org();
    for org in places::orgs(api, caller).await? {
        if acting && org.id != caller.org() {
            continue;
        }
        for user in crate::users::of_org(api, caller, &org.id).await? {
            rows.push(json!({
                "href": href(api, "admin/user", &user.id), "id": user.id, "name": user.name,
                "fullName": user.full_name, "isEnabled": user.enabled,
                "org": org_href(api, &org.id), "orgName": org.name, "type": places::USER,
            }));
        }
    }
    Ok(rows)
}

async fn tasks(api: &CloudState, caller: &Caller) -> Result<Vec<Value>, ApiError> {
    // The newest ones: tasks pile up, and a query reads all that it filters.
    let page = api.engine.tasks(caller, &TaskQuery::newest(TASKS)).await?;
    let mut rows = Vec::new();
    for task in page.tasks {
        let name = |id: &str| {
            let id = id.to_owned();
            async move { api.engine.name_of(caller, &id).await }
        };
        let (owner, org) = (name(task.user()).await?, name(task.org()).await?);
        rows.push(json!({
            "href": href(api, "task", &task.id.to_string()), "id": task.urn(),
            "name": task.operation, "status": task.status.name(),
            "ownerName": owner.as_deref(), "org": org_href(api, task.org()),
            "orgName": org.as_deref(), "startDate": task.started.map(rfc3339),
            "endDate": task.ended.map(rfc3339), "objectName": task.about.resource,
        }));
    }
    Ok(rows)
}

/// The organization in a filter may be an address, an id or a bare UUID; records have addresses.
pub(super) fn with_addresses(api: &CloudState, filter: &str) -> String {
    let mut parts = filter.split("org==");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A value ends where an operator or a bracket begins.
        let end = part.find([';', ',', ')']).unwrap_or(part.len());
        let (value, rest) = part.split_at(end);
        // An address ends with a slash and the UUID, an id with a colon and the UUID.
        let last = bare(value.rsplit('/').next().unwrap_or(value));
        all.push_str("org==");
        match coeval_core::version::Uuid::parse(last) {
            Some(_) => all.push_str(&org_href(api, last)),
            None => all.push_str(value),
        }
        all.push_str(rest);
    }
    all
}
