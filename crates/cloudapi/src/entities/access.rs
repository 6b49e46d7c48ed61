//! What somebody may do with an entity, and why.

use super::target::entity;
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_access::{
    AccessDecision, AccessExplanation, AccessLevel, RequirementMet, ResourceAction,
};
use coeval_api::rest::RestAnswer;
use coeval_codes::Coded;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is told about, by the names on the wire.
const ACTIONS: [(&str, ResourceAction); 8] = [
    ("read", ResourceAction::Read),
    ("modify", ResourceAction::Modify),
    ("resolve", ResourceAction::Resolve),
    ("delete", ResourceAction::Delete),
    ("changeOwner", ResourceAction::ChangeOwner),
    ("readAccessControls", ResourceAction::ReadAcl),
    (
        "changeAccessControls",
        ResourceAction::ChangeAcl(AccessLevel::ReadWrite),
    ),
    ("readSecrets", ResourceAction::ReadSecrets),
];

/// The level; and with `explain` each action, what it takes, and whether that is there.
pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let (of, target) = entity(&call)?;
    let caller = call.caller()?;
    let user = call.query.get("user").filter(|user| !user.is_empty());
    let explain = call.flag("explain")?.unwrap_or(false);
    // The common question, what may I do, is answered by one read.
    if !explain && user.is_none() {
        let resource = api.engine.get(caller, &of, &target).await?;
        let user = caller.user();
        return Ok(RestAnswer::ok(&described(user, Some(resource.level))));
    }
    let mut actions = Vec::new();
    let mut level = None;
    for (name, action) in ACTIONS {
        let asked = api.engine.explain_user(caller, &of, &target, user, action);
        let told = asked.await?;
        if let AccessDecision::Allowed(allowed) = &told.decision {
            level = level.max(Some(allowed.level));
        }
        actions.push(shown(name, &told));
    }
    let mut answer = described(user.unwrap_or(caller.user()), level);
    if let (Value::Object(map), true) = (&mut answer, explain) {
        map.insert("actions".into(), Value::Array(actions));
    }
    Ok(RestAnswer::ok(&answer))
}

fn described(user: &str, level: Option<AccessLevel>) -> Value {
    json!({ "user": user, "accessLevelId": level.map(AccessLevel::urn) })
}

fn shown(name: &str, told: &AccessExplanation) -> Value {
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
        RequirementMet::NotKnown => json!({ "needs": one.needs, "met": false }),
    });
    json!({
        "action": name,
        "allowed": told.decision.is_allowed(),
        "requirements": requirements.collect::<Vec<_>>(),
    })
}
