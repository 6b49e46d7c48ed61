//! What was applied before and is in no file any more.

use super::plan::target;
use super::report::ApplyReport;
use crate::calls::{ResourceTarget, is_absent};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::files::DeclaredResource;
use crate::messages;
use std::collections::{BTreeMap, BTreeSet};

/// Labels that say what belongs together, `tier=gold`.
pub(crate) fn labels(said: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let wrong = |label: &str| {
        Failure::usage(
            format!("{label:?} is no label"),
            "Give it as --label KEY=VALUE.",
        )
    };
    // A value may have an equals sign itself.
    let pairs = said.iter().map(|label| match label.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(wrong(label)),
    });
    pairs.collect()
}

/// That all files have the labels: what has them and is in no file goes.
pub(crate) fn check(
    files: &[DeclaredResource],
    labels: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    // Without labels prune would mean everything of these kinds.
    if labels.is_empty() {
        return Err(Failure::usage(
            "--prune needs to know what belongs to these files",
            "Label them all, and say the label: --prune --label KEY=VALUE.",
        ));
    }
    // A null label of a file would be removed, so it does not count.
    let lacks = files.iter().find(|file| {
        let mut labels = labels.iter();
        !labels.all(|(key, value)| file.labels.get(key) == Some(&Some(value.clone())))
    });
    match lacks {
        Some(file) => Err(Failure::usage(
            format!("{file} in {} lacks a label that --label says", file.place),
            "Give every resource of the files the label, so that prune knows what is theirs.",
        )),
        None => Ok(()),
    }
}

/// What would go: applied before, with the labels, of a kind and an organization of the files.
pub(crate) async fn candidates(
    session: &ClientSession,
    files: &[DeclaredResource],
    labels: &BTreeMap<String, String>,
) -> Result<Vec<(ResourceTarget, String)>, Failure> {
    // By kind, organization and name. An id would tell more, but files don't have one.
    let stays: BTreeSet<_> = files
        .iter()
        .map(|file| key(&target(session, file)))
        .collect();
    let places: BTreeSet<_> = stays.iter().map(|(kind, of, _)| (kind, of)).collect();
    let filter = labels
        .iter()
        .map(|(key, value)| format!("labels.{key}=={value}"));
    let filter = filter.collect::<Vec<_>>().join(";");
    let mut found = Vec::new();
    // Only kinds and organizations of the files: whatever is elsewhere is none of their business.
    for (kind, namespace) in places {
        for one in session.names(kind, namespace, &filter).await? {
            if stays.contains(&key(&one)) {
                continue;
            }
            let whole = match session.find(&one, "").await {
                Ok(whole) => whole,
                // Gone since it was listed.
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            let own = &whole.resource.metadata.labels;
            let labeled = labels
                .iter()
                .all(|(key, value)| own.get(key) == Some(value));
            // Looked at again: the filter may be older than the resource, and only what was applied
            // is pruned.
            if labeled && whole.applied.is_some() {
                found.push((one, whole.resource.metadata.revision));
            }
        }
    }
    Ok(found)
}

fn key(target: &ResourceTarget) -> (String, String, String) {
    let ResourceTarget {
        kind,
        namespace,
        name,
    } = target.clone();
    (kind, namespace, name)
}

/// Lists what would go, asks, and deletes it. How many went.
pub(crate) async fn prune(
    session: &ClientSession,
    found: &[(ResourceTarget, String)],
    report: ApplyReport,
    yes: bool,
) -> Result<usize, Failure> {
    if found.is_empty() {
        return Ok(0);
    }
    if !report.dry_run {
        messages::note("no longer in the files:\n");
        for (target, _) in found {
            messages::note(&format!("  {target}\n"));
        }
        if !yes && !agreed().await? {
            messages::note("nothing was deleted\n");
            return Ok(0);
        }
    }
    // On condition of the revision that was shown: what somebody changed meanwhile stays.
    for (target, revision) in found {
        if !report.dry_run {
            match session.remove(target, revision).await {
                Err(error) if is_absent(&error) => {}
                removed => removed?,
            }
        }
        report.deleted(&target.to_string());
    }
    Ok(found.len())
}

async fn agreed() -> Result<bool, Failure> {
    if !messages::is_interactive() {
        return Err(Failure::usage(
            "nobody can be asked whether to delete them",
            "Look at the list, then run it again with --yes.",
        ));
    }
    let answer = messages::ask("delete them? [y/N] ").await;
    Ok(answer.is_some_and(|answer| answer.eq_ignore_ascii_case("y")))
}
