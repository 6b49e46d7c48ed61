//! Who may do what: rights, roles, ACLs, decisions and their reasons. Plain data in, decisions out.
//!
//! - [`AccessLevel`], [`Acl`]: what a resource or a type version grants to users, roles and organizations
//! - [`Rights`], [`GeneralRight`], [`TypeRight`]: what a caller may do at all
//! - [`AccessRole`], [`AccessBundle`], [`effective_rights`]: where the rights of a caller come from
//! - [`AccessSubject`]: the caller, as far as access is concerned
//! - [`decide`], [`decide_type`], [`decide_general`]: may the caller do it, and if not, why not
//! - [`explain`]: every requirement of an action, and by what it is met
//! - [`inheritance`], [`publish`]: how the ACLs of type versions come about
//!
//! A decision is made on what is stored, never on a view of it. An allowed one allocates nothing:
//! names of rights are read once, when the [`AccessSubject`] is built.

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

pub use acl::{Acl, AclMember, Grant, MAX_GRANTS};
pub use acl_error::AclError;
pub use action::{ResourceAction, TypeAction};
pub use decide::{AccessDecision, AllowedAccess, ContentScope, DeniedAccess, decide, may_explain};
pub use decide_general::decide_general;
pub use decide_type::decide_type;
pub use explain::{
    AccessExplanation, AccessRequirement, RequirementBasis, RequirementMet, explain,
};
pub use facts::{AclFacts, ResourceFacts, VersionFacts};
pub use general_right::{GeneralRight, GeneralRights};
pub use home::ResourceHome;
pub use level::{AccessLevel, LevelUnknown};
pub use reason::DenialReason;
pub use rights::Rights;
pub use roles::{
    AccessBundle, AccessRole, BundleAudience, ORGANIZATION_ADMINISTRATOR, RoleOf, RoleRights,
    SYSTEM_ADMINISTRATOR, SYSTEM_ORGANIZATION, default_tenant_rights, effective_rights,
};
pub use subject::{AccessSubject, ContextRefused};
pub use type_right::{TypeRight, TypeRights, bundle_name, rights_of_type};
