//! Who may do what with one entity. A grant's id follows from the entity and the member, so it is
//! the same at every server and in every answer.

use super::represent::reference;
use super::target::{entity, sequenced};
use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::grants::{MEMBERSHIP, member};
use crate::{listing, urn};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_api::rest::RestAnswer;
use coeval_engine::{EngineError, Resource, Target, TypeKey};
use http::StatusCode;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Grants say whose entity it is from this version on.
const TENANT: ApiVersion = ApiVersion::new(35, 2);

/// One entity and its grants; the owner has full control, written down or not.
struct SharedEntity {
    of: TypeKey,
    target: Target,
    resource: Resource,
    grants: Vec<Grant>,
}

async fn shared(api: &CloudState, call: &CloudCall) -> Result<SharedEntity, ApiError> {
    let (of, target) = entity(call)?;
    let caller = call.caller()?;
    // The ACL first: reading it is the right that is asked for here.
    let acl = api.engine.acl(caller, &of, &target).await?;
    let resource = api.engine.get(caller, &of, &target).await?;
    let owner = Grant {
        member: AclMember::User(resource.header.owner.clone()),
        level: AccessLevel::FullControl,
    };
    // One row for the owner, also where a grant names it as well.
    let others = acl.grants().iter();
    let others = others.filter(|grant| grant.member != owner.member).cloned();
    let grants = std::iter::once(owner.clone()).chain(others).collect();
    Ok(SharedEntity {
        of,
        target,
        resource,
        grants,
    })
}

impl SharedEntity {
    fn id(&self, member: &AclMember) -> String {
        urn::derived(
            "accessControl",
            &format!("{} {member}", self.resource.urn()),
        )
    }

    fn find(&self, id: &str) -> Result<Grant, ApiError> {
        // Ids are derived and not stored, so every grant is compared.
        let found = self
            .grants
            .iter()
            .find(|grant| self.id(&grant.member) == id);
        let missing = || {
            let what = format!("grant {id} on {}", self.resource.urn());
            EngineError::NotFound { what }.into()
        };
        found.cloned().ok_or_else(missing)
    }

    /// The grant of a member as it is shown.
    fn shown(&self, grant: &Grant) -> AccessLevel {
        if grant.member.id() == self.resource.header.owner {
            AccessLevel::FullControl
        } else {
            grant.level
        }
    }

    async fn json(
        &self,
        api: &CloudState,
        call: &CloudCall,
        grant: &Grant,
    ) -> Result<Value, ApiError> {
        let mut value = json!({
            "id": self.id(&grant.member),
            "grantType": MEMBERSHIP,
            "objectId": self.resource.urn(),
            "accessLevelId": self.shown(grant).urn(),
            "memberId": grant.member.id(),
        });
        if let (Value::Object(map), true) = (&mut value, call.version >= TENANT) {
            let org = reference(api, call.caller()?, &self.resource.header.org).await?;
            map.insert("tenant".into(), json!(org));
        }
        Ok(value)
    }
}

fn level(body: &Map<String, Value>) -> Result<AccessLevel, ApiError> {
    match body.text("grantType")?.as_deref() {
        None | Some("" | MEMBERSHIP) => {}
        Some(other) => {
            return Err(ApiError::request(format!(
                "grants of the kind {} are not given: use {MEMBERSHIP} with a memberId",
                other.chars().take(60).collect::<String>()
            )));
        }
    }
    let said = body.needed("accessLevelId")?;
    said.parse()
        .map_err(|error: coeval_access::LevelUnknown| ApiError::request(error.to_string()))
}

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let shared = shared(&api, &call).await?;
    let mut rows = Vec::with_capacity(shared.grants.len());
    for grant in &shared.grants {
        rows.push(shared.json(&api, &call, grant).await?);
    }
    let keys = ["id", "grantType", "accessLevelId", "memberId", "tenant"];
    listing::answer(&api, &call, rows, &keys, "AccessControlGrants")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let shared = shared(&api, &call).await?;
    let grant = shared.find(call.param("acl"))?;
    Ok(RestAnswer::ok(&shared.json(&api, &call, &grant).await?))
}

/// Gives somebody access, or changes what somebody has.
pub(super) async fn create(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    // An installer of clusters shares its type by the path of an entity.
    if call.param("id").starts_with("urn:vcloud:type:") {
        return crate::definitions::type_access::create(api, call).await;
    }
    let body = call.object()?;
    let level = level(&body)?;
    let shared = shared(&api, &call).await?;
    let caller = call.caller()?;
    let member = member(&api, caller, &body.needed("memberId")?).await?;
    set(
        &api,
        &call,
        &shared,
        Grant { member, level },
        StatusCode::CREATED,
    )
    .await
}

pub(super) async fn update(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let body = call.object()?;
    let level = level(&body)?;
    let shared = shared(&api, &call).await?;
    let there = shared.find(call.param("acl"))?;
    // Sent back as it was read, a body still has the member in it.
    let said = body.text("memberId")?.filter(|id| !id.is_empty());
    if said.is_some_and(|said| said != there.member.id()) {
        return Err(ApiError::request(
            "a grant stays with its member: delete it and make another",
        ));
    }
    let member = there.member;
    set(
        &api,
        &call,
        &shared,
        Grant { member, level },
        StatusCode::OK,
    )
    .await
}

async fn set(
    api: &CloudState,
    call: &CloudCall,
    shared: &SharedEntity,
    grant: Grant,
    status: StatusCode,
) -> Result<RestAnswer, ApiError> {
    let (caller, of, target) = (call.caller()?, &shared.of, &shared.target);
    let token = api.engine.grant(caller, of, target, &grant).await?;
    let answer = RestAnswer::json(status, &shared.json(api, call, &grant).await?);
    Ok(sequenced(answer, token))
}

pub(super) async fn delete(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let shared = shared(&api, &call).await?;
    let grant = shared.find(call.param("acl"))?;
    let (caller, of, target) = (call.caller()?, &shared.of, &shared.target);
    let token = api.engine.revoke(caller, of, target, &grant.member).await?;
    Ok(sequenced(RestAnswer::none(), token))
}
