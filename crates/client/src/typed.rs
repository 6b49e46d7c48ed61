//! Contents as types of yours.

use crate::resource::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A content that is made for one version of one kind.
///
/// ```
/// # use coeval_client::{Resource, Spec};
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct App {
///     image: String,
/// }
///
/// impl Spec for App {
///     const KIND: &'static str = "acme:app";
///     const VERSION: &'static str = "v1";
/// }
///
/// let web = Resource::of("web", App { image: "a".into() });
/// assert_eq!((web.kind.as_str(), web.version.as_str()), ("acme:app", "v1"));
/// ```
pub trait Spec: Serialize + DeserializeOwned {
    /// `vendor:nss`, or the nss alone where only one type has it.
    const KIND: &'static str;
    /// The newest version that it understands: `v1.1`.
    const VERSION: &'static str;
}

impl<S: Spec> Resource<S> {
    /// A new one of its kind and version, to be created.
    pub fn of(name: impl Into<String>, spec: S) -> Self {
        Self::new(S::KIND, S::VERSION, name, spec)
    }
}
