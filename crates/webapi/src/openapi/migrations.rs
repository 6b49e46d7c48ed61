//! The schemas of migrations and servers.

use super::shapes::{
    answered, count, flag, flag_or_null, list, of, or_null, sent, some_object, text, text_or_null,
    texts, texts_or_null,
};
use coeval_api::rest::openapi::NamedSchema;
use serde_json::{Value, json};

fn number() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

/// Names, or nothing; an older server may ignore them.
fn names_that_may_be_ignored(without_it: &str) -> Value {
    json!({ "type": ["array", "null"], "items": text(), "x-ignorable": without_it })
}

fn count_or_null() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0 })
}

pub(super) fn answers() -> Vec<NamedSchema> {
    vec![
        (
            "ServerSeen",
            answered(json!({
                "id": text(), "name": text(), "release": text(), "started": text(),
                "phases": some_object(), "known": some_object(), "refused": some_object(),
            })),
        ),
        ("MigrationProgress", progress()),
        (
            "MemberWithoutAccess",
            answered(json!({
                "id": text(), "name": text(), "level": text(), "typeVersion": text(),
            })),
        ),
        ("Migration", migration()),
        (
            "FailedResource",
            answered(json!({
                "id": text(), "name": text_or_null(), "code": text(), "reason": text(),
            })),
        ),
        (
            "MigrationPlan",
            answered(json!({
                "type": text(),
                "from": count(),
                "toVersion": text(),
                "versions": { "type": "array", "items": answered(json!({
                    "version": text(), "resources": count(),
                })) },
                "tried": count(),
                "exact": count(),
                "keeps": count(),
                "refused": count(),
                "examples": list("FailedResource"),
                "seconds": number(),
                "meaningChanged": texts(),
                "held": text_or_null(),
                "withoutAccess": list("MemberWithoutAccess"),
            })),
        ),
        (
            "Verified",
            answered(json!({
                "clean": flag(),
                "same": count(),
                "alone": count(),
                "missing": count(),
                "stale": count(),
                "orphaned": count(),
                "different": count(),
                "examples": { "type": "array", "items": answered(json!({
                    "id": text(), "name": text(), "what": text(),
                })) },
            })),
        ),
        (
            "LossReport",
            answered(json!({
                "phase": text(),
                "possible": flag(),
                "copyBack": flag(),
                "refused": count(),
                "examples": list("FailedResource"),
                "kept": count(),
                "lost": count(),
            })),
        ),
        ("Retried", answered(json!({ "converted": flag() }))),
    ]
}

fn progress() -> Value {
    answered(json!({
        "work": text(),
        "visited": count(),
        "total": count(),
        "copied": count(),
        "stale": count(),
        "orphaned": count(),
        "failed": count(),
        "perSecond": number(),
        "secondsLeft": or_null(&answered(json!({
            "soonest": number(), "likely": number(), "latest": number(),
        }))),
        "done": flag(),
    }))
}

fn migration() -> Value {
    answered(json!({
        "id": text(),
        "name": text(),
        "type": text(),
        "from": count(),
        "to": count(),
        "state": text(),
        "low": text_or_null(),
        "high": text_or_null(),
        "forwardDone": flag(),
        "backDone": flag(),
        "auto": flag(),
        "until": text(),
        "paused": flag(),
        "rate": count(),
        "began": text(),
        "moved": text(),
        "oldResources": count(),
        "newResources": count(),
        "failed": count(),
        "progress": or_null(&of("MigrationProgress")),
        "servers": list("ServerSeen"),
        "why": text(),
        "withoutAccess": list("MemberWithoutAccess"),
    }))
}

pub(super) fn bodies() -> Vec<NamedSchema> {
    vec![
        (
            "MigrationStart",
            sent(
                &["type"],
                json!({
                    "type": text(),
                    "from": count_or_null(),
                    "to": count_or_null(),
                    "auto": flag_or_null(),
                    "until": text_or_null(),
                    "rate": count_or_null(),
                    "meaningChanged": texts_or_null(),
                }),
            ),
        ),
        (
            "MigrationChange",
            sent(
                &[],
                json!({
                    "auto": flag_or_null(),
                    "until": text_or_null(),
                    "paused": flag_or_null(),
                    "rate": count_or_null(),
                }),
            ),
        ),
        (
            "MigrationAdvance",
            sent(
                &[],
                json!({
                    "phase": text_or_null(),
                    "fence": flag_or_null(),
                    "withoutAccess": names_that_may_be_ignored(
                        "the server does not wait for those who see only the old major",
                    ),
                }),
            ),
        ),
        (
            "MigrationBack",
            sent(&[], json!({ "fence": flag_or_null() })),
        ),
    ]
}
