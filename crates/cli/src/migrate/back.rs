//! `coeval migrate back` and `undo`.

use super::live::MigrationView;
use super::moves::MoveOptions;
use super::waits::{check_not_paused, is_blocked, poll_again, wait_for_work, wait_until};
use super::{ask, say_next, words};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, say};
use coeval_client::ClientError;
use coeval_codes::Coded as _;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;

async fn loss(
    session: &ClientSession,
    kind: &str,
    question: &str,
    yes: bool,
) -> Result<(), Failure> {
    let asked = pb::ReportLossRequest {
        kind: kind.to_owned(),
    };
    let report = session.client.migrations().report_loss(asked).await;
    let report = report.map_err(|error| words::with_advice(error, kind))?;
    ask::confirm_loss(&report.into_inner(), question, yes).await
}

pub(super) async fn back(
    session: &ClientSession,
    kind: &str,
    moving: MoveOptions,
    output: OutputOptions,
) -> Result<(), Failure> {
    // What it costs is asked for first, also with --yes: then it is only shown.
    loss(session, kind, "go back?", moving.yes).await?;
    let half = async || {
        let asked = pb::BackMigrationRequest {
            kind: kind.to_owned(),
            fence: moving.fence,
        };
        let moved = session.client.migrations().back_migration(asked).await;
        let moved = moved.map_err(ClientError::from)?.into_inner();
        Ok::<_, ClientError>(moved.migration.unwrap_or_default())
    };
    if !moving.wait {
        let moved = half()
            .await
            .map_err(|error| words::with_advice(error, kind))?;
        MigrationView::once(&moved, &output.output)?;
        say_next_back(&moved);
        return Ok(());
    }
    let mut view = MigrationView::new(&output.output);
    let now = loop {
        // Half a step each time; it is done when both phases are the same.
        let now = match half().await {
            Ok(moved) if moved.low == moved.high => break moved,
            Ok(moved) => moved,
            Err(error) if is_blocked(error.code()) => poll_again(session, kind).await?,
            Err(error) => return Err(words::with_advice(error, kind)),
        };
        check_not_paused(&now, kind)?;
        view.tell(&now)?;
    };
    let now = wait_for_work(session, kind, now, &mut view).await?;
    drop(view);
    say_next_back(&now);
    Ok(())
}

/// Who goes back mostly goes on so.
fn say_next_back(now: &pb::Migration) {
    let of = &now.r#type;
    if now.low == Phase::Old.name() && now.low == now.high {
        say(&format!("next: coeval migrate undo {of}"));
    } else {
        say(&format!("next: coeval migrate back {of} --wait"));
    }
}

pub(super) async fn undo(
    session: &ClientSession,
    kind: &str,
    wait: bool,
    yes: bool,
    output: OutputOptions,
) -> Result<(), Failure> {
    loss(session, kind, "undo it?", yes).await?;
    let asked = pb::UndoMigrationRequest {
        kind: kind.to_owned(),
    };
    let moved = session.client.migrations().undo_migration(asked).await;
    let moved = moved
        .map_err(|error| words::with_advice(error, kind))?
        .into_inner();
    let moved = moved.migration.unwrap_or_default();
    if !wait {
        MigrationView::once(&moved, &output.output)?;
        say_next(&moved);
        return Ok(());
    }
    // A paused one would never be undone by itself.
    let over = |now: &pb::Migration| words::has_ended(now) || check_not_paused(now, kind).is_err();
    let mut view = MigrationView::new(&output.output);
    let now = wait_until(session, kind, moved, &mut view, over).await?;
    drop(view);
    check_not_paused(&now, kind)?;
    say(&format!("{} is {}", now.name, words::state(&now)));
    Ok(())
}
