//! Writing, keeping alive and removing a resource, with both of its records where it has two.

use crate::pairs::failed::{Listed, cleared};
use crate::pairs::mirror::{Truth, Unfit};
use crate::resources::Resources;
use crate::secure::Sealed;
use crate::write::steps::{Becomes, KeptHistory, ObjectWrite, Seat, arrives, remove_belongings};
use coeval_catalog::fetched::Fetched;
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::part::PHASES;
use coeval_catalog::types::state::TypeState;
use coeval_core::convert::ContentRecord;
use coeval_core::phases::{
    FailedListChange, KeyStep, MirrorFit, PairStanding, PhasePlan, PhaseRefusal, PhaseWrite,
    RecordHome, TouchedKeys, plan_write,
};
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::stored::Stored;
use coeval_storage::{AtomicWrite, PutRevision, UnixMillis};

/// A resource that is to be written.
#[derive(Debug)]
pub(crate) struct Putting<'a> {
    pub state: &'a TypeState,
    pub id: Uuid,
    /// As it was found, turned to the source of truth; nothing for a new one.
    pub before: Option<(&'a Fetched, &'a Stored)>,
    /// What the source of truth becomes.
    pub after: &'a Sealed,
    /// The same with its secure values; nothing: the content stays as it was.
    pub whole: Option<&'a ContentRecord>,
    pub expires: Option<UnixMillis>,
    /// What the caller does; it matters in migrations alone.
    pub write: PhaseWrite,
    /// The version that a new resource was written at.
    pub said: Option<Version>,
}

/// The two records of a resource after a plan.
struct Both<'a> {
    pair: &'a Pair,
    plan: PhasePlan,
    /// What is put as the old record, and as the new one.
    old: Option<Sealed>,
    new: Option<Sealed>,
}

impl Resources {
    /// Adds a resource to a write: its record or records with their secrets, index entries and
    /// history.
    pub(crate) async fn put_object(
        &self,
        write: AtomicWrite,
        putting: &Putting<'_>,
    ) -> Result<AtomicWrite, EngineError> {
        let Putting {
            state,
            id,
            before,
            after,
            expires,
            ..
        } = *putting;
        let absent;
        let pair = match (before, state.part()?) {
            (Some((fetched, _)), _) => fetched.pair.as_ref(),
            // A new resource of a type in migration has two records too, both absent until now.
            (None, Some(part)) if part.concerns(after.store.header.version.major) => {
                absent = Pair::absent(*part);
                Some(&absent)
            }
            (None, _) => None,
        };
        let history = self.kept_history();
        let Some(pair) = pair else {
            let before = before.map(|(fetched, stored)| (&fetched.key, stored));
            return ObjectWrite::alone(state, id, before, after, expires, history)?.add_to(write);
        };
        let (write, both, unfit) = self.both(write, pair, putting).await?;
        let earlier = before.map(|(_, stored)| stored);
        both.add_to(write, state, id, earlier, expires, history, unfit.as_ref())
    }

