//! How far a migration is to go.

use super::{phase, words};
use crate::failure::Failure;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;

/// How far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MigrationGoal {
    Phase(Phase),
    Finished,
}

impl MigrationGoal {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Phase(phase) => phase.name(),
            Self::Finished => "finished",
        }
    }

    /// Whether a way back is closed before it is reached.
    pub(super) fn is_irreversible(self) -> bool {
        match self {
            Self::Phase(phase) => phase >= Phase::Cutover,
            Self::Finished => true,
        }
    }
}

/// A phase, or `finished`.
pub(super) fn goal(text: &str) -> Result<MigrationGoal, String> {
    match text {
        "finished" => Ok(MigrationGoal::Finished),
        name => match phase(name) {
            Some(phase) => Ok(MigrationGoal::Phase(phase)),
            None => {
                let all: Vec<_> = Phase::ALL.into_iter().map(Phase::name).collect();
                Err(format!("use {} or finished", all.join(", ")))
            }
        },
    }
}

/// Whether a goal is reached; it must not be behind.
pub(super) fn reached(now: &pb::Migration, goal: MigrationGoal) -> Result<bool, Failure> {
    let of = &now.r#type;
    match now.state() {
        // Nothing is left to do, however far was asked for.
        pb::MigrationState::Finished => return Ok(true),
        pb::MigrationState::Undone | pb::MigrationState::Undoing => {
            return Err(Failure::refused(
                format!("{} is {}", now.name, words::state(now)),
                format!("`coeval migrate status {of} -w` shows how far it is."),
            ));
        }
        pb::MigrationState::Running | pb::MigrationState::Unspecified => {}
    }
    let (low, high) = (phase(&now.low), phase(&now.high));
    match goal {
        MigrationGoal::Finished => Ok(false),
        MigrationGoal::Phase(wanted) if high > Some(wanted) => Err(Failure::coded(
            coeval_codes::PHASE_OUT_OF_REACH,
            format!("{of} is past {wanted} already: {}", words::phases(now)),
            format!("`coeval migrate back {of}` goes back."),
        )),
        MigrationGoal::Phase(wanted) => Ok(low == Some(wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_a_phase_or_the_end() {
        assert_eq!(goal("finished"), Ok(MigrationGoal::Finished));
        assert_eq!(goal("read-new"), Ok(MigrationGoal::Phase(Phase::ReadNew)));
        assert!(
            goal("Soak")
                .unwrap_err()
                .contains("cutover, cleanup or finished")
        );
        assert!(!MigrationGoal::Phase(Phase::Soak).is_irreversible());
        assert!(MigrationGoal::Phase(Phase::Cutover).is_irreversible());
    }

    #[test]
    fn a_goal_behind_is_refused_and_one_ahead_is_gone_to() {
        let at = |low: &str, high: &str| pb::Migration {
            low: low.to_owned(),
            high: high.to_owned(),
            state: pb::MigrationState::Running.into(),
            ..Default::default()
        };
        let soak = MigrationGoal::Phase(Phase::Soak);
        assert!(!reached(&at("old", "mirror"), soak).unwrap());
        assert!(!reached(&at("backfill", "soak"), soak).unwrap());
        assert!(reached(&at("soak", "soak"), soak).unwrap());
        assert!(reached(&at("soak", "cutover"), soak).is_err());
        assert!(!reached(&at("cleanup", "cleanup"), MigrationGoal::Finished).unwrap());
    }
}
