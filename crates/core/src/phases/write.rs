//! Writing a resource whose type is in migration.

use super::{
    Background, Found, Home, Keys, Live, Phase, Refusal, Row, Standing, Table, Truth, Unfit,
};

/// What a caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Creates it at one of the two majors.
    Create(At),
    /// Writes new content, given at one of the two majors and put onto the source of truth.
    Update(At),
    /// Moves the expiry and nothing else.
    KeepAlive,
    /// Takes it out of the migration: to the new major, for itself.
    Move,
    /// Deletes it.
    Delete,
}

/// The major that a caller creates or writes at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// The old one. What is created at it is stored at the new one from cutover on.
    Old,
    /// The new one. What is created at it never takes part in the migration.
    New,
}

/// Whether the content exists at both majors. What does not fit the source of truth is refused by
/// the conversion, before any plan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fit {
    /// It converts to the mirror.
    Both,
    /// It does not.
    OnlyTruth,
}

/// What happens to one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// It stays as it is.
    Leave,
    /// New content, under the fresh revision that all keys of a plan share.
    Write,
    /// Content converted from the other record, under that one's revision and expiry as they are
    /// after the plan: nobody sees that a resource was copied.
    Copy,
    /// The expiry moves, content and revision stay.
    Touch,
    /// The same content under the same revision; only the flag changes.
    Mark,
    /// It is removed.
    Delete,
}

/// What happens to the list of resources that have no mirror because they can't be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failing {
    /// It stays as it is.
    Unchanged,
    /// The resource is listed, until the expiry that it has after the plan: what expires holds
    /// nobody. Nothing is written where it is listed already.
    Listed,
    /// It is no longer listed.
    Cleared,
}

/// One atomic write, on condition that both keys are as found and the epoch is the one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The old key.
    pub old: Step,
    /// The new key.
    pub new: Step,
    /// The flag of the new record, where one is put.
    pub home: Home,
    /// The list of failed resources.
    pub failing: Failing,
}

impl Plan {
    pub(super) const fn paired(old: Step, new: Step, failing: Failing) -> Self {
        let home = Home::Paired;
        Self {
            old,
            new,
            home,
            failing,
        }
    }

    const fn alone(old: Step, new: Step, failing: Failing) -> Self {
        let home = Home::Alone;
        Self {
            old,
            new,
            home,
            failing,
        }
    }
}

/// Removes a record that may not be there.
pub(super) const fn delete_if(there: bool) -> Step {
    if there { Step::Delete } else { Step::Leave }
}

/// What a write at this phase does to both keys. `live` is from the same snapshot as `found`.
///
/// ```
/// # use coeval_core::phases::*;
/// # let old = Some(Stamp { revision: [1; 16], expires: None });
/// let found = Found { old, new: None };
/// let plan = |fit| {
///     let update = Write::Update(At::Old);
///     plan_write(&TABLE, Live::one(Phase::Mirror), Phase::Mirror, &found, update, fit).unwrap()
/// };
/// assert_eq!((plan(Fit::Both).old, plan(Fit::Both).new), (Step::Write, Step::Write));
/// // What does not convert is written all the same, and listed: soak waits until somebody mends it.
/// let unfit = plan(Fit::OnlyTruth);
/// assert_eq!((unfit.old, unfit.new, unfit.failing), (Step::Write, Step::Leave, Failing::Listed));
/// ```
pub fn plan_write(
    table: &Table,
    live: Live,
    phase: Phase,
    found: &Found,
    write: Write,
    fit: Fit,
) -> Result<Plan, Refusal> {
    let row = table.row(phase);
    let alone = found.standing() == Standing::Alone;
    // By the phase's source of truth: a mirror that was left behind does not make a resource exist.
    let exists = found.exists(row.truth);
    let old_there = delete_if(found.old.is_some());
    match write {
        Write::Create(_) if exists => Err(Refusal::Exists),
        Write::Create(At::New) => Ok(Plan::alone(old_there, Step::Write, Failing::Cleared)),
        // There is no way back, so there is nothing to take part in. Else the end of the migration
        // would leave a mark that the next one takes for an orphan's.
        Write::Create(At::Old) if row.background == Background::CleanUp => {
            Ok(Plan::alone(old_there, Step::Write, Failing::Cleared))
        }
        Write::Create(At::Old) => written(table, live, row, found, fit),
        _ if !exists => Err(Refusal::Missing),
        Write::Move => Ok(Plan::alone(old_there, Step::Write, Failing::Cleared)),
        Write::Update(_) if alone => Ok(Plan::alone(Step::Leave, Step::Write, Failing::Unchanged)),
        // It would be acknowledged, and not be readable at the version that it was written at.
        Write::Update(At::New) if row.truth == Truth::Old && fit == Fit::OnlyTruth => {
            Err(Refusal::NotReadBack)
        }
        Write::Update(_) => written(table, live, row, found, fit),
        Write::KeepAlive if alone => Ok(Plan::alone(Step::Leave, Step::Touch, Failing::Unchanged)),
        Write::KeepAlive => kept_alive(table, live, row, found, fit),
        Write::Delete if alone => Ok(Plan::alone(old_there, Step::Delete, Failing::Cleared)),
        Write::Delete => Ok(deleted(row, found)),
    }
}

