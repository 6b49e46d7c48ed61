//! What a write does to everything but the content: name, labels, owner, state.

use crate::resources::Resources;
use crate::write::edit::Edited;
use crate::write::request::{Checking, Update};
use crate::write::steps::{Wanted, ask_name, found_name};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_records::applied::Applied;
use coeval_records::error::EngineError;
use coeval_records::header::{self, Header, State};
use coeval_records::stored::Stored;
use coeval_records::text::short;
use coeval_storage::ReadRequest;

impl Resources {
    /// The header after a write: what it does not say stays, and the state follows from the content.
    pub(crate) fn edited_header(
        &self,
        caller: &Caller,
        state: &TypeState,
        stored: &Stored,
        update: &Update,
        edited: &Edited,
    ) -> Result<Header, EngineError> {
        let meta = &update.meta;
        let before = &stored.header;
        let version = edited.version(stored);
        let definition = state.version(version);
        let fits = match (definition, &edited.record) {
            (Some(definition), Some(record)) => definition.schema.validate(&record.content),
            _ => Ok(()),
        };
        let touched = edited.record.is_some();
        let (mut resource_state, mut message) = (before.state, before.message.clone());
        match (before.state, fits, update.checking) {
            // On its way out: content that no longer fits must not keep it from being deleted.
            (State::InDeletion, _, _) => {}
            _ if !touched => {}
            (State::Resolved, Err(error), _) | (_, Err(error), Checking::Strict) => {
                return Err(error.into());
            }
            (State::PreCreated | State::ResolutionError, Ok(()), Checking::Later) => {}
            // What was said of it stays: that is written by a method of its own.
            (State::Resolved, Ok(()), _) => {}
            (_, Ok(()), _) => (resource_state, message) = (State::Resolved, None),
            (State::PreCreated | State::ResolutionError, Err(error), Checking::Resolve) => {
                resource_state = State::ResolutionError;
                message = Some(short(&error.to_string()));
            }
            (State::PreCreated | State::ResolutionError, Err(_), Checking::Later) => {}
        }
        match meta.state {
            None => {}
            Some(State::InDeletion) if before.state != State::PreCreated => {
                resource_state = State::InDeletion;
            }
            Some(said) if said == before.state => {}
            Some(_) => {
                return Err(EngineError::StateForbids {
                    state: before.state,
                    action: "given that state by a write",
                });
            }
        }
        let or = |said: &Option<Option<String>>, before: &Option<String>| {
            said.clone().unwrap_or_else(|| before.clone())
        };
        let generation = before.generation + 1;
        let applied = match &meta.applied {
            Some(paths) => Some(Applied::by(paths, update.at.0.version, generation)?),
            None => before.applied.clone(),
        };
        let header = Header {
            version,
            name: meta.name.clone().unwrap_or_else(|| before.name.clone()),
            org: before.org.clone(),
            owner: meta.owner.clone().unwrap_or_else(|| before.owner.clone()),
            state: resource_state,
            message: or(&meta.message, &message),
            description: or(&meta.description, &before.description),
            sub_kind: or(&meta.sub_kind, &before.sub_kind),
            external_id: or(&meta.external_id, &before.external_id),
            labels: meta.labels.clone().unwrap_or_else(|| before.labels.clone()),
            created: before.created,
            // Clocks of servers differ; this time never goes back for a resource.
            modified: self.now().max(before.modified),
            modified_by: caller.user().to_owned(),
            generation,
            // Both are found out when the record is sealed.
            indexed: before.indexed.clone(),
            secure: before.secure.clone(),
            sealed: before.sealed,
            creation: before.creation.clone(),
            applied,
        };
        header::check(&header)?;
        Ok(header)
    }

    /// The steps that move a resource from one name's count to another's.
    pub async fn rename(
        &self,
        state: &TypeState,
        stored: &Stored,
        header: &Header,
        unique: bool,
    ) -> Result<Vec<coeval_storage::WriteStep>, EngineError> {
        let of = &state.key;
        let (org, before) = (&header.org, &stored.header.name);
        let request = ask_name(ReadRequest::default(), of, org, before)?;
        let request = ask_name(request, of, org, &header.name)?;
        let mut snapshot = self.store.read(request).await?;
        // Answers are taken from the end, so in the reverse order of the questions.
        let to = found_name(&mut snapshot, of, org, &header.name)?;
        let from = found_name(&mut snapshot, of, org, before)?;
        let always = state
            .version(header.version)
            .is_some_and(|one| one.unique_names);
        let wanted = if unique || always {
            Wanted::Unique
        } else {
            Wanted::Shared
        };
        // Two that take the name at once both pass this; both change the count, so one loses the
        // race.
        if let (Wanted::Unique, Some(id)) = (wanted, to.taken_by) {
            let what = format!("{of} {}", header.name);
            return Err(EngineError::AlreadyExists { what, id });
        }
        Ok(vec![from.step(-1)?, to.step(1)?])
    }
}
