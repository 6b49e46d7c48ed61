//! What somebody may do with an entity, and why.

use super::target::entity;
use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use coeval_access::{Action, Decision, Explanation, Level, Met};
use coeval_api::rest::RestAnswer;
use coeval_codes::Coded;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is told about, by the names on the wire.
const ACTIONS: [(&str, Action); 8] = [
    ("read", Action::Read),
    ("modify", Action::Modify),
    ("resolve", Action::Resolve),
    ("delete", Action::Delete),
    ("changeOwner", Action::ChangeOwner),
    ("readAccessControls", Action::ReadAcl),
    ("changeAccessControls", Action::ChangeAcl(Level::ReadWrite)),
    ("readSecrets", Action::ReadSecrets),
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
        if let Decision::Allowed(allowed) = &told.decision {
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

fn described(user: &str, level: Option<Level>) -> Value {
    json!({ "user": user, "accessLevelId": level.map(Level::urn) })
}

fn shown(name: &str, told: &Explanation) -> Value {
    let requirements = told.requirements.iter().map(|one| match &one.met {
        Met::By(bases) => {
            let by: Vec<String> = bases.iter().map(ToString::to_string).collect();
            json!({ "needs": one.needs, "met": true, "by": by })
        }
        Met::No(reason) => json!({
            "needs": one.needs,
            "met": false,
            "code": reason.code().to_string(),
            "reason": reason.to_string(),
            "advice": reason.advice(),
        }),
        Met::NotKnown => json!({ "needs": one.needs, "met": false }),
    });
    json!({
        "action": name,
        "allowed": told.decision.is_allowed(),
        "requirements": requirements.collect::<Vec<_>>(),
    })
}
