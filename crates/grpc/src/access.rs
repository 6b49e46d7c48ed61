//! Who may do what: grants on resources and type versions, organizations, users, roles, bundles and
//! sessions.

mod bundles;
mod explain;
mod grants;
mod orgs;
mod roles;
mod sessions;
mod type_grants;
mod users;

pub(crate) use bundles::BundleService;
pub(crate) use grants::{AccessService, told};
pub(crate) use orgs::OrganizationService;
pub(crate) use roles::RoleService;
pub(crate) use sessions::SessionService;
pub(crate) use users::UserService;

use crate::api::GrpcState;
use crate::proto::access::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_engine::Caller;

/// What an id is called; empty if it is gone.
async fn name_of(api: &GrpcState, caller: &Caller, id: &str) -> Result<String, MethodError> {
    let name = api.methods.engine().name_of(caller, id).await?;
    Ok(name.as_deref().unwrap_or_default().to_owned())
}

async fn reference(
    api: &GrpcState,
    caller: &Caller,
    id: &str,
) -> Result<pb::Reference, MethodError> {
    Ok(pb::Reference {
        id: id.to_owned(),
        name: name_of(api, caller, id).await?,
    })
}

/// The id of the organization that a namespace names; nothing said: where the caller acts.
async fn org(api: &GrpcState, caller: &Caller, namespace: &str) -> Result<String, MethodError> {
    let org = api.methods.namespace(caller, namespace).await?;
    Ok(org.unwrap_or_else(|| caller.org().to_owned()))
}
