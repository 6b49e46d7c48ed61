//! A filter over what a caller sees, for those who go through resources without listing them.

use super::error::ListError;
use super::visible::{names_behind, needs_names, readable, rules_out};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::seen::{Names, SeenResource};
use crate::stored::Stored;
use crate::types::state::TypeState;
use crate::visible_versions::WantedView;
use coeval_access::AccessLevel;
use coeval_filter::{CompiledFilter, Filter};
use coeval_storage::Token;

/// A filter, ready to judge.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    filter: Filter,
    compiled: CompiledFilter,
}

impl Matcher {
    pub(crate) fn new(filter: Filter) -> Result<Self, ListError> {
        let compiled = filter.compile()?;
        Ok(Self { filter, compiled })
    }

    /// Whether the caller, who has this level of access to a resource, is shown one that matches.
    ///
    /// # Errors
    /// If it can't be shown, and the rest of what is known of it does not tell either.
    pub(crate) async fn matches(
        &self,
        (engine, caller): (&Engine, &Caller),
        state: &TypeState,
        stored: Stored,
        (wanted, level): (&WantedView, AccessLevel),
        token: Token,
    ) -> Result<bool, EngineError> {
        let (id, header) = (stored.id, stored.header.clone());
        let shown = engine
            .resource_of(state, stored, wanted, level, token)
            .await
            .and_then(|resource| readable(id, resource));
        match shown {
            Ok(resource) => {
                let names = if needs_names(&self.filter) {
                    names_behind(engine, caller, &resource).await
                } else {
                    Names::default()
                };
                let seen = SeenResource::new(&resource).named(names);
                Ok(self.compiled.matches(&seen))
            }
            Err(_) if rules_out(&self.filter, &self.compiled, state, &header, id) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
