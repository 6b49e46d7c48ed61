//! `coeval migrate`.

mod action;
mod ask;
mod back;
mod failures;
mod goal;
mod live;
mod moves;
mod plan;
mod waits;
mod words;

use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, print_rows, say};
use action::{MigrateCommand, MigratedType};
use clap::Args;
use coeval_client::ClientError;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;
use goal::MigrationGoal;
use live::MigrationView;
use moves::MoveOptions;
use std::process::ExitCode;
pub(crate) use words::server_value;

/// Move a type from one major to the next, while everybody keeps working.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval migrate plan acme:app
  coeval migrate start acme:app
  coeval migrate advance acme:app --wait
  coeval migrate status acme:app -w
  coeval migrate undo acme:app

A migration goes through phases: old, mirror, read-new, backfill, soak, cutover, cleanup. Up to
soak it can be undone at any time; from cutover on only by copying back what was written since;
from cleanup on never.")]
pub struct MigrationOptions {
    #[command(subcommand)]
    action: MigrateCommand,
}

pub(crate) async fn run(options: MigrationOptions) -> Result<ExitCode, Failure> {
    match options.action {
        MigrateCommand::Plan { of, majors, output } => {
            plan::run(&of.session()?, of.kind, majors, output).await?;
        }
        MigrateCommand::Start {
            of,
            majors,
            auto,
            until,
            rate,
            meaning_changed,
            yes,
            output,
        } => {
            // Asked before it begins: nobody may be there when it gets so far.
            if auto && until.is_some_and(MigrationGoal::is_irreversible) && !yes {
                ask::confirm_end(until).await?;
            }
            let asked = pb::StartMigrationRequest {
                kind: of.kind.clone(),
                from_major: majors.from,
                to_major: majors.to,
                auto,
                until: until
                    .map(|until| until.name().to_owned())
                    .unwrap_or_default(),
                rate,
                meaning_changed,
            };
            // Nothing moves yet: starting only admits the first phase.
            let session = of.session()?;
            let begun = session.client.migrations().start_migration(asked).await;
            let begun = begun.map_err(|error| words::with_advice(error, &of.kind))?;
            shown(begun.into_inner().migration, &output)?;
        }
        MigrateCommand::Status { of, watch, output } => {
            let session = of.session()?;
            if watch {
                waits::watch(&session, &of.kind, output).await?;
            } else {
                let now = get(&session, &of.kind).await;
                let now = now.map_err(|error| words::with_advice(error, &of.kind))?;
                MigrationView::once(&now, &output.output)?;
            }
        }
        MigrateCommand::Advance {
            of,
            to,
            fence,
            without_access,
            wait,
            yes,
            output,
        } => {
            let moving = MoveOptions {
                fence,
                without_access,
                wait,
                yes,
            };
            moves::advance(&of.session()?, &of.kind, to, moving, output).await?;
        }
        MigrateCommand::Pause { of, output } => {
            change(&of, &output, |asked| asked.paused = Some(true)).await?;
        }
        MigrateCommand::Resume { of, output } => {
            change(&of, &output, |asked| asked.paused = Some(false)).await?;
        }
        MigrateCommand::Rate { of, rate, output } => {
            change(&of, &output, |asked| asked.rate = Some(rate)).await?;
        }
        MigrateCommand::Back {
            of,
            fence,
            wait,
            yes,
            output,
        } => {
            let moving = MoveOptions {
                fence,
                wait,
                yes,
                ..MoveOptions::default()
            };
            back::back(&of.session()?, &of.kind, moving, output).await?;
        }
        MigrateCommand::Undo {
            of,
            wait,
            yes,
            output,
        } => back::undo(&of.session()?, &of.kind, wait, yes, output).await?,
        MigrateCommand::Verify { of, output } => {
            failures::verify(&of.session()?, &of.kind, output).await?;
        }
        MigrateCommand::List { output, server } => list(&server.session()?, output).await?,
        MigrateCommand::Failed { of, output } => {
            failures::failed(&of.session()?, &of.kind, output).await?;
        }
        MigrateCommand::Retry { of, names } => {
            failures::retry(&of.session()?, &of.kind, &names).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How far it is.
async fn get(session: &ClientSession, kind: &str) -> Result<pb::Migration, ClientError> {
    let asked = pb::GetMigrationRequest {
        kind: kind.to_owned(),
    };
    let found = session.client.migrations().get_migration(asked).await?;
    Ok(found.into_inner().migration.unwrap_or_default())
}

/// As it is now, and what to type next.
fn shown(now: Option<pb::Migration>, output: &OutputOptions) -> Result<(), Failure> {
    let now = now.unwrap_or_default();
    MigrationView::once(&now, &output.output)?;
    say_next(&now);
    Ok(())
}

fn say_next(now: &pb::Migration) {
    if let Some(command) = words::next_command(now) {
        say(&format!("next: {command}"));
    }
}

async fn change(
    of: &MigratedType,
    output: &OutputOptions,
    set: impl FnOnce(&mut pb::UpdateMigrationRequest),
) -> Result<(), Failure> {
    let mut asked = pb::UpdateMigrationRequest {
        kind: of.kind.clone(),
        ..Default::default()
    };
    set(&mut asked);
    let session = of.session()?;
    let changed = session.client.migrations().update_migration(asked).await;
    let changed = changed.map_err(|error| words::with_advice(error, &of.kind))?;
    MigrationView::once(
        &changed.into_inner().migration.unwrap_or_default(),
        &output.output,
    )
}

async fn list(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = pb::ListMigrationsRequest {
            page_size: 1000,
            page_token,
        };
        let page = session.client.migrations().list_migrations(asked).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.migrations);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let row = |one: &pb::Migration| {
        vec![
            one.name.clone(),
            words::state(one).to_owned(),
            words::phases(one),
            words::percent(one.progress.as_ref()),
            one.failed.to_string(),
            one.why.clone(),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(words::value).collect();
    let headers = ["name", "state", "phase", "work", "failed", "why"];
    print_rows(&output.output, &headers, &rows, &values)
}

/// The phase of that name.
fn phase(name: &str) -> Option<Phase> {
    name.parse().ok()
}
