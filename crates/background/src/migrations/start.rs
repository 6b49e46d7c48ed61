//! Declaring a migration, and changing what is wanted of it.

use crate::background::Background;
use crate::jobs::migrate::check_meaning;
use crate::migrations::content::{Course, MigrationContent, Observed};
use crate::migrations::status::MigrationStatus;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{Phase, PhaseRefusal, begin};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::encode::encode_value;
use coeval_records::error::EngineError;
use coeval_records::error::migrations::MigrationError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::records::draw_id;
use coeval_resources::identity::own::NewOwn;
use coeval_resources::write::join::join;
use coeval_storage::ReadRange;
use serde_json::Value;

/// A migration that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The major that the type leaves; the lowest open one with resources if nothing is said.
    pub from: Option<u32>,
    /// The major that it goes to; the next one that there is if nothing is said.
    pub to: Option<u32>,
    /// Whether it advances by itself.
    pub auto: bool,
    /// How far; nothing: to soak.
    pub until: Option<String>,
    /// Resources a second at most; 0: as the foreground allows.
    pub rate: u32,
    /// Versions on the way that change what a field means.
    pub meaning_changed: Vec<Version>,
}

/// A change of what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Whether it advances by itself.
    pub auto: Option<bool>,
    /// How far.
    pub until: Option<String>,
    /// Whether the work in the background rests.
    pub paused: Option<bool>,
    /// Resources a second at most.
    pub rate: Option<u32>,
}