    /// What becomes of both records.
    async fn both<'p>(
        &self,
        write: AtomicWrite,
        pair: &'p Pair,
        putting: &Putting<'_>,
    ) -> Result<(AtomicWrite, Both<'p>, Option<Unfit>), EngineError> {
        let (state, id, after) = (putting.state, putting.id, putting.after);
        let part = &pair.part;
        let row = part.row();
        let takes_part = match putting.write {
            PhaseWrite::Create(coeval_core::phases::WriteMajor::New) | PhaseWrite::Move => false,
            PhaseWrite::Create(coeval_core::phases::WriteMajor::Old) => true,
            PhaseWrite::Update(_) | PhaseWrite::KeepAlive | PhaseWrite::Delete => {
                pair.standing() != PairStanding::Alone
            }
        };
        let mut write = write;
        let (mut mirror, mut unfit) = (None, None);
        if takes_part && row.writes == TouchedKeys::Both {
            let (_, other) = part.majors();
            let said = putting.said.filter(|said| said.major == other);
            // Where possible the creator's own version: what it sent is then stored as it was sent.
            let at = said.or_else(|| pair.mirror_at(state));
            let at = at.ok_or(PhaseRefusal::NotLive {
                phase: part.phase,
                live: part.migration.live,
            })?;
            let truth = Truth {
                header: &after.store.header,
                whole: putting.whole,
                before: putting.before.map(|(_, stored)| stored),
                replaced: after.store.replaced.clone(),
            };
            match self.mirrored(state, pair, id, at, truth).await? {
                Ok(made) => {
                    let there = pair.at(other).map(|stored| stored.header.version);
                    let first = after.store.header.version;
                    // The version of the truth is looked after by whoever writes it.
                    if there != Some(at) && first != at {
                        write = arrives(write, state, at)?;
                    }
                    mirror = Some(made);
                }
                // No refusal yet. Up to backfill the truth is written without its mirror; the rules
                // decide.
                Err(why) => unfit = Some(why),
            }
        }
        let fit = match &unfit {
            None => MirrorFit::Both,
            Some(_) => MirrorFit::OnlyTruth,
        };
        let (live, phase) = (part.migration.live, part.phase);
        let plan = plan_write(&PHASES, live, phase, &pair.found(), putting.write, fit);
        let plan = plan.map_err(|refusal| match (refusal, &unfit) {
            (PhaseRefusal::Unfit | PhaseRefusal::NotReadBack, Some(why)) => {
                EngineError::MirrorUnfit {
                    reason: why.reason.clone(),
                }
            }
            (refusal, _) => refusal.into(),
        })?;
        let truth = after.clone();
        // By the major that is written and not by the phase: a move makes a new record of an old
        // one.
        let old_is_truth = truth.store.header.version.major == part.migration.from;
        let (old, new) = if old_is_truth {
            (Some(truth), mirror)
        } else {
            (mirror, Some(truth))
        };
        let both = Both {
            pair,
            plan,
            old,
            new,
        };
        Ok((write, both, unfit))
    }

    /// Moves the expiry of a resource: of both records where it has two, and makes a mirror that
    /// is missing.
    pub(crate) async fn keep_object_alive(
        &self,
        write: AtomicWrite,
        fetched: &Fetched,
        stored: &Stored,
        expires: Option<UnixMillis>,
    ) -> Result<AtomicWrite, EngineError> {
        let (state, id) = (&*fetched.state, stored.id);
        // A server that can't load the new major reads, and is refused here.
        state.part()?;
        let Some(pair) = &fetched.pair else {
            let kept = Becomes::KeepAlive;
            return ObjectWrite::only(state, &fetched.key, stored, kept, expires).add_to(write);
        };
        let after = Sealed::unchanged(stored, stored.header.clone());
        let putting = Putting {
            state,
            id,
            before: Some((fetched, stored)),
            after: &after,
            whole: None,
            expires,
            write: PhaseWrite::KeepAlive,
            said: None,
        };
        let (write, both, unfit) = self.both(write, pair, &putting).await?;
        both.add_to(
            write,
            state,
            id,
            None,
            expires,
            KeptHistory::default(),
            unfit.as_ref(),
        )
    }

    /// Removes a resource and all that belongs to it, but for its ACL.
    pub(crate) fn remove_object(
        &self,
        write: AtomicWrite,
        fetched: &Fetched,
        stored: &Stored,
    ) -> Result<AtomicWrite, EngineError> {
        let (state, id) = (&*fetched.state, stored.id);
        state.part()?;
        // As above: a server that can't load the new major deletes nothing (docs/phases.md).
        let history = self.kept_history().length;
        let write = remove_belongings(write, id, stored.header.generation, history)?;
        let Some(pair) = &fetched.pair else {
            let gone = Becomes::Gone;
            return ObjectWrite::only(state, &fetched.key, stored, gone, None).add_to(write);
        };
        let (live, phase) = (pair.part.migration.live, pair.part.phase);
        let found = pair.found();
        let plan = plan_write(
            &PHASES,
            live,
            phase,
            &found,
            PhaseWrite::Delete,
            MirrorFit::Both,
        )?;
        let both = Both {
            pair,
            plan,
            old: None,
            new: None,
        };
        both.add_to(write, state, id, None, None, KeptHistory::default(), None)
    }

    /// Adds what the background, or a read that met a mirror that is not fresh, does to a
    /// resource. `mirror` is what is copied; for a mark, the record itself.
    pub fn add_background(
        write: AtomicWrite,
        state: &TypeState,
        id: Uuid,
        pair: &Pair,
        plan: PhasePlan,
        mirror: Option<Sealed>,
        unfit: Option<&Unfit>,
    ) -> Result<AtomicWrite, EngineError> {
        let (old, new) = match plan.old {
            KeyStep::Copy => (mirror, None),
            _ => (None, mirror),
        };
        let truth = pair.truth();
        let expires = truth.and_then(|truth| truth.expires);
        let both = Both {
            pair,
            plan,
            old,
            new,
        };
        both.add_to(
            write,
            state,
            id,
            None,
            expires,
            KeptHistory::default(),
            unfit,
        )
    }
}

