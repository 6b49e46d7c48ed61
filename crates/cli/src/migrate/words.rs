//! Migrations in words, and as data.

use super::phase;
use crate::access::level_name as told_level;
use crate::failure::Failure;
use coeval_client::ClientError;
use coeval_codes::Coded as _;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

pub(super) fn state(now: &pb::Migration) -> &'static str {
    match now.state() {
        pb::MigrationState::Running => "running",
        pb::MigrationState::Undoing => "undoing",
        pb::MigrationState::Finished => "finished",
        pb::MigrationState::Undone => "undone",
        pb::MigrationState::Unspecified => "(unknown)",
    }
}

pub(super) fn has_ended(now: &pb::Migration) -> bool {
    let ended = [pb::MigrationState::Finished, pb::MigrationState::Undone];
    ended.contains(&now.state())
}

pub(super) fn work(progress: &pb::Progress) -> &'static str {
    match progress.work() {
        pb::Work::Backfill => "backfill",
        pb::Work::CopyBack => "copy back",
        pb::Work::CleanUp => "cleanup",
        pb::Work::Discard => "removal of mirrors",
        pb::Work::Unspecified => "work",
    }
}

/// The live ones: `old and mirror`.
pub(super) fn phases(now: &pb::Migration) -> String {
    if now.low == now.high {
        now.low.clone()
    } else {
        format!("{} and {}", now.low, now.high)
    }
}

pub(super) fn percent(progress: Option<&pb::Progress>) -> String {
    let Some(progress) = progress else {
        return String::new();
    };
    // A backfill of nothing is complete.
    match (progress.done, progress.total) {
        (true, _) | (_, 0) => "100%".to_owned(),
        (false, total) => format!("{}%", progress.visited.saturating_mul(100) / total),
    }
}

/// Whether its work in the background is under way: all was visited, and that is noted, unless
/// something can't be converted.
pub(super) fn works(now: &pb::Migration) -> bool {
    let Some(progress) = &now.progress else {
        return false;
    };
    // That all was visited is noted a moment later, and only then the next phase can be entered.
    let noted = match progress.work() {
        pb::Work::Backfill => now.forward_done,
        pb::Work::CopyBack => now.back_done,
        _ => true,
    };
    !progress.done || (!noted && now.failed == 0)
}

/// `40 s`, `3 min`, `2.5 h`.
pub(super) fn seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => "1 s".to_owned(),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// `about 40 s (35 s to 60 s)`.
pub(super) fn left(left: &pb::TimeLeft) -> String {
    format!(
        "about {} ({} to {})",
        seconds(left.likely),
        seconds(left.soonest),
        seconds(left.latest)
    )
}

/// The command that goes on with it.
pub(super) fn next_command(now: &pb::Migration) -> Option<String> {
    let of = &now.r#type;
    if has_ended(now) {
        return None;
    }
    let watch = format!("coeval migrate status {of} -w");
    if now.state() == pb::MigrationState::Undoing {
        return Some(watch);
    }
    if now.paused && works(now) {
        return Some(format!("coeval migrate resume {of}"));
    }
    if now.low == now.high && works(now) {
        return Some(watch);
    }
    if now.failed > 0 {
        return Some(format!("coeval migrate failed {of}"));
    }
    // A half step goes on first, whoever lacks access.
    if let Some(first) = now.without_access.first()
        && now.low == now.high
    {
        return Some(grant(first));
    }
    let next = following(now);
    Some(match next {
        // These close a way back: the command names them, which agrees to it.
        Some(phase @ (Phase::Cutover | Phase::Cleanup)) if now.low == now.high => {
            format!("coeval migrate advance {of} --to {phase} --wait")
        }
        _ => format!("coeval migrate advance {of} --wait"),
    })
}

/// The phase that is entered next, or that the other one is closed for; nothing at the last one.
pub(super) fn following(now: &pb::Migration) -> Option<Phase> {
    let high = phase(&now.high)?;
    if now.low == now.high {
        Phase::ALL.into_iter().find(|one| *one > high)
    } else {
        Some(high)
    }
}

/// A refusal, with the command that helps.
pub(super) fn with_advice(error: impl Into<ClientError>, of: &str) -> Failure {
    let error: ClientError = error.into();
    let code = error.code();
    let failure = Failure::from(error);
    match code {
        coeval_codes::SERVERS_BEHIND => failure.with_advice(format!(
            "`coeval server list` shows them. Wait with `coeval migrate advance {of} --wait`, upgrade or stop them, or give up on them with --fence: they then refuse the type.",
        )),
        coeval_codes::RESOURCES_FAILED => failure.with_advice(format!(
            "`coeval migrate failed {of}` lists them: change or delete each one so that it can be converted.",
        )),
        coeval_codes::BACKFILL_NOT_DONE | coeval_codes::COPY_BACK_NOT_DONE | coeval_codes::OLD_RECORDS_LEFT => {
            failure.with_advice(format!("`coeval migrate status {of} -w` shows how far it is."))
        }
        coeval_codes::MIGRATION_NONE | coeval_codes::MIGRATION_UNKNOWN => {
            failure.with_advice(format!("Begin one with `coeval migrate start {of}`."))
        }
        coeval_codes::MIGRATION_RUNNING => failure.with_advice(format!(
            "`coeval migrate status {of}` shows it. Finish it, or undo it, before the next one.",
        )),
        _ => failure,
    }
}

