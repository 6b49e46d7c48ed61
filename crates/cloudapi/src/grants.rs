//! What grants on entities and on type versions have in common.

use crate::api::Api;
use crate::error::ApiError;
use coeval_access::AclMember;
use coeval_engine::Caller;

/// The one kind of grant that is given; rights are granted by roles and bundles.
pub(crate) const MEMBERSHIP: &str = "MembershipAccessControlGrant";

/// Makes a member of an id.
type Make = fn(String) -> AclMember;

/// Whom a grant is for: a user, a role or an organization that there is.
pub(crate) async fn member(api: &Api, caller: &Caller, id: &str) -> Result<AclMember, ApiError> {
    let kinds: [(&str, Make); 3] = [
        ("urn:vcloud:user:", AclMember::User),
        ("urn:vcloud:role:", AclMember::Role),
        ("urn:vcloud:org:", AclMember::Org),
    ];
    let kind = kinds.iter().find(|(start, _)| id.starts_with(start));
    let Some((_, make)) = kind else {
        return Err(ApiError::id(
            id,
            "a member",
            "use the id of a user, a role or an organization",
        ));
    };
    match api.engine.name_of(caller, id).await? {
        Some(_) => Ok(make(id.to_owned())),
        None => Err(ApiError::id(id, "a member", "there is nobody of that id")),
    }
}
