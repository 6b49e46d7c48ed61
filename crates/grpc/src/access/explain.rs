//! What somebody may do with a resource, and why.

use super::grants::{told, which};
use crate::api::GrpcState;
use crate::proto::access::v1 as pb;
use coeval_access::{
    AccessDecision, AccessExplanation, AccessLevel, AccessRequirement, RequirementMet,
    ResourceAction,
};
use coeval_api::methods::MethodError;
use coeval_codes::Coded;
use coeval_engine::Caller;
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

pub(super) async fn explain(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ExplainAccessRequest,
) -> Result<pb::ExplainAccessResponse, MethodError> {
    let named = (&*asked.kind, &*asked.name, &*asked.namespace);
    let (of, target) = which(&api, &caller, named).await?;
    let user = (!asked.user.is_empty()).then_some(&*asked.user);
    let engine = api.methods.engine();
    let (mut actions, mut level) = (Vec::new(), None);
    for (name, action) in ACTIONS {
        let explained = engine.explain_user(&caller, &of, &target, user, action);
        let explained = explained.await?;
        if let AccessDecision::Allowed(allowed) = &explained.decision {
            level = level.max(Some(allowed.level));
        }
        actions.push(shown(name, &explained));
    }
    Ok(pb::ExplainAccessResponse {
        user: user.unwrap_or(caller.user()).to_owned(),
        level: level.map_or(0, |level| told(level).into()),
        actions,
    })
}

fn shown(name: &str, explained: &AccessExplanation) -> pb::ExplainedAction {
    pb::ExplainedAction {
        action: name.to_owned(),
        allowed: explained.decision.is_allowed(),
        requirements: explained.requirements.iter().map(requirement).collect(),
    }
}

fn requirement(one: &AccessRequirement) -> pb::Requirement {
    let needs = one.needs.clone();
    match &one.met {
        RequirementMet::By(bases) => pb::Requirement {
            needs,
            met: true,
            by: bases.iter().map(ToString::to_string).collect(),
            ..Default::default()
        },
        RequirementMet::No(reason) => pb::Requirement {
            needs,
            code: reason.code().to_string(),
            reason: reason.to_string(),
            advice: reason.advice(),
            ..Default::default()
        },
        RequirementMet::NotKnown => pb::Requirement {
            needs,
            ..Default::default()
        },
    }
}
