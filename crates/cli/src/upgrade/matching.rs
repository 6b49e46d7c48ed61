//! The upgrade of what a filter matches: a task of the server.

use super::UpgradeOptions;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::output::{check_written, notes};
use crate::task;
use coeval_client::UpgradeQuery;
use serde::Deserialize;
use std::io::Write as _;
use std::process::ExitCode;

/// What came out.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpgradeResult {
    dry_run: bool,
    version: String,
    upgraded: u64,
    unchanged: u64,
    refused: u64,
    #[serde(default)]
    unlisted: u64,
    entries: Vec<RefusedEntry>,
}

/// One that stays as it was.
#[derive(Debug, Deserialize)]
struct RefusedEntry {
    id: String,
    name: Option<String>,
    code: String,
    reason: String,
    advice: Option<String>,
}

pub(super) async fn run(
    session: &ClientSession,
    options: &UpgradeOptions,
    filter: &str,
) -> Result<ExitCode, Failure> {
    let query = UpgradeQuery {
        filter: filter.to_owned(),
        to: options.to.clone(),
        dry_run: options.dry_run,
        ..UpgradeQuery::default()
    };
    let kind = &options.targets.kind;
    let resources = session.client.resources(kind).at(&options.version);
    let started = resources.within(&session.namespace);
    let id = started.upgrade_matching(&query).await?.id;
    // The id at once: whoever interrupts the wait needs it.
    check_written(writeln!(std::io::stdout(), "{id}"))?;
    if options.no_wait {
        notes::note(&format!("`coeval task wait {id}` waits for it."));
        return Ok(ExitCode::SUCCESS);
    }
    // Its end has the counts; until then only progress is known.
    let result = task::wait_for_success(session, &id).await?.result;
    // The result is JSON of the server's release, and may have more fields than are read here.
    let result: UpgradeResult = serde_json::from_str(&result).map_err(|error| {
        let failure = Failure::internal(format!("the result of {id} can't be read: {error}"));
        failure.with_advice(format!("`coeval task get {id}` shows it."))
    })?;
    check_written(writeln!(std::io::stdout(), "{}", result.told(kind)))?;
    for one in &result.entries {
        notes::warn(&one.told(kind));
    }
    if result.unlisted > 0 {
        notes::note(&format!("{} more were refused.", result.unlisted));
    }
    Ok(match result.refused {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

impl UpgradeResult {
    fn told(&self, kind: &str) -> String {
        let Self {
            version,
            upgraded,
            unchanged,
            refused,
            ..
        } = self;
        let dry = if self.dry_run { ", dry run" } else { "" };
        format!(
            "{kind}: {upgraded} upgraded to {version}, {unchanged} unchanged, {refused} refused{dry}"
        )
    }
}

impl RefusedEntry {
    fn told(&self, kind: &str) -> String {
        let called = match &self.name {
            Some(name) => format!("{kind}/{name}"),
            None => self.id.clone(),
        };
        let advice = self.advice.as_deref().unwrap_or_default();
        let text = format!(
            "{called} is refused: {} ({}) {advice}",
            self.reason, self.code
        );
        text.trim_end().to_owned()
    }
}
