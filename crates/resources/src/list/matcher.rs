//! A filter over what a caller sees, for those who go through resources without listing them.

use crate::list::visible::{names_behind, needs_names, readable, rules_out};
use crate::resources::Resources;
use crate::seen::{Names, SeenResource};
use coeval_access::AccessLevel;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_filter::{CompiledFilter, Filter};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::stored::Stored;
use coeval_storage::Token;

/// A filter, ready to judge.
#[derive(Clone, Debug)]
pub struct Matcher {
    filter: Filter,
    compiled: CompiledFilter,
}

impl Matcher {
    pub fn new(filter: Filter) -> Result<Self, ListError> {
        let compiled = filter.compile()?;
        Ok(Self { filter, compiled })
    }

    /// Whether the caller, who has this level of access to a resource, is shown one that matches.
    ///
    /// # Errors
    /// If it can't be shown, and the rest of what is known of it does not tell either.
    pub async fn matches(
        &self,
        (resources, caller): (&Resources, &Caller),
        state: &TypeState,
        stored: Stored,
        (wanted, level): (&WantedView, AccessLevel),
        token: Token,
    ) -> Result<bool, EngineError> {
        let (id, header) = (stored.id, stored.header.clone());
        let shown = resources
            .resource_of(state, stored, wanted, level, token)
            .await
            .and_then(|resource| readable(id, resource));
        match shown {
            Ok(resource) => {
                let names = if needs_names(&self.filter) {
                    names_behind(resources, caller, &resource).await
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
