//! The service of roles and rights.

use super::{name_of, org};
use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{UpdateFields, needed, revision, said, text};
use crate::pages::PageRequest;
use crate::proto::access::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;
use coeval_engine::identity::{NewRole, Role, RoleEdit};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct RoleService(pub(crate) Arc<GrpcState>);

served!(pb::role_service_server::RoleService, RoleService {
    create_role(pb::CreateRoleRequest) -> pb::CreateRoleResponse = create;
    get_role(pb::GetRoleRequest) -> pb::GetRoleResponse = get;
    list_roles(pb::ListRolesRequest) -> pb::ListRolesResponse = list;
    update_role(pb::UpdateRoleRequest) -> pb::UpdateRoleResponse = update;
    delete_role(pb::DeleteRoleRequest) -> () = delete;
    list_rights(pb::ListRightsRequest) -> pb::ListRightsResponse = list_rights;
});

const FIELDS: [&str; 3] = ["name", "description", "rights"];

async fn create(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateRoleRequest,
) -> Result<pb::CreateRoleResponse, MethodError> {
    let role = needed(asked.role, "role")?;
    // A namespace that is empty means the caller's own organization, as in every method; no organization
    // at all has to be said with `global`.
    let of = match (role.global, role.namespace.is_empty()) {
        (true, true) => None,
        (true, false) => {
            return Err(MethodError::invalid("a global role has no namespace"));
        }
        (false, _) => Some(org(&api, &caller, &role.namespace).await?),
    };
    let new = NewRole {
        name: text(role.name, "name")?,
        org: of,
        description: said(role.description),
        rights: role.rights,
    };
    let made = api.methods.engine().create_role(&caller, &new).await?;
    Ok(pb::CreateRoleResponse {
        role: Some(shown(&api, &caller, made).await?),
    })
}

/// The role that a name or id means where the caller acts, or in the namespace.
async fn which(
    api: &GrpcState,
    caller: &Caller,
    name: &str,
    namespace: &str,
) -> Result<Role, MethodError> {
    if name.is_empty() {
        return Err(MethodError::invalid("name is missing: say a name or an id"));
    }
    let org = org(api, caller, namespace).await?;
    Ok(api.methods.engine().get_role(caller, &org, name).await?)
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetRoleRequest,
) -> Result<pb::GetRoleResponse, MethodError> {
    let mut role = which(&api, &caller, &asked.name, &asked.namespace).await?;
    if role.predefined {
        // They follow from what there is.
        let engine = api.methods.engine();
        role.rights = engine.rights_of_role(&caller, &role.id).await?;
    }
    Ok(pb::GetRoleResponse {
        role: Some(shown(&api, &caller, role).await?),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListRolesRequest,
) -> Result<pb::ListRolesResponse, MethodError> {
    let org = org(&api, &caller, &asked.namespace).await?;
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "roles", &[&org], page).await?;
    let all = api.methods.engine().list_roles(&caller, &org).await?;
    // A global one may have the same name.
    let key = |one: &Role| format!("{}\0{}", one.name, one.id);
    let (found, next_page_token) = page.cut(all, key).await?;
    let mut roles = Vec::with_capacity(found.len());
    for role in found {
        roles.push(shown(&api, &caller, role).await?);
    }
    Ok(pb::ListRolesResponse {
        roles,
        next_page_token,
    })
}

async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateRoleRequest,
) -> Result<pb::UpdateRoleResponse, MethodError> {
    let role = needed(asked.role, "role")?;
    let fields = UpdateFields::of(asked.update_mask, &role.revision, &FIELDS)?;
    let by_id = !role.id.is_empty();
    let id = if by_id {
        role.id
    } else {
        which(&api, &caller, &role.name, &role.namespace).await?.id
    };
    let edit = RoleEdit {
        revision: revision(&role.revision),
        // By its name it stays what it is called.
        name: fields
            .when("name", role.name)
            .filter(|name| by_id && !name.is_empty()),
        description: fields.when("description", said(role.description)),
        rights: fields.when("rights", role.rights),
    };
    let changed = api
        .methods
        .engine()
        .update_role(&caller, &id, &edit)
        .await?;
    Ok(pb::UpdateRoleResponse {
        role: Some(shown(&api, &caller, changed).await?),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteRoleRequest,
) -> Result<(), MethodError> {
    let role = which(&api, &caller, &asked.name, &asked.namespace).await?;
    Ok(api.methods.engine().delete_role(&caller, &role.id).await?)
}

async fn list_rights(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListRightsRequest,
) -> Result<pb::ListRightsResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "rights", &[], page).await?;
    let all = api.methods.engine().rights(&caller).await?;
    let (rights, next_page_token) = page.cut(all, Clone::clone).await?;
    Ok(pb::ListRightsResponse {
        rights,
        next_page_token,
    })
}

async fn shown(api: &GrpcState, caller: &Caller, role: Role) -> Result<pb::Role, MethodError> {
    Ok(pb::Role {
        namespace: match &role.org {
            Some(org) => name_of(api, caller, org).await?,
            None => String::new(),
        },
        global: role.org.is_none(),
        id: role.id,
        name: role.name,
        description: role.description.unwrap_or_default(),
        rights: role.rights,
        predefined: role.predefined,
        revision: role.revision.to_string(),
    })
}
