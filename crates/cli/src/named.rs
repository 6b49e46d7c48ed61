//! One resource as the command line names it.

use crate::calls::Target;
use crate::context::Session;
use crate::failure::Failure;
use crate::names;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;

/// `app web` or `app/web`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Named {
    /// The kind, or KIND/NAME
    #[arg(value_name = "KIND", add = ArgValueCompleter::new(names::kinds))]
    kind: String,
    /// The resource's name or id
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(names::names))]
    name: Option<String>,
}

impl Named {
    pub(crate) const fn new(kind: String, name: Option<String>) -> Self {
        Self { kind, name }
    }

    /// Which resource.
    pub(crate) fn target(&self, session: &Session) -> Result<Target, Failure> {
        let (kind, name) = match (&self.name, self.kind.split_once('/')) {
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
        Ok(Target {
            kind: kind.to_owned(),
            namespace: session.namespace.clone(),
            name: name.to_owned(),
        })
    }
}
