//! What the engine says of migrations, as messages.

use crate::proto::migrations::v1 as pb;
use crate::times::timestamp;
use coeval_core::version::Uuid;
use coeval_engine::TypeKey;
use coeval_engine::migrations::{
    FailedResource, LosingMember, LossReport, MigrationPlan, MigrationStatus, Progress, Refused,
    ServerSeen, State, Verified, Working,
};
use std::collections::BTreeMap;

pub(super) fn migration(status: &MigrationStatus) -> pb::Migration {
    let (low, high) = match status.live {
        Some((low, high)) => (low.name(), high.name()),
        None => ("", ""),
    };
    let (old_resources, new_resources) = status.resources;
    pb::Migration {
        name: status.name.clone(),
        r#type: status.of.to_string(),
        from_major: status.from,
        to_major: status.to,
        state: state(status.state).into(),
        low: low.to_owned(),
        high: high.to_owned(),
        forward_done: status.forward_done,
        back_done: status.back_done,
        auto: status.auto,
        until: status.until.clone(),
        paused: status.paused,
        rate: status.rate,
        began: Some(timestamp(status.began)),
        moved: Some(timestamp(status.moved)),
        old_resources,
        new_resources,
        failed: status.failed,
        progress: status.progress.as_ref().map(progress),
        servers: status.servers.iter().map(server).collect(),
        why: status.why.clone(),
        without_access: without_access(&status.of, &status.without_access),
    }
}

fn without_access(of: &TypeKey, all: &[LosingMember]) -> Vec<pb::MemberWithoutAccess> {
    let shown = |one: &LosingMember| pb::MemberWithoutAccess {
        member: one.member.id().to_owned(),
        name: one.name.clone(),
        level: crate::access::told(one.level).into(),
        type_version: format!("{of}:{}", one.to),
    };
    all.iter().map(shown).collect()
}

const fn state(state: State) -> pb::MigrationState {
    match state {
        State::Running => pb::MigrationState::Running,
        State::Undoing => pb::MigrationState::Undoing,
        State::Finished => pb::MigrationState::Finished,
        State::Undone => pb::MigrationState::Undone,
    }
}

const fn work(working: Working) -> pb::Work {
    match working {
        Working::Backfill => pb::Work::Backfill,
        Working::CopyBack => pb::Work::CopyBack,
        Working::CleanUp => pb::Work::CleanUp,
        Working::Discard => pb::Work::Discard,
    }
}

fn progress(progress: &Progress) -> pb::Progress {
    let left = progress.left;
    pb::Progress {
        work: work(progress.working).into(),
        visited: progress.visited,
        total: progress.total,
        copied: progress.copied,
        stale: progress.stale,
        orphaned: progress.orphaned,
        failed: progress.failed,
        per_second: progress.per_second,
        left: left.map(|(soonest, likely, latest)| pb::TimeLeft {
            soonest,
            likely,
            latest,
        }),
        done: progress.done,
    }
}

pub(super) fn server(server: &ServerSeen) -> pb::Server {
    let map = |map: &BTreeMap<String, String>| map.clone().into_iter().collect();
    pb::Server {
        name: server.name.clone(),
        release: server.release.clone(),
        started: Some(timestamp(server.started)),
        phases: map(&server.phases),
        known: map(&server.known),
        refused: map(&server.refused),
    }
}

/// As every API says it.
fn urn(of: &TypeKey, id: Uuid) -> String {
    format!("urn:vcloud:entity:{of}:{id}")
}

pub(super) fn plan(plan: &MigrationPlan) -> pb::MigrationPlan {
    let versions = plan.versions.iter().map(|one| pb::VersionCount {
        version: one.version.to_string(),
        count: one.count,
    });
    let meaning_changed = plan.meaning_changed.iter().map(ToString::to_string);
    pb::MigrationPlan {
        r#type: plan.of.to_string(),
        from_major: plan.from,
        to_version: plan.to.to_string(),
        versions: versions.collect(),
        tried: plan.tried,
        exact: plan.exact,
        keeps: plan.keeps,
        refused: plan.refused,
        examples: refused(&plan.of, &plan.examples),
        seconds: plan.seconds,
        meaning_changed: meaning_changed.collect(),
        held: plan.held.clone().unwrap_or_default(),
        without_access: without_access(&plan.of, &plan.without_access),
    }
}

fn refused(of: &TypeKey, all: &[Refused]) -> Vec<pb::FailedResource> {
    let shown = |one: &Refused| pb::FailedResource {
        id: urn(of, one.id),
        name: one.name.clone(),
        code: one.code.clone(),
        reason: one.reason.clone(),
    };
    all.iter().map(shown).collect()
}

pub(super) fn failed(of: &TypeKey, one: &FailedResource) -> pb::FailedResource {
    pb::FailedResource {
        id: urn(of, one.id),
        name: one.name.clone().unwrap_or_default(),
        code: one.code.clone(),
        reason: one.reason.clone(),
    }
}

pub(super) fn verified(of: &TypeKey, found: &Verified) -> pb::VerifyMigrationResponse {
    let examples = found.examples.iter().map(|one| pb::DifferingResource {
        id: urn(of, one.id),
        name: one.name.clone(),
        what: one.what.clone(),
    });
    pb::VerifyMigrationResponse {
        clean: found.is_clean(),
        same: found.same,
        alone: found.alone,
        missing: found.missing,
        stale: found.stale,
        orphaned: found.orphaned,
        different: found.different,
        examples: examples.collect(),
    }
}

pub(super) fn loss(of: &TypeKey, report: &LossReport) -> pb::ReportLossResponse {
    pb::ReportLossResponse {
        phase: report.phase.name().to_owned(),
        possible: report.possible,
        copy_back: report.copy_back,
        refused: report.refused,
        examples: refused(of, &report.examples),
        kept: report.kept,
        lost: report.lost,
    }
}
