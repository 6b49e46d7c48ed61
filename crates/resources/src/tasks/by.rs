//! Who started a task, as it is stored: a server that takes it over must decide as the one that
//! was asked. The rights are those that the caller had when the task was started, as far as they
//! matter to its type.

use coeval_access::{AccessSubject, Rights, TypeRight};
use coeval_catalog::caller::Caller;
use coeval_records::keys::TypeKey;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    pub user: String,
    /// The user's own organization.
    pub org: String,
    /// The tenant that a provider acted for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(default)]
    provider: bool,
    #[serde(default)]
    roles: Vec<String>,
    /// Every right that there is.
    #[serde(default)]
    everything: bool,
    #[serde(default)]
    rights: Vec<String>,
}

impl By {
    pub fn of(caller: &Caller, of: &TypeKey) -> Self {
        let subject = &caller.subject;
        let rights = subject.rights();
        let of = of.to_string();
        // A caller may have rights of hundreds of types, and a task is written with every batch.
        let matters = |name: &String| match TypeRight::parse(name) {
            Some((right_of, _)) => right_of.to_string() == of,
            None => true,
        };
        Self {
            user: subject.user().to_owned(),
            org: subject.org().to_owned(),
            context: subject.context().map(str::to_owned),
            provider: subject.is_provider(),
            roles: subject.roles().to_vec(),
            everything: rights.is_everything(),
            rights: if rights.is_everything() {
                Vec::new()
            } else {
                rights.names().into_iter().filter(matters).collect()
            },
        }
    }

    /// The organization that the caller acted in.
    pub(crate) fn acting_in(&self) -> &str {
        self.context.as_deref().unwrap_or(&self.org)
    }

    pub fn is(&self, subject: &AccessSubject) -> bool {
        self.user == subject.user() && self.org == subject.org()
    }

    /// The caller, as it was.
    pub fn caller(&self) -> Caller {
        let rights = if self.everything {
            Rights::everything()
        } else {
            Rights::from_names(self.rights.iter().map(String::as_str))
        };
        let (user, org, roles) = (&self.user, &self.org, self.roles.clone());
        let subject = if self.provider {
            AccessSubject::provider(user, org, roles, rights)
        } else {
            AccessSubject::tenant(user, org, roles, rights)
        };
        let subject = match &self.context {
            None => subject,
            // Refused only to a tenant, who had no context either; without one it reaches less.
            Some(context) => subject.clone().in_context(context).unwrap_or(subject),
        };
        Caller::new(Arc::new(subject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(subject: AccessSubject) -> Caller {
        let by = By::of(
            &Caller::new(Arc::new(subject)),
            &TypeKey::new("acme", "app"),
        );
        let text = serde_json::to_string(&by).unwrap();
        serde_json::from_str::<By>(&text).unwrap().caller()
    }

    #[test]
    fn a_stored_caller_has_the_rights_of_the_task_s_type_and_no_others() {
        let names = ["acme:app: Modify", "acme:other: Modify", "Task: View"];
        let subject = AccessSubject::tenant("u", "t", vec!["r".into()], Rights::from_names(names));
        let back = there_and_back(subject);
        let kept = Rights::from_names(["acme:app: Modify", "Task: View"]);
        assert_eq!(back.subject.rights(), &kept);
        assert_eq!(back.subject.roles(), ["r"]);
        assert!(!back.subject.is_provider());
    }

    #[test]
    fn a_stored_provider_still_acts_for_its_tenant() {
        let subject = AccessSubject::provider("p", "sys", Vec::new(), Rights::everything());
        let back = there_and_back(subject.in_context("t").unwrap());
        assert_eq!((back.org(), back.subject.org()), ("t", "sys"));
        assert!(back.subject.rights().is_everything());
    }
}
