//! Who may do what: rights, roles, ACLs, decisions and their reasons. Plain data in, decisions out.
//!
//! - [`Level`], [`Acl`]: what a resource or a type version grants to users, roles and organizations
//! - [`Rights`], [`GeneralRight`], [`TypeRight`]: what a caller may do at all
//! - [`Role`], [`Bundle`], [`effective_rights`]: where the rights of a caller come from
//! - [`Subject`]: the caller, as far as access is concerned
//! - [`decide`], [`decide_type`], [`decide_general`]: may the caller do it, and if not, why not
//! - [`explain`]: every requirement of an action, and by what it is met
//! - [`inheritance`], [`publish`]: how the ACLs of type versions come about
//!
//! A decision is made on what is stored, never on a view of it. An allowed one allocates nothing:
//! names of rights are read once, when the [`Subject`] is built.

mod acl;
mod acl_error;
mod action;
mod decide;
mod decide_general;
mod decide_type;
mod explain;
mod facts;
mod general_right;
mod home;
pub mod inheritance;
mod level;
pub mod publish;
mod reason;
mod rights;
mod roles;
mod situation;
mod subject;
mod type_right;

pub use acl::{Acl, Grant, MAX_GRANTS, Member};
pub use acl_error::AclError;
pub use action::{Action, TypeAction};
pub use decide::{Allowed, Decision, Denied, Sees, decide, may_explain};
pub use decide_general::decide_general;
pub use decide_type::decide_type;
pub use explain::{Basis, Explanation, Met, Requirement, explain};
pub use facts::{AclFacts, Facts, VersionFacts};
pub use general_right::{GeneralRight, GeneralRights};
pub use home::Home;
pub use level::{Level, LevelUnknown};
pub use reason::Reason;
pub use rights::Rights;
pub use roles::{
    Bundle, Holds, ORGANIZATION_ADMINISTRATOR, Published, Role, RoleOf, SYSTEM_ADMINISTRATOR,
    SYSTEM_ORGANIZATION, default_tenant_rights, effective_rights,
};
pub use subject::{ContextRefused, Subject};
pub use type_right::{TypeRight, TypeRights, bundle_name, rights_of_type};
