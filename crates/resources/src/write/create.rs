//! Creating a resource.

use crate::content;
use crate::pairs::object::Putting;
use crate::resource::{Changed, Resource};
use crate::resources::Resources;
use crate::tasks::record;
use crate::tasks::task::Task;
use crate::write::moving::move_record;
use crate::write::request::{Checking, Create};
use crate::write::steps::{Wanted, arrives, ask_name, fenced, found_name};
use crate::write::undeclared::check_declared;
use coeval_access::{AccessLevel, Acl};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::convert::ContentRecord;
use coeval_core::decide::{
    self, CallerControl, Force, RevisionCheck, SkewRule, StoreAt, VersionedWrite, WantedVersion,
};
use coeval_core::phases;
use coeval_core::types::Visibility;
use coeval_core::version::{Uuid, Version};
use coeval_records::applied::Applied;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::{self, Header, State};
use coeval_records::keys::{self, TypeKey};
use coeval_records::records::draw_id;
use coeval_records::stored::Stored;
use coeval_records::text::short;
use coeval_storage::{AtomicWrite, Key, ReadRequest, WriteCondition};

/// A create, ready to be written.
#[derive(Debug)]
pub struct Planned {
    pub key: Key,
    pub write: AtomicWrite,
    pub stored: Stored,
    /// With its secure values.
    pub record: ContentRecord,
    pub task: Option<Task>,
    /// What should be looked at.
    pub warnings: Vec<String>,
}

