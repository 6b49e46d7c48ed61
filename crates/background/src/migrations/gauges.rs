//! What `/metrics` shows of the migrations that a server takes part in.

use crate::background::Background;
use crate::migrations::content::{Course, MigrationContent};
use coeval_core::phases::{BackgroundWork, Epoch, Phase};
use coeval_records::error::EngineError;
use coeval_records::header::Time;
use coeval_records::keys::TypeKey;
use std::collections::BTreeMap;

/// The migrations that are shown, by type: their majors.
#[derive(Debug, Default)]
pub(crate) struct Gauges(BTreeMap<TypeKey, (u32, u32)>);

impl Gauges {
    /// A migration that is under way. Copied are the mirrors that the background has made, on all
    /// servers: of the copy back while it is due, or else of the backfill, also when that is over.
    pub(crate) async fn show(
        &mut self,
        background: &Background,
        of: &TypeKey,
        content: &MigrationContent,
        (phase, epoch, due, failed): (Phase, Epoch, Option<BackgroundWork>, u64),
    ) -> Result<(), EngineError> {
        self.0.insert(of.clone(), (content.from, content.to));
        let now = background.now();
        course(of, content, phase, now);
        set(of, "phase_seconds", seconds(content.observed.moved, now));
        set(of, "failed", number(failed));
        // Only these two make copies.
        let work = match due {
            Some(BackgroundWork::CopyBack) => BackgroundWork::CopyBack,
            _ => BackgroundWork::Backfill,
        };
        let parts = background.parts_of_run(of, work, epoch).await?;
        let done = parts.done_since(content.observed.began);
        set(of, "copied", number(done.copied + done.stale));
        Ok(())
    }

    /// Those that ended keep the values that they ended with: a series can't be taken back.
    pub(crate) async fn end(
        &mut self,
        background: &Background,
        under_way: &[TypeKey],
    ) -> Result<(), EngineError> {
        let ended = self.0.extract_if(.., |of, _| !under_way.contains(of));
        for (of, (from, to)) in ended.collect::<Vec<_>>() {
            let Some((_, content)) = background.declared(&of, from, to).await? else {
                continue;
            };
            let phase = match content.observed.state {
                Course::Undone => Phase::Old,
                _ => Phase::Cleanup,
            };
            course(&of, &content, phase, content.observed.moved);
            set(&of, "phase_seconds", 0.0);
            set(&of, "failed", 0.0);
        }
        Ok(())
    }
}

fn course(of: &TypeKey, content: &MigrationContent, phase: Phase, until: Time) {
    set(of, "phase", f64::from(phase as u8));
    let state = match content.observed.state {
        Course::Running => 0.0,
        Course::Undoing => 1.0,
        Course::Finished => 2.0,
        Course::Undone => 3.0,
    };
    set(of, "state", state);
    set(of, "seconds", seconds(content.observed.began, until));
}

fn set(of: &TypeKey, what: &'static str, value: f64) {
    metrics::gauge!("coeval_migrations", "type" => of.to_string(), "what" => what).set(value);
}

#[expect(clippy::cast_precision_loss, reason = "times are in milliseconds")]
fn seconds(from: Time, until: Time) -> f64 {
    (until - from) as f64 / 1_000.0
}

#[expect(clippy::cast_precision_loss, reason = "a count of resources")]
fn number(count: u64) -> f64 {
    count as f64
}
