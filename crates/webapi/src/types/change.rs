//! Registering, changing and deleting type versions, and moving resources between them.

use super::{of, read, version_of};
use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::tasks;
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_core::types::{ColumnType, ListColumn, VersionDeprecation};
use coeval_engine::jobs::MigrateOptions;
use coeval_engine::types::{AnnotationChange, Policy, Registered, Registration};
use http::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;

fn registration(call: &WebCall) -> Result<Registration, WebError> {
    let body = call.object(&["file", "policy", "acceptUndecided"])?;
    let policy = match body.text("policy")?.as_deref() {
        None | Some("refuse") => Policy::Refuse,
        Some("warn") => Policy::Warn,
        Some(_) => return Err(WebError::invalid("policy is refuse or warn")),
    };
    Ok(Registration {
        policy,
        accept_undecided: body.flag("acceptUndecided")?.unwrap_or(false),
        ..Registration::of(body.needed("file")?)
    })
}

fn shown(registered: &Registered) -> Value {
    json!({
        "id": registered.id.to_string(),
        "type": format!("{}:{}", registered.id.vendor, registered.id.nss),
        "version": registered.id.version.to_string(),
        "parent": registered.parent.map(|parent| parent.to_string()),
        "unproven": registered.unproven,
        "findings": registered.findings,
    })
}

pub(super) async fn register(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let registration = registration(&call)?;
    // The same checks in the same order; only the write is missing.
    if call.query.flag("dryRun")?.unwrap_or(false) {
        let checked = api.engine().check_type(caller, &registration).await?;
        return Ok(RestAnswer::ok(&shown(&checked)));
    }
    let registered = api.engine().register(caller, registration).await?;
    Ok(RestAnswer::created(&shown(&registered)))
}

pub(super) async fn edit(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let registration = registration(&call)?;
    let edited = api
        .engine()
        .edit_type(call.caller()?, &of, version, registration);
    Ok(RestAnswer::ok(&shown(&edited.await?)))
}

pub(super) async fn delete(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let deleted = api.engine().delete_type(call.caller()?, &of, version);
    deleted.await?;
    Ok(RestAnswer::none())
}

/// What is absent stays; null takes it away.
pub(super) async fn annotate(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let (of, version) = (of(&call)?, version_of(call.param("version"))?);
    let body = call.object(&["deprecated", "columns"])?;
    let bad = |what: &str| WebError::invalid(what);
    // Absent and null differ here, which `text` and `map` don't tell apart: the body is asked itself.
    let deprecated = match body.get("deprecated") {
        None => None,
        Some(Value::Null) => Some(None),
        Some(said) => {
            let said = said.as_object();
            let said = said.ok_or_else(|| bad("deprecated must be an object or null"))?;
            said.only(&["since", "sunset", "message"])?;
            Some(Some(VersionDeprecation {
                since: said.text("since")?,
                sunset: said.text("sunset")?,
                message: said.text("message")?,
            }))
        }
    };
    let columns = match (body.contains_key("columns"), body.list("columns")?) {
        (false, _) => None,
        // Null takes them all away, as an empty list does.
        (true, None) => Some(Vec::new()),
        (true, Some(all)) => {
            let columns: Result<Vec<ListColumn>, WebError> = all.iter().map(column).collect();
            Some(columns?)
        }
    };
    let change = AnnotationChange {
        deprecated,
        columns,
    };
    let caller = call.caller()?;
    let annotated = api.engine().annotate_type(caller, &of, version, &change);
    annotated.await?;
    // Read again: the answer is what others see from now on, not what was sent.
    Ok(RestAnswer::ok(
        &read::whole(&api, &call, &of, version).await?,
    ))
}

fn column(said: &Value) -> Result<ListColumn, WebError> {
    let said = said.as_object();
    let said = said.ok_or_else(|| WebError::invalid("a column must be an object"))?;
    said.only(&["name", "path", "type"])?;
    let kind = match said.text("type")? {
        None => Some(ColumnType::default()),
        Some(name) => ColumnType::of(&name),
    };
    let unknown = || WebError::invalid("type is string, integer, number, boolean or date");
    Ok(ListColumn {
        name: said.needed("name")?,
        path: said.needed("path")?,
        kind: kind.ok_or_else(unknown)?,
    })
}

pub(super) async fn migrate(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let of = of(&call)?;
    let body = call.object(&["from", "to", "force", "dryRun", "meaningChanged"])?;
    let (from, to) = (body.needed("from")?, body.needed("to")?);
    let changed = body.texts("meaningChanged")?.unwrap_or_default();
    let changed: Result<Vec<_>, WebError> = changed.iter().map(|text| version_of(text)).collect();
    let options = MigrateOptions {
        force: body.flag("force")?.unwrap_or(false),
        dry_run: body.flag("dryRun")?.unwrap_or(false),
        meaning_changed: changed?,
    };
    let (from, to) = (version_of(&from)?, version_of(&to)?);
    let task = api
        .engine()
        .migrate_resources(call.caller()?, &of, from, to, &options);
    let task = task.await?;
    Ok(RestAnswer::json(StatusCode::ACCEPTED, &tasks::shown(&task)))
}
