//! What the engine says of migrations, as it is answered.

use coeval_api::rest::rfc3339;
use coeval_core::version::Uuid;
use coeval_engine::TypeKey;
use coeval_engine::migrations::{
    FailedResource, LosingMember, LossReport, MigrationPlan, MigrationStatus, Progress, Refused,
    ServerSeen, Verified,
};
use serde_json::{Value, json};

pub(super) fn migration(status: &MigrationStatus) -> Value {
    let servers: Vec<Value> = status.servers.iter().map(server).collect();
    json!({
        "id": status.name,
        "name": status.name,
        "type": status.of.to_string(),
        "from": status.from,
        "to": status.to,
        "state": status.state.name(),
        "low": status.live.map(|(low, _)| low.name()),
        "high": status.live.map(|(_, high)| high.name()),
        "forwardDone": status.forward_done,
        "backDone": status.back_done,
        "auto": status.auto,
        "until": status.until,
        "paused": status.paused,
        "rate": status.rate,
        "began": rfc3339(status.began),
        "moved": rfc3339(status.moved),
        "oldResources": status.resources.0,
        "newResources": status.resources.1,
        "failed": status.failed,
        "progress": status.progress.as_ref().map(progress),
        "servers": servers,
        "why": status.why,
        "withoutAccess": without_access(&status.of, &status.without_access),
    })
}

fn without_access(of: &TypeKey, all: &[LosingMember]) -> Vec<Value> {
    let shown = |one: &LosingMember| {
        json!({
            "id": one.member.id(),
            "name": one.name,
            "level": one.level.name(),
            "typeVersion": format!("{of}:{}", one.to),
        })
    };
    all.iter().map(shown).collect()
}

fn progress(progress: &Progress) -> Value {
    let left = progress.left.map(|(soonest, likely, latest)| {
        json!({ "soonest": soonest, "likely": likely, "latest": latest })
    });
    json!({
        "work": progress.working.name(),
        "visited": progress.visited,
        "total": progress.total,
        "copied": progress.copied,
        "stale": progress.stale,
        "orphaned": progress.orphaned,
        "failed": progress.failed,
        "perSecond": progress.per_second,
        "secondsLeft": left,
        "done": progress.done,
    })
}

pub(super) fn server(server: &ServerSeen) -> Value {
    json!({
        "id": server.name,
        "name": server.name,
        "release": server.release,
        "started": rfc3339(server.started),
        "phases": server.phases,
        "known": server.known,
        "refused": server.refused,
    })
}

/// As every API says it.
fn urn(of: &TypeKey, id: Uuid) -> String {
    format!("urn:vcloud:entity:{of}:{id}")
}

pub(super) fn plan(plan: &MigrationPlan) -> Value {
    let versions = plan.versions.iter();
    let versions =
        versions.map(|one| json!({ "version": one.version.to_string(), "resources": one.count }));
    let changed = plan.meaning_changed.iter().map(ToString::to_string);
    json!({
        "type": plan.of.to_string(),
        "from": plan.from,
        "toVersion": plan.to.to_string(),
        "versions": versions.collect::<Vec<_>>(),
        "tried": plan.tried,
        "exact": plan.exact,
        "keeps": plan.keeps,
        "refused": plan.refused,
        "examples": refused(&plan.of, &plan.examples),
        "seconds": plan.seconds,
        "meaningChanged": changed.collect::<Vec<_>>(),
        "held": plan.held,
        "withoutAccess": without_access(&plan.of, &plan.without_access),
    })
}

fn refused(of: &TypeKey, all: &[Refused]) -> Vec<Value> {
    let shown = |one: &Refused| json!({ "id": urn(of, one.id), "name": one.name, "code": one.code, "reason": one.reason });
    all.iter().map(shown).collect()
}

pub(super) fn failed(of: &TypeKey, one: &FailedResource) -> Value {
    json!({ "id": urn(of, one.id), "name": one.name, "code": one.code, "reason": one.reason })
}

pub(super) fn verified(of: &TypeKey, found: &Verified) -> Value {
    let examples = found.examples.iter();
    let examples =
        examples.map(|one| json!({ "id": urn(of, one.id), "name": one.name, "what": one.what }));
    json!({
        "clean": found.is_clean(),
        "same": found.same,
        "alone": found.alone,
        "missing": found.missing,
        "stale": found.stale,
        "orphaned": found.orphaned,
        "different": found.different,
        "examples": examples.collect::<Vec<_>>(),
    })
}

pub(super) fn loss(of: &TypeKey, report: &LossReport) -> Value {
    json!({
        "phase": report.phase.name(),
        "possible": report.possible,
        "copyBack": report.copy_back,
        "refused": report.refused,
        "examples": refused(of, &report.examples),
        "kept": report.kept,
        "lost": report.lost,
    })
}