/// New content of a resource that takes part.
fn written(table: &Table, live: Live, row: &Row, found: &Found, fit: Fit) -> Result<Plan, Refusal> {
    match (row.writes, fit) {
        (Keys::Old, _) => Ok(Plan::paired(Step::Write, Step::Leave, Failing::Unchanged)),
        (Keys::New, _) => Ok(Plan::paired(Step::Leave, Step::Write, Failing::Unchanged)),
        (Keys::Both, Fit::Both) => Ok(Plan::paired(Step::Write, Step::Write, Failing::Cleared)),
        (Keys::Both, Fit::OnlyTruth) => {
            may_drop_mirror(table, live, row)?;
            Ok(without_mirror(row, found, Step::Write))
        }
    }
}

fn kept_alive(
    table: &Table,
    live: Live,
    row: &Row,
    found: &Found,
    fit: Fit,
) -> Result<Plan, Refusal> {
    let fresh = found.standing() == Standing::Fresh;
    let plan = match (row.writes, row.truth) {
        (Keys::Old, _) => Plan::paired(Step::Touch, Step::Leave, Failing::Unchanged),
        (Keys::New, _) => Plan::paired(Step::Leave, Step::Touch, Failing::Unchanged),
        (Keys::Both, _) if fresh => Plan::paired(Step::Touch, Step::Touch, Failing::Unchanged),
        // Resources that heartbeat are migrated by their heartbeat.
        (Keys::Both, Truth::Old) if fit == Fit::Both => {
            Plan::paired(Step::Touch, Step::Copy, Failing::Cleared)
        }
        (Keys::Both, Truth::New) if fit == Fit::Both => {
            Plan::paired(Step::Copy, Step::Touch, Failing::Cleared)
        }
        // Behind since cutover, and still: a heartbeat does not pay for an earlier write.
        (Keys::Both, Truth::New) => without_mirror(row, found, Step::Touch),
        (Keys::Both, Truth::Old) => {
            may_drop_mirror(table, live, row)?;
            without_mirror(row, found, Step::Touch)
        }
    };
    Ok(plan)
}

/// A phase that must be leavable protects itself from every live server, not only from its own:
/// those one phase before it write what it will read.
fn may_drop_mirror(table: &Table, live: Live, row: &Row) -> Result<(), Refusal> {
    let refused = [row, table.row(live.high)]
        .iter()
        .any(|row| row.unfit == Unfit::Refuse);
    if refused {
        return Err(Refusal::Unfit);
    }
    Ok(())
}

/// Only the source of truth is written; a mirror would be behind, so it goes.
fn without_mirror(row: &Row, found: &Found, truth: Step) -> Plan {
    let (old, new) = match row.truth {
        Truth::Old => (truth, delete_if(found.new.is_some())),
        Truth::New => (delete_if(found.old.is_some()), truth),
    };
    Plan::paired(old, new, Failing::Listed)
}

fn deleted(row: &Row, found: &Found) -> Plan {
    let (old, new) = (
        delete_if(found.old.is_some()),
        delete_if(found.new.is_some()),
    );
    match row.deletes {
        Keys::Old => Plan::paired(old, Step::Leave, Failing::Cleared),
        Keys::New => Plan::paired(Step::Leave, new, Failing::Cleared),
        Keys::Both => Plan::paired(old, new, Failing::Cleared),
    }
}
