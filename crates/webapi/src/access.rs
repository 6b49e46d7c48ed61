//! Who may do what with a resource: its ACL, why somebody may or may not, its secrets, and the
//! behaviors that can be invoked on it.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use crate::resources::{named, one};
use crate::route::{WebBody, WebRoute, handler};
use crate::{lists, tasks};
use coeval_access::{
    AccessDecision, AccessExplanation, AccessLevel, AclMember, Grant, RequirementMet,
    ResourceAction,
};
use coeval_api::methods::parse_member;
use coeval_api::rest::{BodyFields as _, RestAnswer};
use coeval_codes::Coded;
use coeval_engine::Caller;
use http::StatusCode;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is told about, by the names on the wire.
const ACTIONS: [(&str, ResourceAction); 8] = [
    ("read", ResourceAction::Read),
    ("modify", ResourceAction::Modify),
    ("resolve", ResourceAction::Resolve),
    ("delete", ResourceAction::Delete),
    ("changeOwner", ResourceAction::ChangeOwner),
    ("readAcl", ResourceAction::ReadAcl),
    (
        "changeAcl",
        ResourceAction::ChangeAcl(AccessLevel::ReadWrite),
    ),
    ("readSecrets", ResourceAction::ReadSecrets),
];

pub(crate) fn routes() -> Vec<WebRoute> {
    let acl = "/resources/{kind}/{name}/acl";
    vec![
        one(WebRoute::get(acl, handler!(list)))
            .about("Who has access to a resource beside its owner.")
            .listing()
            .answers(200, WebBody::Page("Grant")),
        one(WebRoute::post(acl, handler!(grant)))
            .about("Gives somebody access, or changes what somebody has.")
            .takes("GrantInput")
            .gives("Grant"),
        one(WebRoute::delete(
            "/resources/{kind}/{name}/acl/{member}",
            handler!(revoke),
        ))
        .about("Takes somebody's access away.")
        .answers(204, WebBody::Empty),
        one(WebRoute::get(
            "/resources/{kind}/{name}/access",
            handler!(explain),
        ))
        .about("What somebody may do with a resource, and why.")
        .text("user", "The id of a user; the caller if nothing is said")
        .gives("Access"),
        one(WebRoute::post(
            "/resources/{kind}/{name}/secrets",
            handler!(secrets),
        ))
        .about(
            "The secure fields of a resource, by their pointers. That they were read is recorded.",
        )
        .takes("SecretsInput")
        .gives("Secrets"),
        one(WebRoute::post(
            "/resources/{kind}/{name}/behaviors/{behavior}/invocations",
            handler!(invoke),
        ))
        .about("Invokes a behavior on a resource; the task tells how it went.")
        .takes("InvocationInput")
        .answers(202, WebBody::One("Task")),
    ]
}

/// Whom a grant is for: a user, a role or an organization that there is.
pub(crate) async fn member(
    api: &WebState,
    caller: &Caller,
    id: &str,
) -> Result<AclMember, WebError> {
    let member = member_of(id)?;
    // It must exist: a grant to a mistyped id would give nobody access, without a word.
    match api.engine().name_of(caller, id).await? {
        Some(_) => Ok(member),
        None => Err(WebError::invalid(format!(
            "there is nobody of the id {id:?}"
        ))),
    }
}

/// The same for one that may be gone.
pub(crate) fn member_of(id: &str) -> Result<AclMember, WebError> {
    // Cut, since the id is the caller's own text and goes into the answer.
    let bad = || {
        let id: String = id.chars().take(100).collect();
        WebError::invalid(format!(
            "{id:?} is no member: use the id of a user, a role or an organization"
        ))
    };
    parse_member(id).ok_or_else(bad)
}

/// A grant as it is answered.
pub(crate) async fn shown(
    api: &WebState,
    caller: &Caller,
    grant: &Grant,
) -> Result<Value, WebError> {
    let id = grant.member.id();
    let kind = match grant.member {
        AclMember::User(_) => "user",
        AclMember::Role(_) => "role",
        AclMember::Org(_) => "organization",
    };
    let name = api.engine().name_of(caller, id).await?;
    // Empty for somebody who was deleted: the grant can still be taken away.
    let name = name.as_deref().unwrap_or_default();
    Ok(json!({ "id": id, "kind": kind, "name": name, "level": grant.level.name() }))
}

