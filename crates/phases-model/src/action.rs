//! What can happen next, told as a line of a trace.

use crate::state::GatedMove;
use coeval_core::phases::{
    BackgroundWork, MirrorFit, Phase, PhaseDirection, PhaseWrite, WriteMajor,
};
use std::fmt;

/// What a server plans on a snapshot. The numbers are those of the server and the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelRequest {
    /// What a caller asks for.
    Write(usize, usize, PhaseWrite, MirrorFit),
    /// A step in the background.
    Work(usize, usize),
    /// A read finds a mirror behind and repairs it.
    Repair(usize, usize),
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelAction {
    /// Something is planned on a snapshot.
    Start(ModelRequest),
    /// It is planned and sent, and nobody hears what became of it.
    Lose(ModelRequest),
    /// What got no answer arrives after all: committed, or refused by the store.
    Arrive,
    /// What was planned is committed, or refused by the store.
    Commit(usize),
    /// A server dies and comes back; what it planned and what it had claimed is gone.
    Crash(usize),
    /// A server goes to a live phase.
    Go(usize, Phase),
    /// A server claims a part of the run that nobody has, or takes it over.
    Take(usize, usize),
    /// The operator moves the record forward by half a step.
    Forward,
    /// The operator moves the record back by half a step.
    Back,
    /// While two phases are live, the operator asks for one of them and gives nobody up.
    Turn(PhaseDirection),
    /// The run in the background notes that all were visited.
    Claim(BackgroundWork),
    /// The operator ends the migration.
    Finish,
    /// The operator ends it where it began.
    Abandon,
    /// The same as one of these, and nobody hears what became of it.
    LoseMove(GatedMove),
    /// The operator begins another one.
    Begin,
    /// What the operator planned on a snapshot is committed.
    Decide,
    /// What expires first expires.
    Lapse(usize),
}

/// Servers have letters.
pub(crate) fn name(server: usize) -> char {
    char::from(b'A' + u8::try_from(server).unwrap())
}

fn write_phrase(write: PhaseWrite) -> &'static str {
    match write {
        PhaseWrite::Create(WriteMajor::Old) => "create",
        PhaseWrite::Create(WriteMajor::New) => "create at the new major",
        PhaseWrite::Update(WriteMajor::Old) => "update",
        PhaseWrite::Update(WriteMajor::New) => "update at the new major",
        PhaseWrite::KeepAlive => "keep alive",
        PhaseWrite::Move => "move to the new major",
        PhaseWrite::Delete => "delete",
    }
}

impl ModelRequest {
    /// The server.
    pub(crate) const fn server(self) -> usize {
        match self {
            Self::Write(server, ..) | Self::Work(server, _) | Self::Repair(server, _) => server,
        }
    }
}

impl fmt::Display for ModelRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Write(server, object, write, fit) => {
                write!(f, "{}: {} of r{object}", name(server), write_phrase(write))?;
                if fit == MirrorFit::OnlyTruth {
                    f.write_str(" that does not convert")?;
                }
                Ok(())
            }
            Self::Work(server, object) => write!(f, "{}: background, r{object}", name(server)),
            Self::Repair(server, object) => write!(f, "{}: repair of r{object}", name(server)),
        }
    }
}

impl fmt::Display for GatedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward => f.write_str("operator: forward"),
            Self::Claim(work) => write!(f, "operator: {work:?} is done"),
            Self::Finish => f.write_str("operator: finish"),
            Self::Abandon => f.write_str("operator: end where it began"),
        }
    }
}

impl fmt::Display for ModelAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Start(request) => request.fmt(f),
            Self::Lose(request) => write!(f, "{request}, and no answer"),
            Self::Arrive => f.write_str("store: what got no answer arrives"),
            Self::Commit(server) => write!(f, "{}: commit", name(server)),
            Self::Crash(server) => write!(f, "{}: crash", name(server)),
            Self::Go(server, phase) => write!(f, "{}: go to {phase}", name(server)),
            Self::Take(server, part) => write!(f, "{}: claim part {part}", name(server)),
            Self::Forward => GatedMove::Forward.fmt(f),
            Self::Back => f.write_str("operator: back"),
            Self::Turn(PhaseDirection::Forward) => {
                f.write_str("operator: forward, once all are there")
            }
            Self::Turn(PhaseDirection::Back) => f.write_str("operator: back, once all are there"),
            Self::Claim(work) => GatedMove::Claim(work).fmt(f),
            Self::Finish => GatedMove::Finish.fmt(f),
            Self::Abandon => GatedMove::Abandon.fmt(f),
            Self::LoseMove(gated) => write!(f, "{gated}, and no answer"),
            Self::Begin => f.write_str("operator: begin again"),
            Self::Decide => f.write_str("operator: commit"),
            Self::Lapse(object) => write!(f, "time: r{object} expires"),
        }
    }
}
