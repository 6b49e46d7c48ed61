//! What is run: a table, a store, bounds; and how a state follows from another.

use crate::action::Action;
use crate::invariants;
use crate::state::{Cell, Ghosts, Job, NOW, Object, Pending, Server, State};
use coeval_core::phases::{
    At, Epoch, Facts, Failing, Fit, Home, Live, Phase, PhaseRecord, Plan, Step, TABLE, Table, Who,
    Work, Write, admit, back, backfill, claim, clean_up, copy_back, forward, is_due, plan_read,
    plan_write, work,
};
use stateright::{Model, Property};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Servers.
    pub servers: usize,
    /// Resources that begin in the old range.
    pub old: usize,
    /// Resources that begin at home in the new range.
    pub alone: usize,
    /// Writes by callers.
    pub writes: u8,
}

/// Something around the table that is broken on purpose, to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The store does not look at the epoch.
    NoFence,
    /// Servers serve at any phase.
    NoAdmission,
    /// The store does not look at what was found.
    NoConditions,
    /// A checkpoint of an earlier epoch is used.
    OldCheckpoint,
    /// The run in the background forgets to visit.
    EmptyClaim,
    /// A step in the background writes nothing.
    IdleBackfill,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The rules.
    pub table: Table,
    /// How much is tried.
    pub bounds: Bounds,
    /// The phase that all begin at.
    pub start: Phase,
    /// Only plain writes, unconditional, and an operator who waits for the servers.
    pub simple: bool,
    /// A request is one step: nothing comes between its snapshot and its commit.
    pub at_once: bool,
    /// What is broken on purpose.
    pub fault: Option<Fault>,
}

