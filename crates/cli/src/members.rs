//! People, roles and organizations by the names that people know them by.
//!
//! `user:alice`, `role:Reader` and `org:acme`; an id is taken as it is. `user:alice@other` is a user
//! of another organization than the one that is meant, and so is `role:Reader@other`.

use crate::context::ClientSession;
use crate::failure::Failure;
use coeval_client::{ClientError, ClientErrorKind};
use coeval_codes::Coded as _;
use coeval_proto::access::v1 as access;

/// Who is meant, before a server was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MemberName {
    /// `urn:…`
    Id(String),
    /// A user, and the organization if one was said.
    User(String, Option<String>),
    /// A role. What follows an `@` may be its organization.
    Role(String),
    /// An organization.
    Org(String),
}

impl MemberName {
    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with("urn:") {
            return Ok(Self::Id(text.to_owned()));
        }
        let wrong = || {
            format!(
                "{text:?} is nobody: say user:NAME, user:NAME@ORG, role:NAME, org:NAME or an id"
            )
        };
        let (kind, name) = text.split_once(':').ok_or_else(wrong)?;
        if name.is_empty() {
            return Err(wrong());
        }
        match kind {
            "user" => Ok(user(name)),
            "role" => Ok(Self::Role(name.to_owned())),
            "org" => Ok(Self::Org(name.to_owned())),
            _ => Err(wrong()),
        }
    }
}

/// `alice` or `alice@acme`.
pub(crate) fn user(name: &str) -> MemberName {
    match name.rsplit_once('@') {
        Some((name, org)) if !name.is_empty() && !org.is_empty() => {
            MemberName::User(name.to_owned(), Some(org.to_owned()))
        }
        _ => MemberName::User(name.to_owned(), None),
    }
}

/// The id behind a name.
pub(crate) async fn id_of(session: &ClientSession, member: &MemberName) -> Result<String, Failure> {
    look_up(session, member).await.map_err(|error| {
        // Whoever may not list users may still know an id.
        let advice = format!("{} Or say who it is by id.", error.advice());
        match error.kind() {
            ClientErrorKind::Denied => Failure::from(error).with_advice(advice),
            _ => error.into(),
        }
    })
}

async fn look_up(session: &ClientSession, member: &MemberName) -> Result<String, ClientError> {
    let namespace = session.namespace.clone();
    match member {
        MemberName::Id(id) => Ok(id.clone()),
        MemberName::User(name, org) => {
            let request = access::GetUserRequest {
                name: name.clone(),
                namespace: org.clone().unwrap_or(namespace),
            };
            let found = session.client.users().get_user(request).await;
            let found = found?.into_inner().user;
            Ok(found.unwrap_or_default().id)
        }
        MemberName::Role(name) => {
            let whole = role_id(session, name, &namespace).await;
            // A name may have an @ itself, so that comes first.
            match (whole, name.rsplit_once('@')) {
                (Err(error), Some((name, org))) if error.kind() == ClientErrorKind::NotFound => {
                    role_id(session, name, org).await
                }
                (whole, _) => whole,
            }
        }
        MemberName::Org(name) => {
            let name = name.clone();
            let request = access::GetOrganizationRequest { name };
            let mut orgs = session.client.organizations();
            let found = orgs.get_organization(request);
            let found = found.await?.into_inner();
            Ok(found.organization.unwrap_or_default().id)
        }
    }
}

async fn role_id(session: &ClientSession, name: &str, org: &str) -> Result<String, ClientError> {
    let request = access::GetRoleRequest {
        name: name.to_owned(),
        namespace: org.to_owned(),
    };
    let found = session.client.roles().get_role(request).await?;
    Ok(found.into_inner().role.unwrap_or_default().id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_said_by_kind_and_name_or_by_id() {
        let named = |name: &str| name.to_owned();
        for (text, expected) in [
            ("user:alice", MemberName::User(named("alice"), None)),
            (
                "user:alice@acme",
                MemberName::User(named("alice"), Some(named("acme"))),
            ),
            (
                "user:a@b.example@acme",
                MemberName::User(named("a@b.example"), Some(named("acme"))),
            ),
            ("user:@acme", MemberName::User(named("@acme"), None)),
            ("role:My: Role", MemberName::Role(named("My: Role"))),
            ("org:acme", MemberName::Org(named("acme"))),
            (
                "urn:vcloud:user:1",
                MemberName::Id(named("urn:vcloud:user:1")),
            ),
        ] {
            assert_eq!(MemberName::parse(text), Ok(expected), "{text}");
        }
        for text in ["alice", "", "user:", "team:x", ":x"] {
            let why = MemberName::parse(text).unwrap_err();
            assert!(why.contains("user:NAME"), "{text}: {why}");
        }
    }
}
