//! Waiting for a migration, and `coeval migrate status -w`.

use super::live::MigrationView;
use super::{get, words};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, say};
use coeval_client::ClientErrorKind;
use coeval_codes::Code;
use coeval_proto::migrations::v1 as pb;
use std::time::Duration;

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// A server that restarts is asked again, so often.
const TRIES: u32 = 100;

/// What passes by itself.
pub(super) fn is_blocked(code: Code) -> bool {
    [
        coeval_codes::SERVERS_BEHIND,
        coeval_codes::BACKFILL_NOT_DONE,
        coeval_codes::COPY_BACK_NOT_DONE,
        coeval_codes::OLD_RECORDS_LEFT,
        coeval_codes::MIRRORS_LEFT,
        coeval_codes::CONTENDED,
        // It goes by itself as well, and was faster.
        coeval_codes::EPOCH_PASSED,
    ]
    .contains(&code)
}

/// The same migration a little later, also across a restart of the server.
pub(super) async fn poll_again(
    session: &ClientSession,
    kind: &str,
) -> Result<pb::Migration, Failure> {
    let mut tries = 0;
    loop {
        // Looked at again and again: a migration has no stream of its own.
        tokio::time::sleep(LOOK).await;
        match get(session, kind).await {
            // A restart of the server takes a while; the migration is in the store.
            Err(error) if error.kind() == ClientErrorKind::Unavailable && tries < TRIES => {
                tries += 1;
            }
            other => return other.map_err(|error| words::with_advice(error, kind)),
        }
    }
}

/// Shows it until it has ended.
pub(super) async fn watch(
    session: &ClientSession,
    kind: &str,
    output: OutputOptions,
) -> Result<(), Failure> {
    let now = get(session, kind).await;
    let now = now.map_err(|error| words::with_advice(error, kind))?;
    let mut view = MigrationView::new(&output.output);
    let now = wait_until(session, kind, now, &mut view, words::has_ended).await?;
    drop(view);
    say(&format!("{} is {}", now.name, words::state(&now)));
    Ok(())
}

/// Shows it until something holds.
pub(super) async fn wait_until(
    session: &ClientSession,
    kind: &str,
    mut now: pb::Migration,
    view: &mut MigrationView,
    holds: impl Fn(&pb::Migration) -> bool,
) -> Result<pb::Migration, Failure> {
    loop {
        // Drawn before it is judged, so that the last state stays on the screen.
        view.tell(&now)?;
        if holds(&now) {
            return Ok(now);
        }
        now = poll_again(session, kind).await?;
    }
}

/// What would be waited for in vain.
pub(super) fn check_not_paused(now: &pb::Migration, kind: &str) -> Result<(), Failure> {
    if now.paused && words::works(now) {
        return Err(Failure::refused(
            now.why.clone(),
            format!("Let it go on with `coeval migrate resume {kind}`."),
        ));
    }
    Ok(())
}

/// Waits for the work of the phase that was reached.
pub(super) async fn wait_for_work(
    session: &ClientSession,
    kind: &str,
    now: pb::Migration,
    view: &mut MigrationView,
) -> Result<pb::Migration, Failure> {
    let still = |now: &pb::Migration| words::works(now) && !now.paused;
    let now = wait_until(session, kind, now, view, |now| !still(now)).await?;
    check_not_paused(&now, kind)?;
    Ok(now)
}
