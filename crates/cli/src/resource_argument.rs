//! One resource as the command line names it.

use crate::calls::ResourceTarget;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::targets;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;

/// `app web` or `app/web`.
#[derive(Clone, Debug, Args)]
pub(crate) struct NamedResource {
    /// The kind, or KIND/NAME
    #[arg(value_name = "KIND", add = ArgValueCompleter::new(targets::kinds))]
    kind: String,
    /// The resource's name or id
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(targets::names))]
    name: Option<String>,
}

impl NamedResource {
    pub(crate) const fn new(kind: String, name: Option<String>) -> Self {
        Self { kind, name }
    }

    /// Which resource.
    pub(crate) fn target(&self, session: &ClientSession) -> Result<ResourceTarget, Failure> {
        let (kind, name) = match (&self.name, self.kind.split_once('/')) {
            // With a name of its own the kind may have a slash, and it is looked for as it is.
            (Some(name), _) => (self.kind.as_str(), name.as_str()),
            (None, Some((kind, name))) => (kind, name),
            (None, None) => ("", ""),
        };
        if kind.is_empty() || name.is_empty() {
            return Err(Failure::usage(
                "a kind and a name are needed",
                "Give them as KIND NAME or KIND/NAME.",
            ));
        }
        Ok(ResourceTarget {
            kind: kind.to_owned(),
            namespace: session.namespace.clone(),
            name: name.to_owned(),
        })
    }
}
