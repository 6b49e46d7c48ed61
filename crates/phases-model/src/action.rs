//! What can happen next, told as a line of a trace.

use coeval_core::phases::{At, Fit, Phase, Work, Write};
use std::fmt;

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A caller's write is planned on a snapshot.
    Start(usize, usize, Write, Fit),
    /// A step in the background is planned.
    Work(usize, usize),
    /// A read finds a mirror behind and plans to repair it.
    Repair(usize, usize),
    /// What was planned is committed, or refused by the store.
    Commit(usize),
    /// A server dies and comes back; what it planned is gone.
    Crash(usize),
    /// A server goes to a live phase.
    Go(usize, Phase),
    /// The operator moves the record forward by half a step.
    Forward,
    /// The operator moves the record back by half a step.
    Back,
    /// The run in the background notes that all were visited.
    Claim(Work),
    /// The operator ends the migration.
    Finish,
    /// What the operator planned on a snapshot is committed.
    Decide,
    /// What expires first expires.
    Lapse(usize),
}

/// Servers have letters.
pub(crate) fn name(server: usize) -> char {
    char::from(b'A' + u8::try_from(server).unwrap())
}

fn said(write: Write) -> &'static str {
    match write {
        Write::Create(At::Old) => "create",
        Write::Create(At::New) => "create at the new major",
        Write::Update => "update",
        Write::KeepAlive => "keep alive",
        Write::Move => "move to the new major",
        Write::Delete => "delete",
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Start(server, object, write, fit) => {
                write!(f, "{}: {} of r{object}", name(server), said(write))?;
                if fit == Fit::OnlyTruth {
                    f.write_str(" that does not convert")?;
                }
                Ok(())
            }
            Self::Work(server, object) => write!(f, "{}: background, r{object}", name(server)),
            Self::Repair(server, object) => write!(f, "{}: repair of r{object}", name(server)),
            Self::Commit(server) => write!(f, "{}: commit", name(server)),
            Self::Crash(server) => write!(f, "{}: crash", name(server)),
            Self::Go(server, phase) => write!(f, "{}: go to {phase}", name(server)),
            Self::Forward => f.write_str("operator: forward"),
            Self::Back => f.write_str("operator: back"),
            Self::Claim(work) => write!(f, "operator: {work:?} is done"),
            Self::Finish => f.write_str("operator: finish"),
            Self::Decide => f.write_str("operator: commit"),
            Self::Lapse(object) => write!(f, "time: r{object} expires"),
        }
    }
}
