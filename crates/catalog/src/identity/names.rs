//! Names of organizations, users, roles and bundles, and of the resources that they are.
//!
//! All these resources are in one organization, so the name of a user's resource is
//! `organization/user`. The name of an organization has no `/`, so that reads in one way only.

use coeval_access::{GeneralRight, TypeRight};
use coeval_records::error::identity::IdentityError;

const LONGEST: usize = 256;

fn plain(what: &str, name: &str) -> Result<(), IdentityError> {
    let refuse = |why: &str| {
        let what = format!("that of {what} {why}");
        Err(IdentityError::NameInvalid { what })
    };
    if name.is_empty() {
        return refuse("is empty");
    }
    if name.len() > LONGEST {
        return refuse("has more than 256 bytes");
    }
    if name.chars().any(char::is_control) {
        return refuse("has control characters");
    }
    // Two names that look alike would be two things.
    if name.trim() != name {
        return refuse("begins or ends with a space");
    }
    Ok(())
}

/// Of an organization, a role or a bundle.
pub fn check(what: &str, name: &str) -> Result<(), IdentityError> {
    plain(what, name)?;
    // It stands between an organization and what is within it.
    if name.contains('/') {
        let what = format!("that of {what} has a `/`");
        return Err(IdentityError::NameInvalid { what });
    }
    Ok(())
}

/// Of a user.
pub fn check_user(name: &str) -> Result<(), IdentityError> {
    plain("a user", name)
}

/// The name of the resource of something that belongs to an organization.
pub fn within(org: &str, name: &str) -> String {
    format!("{org}/{name}")
}

/// Refuses a name that can't be a right's. That of a type that does not exist yet is fine.
pub fn check_rights(names: &[String]) -> Result<(), IdentityError> {
    let known =
        |name: &str| GeneralRight::by_name(name).is_some() || TypeRight::parse(name).is_some();
    match names.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(IdentityError::RightUnknown {
            name: name.chars().take(100).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_confuse_are_refused() {
        let long = "x".repeat(LONGEST + 1);
        for name in ["", " a", "a ", "a\nb", "a\u{0}", &long] {
            assert!(check("a role", name).is_err(), "{name:?}");
            assert!(check_user(name).is_err(), "{name:?}");
        }
        assert!(check("an organization", "a/b").is_err());
        for name in ["a", "Größe 1", "x@y.example", "a/b"] {
            assert!(check_user(name).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn rights_are_general_ones_or_those_of_a_type() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert!(check_rights(&names(&["User: View", "acme:app: Full Access"])).is_ok());
        for bad in ["user: view", "acme:app: Own", "View", ""] {
            assert!(check_rights(&names(&["User: View", bad])).is_err(), "{bad}");
        }
    }
}