/// A grant as it is sent.
pub(crate) async fn sent(
    api: &WebState,
    call: &WebCall,
    caller: &Caller,
) -> Result<Grant, WebError> {
    let body = call.object(&["member", "level"])?;
    let level = body.needed("level")?;
    let level: Result<AccessLevel, _> = level.parse();
    let level = level.map_err(|error| WebError::invalid(format!("{error}. {}", error.advice())))?;
    let member = member(api, caller, &body.needed("member")?).await?;
    Ok(Grant { member, level })
}

/// What grants can be filtered by.
pub(crate) const GRANT_KEYS: [&str; 4] = ["id", "kind", "name", "level"];

async fn list(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let acl = api.engine().acl(caller, &which.of, &which.target).await?;
    let mut rows = Vec::new();
    for grant in acl.grants() {
        rows.push(shown(&api, caller, grant).await?);
    }
    lists::page(&call, rows, &GRANT_KEYS)
}

async fn grant(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let grant = sent(&api, &call, caller).await?;
    let granted = api
        .engine()
        .grant(caller, &which.of, &which.target, &grant)
        .await?;
    Ok(RestAnswer::ok(&shown(&api, caller, &grant).await?).sequenced(granted))
}

async fn revoke(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let id = call.param("member");
    // Not `member`: a grant to somebody who was deleted must still be revocable.
    let member = member_of(id)?;
    let revoked = api
        .engine()
        .revoke(caller, &which.of, &which.target, &member)
        .await?;
    Ok(RestAnswer::none().sequenced(revoked))
}

async fn explain(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let user = call.query.said("user");
    let (mut actions, mut level) = (Vec::new(), None);
    for (name, action) in ACTIONS {
        let asked = api
            .engine()
            .explain_user(caller, &which.of, &which.target, user, action);
        let told = asked.await?;
        // The highest that an allowed action rests on; a denied one says nothing of the level.
        if let AccessDecision::Allowed(allowed) = &told.decision {
            level = level.max(Some(allowed.level));
        }
        actions.push(explained(name, &told));
    }
    Ok(RestAnswer::ok(&json!({
        "user": user.unwrap_or(caller.user()),
        "level": level.map(AccessLevel::name),
        "actions": actions,
    })))
}

fn explained(name: &str, told: &AccessExplanation) -> Value {
    let requirements = told.requirements.iter().map(|one| match &one.met {
        RequirementMet::By(bases) => {
            let by: Vec<String> = bases.iter().map(ToString::to_string).collect();
            json!({ "needs": one.needs, "met": true, "by": by })
        }
        RequirementMet::No(reason) => json!({
            "needs": one.needs,
            "met": false,
            "code": reason.code().to_string(),
            "reason": reason.to_string(),
            "advice": reason.advice(),
        }),
        // Neither met nor refused: the ACL was not read.
        RequirementMet::NotKnown => json!({ "needs": one.needs, "met": false }),
    });
    json!({
        "action": name,
        "allowed": told.decision.is_allowed(),
        "requirements": requirements.collect::<Vec<_>>(),
    })
}

/// Not a GET: that they were read is recorded, and nothing that a GET does changes anything.
async fn secrets(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let names = call.object_or_nothing(&["names"])?.texts("names")?;
    // All of them are read, and that is what is recorded. Names only shorten the answer.
    let all = api
        .engine()
        .secrets(caller, &which.of, &which.target)
        .await?;
    // Without names all of them are meant.
    let asked = |pointer: &String| names.as_ref().is_none_or(|names| names.contains(pointer));
    let all = all.into_iter().filter(|(pointer, _)| asked(pointer));
    let all: Map<String, Value> = all.collect();
    Ok(RestAnswer::ok(&json!({ "secrets": all })))
}

async fn invoke(api: Arc<WebState>, call: WebCall) -> Result<RestAnswer, WebError> {
    let caller = call.caller()?;
    let which = named(&api, &call, caller).await?;
    let mut body = call.object_or_nothing(&["arguments", "metadata"])?;
    // Only their form is looked at: what they mean is the behavior's.
    for name in ["arguments", "metadata"] {
        body.map(name)?;
    }
    let mut given = |name| body.remove(name).unwrap_or_default();
    let (arguments, metadata) = (given("arguments"), given("metadata"));
    let behavior = call.param("behavior");
    let invoked = api.engine().invoke(
        caller,
        &which.of,
        &which.target,
        behavior,
        arguments,
        metadata,
    );
    let task = invoked.await?;
    Ok(RestAnswer::json(StatusCode::ACCEPTED, &tasks::shown(&task)))
}
