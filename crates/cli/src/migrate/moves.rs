//! `coeval migrate advance`: half a step, or as many as it takes.

use super::goal::{MigrationGoal, reached};
use super::live::MigrationView;
use super::waits::{check_not_paused, is_blocked, poll_again, wait_for_work};
use super::{ask, get, say_next, words};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::OutputOptions;
use coeval_client::ClientError;
use coeval_codes::Coded as _;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;

/// How a move is made.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveOptions {
    pub(super) fence: bool,
    /// Whom cutover does not wait for.
    pub(super) without_access: Vec<String>,
    pub(super) wait: bool,
    pub(super) yes: bool,
}

pub(super) async fn advance(
    session: &ClientSession,
    kind: &str,
    to: Option<MigrationGoal>,
    moving: MoveOptions,
    output: OutputOptions,
) -> Result<(), Failure> {
    let now = get(session, kind).await;
    let now = now.map_err(|error| words::with_advice(error, kind))?;
    let next = words::following(&now).map_or(MigrationGoal::Finished, MigrationGoal::Phase);
    let goal = to.unwrap_or(next);
    if !moving.wait {
        // Without --wait only half a step is made, which can't lead there.
        if to == Some(MigrationGoal::Finished) && next != MigrationGoal::Finished {
            return Err(Failure::usage(
                format!("{kind} is not at the end of its last phase"),
                "Add --wait to go through all phases that are left.",
            ));
        }
        return one_half(session, kind, &now, to, &moving, output).await;
    }
    // The flag agrees to the phase that it names, and to no other one.
    let mut named = vec![to];
    let mut now = now;
    let mut view = MigrationView::new(&output.output);
    // The server may advance it too, so each round begins with how it is now.
    while !reached(&now, goal)? {
        let next = words::following(&now).map_or(MigrationGoal::Finished, MigrationGoal::Phase);
        if let Some(phase) = needs_confirmation(&now, next, &named)
            && !moving.yes
        {
            // What was drawn stays, and the question has the terminal for itself.
            drop(view);
            ask::confirm_phase(phase).await?;
            named.push(Some(next));
            view = MigrationView::new(&output.output);
        }
        now = whole_step(session, kind, now, next, &moving, &mut view).await?;
    }
    let now = wait_for_work(session, kind, now, &mut view).await?;
    drop(view);
    say_next(&now);
    Ok(())
}

/// Both halves of a step.
async fn whole_step(
    session: &ClientSession,
    kind: &str,
    mut now: pb::Migration,
    next: MigrationGoal,
    moving: &MoveOptions,
    view: &mut MigrationView,
) -> Result<pb::Migration, Failure> {
    loop {
        view.tell(&now)?;
        match step(session, kind, next, moving).await {
            Ok(moved) => now = moved,
            // Out of reach, or ended: it goes by itself as well, and was faster.
            Err(error)
                if is_blocked(error.code())
                    // It may be advanced by itself too, or by somebody else: then it is looked at
                    // again.
                    || error.code() == coeval_codes::PHASE_OUT_OF_REACH
                    || error.code() == coeval_codes::MIGRATION_NONE =>
            {
                now = poll_again(session, kind).await?;
            }
            Err(error) => return Err(words::with_advice(error, kind)),
        }
        // A paused one would be waited for in vain.
        check_not_paused(&now, kind)?;
        let following =
            words::following(&now).map_or(MigrationGoal::Finished, MigrationGoal::Phase);
        let running = now.state() == pb::MigrationState::Running;
        // Both halves are done once a phase later is next.
        if !running || (now.low == now.high && following != next) {
            return Ok(now);
        }
    }
}

/// The phase that closes a way back, if it is entered and was not named.
fn needs_confirmation(
    now: &pb::Migration,
    next: MigrationGoal,
    named: &[Option<MigrationGoal>],
) -> Option<Phase> {
    let MigrationGoal::Phase(phase @ (Phase::Cutover | Phase::Cleanup)) = next else {
        return None;
    };
    // The second half of a step was agreed to with the first.
    let agreed = now.low != now.high || named.contains(&Some(next));
    (!agreed).then_some(phase)
}

/// Half a step, and how it is afterwards.
async fn one_half(
    session: &ClientSession,
    kind: &str,
    now: &pb::Migration,
    to: Option<MigrationGoal>,
    moving: &MoveOptions,
    output: OutputOptions,
) -> Result<(), Failure> {
    let next = words::following(now).map_or(MigrationGoal::Finished, MigrationGoal::Phase);
    // What is not next is refused by the server, with its code.
    let asked = to.unwrap_or(next);
    if let Some(phase) = needs_confirmation(now, asked, &[to])
        && !moving.yes
    {
        ask::confirm_phase(phase).await?;
    }
    let moved = step(session, kind, asked, moving).await;
    let moved = moved.map_err(|error| words::with_advice(error, kind))?;
    MigrationView::once(&moved, &output.output)?;
    say_next(&moved);
    Ok(())
}

async fn step(
    session: &ClientSession,
    kind: &str,
    to: MigrationGoal,
    moving: &MoveOptions,
) -> Result<pb::Migration, ClientError> {
    let phase = match to {
        MigrationGoal::Phase(phase) => phase.name().to_owned(),
        MigrationGoal::Finished => String::new(),
    };
    let asked = pb::AdvanceMigrationRequest {
        kind: kind.to_owned(),
        phase,
        fence: moving.fence,
        without_access: moving.without_access.clone(),
    };
    let moved = session.client.migrations().advance_migration(asked).await?;
    Ok(moved.into_inner().migration.unwrap_or_default())
}
