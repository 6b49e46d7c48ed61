//! Decisions. Everything that can be one way or another in a document is asked here: so the same
//! maker makes the smallest document, the fullest, those that differ from them in one decision,
//! and random ones.

use super::place::mix;
use fastrand::Rng;

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecisionKind {
    /// Whether an optional property is there.
    Presence,
    /// Which alternative, which kind, which of the listed values, how many.
    Form,
    /// Which number or text.
    Scalar,
}

/// A decision to be made between `options`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionPoint {
    /// Names it.
    pub(super) at: u64,
    pub(super) what: DecisionKind,
    pub(super) options: usize,
    /// The one for the smallest document.
    pub(super) small: usize,
    /// The one for the fullest document.
    pub(super) full: usize,
    /// Whether the others are worth a document each.
    pub(super) explored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawBase {
    Smallest,
    Fullest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawMode {
    /// As the base says.
    Exact(DrawBase),
    /// Mostly so: where the exact one does not fit.
    Nearly(DrawBase),
    Random,
}

/// A decision that differs from the base.
pub(super) type ForcedChoice = (u64, usize);

/// Makes the decisions of one document after another.
#[derive(Debug)]
pub(super) struct DecisionDraw {
    pub(super) rng: Rng,
    pub(super) mode: DrawMode,
    /// Of a hundred optional properties so many are there, in a random document.
    pub(super) density: u8,
    forced: Vec<ForcedChoice>,
    /// Decisions of an exact document, to be explored.
    pub(super) asked: Vec<(DecisionPoint, usize)>,
}

impl DecisionDraw {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(mix(seed, 0x6472_6177)),
            mode: DrawMode::Random,
            density: 50,
            forced: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Begins a document.
    pub(super) fn start(&mut self, mode: DrawMode, forced: &[ForcedChoice]) {
        self.mode = mode;
        self.forced.clear();
        self.forced.extend_from_slice(forced);
        self.asked.clear();
        self.density = match (mode, self.rng.u8(..4)) {
            (DrawMode::Nearly(DrawBase::Smallest), _) | (_, 0) => 15,
            (DrawMode::Nearly(DrawBase::Fullest), _) | (_, 1) => 95,
            (_, 2) => 40,
            _ => 70,
        };
    }

    pub(super) fn pick(
        &mut self,
        ask: DecisionPoint,
        random: impl FnOnce(&mut Self) -> usize,
    ) -> usize {
        let forced = self.forced.iter().find(|(at, _)| *at == ask.at);
        if let Some((_, option)) = forced {
            return *option;
        }
        let by_base = |base| match base {
            DrawBase::Smallest => ask.small,
            DrawBase::Fullest => ask.full,
        };
        let mode = self.mode;
        match mode {
            DrawMode::Exact(base) => {
                let taken = by_base(base);
                if ask.explored && ask.options > 1 {
                    self.asked.push((ask, taken));
                }
                taken
            }
            DrawMode::Nearly(base) if self.percent(70) => by_base(base),
            DrawMode::Nearly(_) | DrawMode::Random => random(self),
        }
    }

    /// One of the telling values; the number after the last means any other.
    pub(super) fn edge(&mut self, edges: usize) -> usize {
        if self.percent(60) {
            self.below(edges)
        } else {
            edges
        }
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.rng.usize(..count.max(1))
    }

    pub(super) fn percent(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }
}
