//! Whom a grant is for, by id.

use coeval_access::AclMember;

/// The member that an id is of: a user, a role or an organization. Whether it still exists is not
/// asked: a grant to one that is gone can be revoked.
#[must_use]
pub fn parse_member(id: &str) -> Option<AclMember> {
    // The prefix is the whole of it: what follows is opaque, and was never more than compared.
    if id.starts_with("urn:vcloud:user:") {
        Some(AclMember::User(id.to_owned()))
    } else if id.starts_with("urn:vcloud:role:") {
        Some(AclMember::Role(id.to_owned()))
    } else if id.starts_with("urn:vcloud:org:") {
        Some(AclMember::Org(id.to_owned()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_it_is_of() {
        let user = "urn:vcloud:user:1".to_owned();
        assert_eq!(parse_member(&user), Some(AclMember::User(user)));
        assert_eq!(parse_member("urn:vcloud:right:1"), None);
        assert_eq!(parse_member("alice"), None);
    }
}