impl Background {
    /// Begins a migration. All servers are at `old`; nothing moves yet.
    ///
    /// # Errors
    /// If one is under way, the majors don't allow it, or a version on the way changes a meaning
    /// and is not named.
    pub async fn start_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        declared: &Declared,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let state = self.types.current(of).await?;
        let (from, to) = self.majors_of(&state, declared.from, declared.to).await?;
        let named = declared.meaning_changed.iter();
        let mut content = MigrationContent {
            of: of.to_string(),
            from,
            to,
            auto: declared.auto,
            until: declared.until.clone().unwrap_or_else(|| "soak".to_owned()),
            paused: false,
            rate: declared.rate,
            meaning_changed: named.map(ToString::to_string).collect(),
            observed: Observed::default(),
        };
        self.begin_declared(caller, &mut content).await?;
        self.migration_status(caller, of).await
    }

    /// Begins what a resource declares; its name.
    pub(crate) async fn begin_declared(
        &self,
        caller: &Caller,
        content: &mut MigrationContent,
    ) -> Result<String, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let of = content.key()?;
        content.until()?;
        let named = content.meaning_changed()?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.current(&of).await?;
            let newest = |major: u32| newest_of(&state, major);
            let (old, new) = (newest(content.from)?, newest(content.to)?);
            check_meaning(&state, &caller.visible_versions(&state), old, new, &named)?;
            // That there is a way at all is found out before anything is written.
            state.versions.class(old, new)?;
            let next = begin(&state.phase, content.from, content.to)?;
            // What an earlier migration left in the list would block soak in this one.
            if !self.clear_failed(&state).await? {
                continue;
            }
            content.observed = Observed {
                state: Course::Running,
                began: self.now(),
                ..Observed::default()
            };
            content.observe(&next, self.now());
            // With the phase record as a condition: of several servers that begin one, one
            // succeeds.
            let steps = self.phase_steps(caller, &state, &next)?;
            let declared = self.declared(&of, content.from, content.to).await?;
            let done = match declared {
                // One that was undone, or finished when the major was reached otherwise.
                Some((own, _)) => self.declare(caller, own, content, steps).await?,
                None => self.declare_new(caller, content, steps).await?,
            };
            if done {
                self.types.load(&of).await?;
                return Ok(content.name());
            }
        }
    }

    async fn declare_new(
        &self,
        caller: &Caller,
        content: &MigrationContent,
        steps: Vec<coeval_storage::WriteStep>,
    ) -> Result<bool, EngineError> {
        let new = NewOwn {
            kind: OwnKind::Migration,
            id: draw_id()?,
            name: content.name(),
            description: None,
            content: encode_value("a migration", content)?,
            caller,
        };
        let own = self.types.current(&OwnKind::Migration.of()).await?;
        let create = new.create(self.types.own().speaks(&own.key));
        let planned = self.plan_create(caller, &own, &create, new.id).await;
        let planned = match planned {
            Ok(Some(planned)) => planned,
            // Somebody else declared it just now.
            Ok(None) | Err(EngineError::AlreadyExists { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        let mut write = planned.write;
        if join(&mut write.steps, steps).is_err() {
            return Ok(false);
        }
        let written = unless_raced(self.commit(&planned.key, write).await)?;
        Ok(written.is_some())
    }

    /// Changes what is wanted of the migration that is under way. It takes effect with the next
    /// batch, and with the next look at the phases.
    ///
    /// # Errors
    /// If there is none.
    pub async fn change_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        change: &Change,
    ) -> Result<MigrationStatus, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.current(of).await?;
            let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
            let (own, mut content) = self.declaration(of, migration).await?;
            content.auto = change.auto.unwrap_or(content.auto);
            content.paused = change.paused.unwrap_or(content.paused);
            content.rate = change.rate.unwrap_or(content.rate);
            if let Some(until) = &change.until {
                content.until.clone_from(until);
                content.until()?;
            }
            if self.declare(caller, own, &content, Vec::new()).await? {
                return self.migration_status(caller, of).await;
            }
        }
    }

    /// What a body that was sent for a resource of this kind declares.
    pub fn read_declaration(name: &str, body: &Value) -> Result<MigrationContent, EngineError> {
        let read: Result<MigrationContent, _> = serde::Deserialize::deserialize(body);
        let content = read.map_err(|error| MigrationError::Invalid {
            what: error.to_string(),
        })?;
        content.key()?;
        content.until()?;
        content.meaning_changed()?;
        let expected = content.name();
        if name != expected {
            let what = format!("its name is {expected}, not {name}");
            return Err(MigrationError::Invalid { what }.into());
        }
        Ok(content)
    }

    /// The two majors, where one is not said.
    pub(crate) async fn majors_of(
        &self,
        state: &TypeState,
        from: Option<u32>,
        to: Option<u32>,
    ) -> Result<(u32, u32), EngineError> {
        let closed = |major: &u32| state.phase.closed.contains(major);
        let from = match from {
            Some(from) => from,
            None => self.lowest_used(state).await?,
        };
        let next = state.majors.iter().copied();
        let next = next.filter(|major| *major > from && !closed(major)).min();
        match to.or(next) {
            Some(to) => Ok((from, to)),
            None => Err(MigrationError::Invalid {
                what: format!("{} has no major after {from}", state.key),
            }
            .into()),
        }
    }

    async fn lowest_used(&self, state: &TypeState) -> Result<u32, EngineError> {
        let open = state.majors.iter().copied();
        let open: Vec<u32> = open
            .filter(|major| !state.phase.closed.contains(major))
            .collect();
        for major in &open {
            let range = ReadRange::of(keys::records_of_major(&state.key, *major)?).limit(1);
            let (_, page) = self.store.range(range.keys_only()).await?;
            if !page.entries.is_empty() {
                return Ok(*major);
            }
        }
        // Nothing is stored at any of them: the oldest is as good as another.
        open.first().copied().ok_or_else(|| {
            MigrationError::Invalid {
                what: format!("{} has no open major", state.key),
            }
            .into()
        })
    }
}

/// The newest version of a major that this server knows.
pub fn newest_of(state: &TypeState, major: u32) -> Result<Version, EngineError> {
    let known = state.known_versions().map(|one| one.id.version);
    let newest = known.filter(|version| version.major == major).max();
    newest.ok_or_else(|| EngineError::TypeVersionUnknown {
        of: state.key.clone(),
        version: Version::new(major, 0, 0),
    })
}

/// Whether a phase is one that must be asked for by name.
pub const fn by_name(phase: Phase) -> bool {
    matches!(phase, Phase::Cutover | Phase::Cleanup)
}