impl Protocol {
    /// Ours, from the beginning.
    #[must_use]
    pub fn ours(bounds: Bounds) -> Self {
        Self {
            table: TABLE,
            bounds,
            start: Phase::Old,
            simple: false,
            at_once: false,
            fault: None,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Whether a server may serve now.
    #[must_use]
    pub fn serves(&self, state: &State, server: &Server) -> bool {
        self.has(Fault::NoAdmission) || admit(&state.record(), server.phase).is_ok()
    }

    /// What a server would answer to a read.
    #[must_use]
    pub fn answer(&self, server: &Server, object: &Object) -> Option<Cell> {
        use coeval_core::decide::Record;
        let reading = plan_read(self.table.row(server.phase), &object.found());
        match reading.from? {
            Record::Old => object.old,
            Record::New | Record::Only => object.new.map(|(cell, _)| cell),
        }
    }

    fn writes(&self, state: &State, actions: &mut Vec<Action>) {
        let kinds: &[Write] = if self.simple {
            &[Write::Create(At::Old), Write::Update, Write::Delete]
        } else {
            &[
                Write::Create(At::Old),
                Write::Create(At::New),
                Write::Update,
                Write::KeepAlive,
                Write::Move,
                Write::Delete,
            ]
        };
        for (server, object) in self.free(state) {
            let found = state.objects[object].fit;
            for write in kinds {
                let content = matches!(write, Write::Create(At::Old) | Write::Update);
                let fits: &[Fit] = match (content && !self.simple, write) {
                    (true, _) => &[Fit::Both, Fit::OnlyTruth],
                    (false, Write::KeepAlive) => &[found],
                    (false, _) => &[Fit::Both],
                };
                for fit in fits {
                    actions.push(Action::Start(server, object, *write, *fit));
                }
            }
        }
    }

    /// Servers that can take a request, with every resource.
    fn free<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, usize)> + 'a {
        let servers = (0..state.servers.len()).filter(|at| {
            let server = &state.servers[*at];
            server.pending.is_none() && self.serves(state, server)
        });
        servers.flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)))
    }

    fn background(&self, state: &State, actions: &mut Vec<Action>) {
        for (server, object) in self.free(state) {
            let phase = state.servers[server].phase;
            if state.visited & (1 << object) == 0
                && work(&self.table, &state.record(), phase).is_some()
            {
                actions.push(Action::Work(server, object));
            }
            let found = state.objects[object].found();
            if plan_read(self.table.row(phase), &found).repair {
                actions.push(Action::Repair(server, object));
            }
        }
        for server in &state.servers {
            let all = (1 << state.objects.len()) - 1;
            let visited = state.visited == all || self.has(Fault::EmptyClaim);
            let due = work(&self.table, &state.record(), server.phase);
            if let Some(due) = due.filter(|due| visited && *due != Work::CleanUp) {
                let claim = Action::Claim(due);
                if self.serves(state, server) && !actions.contains(&claim) {
                    actions.push(claim);
                }
            }
        }
    }

    fn plan(&self, state: &State, action: Action) -> Option<(usize, Pending)> {
        let record = state.record();
        let (server, object, job, plan, fit) = match action {
            Action::Start(server, object, write, fit) => {
                let phase = state.servers[server].phase;
                let found = state.objects[object].found();
                let plan = plan_write(&self.table, state.live, phase, &found, write, fit).ok()?;
                (server, object, Job::Write(write), plan, fit)
            }
            Action::Work(server, object) => {
                let work = work(&self.table, &record, state.servers[server].phase)?;
                let thing = &state.objects[object];
                let plan = match work {
                    Work::Backfill => backfill(&thing.found(), thing.fit),
                    Work::CopyBack => copy_back(&thing.found(), thing.fit),
                    Work::CleanUp => clean_up(&thing.found()),
                };
                (
                    server,
                    object,
                    Job::Work(work),
                    plan.unwrap_or(NOTHING),
                    thing.fit,
                )
            }
            Action::Repair(server, object) => {
                let thing = &state.objects[object];
                let plan = backfill(&thing.found(), thing.fit)?;
                (server, object, Job::Repair, plan, thing.fit)
            }
            _ => return None,
        };
        let thing = &state.objects[object];
        let pending = Pending {
            job,
            object,
            found: (thing.old, thing.new),
            plan,
            stamp: if matches!(job, Job::Write(_)) {
                state.clock + 1
            } else {
                0
            },
            fit,
            current: true,
        };
        Some((server, pending))
    }

    fn commit(&self, state: &mut State, pending: Pending) {
        let epoch = if pending.current { NOW } else { Epoch(0) };
        let fenced = state.record().fence(epoch).is_err();
        if fenced && !self.has(Fault::NoFence) {
            return;
        }
        let before = state.objects[pending.object];
        let as_found = (before.old, before.new) == pending.found;
        if !as_found && !self.simple && !self.has(Fault::NoConditions) {
            return;
        }
        state.ghosts.late_write |= fenced;
        let due = due(state);
        apply(
            &mut state.objects[pending.object],
            &pending,
            self.has(Fault::IdleBackfill),
        );
        if matches!(pending.job, Job::Work(_)) && pending.current {
            state.visited |= 1 << pending.object;
        }
        let fixes = matches!(
            pending.job,
            Job::Repair | Job::Work(Work::Backfill | Work::CopyBack)
        );
        let was_due = is_due(&before.found()) && !before.failed;
        let now = self::due(state);
        // From mirror to soak every live phase writes both.
        if state.live.low >= Phase::Mirror && state.live.high <= Phase::Soak {
            state.ghosts.endless |= now > due || (fixes && was_due && now >= due);
        }
    }

    fn moved(&self, state: &State, forwards: bool) -> Option<State> {
        let behind: Vec<_> = state
            .servers
            .iter()
            .map(|server| coeval_core::phases::Acknowledged {
                server: String::new(),
                phase: server.phase,
            })
            .collect();
        let facts = Facts {
            who: Who::Operator,
            servers: &behind,
            fence_rest: !self.simple,
            failed: state.failed(),
            left_in_old: 0,
            meaning_changed: false,
        };
        let step = if forwards { forward } else { back };
        let next = step(&self.table, &state.record(), &facts).ok()?;
        let mut after = with_record(state, &next);
        let admits = state.live.low == state.live.high;
        if admits {
            after.ghosts.backwards = !forwards;
        }
        if !self.has(Fault::OldCheckpoint) {
            after.visited = 0;
        }
        for server in &mut after.servers {
            if let Some(pending) = &mut server.pending {
                pending.current = false;
            }
        }
        Some(after)
    }
}

const NOTHING: Plan = Plan {
    old: Step::Leave,
    new: Step::Leave,
    home: Home::Paired,
    failing: Failing::Cleared,
};

fn with_record(state: &State, record: &PhaseRecord) -> State {
    let migration = record.migration.unwrap();
    State {
        live: migration.live,
        forward_done: migration.forward_done,
        back_done: migration.back_done,
        ..state.clone()
    }
}

/// Mirrors that a run in the background has still to visit.
fn due(state: &State) -> usize {
    let due = |object: &&Object| is_due(&object.found()) && !object.failed;
    state.objects.iter().filter(due).count()
}

