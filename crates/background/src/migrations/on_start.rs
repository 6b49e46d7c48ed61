//! Migrations in one go, while a server starts: every type that has resources at an older major
//! moves to the newest one, major by major. However many servers start together, each migration
//! happens once: beginning one is conditioned on the phase record, and all of them work on it.

use crate::background::Background;
use crate::jobs::migrate::check_meaning;
use crate::migrations::start::{Change, Declared};
use crate::migrations::status::{MigrationStatus, State};
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::VisibleVersions;
use coeval_codes::Coded;
use coeval_core::phases::PhaseRefusal;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_resources::identity::open::system_caller;
use coeval_storage::ReadRange;
use std::time::{Duration, Instant};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How long nothing may move before the server goes on without waiting.
const PATIENCE: Duration = Duration::from_secs(45);

/// What became of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It is at its newest major.
    Done {
        /// The type.
        of: TypeKey,
        /// From one major to another, in order.
        majors: Vec<(u32, u32)>,
    },
    /// It is not, and this is why. What was done is kept, and goes on.
    Left {
        /// The type.
        of: TypeKey,
        /// Why.
        why: String,
    },
}

impl Background {
    /// Moves what can be moved, and waits for it; `progress` hears how far it is. What can't be
    /// moved is told, and does not keep the server from starting.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn migrate_on_start(
        &self,
        progress: &(dyn Fn(&MigrationStatus) + Send + Sync),
    ) -> Result<Vec<Moved>, EngineError> {
        let mut all = Vec::new();
        for of in self.types.names().await? {
            all.extend(self.move_type(&of, progress).await?);
        }
        Ok(all)
    }

    async fn move_type(
        &self,
        of: &TypeKey,
        progress: &(dyn Fn(&MigrationStatus) + Send + Sync),
    ) -> Result<Option<Moved>, EngineError> {
        let caller = system_caller();
        let mut majors = Vec::new();
        let left = |why: String| {
            Ok(Some(Moved::Left {
                of: of.clone(),
                why,
            }))
        };
        loop {
            let state = self.types.current(of).await?;
            let next = match state.phase.migration {
                // Begun by another server, or left by one that stopped: it is taken to its end all
                // the same.
                Some(running) => {
                    let change = Change {
                        auto: Some(true),
                        until: Some("finished".to_owned()),
                        paused: Some(false),
                        ..Change::default()
                    };
                    match self.change_migration(&caller, of, &change).await {
                        Ok(status) if status.state == State::Undoing => {
                            return left("it is being undone".to_owned());
                        }
                        Ok(_) => Some((running.from, running.to)),
                        // Over since it was looked at: the next round finds the next major.
                        Err(EngineError::Phase(PhaseRefusal::NoMigration)) => continue,
                        Err(error) => return Err(error),
                    }
                }
                None => match self.next_majors(&state).await? {
                    None => break,
                    Some((from, to)) => {
                        let declared = Declared {
                            from: Some(from),
                            to: Some(to),
                            auto: true,
                            until: Some("finished".to_owned()),
                            ..Declared::default()
                        };
                        match self.start_migration(&caller, of, &declared).await {
                            Ok(_) => Some((from, to)),
                            // Another server was faster.
                            Err(EngineError::Phase(PhaseRefusal::Running { .. })) => None,
                            Err(EngineError::Storage(error)) => return Err(error.into()),
                            Err(error) => {
                                return left(format!("{}: {error}", error.code()));
                            }
                        }
                    }
                },
            };
            let Some((from, to)) = next else { continue };
            match self.wait_for(of, (from, to), progress).await? {
                None => majors.push((from, to)),
                Some(why) => return left(why),
            }
        }
        let of = of.clone();
        Ok((!majors.is_empty()).then_some(Moved::Done { of, majors }))
    }

    /// The lowest open major that has resources and the next one, if nothing on the way changes a
    /// meaning.
    async fn next_majors(&self, state: &TypeState) -> Result<Option<(u32, u32)>, EngineError> {
        let open = |major: &&u32| !state.phase.closed.contains(major);
        let known: Vec<u32> = state.majors.iter().filter(open).copied().collect();
        for pair in known.windows(2) {
            let [from, to] = pair else { continue };
            let range = ReadRange::of(keys::records_of_major(&state.key, *from)?).limit(1);
            let (_, page) = self.store.range(range.keys_only()).await?;
            if page.entries.is_empty() {
                continue;
            }
            let newest = |major| crate::migrations::start::newest_of(state, major);
            // A major of which this server knows no version is left to a server that does.
            let (Ok(old), Ok(new)) = (newest(*from), newest(*to)) else {
                return Ok(None);
            };
            if let Err(error) = check_meaning(state, &VisibleVersions::ALL, old, new, &[]) {
                tracing::warn!(of = %state.key, %error, "left where it is");
                return Ok(None);
            }
            return Ok(Some((*from, *to)));
        }
        Ok(None)
    }

    /// Until a migration has ended; or why it does not, if nothing moves for long.
    async fn wait_for(
        &self,
        of: &TypeKey,
        (from, to): (u32, u32),
        progress: &(dyn Fn(&MigrationStatus) + Send + Sync),
    ) -> Result<Option<String>, EngineError> {
        let caller = system_caller();
        let mut last = (Instant::now(), None);
        loop {
            let status = self.migration_status(&caller, of).await?;
            progress(&status);
            // It ended, or another one began: the caller looks again where the type is.
            if status.live.is_none() || (status.from, status.to) != (from, to) {
                return Ok(None);
            }
            // A phase that changes or a resource that is visited is a sign that somebody works on
            // it.
            let visited = status.progress.as_ref().map(|one| one.visited);
            let stands = Some((status.live, visited));
            if last.1 != stands {
                last = (Instant::now(), stands);
            }
            // What does not convert stays so until a person mends it: waiting would not help.
            let failed = status.failed > 0 && status.progress.is_some_and(|one| one.done);
            // Somebody has to grant something, or to go on without them.
            let waits = !status.without_access.is_empty();
            if failed || waits || last.0.elapsed() > PATIENCE {
                return Ok(Some(status.why));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
