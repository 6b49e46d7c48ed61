//! The telling documents: the smallest, the fullest, and all that differ from one of them in a
//! single decision, or in those that lead to it.

use super::draw::{DecisionKind, DecisionPoint, DrawBase, ForcedChoice};
use super::place::mix;
use std::collections::{HashSet, VecDeque};

/// Documents that are tried for what is there, how many, and of which form.
const FORMS: usize = 1_500;
/// Documents that are tried for numbers and texts.
const SCALARS: usize = 1_000;
/// Options of one decision that are tried.
const OPTIONS: usize = 200;

/// A document to be made.
#[derive(Clone, Debug)]
pub(super) struct DocumentPlan {
    pub(super) base: DrawBase,
    pub(super) forced: Vec<ForcedChoice>,
}

/// A number or a text whose options are tried one after another.
#[derive(Debug)]
struct ScalarSeries {
    plan: DocumentPlan,
    at: u64,
    taken: usize,
    next: usize,
    options: usize,
}

/// Those that are still to be made.
#[derive(Debug)]
pub(super) struct TellingQueue {
    forms: VecDeque<DocumentPlan>,
    forms_left: usize,
    scalars: VecDeque<ScalarSeries>,
    scalars_left: usize,
    explored: HashSet<u64>,
}

impl TellingQueue {
    pub(super) fn new() -> Self {
        let plain = |base| DocumentPlan {
            base,
            forced: Vec::new(),
        };
        Self {
            forms: [DrawBase::Smallest, DrawBase::Fullest].map(plain).into(),
            forms_left: FORMS,
            scalars: VecDeque::new(),
            scalars_left: SCALARS,
            explored: HashSet::new(),
        }
    }

    pub(super) fn next(&mut self) -> Option<DocumentPlan> {
        if let Some(plan) = self.forms.pop_front() {
            return Some(plan);
        }
        self.scalars_left = self.scalars_left.checked_sub(1)?;
        // In turn: of all places each has one before some place has all.
        let mut scalar = self.scalars.pop_front()?;
        let plan = with(&scalar.plan, scalar.at, scalar.next);
        if scalar.advance() {
            self.scalars.push_back(scalar);
        }
        Some(plan)
    }

    /// Plans a document for each option of each decision that was not met before.
    pub(super) fn explore(&mut self, plan: &DocumentPlan, asked: &[(DecisionPoint, usize)]) {
        for (ask, taken) in asked {
            // A property that is alone there and one that is alone absent are two things.
            let key = match (ask.what, plan.base) {
                (DecisionKind::Presence, DrawBase::Smallest) => mix(ask.at, 1),
                _ => ask.at,
            };
            if self.explored.len() >= FORMS + SCALARS || !self.explored.insert(key) {
                continue;
            }
            match ask.what {
                DecisionKind::Presence | DecisionKind::Form => {
                    let others = (0..ask.options.min(OPTIONS)).filter(|option| option != taken);
                    for option in others.take(self.forms_left) {
                        self.forms.push_back(with(plan, ask.at, option));
                        self.forms_left -= 1;
                    }
                }
                DecisionKind::Scalar => {
                    let first = usize::from(*taken == 0);
                    self.scalars.push_back(ScalarSeries {
                        plan: plan.clone(),
                        at: ask.at,
                        taken: *taken,
                        next: first,
                        options: ask.options,
                    });
                }
            }
        }
    }
}

impl ScalarSeries {
    /// Whether there is another option.
    fn advance(&mut self) -> bool {
        self.next += 1;
        if self.next == self.taken {
            self.next += 1;
        }
        self.next < self.options
    }
}

fn with(plan: &DocumentPlan, at: u64, option: usize) -> DocumentPlan {
    let mut plan = plan.clone();
    plan.forced.push((at, option));
    plan
}
