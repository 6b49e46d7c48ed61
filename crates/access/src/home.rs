//! Whose a resource is.

/// Whose a resource is. It is fixed when the resource is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceHome<'a> {
    /// The provider's organization. Such a resource can be shared with tenants by its ACL.
    Provider,
    /// A tenant, by its id.
    Tenant(&'a str),
}
