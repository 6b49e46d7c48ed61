//! `coeval store quarantine`

use super::progress::ProgressLine;
use super::{to_change, to_look};
use coeval_cli::Failure;
use coeval_engine::inspect::{Problem, ProblemKind, Repair};
use coeval_engine::{Engine, Settings};
use serde_json::json;
use std::sync::Arc;

/// What is wrong, in one line.
pub(super) fn sentence(problem: &Problem) -> String {
    let what = match (&problem.of, problem.id) {
        (Some(of), Some(id)) => format!("{of} {id}"),
        (None, Some(id)) => id.to_string(),
        (Some(of), None) => format!("{of}, {}", problem.key),
        (None, None) => problem.key.clone(),
    };
    let repaired = match (problem.repaired, problem.repairable) {
        (true, _) => " (repaired)",
        (false, true) => " (can be repaired)",
        (false, false) => "",
    };
    format!("{what}: {} [{}]{repaired}", problem.reason, problem.code)
}

fn line(problem: &Problem) -> String {
    let kind = match problem.kind {
        ProblemKind::Resource => "resource",
        ProblemKind::IndexMissing => "indexMissing",
        ProblemKind::IndexOrphan => "indexOrphan",
        ProblemKind::NameCount => "nameCount",
        ProblemKind::Orphan => "orphan",
        ProblemKind::Numbers => "numbers",
    };
    json!({
        "kind": kind,
        "type": problem.of.as_ref().map(ToString::to_string),
        "id": problem.id.map(|id| id.to_string()),
        "key": problem.key,
        "code": problem.code.to_string(),
        "reason": problem.reason,
        "repairable": problem.repairable,
        "repaired": problem.repaired,
    })
    .to_string()
}

pub(super) async fn run(url: &str, repair: bool, as_json: bool) -> Result<(), Failure> {
    let opened = if repair {
        to_change(url).await?
    } else {
        to_look(url).await?
    };
    let bar = ProgressLine::counting("looked at");
    let engine = Engine::new(Arc::clone(&opened.store), Settings::default());
    let repair = if repair { Repair::Yes } else { Repair::No };
    let mut tell = |problem: &Problem| {
        let text = if as_json {
            line(problem)
        } else {
            sentence(problem)
        };
        bar.inner().suspend(|| println!("{text}"));
    };
    let done = engine
        .inspect(repair, &|done| bar.at(done, 0), &mut tell)
        .await;
    drop(bar);
    opened.store.close().await;
    let done = done?;
    eprintln!(
        "{} resources and {} entries looked at, {} wrong, {} repaired",
        done.resources, done.entries, done.problems, done.repaired
    );
    let left = done.problems - done.repaired;
    if left > 0 {
        return Err(Failure::refused(
            format!("{left} things are wrong"),
            "Repair with --repair what can be repaired; restore or write again the resources that can't be read.",
        ));
    }
    Ok(())
}