impl Both<'_> {
    #[expect(
        clippy::too_many_arguments,
        reason = "a plan says what happens to the records, the rest is what else there is"
    )]
    fn add_to(
        mut self,
        write: AtomicWrite,
        state: &TypeState,
        id: Uuid,
        earlier: Option<&Stored>,
        expires: Option<UnixMillis>,
        history: KeptHistory,
        unfit: Option<&Unfit>,
    ) -> Result<AtomicWrite, EngineError> {
        let pair = self.pair;
        let migration = pair.part.migration;
        if let Some(new) = &mut self.new {
            new.store.paired = self.plan.home == RecordHome::Paired;
        }
        if let Some(old) = &mut self.old {
            old.store.paired = false;
        }
        let truth_is_old = pair.part.majors().0 == migration.from;
        let alone = pair.standing() == PairStanding::Alone;
        let fresh = pair.standing() == PairStanding::Fresh;
        let old = Seat {
            key: pair.key(state, migration.from, id)?,
            before: pair.old.as_ref(),
            becomes: becomes(self.plan.old, self.old.as_ref(), pair.new.as_ref())?,
            counts: truth_is_old && !alone,
            // A record that is no fresh mirror may lack entries, so those are written again.
            indexed: fresh || (truth_is_old && !alone),
        };
        let new = Seat {
            key: pair.key(state, migration.to, id)?,
            before: pair.new.as_ref(),
            becomes: match self.plan.new {
                // The flag changes and the revision stays: clients see no new revision.
                KeyStep::Mark => becomes(KeyStep::Copy, self.new.as_ref(), pair.new.as_ref())?,
                step => becomes(step, self.new.as_ref(), pair.old.as_ref())?,
            },
            counts: alone || !truth_is_old,
            // What a server before mirror wrote may have removed entries of a mirror.
            indexed: fresh || alone || !truth_is_old,
        };
        let object = ObjectWrite {
            state,
            id,
            seats: vec![old, new],
            earlier,
            expires,
            history,
        };
        let mut write = object.add_to(write)?;
        match (self.plan.failing, unfit) {
            (FailedListChange::Listed, Some(unfit)) => {
                let listed = Listed::of(unfit);
                write.steps.extend(listed.steps(&state.key, id, expires)?);
            }
            // What has a fresh mirror is on no list: the common write needs no step for that.
            (FailedListChange::Cleared, _) if pair.standing() != PairStanding::Fresh => {
                write.steps.push(cleared(&state.key, id)?);
            }
            _ => {}
        }
        Ok(write)
    }
}

fn becomes<'a>(
    step: KeyStep,
    own: Option<&'a Sealed>,
    original: Option<&'a Stored>,
) -> Result<Becomes<'a>, EngineError> {
    // A plan is made of what is there, so neither is missing.
    let missing = || EngineError::Contended { attempts: 0 };
    Ok(match step {
        KeyStep::Leave => Becomes::Stays,
        KeyStep::Delete => Becomes::Gone,
        KeyStep::Touch => Becomes::KeepAlive,
        KeyStep::Write => Becomes::Put(own.ok_or_else(missing)?, PutRevision::Fresh),
        KeyStep::Copy | KeyStep::Mark => {
            let revision = original.ok_or_else(missing)?.revision;
            Becomes::Put(own.ok_or_else(missing)?, PutRevision::Same(revision))
        }
    })
}