/// Does what a plan says, as a store would.
fn apply(object: &mut Object, pending: &Pending, idle: bool) {
    let plan = pending.plan;
    if idle && !matches!(pending.job, Job::Write(_)) {
        return;
    }
    let (old, new) = (object.old, object.new.map(|(cell, _)| cell));
    let fresh = Cell {
        revision: pending.stamp,
        expires: 0,
    };
    let step = |step: Step, this: Option<Cell>| match step {
        Step::Leave | Step::Mark => this,
        Step::Write => Some(fresh),
        Step::Touch => this.map(|cell| Cell {
            expires: pending.stamp,
            ..cell
        }),
        Step::Delete | Step::Copy => None,
    };
    let (mut old_after, mut new_after) = (step(plan.old, old), step(plan.new, new));
    if plan.old == Step::Copy {
        old_after = new_after;
    }
    if plan.new == Step::Copy {
        new_after = old_after;
    }
    let put = matches!(plan.new, Step::Write | Step::Copy | Step::Mark);
    let home = match object.new {
        Some((_, home)) if !put => home,
        _ => plan.home,
    };
    object.old = old_after;
    object.new = new_after.map(|cell| (cell, home));
    object.failed = match plan.failing {
        Failing::Unchanged => object.failed,
        Failing::Listed => true,
        Failing::Cleared => false,
    };
    acknowledge(object, pending, fresh);
}

fn acknowledge(object: &mut Object, pending: &Pending, fresh: Cell) {
    let Job::Write(write) = pending.job else {
        return;
    };
    object.acknowledged = match write {
        Write::Create(_) | Write::Update | Write::Move => Some(fresh),
        Write::Delete => None,
        Write::KeepAlive => object.acknowledged.map(|cell| Cell {
            expires: pending.stamp,
            ..cell
        }),
    };
    if write != Write::KeepAlive {
        object.fit = pending.fit;
    }
}

/// What expires first is gone, in both ranges.
fn lapse(object: &mut Object) -> Option<()> {
    let cells = [object.old, object.new.map(|(cell, _)| cell)];
    let first = cells.into_iter().flatten().map(|cell| cell.expires);
    let first = first.filter(|expires| *expires > 0).min()?;
    object.old = object.old.filter(|cell| cell.expires != first);
    object.new = object.new.filter(|(cell, _)| cell.expires != first);
    if object
        .acknowledged
        .is_some_and(|cell| cell.expires == first)
    {
        object.acknowledged = None;
        object.failed = false;
    }
    Some(())
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let cell = Cell {
            revision: 1,
            expires: 0,
        };
        let later = self.start > Phase::Old;
        let began_old = Object {
            old: Some(cell),
            new: later.then_some((cell, Home::Paired)),
            fit: Fit::Both,
            failed: false,
            acknowledged: Some(cell),
        };
        let alone = Object {
            old: None,
            new: Some((cell, Home::Alone)),
            ..began_old
        };
        let server = Server {
            phase: self.start,
            pending: None,
        };
        let mut objects = vec![began_old; self.bounds.old];
        objects.extend(vec![alone; self.bounds.alone]);
        vec![State {
            live: Live::one(self.start),
            forward_done: later,
            back_done: true,
            servers: vec![server; self.bounds.servers],
            objects,
            clock: 1,
            writes_left: self.bounds.writes,
            visited: 0,
            ghosts: Ghosts::default(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.writes_left > 0 {
            self.writes(state, actions);
        }
        self.background(state, actions);
        for (at, server) in state.servers.iter().enumerate() {
            if server.pending.is_some() {
                actions.extend([Action::Commit(at), Action::Crash(at)]);
            }
            for phase in [state.live.low, state.live.high] {
                let go = Action::Go(at, phase);
                if phase != server.phase && !actions.contains(&go) {
                    actions.push(go);
                }
            }
        }
        actions.extend([Action::Forward, Action::Back]);
        actions.extend((0..state.objects.len()).map(Action::Lapse));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut after = state.clone();
        match action {
            Action::Start(..) | Action::Work(..) | Action::Repair(..) => {
                let (server, pending) = self.plan(state, action)?;
                if matches!(pending.job, Job::Write(_)) {
                    after.clock += 1;
                    after.writes_left -= 1;
                }
                if self.at_once {
                    self.commit(&mut after, pending);
                } else {
                    after.servers[server].pending = Some(pending);
                }
            }
            Action::Commit(server) => {
                let pending = after.servers[server].pending.take()?;
                self.commit(&mut after, pending);
            }
            Action::Crash(server) => after.servers[server].pending = None,
            Action::Go(server, phase) => after.servers[server].phase = phase,
            Action::Forward => after = self.moved(state, true)?,
            Action::Back => after = self.moved(state, false)?,
            Action::Claim(work) => {
                let record = claim(&state.record(), work, NOW, state.failed()).ok()?;
                after = with_record(state, &record);
                after.visited = 0;
            }
            Action::Lapse(object) => lapse(&mut after.objects[object])?,
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        invariants::properties()
    }
}