/// The command that gives somebody access to the version that resources get.
pub(super) fn grant(one: &pb::MemberWithoutAccess) -> String {
    let (name, version) = (coeval_codes::shell_word(&one.name), &one.type_version);
    format!(
        "coeval type grant {version} {name} {}",
        told_level(one.level)
    )
}

pub(super) fn without_access(all: &[pb::MemberWithoutAccess]) -> Vec<Value> {
    let value = |one: &pb::MemberWithoutAccess| {
        json!({
            "name": one.name, "id": one.member, "level": told_level(one.level),
            "typeVersion": one.type_version,
        })
    };
    all.iter().map(value).collect()
}

fn time(of: Option<&prost_types::Timestamp>) -> Value {
    let read = |of: &prost_types::Timestamp| jiff::Timestamp::new(of.seconds, of.nanos).ok();
    let time = of.and_then(read);
    time.map_or(Value::Null, |time| json!(format!("{time:.0}")))
}

fn said(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn sorted(map: &HashMap<String, String>) -> BTreeMap<&String, &String> {
    map.iter().collect()
}

pub(crate) fn server_value(server: &pb::Server) -> Value {
    json!({
        "name": server.name, "release": server.release, "started": time(server.started.as_ref()),
        "phases": sorted(&server.phases), "known": sorted(&server.known),
        "refused": sorted(&server.refused),
    })
}

pub(super) fn failed_value(one: &pb::FailedResource) -> Value {
    json!({"id": one.id, "name": said(&one.name), "code": one.code, "reason": one.reason})
}

pub(super) fn value(now: &pb::Migration) -> Value {
    let progress = now.progress.as_ref().map(|one| {
        let left = one.left.as_ref();
        let left = left.map(
            |left| json!({"soonest": left.soonest, "likely": left.likely, "latest": left.latest}),
        );
        json!({
            "work": work(one), "visited": one.visited, "total": one.total, "copied": one.copied,
            "stale": one.stale, "orphaned": one.orphaned, "failed": one.failed,
            "perSecond": one.per_second, "secondsLeft": left, "done": one.done,
        })
    });
    json!({
        "name": now.name, "type": now.r#type, "from": now.from_major, "to": now.to_major,
        "state": state(now), "low": said(&now.low), "high": said(&now.high),
        "forwardDone": now.forward_done, "backDone": now.back_done, "auto": now.auto,
        "until": now.until, "paused": now.paused, "rate": now.rate,
        "began": time(now.began.as_ref()), "moved": time(now.moved.as_ref()),
        "oldResources": now.old_resources, "newResources": now.new_resources,
        "failed": now.failed, "progress": progress,
        "servers": now.servers.iter().map(server_value).collect::<Vec<_>>(), "why": now.why,
        "withoutAccess": without_access(&now.without_access),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(low: &str, high: &str) -> pb::Migration {
        pb::Migration {
            r#type: "acme:app".to_owned(),
            low: low.to_owned(),
            high: high.to_owned(),
            state: pb::MigrationState::Running.into(),
            ..Default::default()
        }
    }

    #[test]
    fn the_next_command_is_the_one_that_goes_on() {
        let next = |now: &pb::Migration| next_command(now).unwrap();
        assert_eq!(
            next(&at("old", "old")),
            "coeval migrate advance acme:app --wait"
        );
        assert_eq!(
            next(&at("soak", "cutover")),
            "coeval migrate advance acme:app --wait"
        );
        assert_eq!(
            next(&at("soak", "soak")),
            "coeval migrate advance acme:app --to cutover --wait"
        );
        assert_eq!(
            next(&at("cleanup", "cleanup")),
            "coeval migrate advance acme:app --wait"
        );
        let mut working = at("backfill", "backfill");
        working.progress = Some(pb::Progress::default());
        assert_eq!(next(&working), "coeval migrate status acme:app -w");
        working.paused = true;
        assert_eq!(next(&working), "coeval migrate resume acme:app");
        let mut held = at("backfill", "backfill");
        held.failed = 2;
        assert_eq!(next(&held), "coeval migrate failed acme:app");
        let mut waits = at("soak", "soak");
        waits.without_access = vec![pb::MemberWithoutAccess {
            name: "org:other".to_owned(),
            level: 1,
            type_version: "acme:app:2.0.0".to_owned(),
            ..Default::default()
        }];
        assert_eq!(
            next(&waits),
            "coeval type grant acme:app:2.0.0 org:other read-only"
        );
        let mut ended = at("", "");
        ended.state = pb::MigrationState::Finished.into();
        assert_eq!(next_command(&ended), None);
    }

    #[test]
    fn times_are_said_as_people_do() {
        for (time, said) in [
            (0.2, "1 s"),
            (40.0, "40 s"),
            (600.0, "10 min"),
            (9000.0, "2.5 h"),
        ] {
            assert_eq!(seconds(time), said);
        }
    }
}
