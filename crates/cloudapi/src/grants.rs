//! What grants on entities and on type versions have in common.

use crate::api::CloudState;
use crate::error::ApiError;
use coeval_access::AclMember;
use coeval_api::methods::parse_member;
use coeval_engine::Caller;

/// The one kind of grant that is given; rights are granted by roles and bundles.
pub(crate) const MEMBERSHIP: &str = "MembershipAccessControlGrant";

/// Whom a grant is for: a user, a role or an organization that there is.
pub(crate) async fn member(
    api: &CloudState,
    caller: &Caller,
    id: &str,
) -> Result<AclMember, ApiError> {
    let Some(member) = parse_member(id) else {
        return Err(ApiError::id(
            id,
            "a member",
            "use the id of a user, a role or an organization",
        ));
    };
    // It must exist: a grant to a mistyped id would give nobody access, without a word.
    match api.engine.name_of(caller, id).await? {
        Some(_) => Ok(member),
        None => Err(ApiError::id(id, "a member", "there is nobody of that id")),
    }
}