impl Resources {
    /// Creates a resource and runs the hook of its type version. With a hook it is not resolved
    /// before that has succeeded, whatever was asked for; the answer's task goes on with it.
    ///
    /// # Errors
    /// If the name is taken, the content does not fit, or the caller may not; or the hook is to be
    /// skipped and the caller may not; or it can't be run.
    pub async fn create(
        &self,
        caller: &Caller,
        of: &TypeKey,
        create: Create,
    ) -> Result<Changed, EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        // One id for all attempts: none of them can leave a second resource behind.
        let id = draw_id()?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let mut state = self.types.get(of).await?;
            if !state.definitions.contains_key(&create.at.version()) {
                // Looked up before it is called unknown.
                state = self.types.current(of).await?;
            }
            let may = |state: &TypeState| {
                self.allow_create(caller, state, create.at.version(), create.org.as_deref())
            };
            if may(&state).is_err() {
                // What was loaded may be outdated: nobody is refused by that.
                state = self.types.current(of).await?;
                may(&state)?;
            }
            let (hooked, create) = self.hooked_creation(caller, &state, &create).await?;
            let planned = self.plan_create(caller, &state, &create, id).await;
            let planned = planned.and_then(|planned| hooked.join(planned));
            let Some(planned) = self.unless_edited(&state, planned).await? else {
                continue;
            };
            let Some(planned) = planned else {
                // The type changed since it was loaded.
                self.types.load(of).await?;
                continue;
            };
            let written = self.commit(&planned.key, planned.write).await;
            let Some(written) = unless_raced(written)? else {
                // The condition that failed may be the type's: a plan for what was loaded would
                // fail again.
                self.types.load(of).await?;
                continue;
            };
            let mut stored = planned.stored;
            stored.revision = written.revision;
            let wanted = WantedVersion::Exactly(create.at.version());
            let wanted = WantedView::of_all(wanted);
            let resource: Resource = self.resource(
                &state,
                stored,
                &wanted,
                AccessLevel::FullControl,
                written.token,
                Some(&planned.record),
            )?;
            return Ok(Changed {
                resource,
                kept: Vec::new(),
                dropped: Vec::new(),
                overrode: None,
                warnings: planned.warnings,
                created: true,
                task: planned.task,
            });
        }
    }

    /// The atomic write of a create; `None` if the type is not as it was loaded.
    pub async fn plan_create(
        &self,
        caller: &Caller,
        state: &TypeState,
        create: &Create,
        id: Uuid,
    ) -> Result<Option<Planned>, EngineError> {
        let of = &state.key;
        let visible = caller.visible_versions(state);
        let decided = decide::decide_write(&VersionedWrite {
            stored: None,
            body: create.at,
            known: visible.known(state),
            store_at: StoreAt::Unsaid,
            revision: RevisionCheck::NotGiven,
            skew: SkewRule::Merge,
            control: CallerControl::Full,
            force: Force::No,
            restricted_below: None,
            barrier: None,
        })?;
        let said = decided.change.stored_at().version();
        content::check_since(state, &visible, said, &create.content, None)?;
        let body = create.content.clone();
        let made = state.versions.create_for(said, body, Visibility::Private);
        let mut record = made.map_err(|refusal| visible.refusal(state, refusal.into()))?;
        let unknown = |version| EngineError::TypeVersionUnknown {
            of: of.clone(),
            version,
        };
        let definition = state.version(said).ok_or_else(|| unknown(said))?;
        let fits = content::check_new(state, said, &record.content);
        let mut fits = fits.map_err(|refusal| visible.refusal(state, refusal));
        let warning = check_declared(state, said, &record.content, create.undeclared)?;
        let (at, write) = self.created_at(state, said)?;
        if at != said {
            record = move_record(state, record, at, None)?.record;
            let definition = state.version(at).ok_or_else(|| unknown(at))?;
            // It has to fit both: its creator reads it at the version that was sent, all others
            // build on the one that is stored.
            let there = definition.schema.validate(&record.content);
            fits = fits.and(there.map_err(EngineError::from));
        }
        let (resource_state, message) = match (create.checking, fits) {
            (Checking::Later, _) => (State::PreCreated, None),
            (_, Ok(())) => (State::Resolved, None),
            (Checking::Resolve, Err(error)) => {
                (State::ResolutionError, Some(short(&error.to_string())))
            }
            (Checking::Strict, Err(error)) => return Err(error),
        };
        let now = self.now();
        let applied = create.applied.as_ref();
        let applied = applied.map(|paths| Applied::by(paths, at, 0)).transpose()?;
        let header = Header {
            version: at,
            name: create.name.clone(),
            org: create
                .org
                .clone()
                .unwrap_or_else(|| caller.org().to_owned()),
            owner: create
                .owner
                .clone()
                .unwrap_or_else(|| caller.user().to_owned()),
            state: resource_state,
            message,
            description: create.description.clone(),
            sub_kind: create.sub_kind.clone(),
            external_id: create.external_id.clone(),
            labels: create.labels.clone(),
            created: now,
            modified: now,
            modified_by: caller.user().to_owned(),
            generation: 0,
            indexed: Default::default(),
            secure: Vec::new(),
            sealed: false,
            creation: None,
            applied,
        };
        let mut header = header;
        let task = if create.announced {
            Some(self.announce(caller, of, id, &mut header)?)
        } else {
            None
        };
        header::check(&header)?;
        // The rule of the version that the creator named, wherever a migration stores it.
        let unique = create.unique || definition.unique_names;
        let wanted = if unique {
            Wanted::Unique
        } else {
            Wanted::Shared
        };
        // In one snapshot: a name that is judged at another moment than the phase proves nothing.
        let mut request = ReadRequest::keys([state.phase_key.clone()]);
        request = ask_name(request, of, &header.org, &header.name)?;
        let mut snapshot = self.store.read(request).await?;
        let name = found_name(&mut snapshot, of, &header.org, &header.name)?;
        let phase = snapshot.keys.pop().flatten();
        if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
            return Ok(None);
        }
        if let (Wanted::Unique, Some(id)) = (wanted, name.taken_by) {
            let what = format!("{of} {}", header.name);
            return Err(EngineError::AlreadyExists { what, id });
        }
        let whole = record.clone();
        let sealed = self.seal_record(state, id, header, record, None)?;
        let putting = Putting {
            state,
            id,
            before: None,
            after: &sealed,
            whole: Some(&whole),
            expires: create.expires,
            write,
            said: Some(said),
        };
        let write = arrives(fenced(state), state, at)?;
        let mut write = self.put_object(write, &putting).await?;
        write.steps.push(name.step(1)?);
        if state.has_secure {
            // Secrets are for those whom the list names, and its owner is one of them.
            let acl = Acl::of_creator(&sealed.store.header.owner);
            write.steps.push(crate::write::acl::step(id, &acl, None)?);
        }
        let mut deed = Deed::of_resource(What::Create, of, id, &sealed.store.header);
        deed.version = Some(said.to_string());
        write.steps.push(self.audit_step(caller, &deed)?);
        if let Some(task) = &task {
            write
                .steps
                .push(record::step(task, WriteCondition::NotExists)?);
        }
        Ok(Some(Planned {
            key: keys::record(of, at.major, id)?,
            write,
            stored: sealed.stored(id, create.expires),
            record: whole,
            task,
            warnings: warning.into_iter().collect(),
        }))
    }

    /// The version at which something is stored that is created at another, and what that is to a
    /// migration.
    fn created_at(
        &self,
        state: &TypeState,
        said: Version,
    ) -> Result<(Version, phases::PhaseWrite), EngineError> {
        // Not at a version that some server can't load yet.
        let said = state.within_open(said);
        let open = state.open_version(said)?;
        let Some(part) = state.part()?.filter(|part| part.concerns(said.major)) else {
            return Ok((open, phases::PhaseWrite::Create(phases::WriteMajor::New)));
        };
        if said.major == part.migration.to {
            return Ok((open, phases::PhaseWrite::Create(phases::WriteMajor::New)));
        }
        // A body of the old major goes onto the source of truth, wherever that is by now. It stays
        // a create at the old major: the rules of the phase say whether it is paired.
        let (truth, _) = part.majors();
        let at = if truth == said.major {
            Some(said)
        } else {
            part.newest(truth)
        };
        let of = state.key.clone();
        let version = said;
        let at = at.ok_or(EngineError::TypeVersionUnknown { of, version })?;
        Ok((at, phases::PhaseWrite::Create(phases::WriteMajor::Old)))
    }
}
