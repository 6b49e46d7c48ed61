//! What apply says: a line for each resource on stdout, the differences and what was kept on stderr.

use super::carry_out::{AppliedPlan, ApplyOutcome};
use super::plan::ApplyPlan;
use crate::calls::as_value;
use crate::merge::render;
use crate::messages;
use clap::ValueEnum;
use coeval_client::{ClientError, Resource};
use std::fmt::Write as _;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// kind/name
    Name,
    /// The resources as they are then
    Yaml,
    /// The resources as they are then, one JSON object a line
    Json,
}

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ApplyReport {
    pub(crate) form: Option<ResultFormat>,
    pub(crate) dry_run: bool,
}

/// `v1`, `v1, stored at v1.1`.
fn at(plan: &ApplyPlan, stored: Option<&str>, dry_run: bool) -> String {
    let mut text = plan.version().to_owned();
    if let Some(stored) = stored {
        let _ = write!(text, ", stored at {stored}");
    }
    if dry_run {
        text.push_str(", dry run");
    }
    text
}

impl ApplyReport {
    /// The line of one resource.
    pub(crate) fn done(&self, done: &AppliedPlan) -> Result<(), ClientError> {
        let AppliedPlan { outcome, plan, .. } = done;
        match self.form {
            None => {
                // After a write the server knows best at which version it is stored.
                let stored = match &done.wrote {
                    Some(wrote) => super::plan::stored(&wrote.resource),
                    None => plan.stored(),
                };
                let at = at(plan, stored, self.dry_run);
                messages::out(&format!("{} {outcome} ({at})\n", plan.target));
            }
            Some(form) => show(form, done.resource())?,
        }
        Ok(())
    }

    /// The line of one that is not in the files.
    pub(crate) fn deleted(&self, name: &str) {
        match self.form {
            None if self.dry_run => messages::out(&format!("{name} deleted (dry run)\n")),
            None => messages::out(&format!("{name} deleted\n")),
            Some(ResultFormat::Name) => messages::out(&format!("{name}\n")),
            Some(_) => messages::note(&format!("{name} deleted\n")),
        }
    }
}

/// A resource as data.
///
/// # Errors
/// If it can't be said as JSON.
pub(crate) fn show(form: ResultFormat, resource: &Resource) -> Result<(), ClientError> {
    match form {
        ResultFormat::Name => {
            messages::out(&format!("{}/{}\n", resource.kind, resource.metadata.name));
        }
        ResultFormat::Yaml => {
            messages::out(&format!("---\n{}", crate::yaml::text(&as_value(resource)?)));
        }
        ResultFormat::Json => {
            let value = as_value(resource)?;
            messages::out(&format!("{value}\n"));
        }
    }
    Ok(())
}

/// What a write did beside what was asked.
pub(crate) fn print_side_effects(done: &AppliedPlan) {
    notes(&done.plan);
    let Some(wrote) = &done.wrote else { return };
    let of = match super::plan::stored(&wrote.resource) {
        Some(stored) => format!(" (of {stored})"),
        None => String::new(),
    };
    let mut text = String::new();
    if !wrote.kept.is_empty() {
        let _ = writeln!(text, "kept: {}{of}", wrote.kept.join(", "));
    }
    if !wrote.dropped.is_empty() {
        let _ = writeln!(
            text,
            "dropped with deleted items: {}",
            wrote.dropped.join(", ")
        );
    }
    if let Some(warning) = wrote
        .warning
        .as_deref()
        .and_then(messages::new_write_warning)
    {
        let _ = writeln!(text, "warning: {warning}");
    }
    if !wrote.task.is_empty() {
        let _ = writeln!(text, "task: {}", wrote.task);
    }
    if done.outcome == ApplyOutcome::Unchanged {
        let target = &done.plan.target;
        let _ = writeln!(text, "note: what the file declares of {target} was noted");
    }
    messages::note(&text);
}

/// What people should know of a plan.
pub(crate) fn notes(plan: &ApplyPlan) {
    for note in &plan.notes {
        messages::note(&format!("note: {note}\n"));
    }
}

/// The sides of a conflict.
pub(crate) fn conflicts(plan: &ApplyPlan) {
    notes(plan);
    let base = if plan.stale {
        "file's revision"
    } else {
        "last applied"
    };
    if plan.conflicts.is_empty() {
        messages::note(&render::lines(&plan.changes));
    } else {
        messages::note(&render::conflicts(&plan.conflicts, [base, "now", "file"]));
    }
}

/// What force overrides, with the old values.
pub(crate) fn overridden(plan: &ApplyPlan) {
    if plan.refusal().is_none() {
        return;
    }
    // Without a base the changes can't be told apart by who made them.
    let overridden: Vec<_> = if plan.conflicts.is_empty() {
        // Nobody knows which of them somebody else made.
        plan.changes.clone()
    } else {
        let all = plan.conflicts.iter().cloned();
        all.map(|conflict| crate::merge::ContentChange {
            path: conflict.path,
            from: conflict.live,
            to: conflict.file,
        })
        .collect()
    };
    if !overridden.is_empty() {
        let lines = render::lines(&overridden);
        messages::note(&format!("{}: --force overrides\n{lines}", plan.target));
    }
}

/// The difference of a plan as lines of YAML.
///
/// # Errors
/// If a side of it can't be said as JSON.
pub(crate) fn difference(plan: &ApplyPlan) -> Result<String, ClientError> {
    let (before, after) = plan.texts()?;
    let target = &plan.target;
    let now = match plan.live {
        Some(_) => format!("{target} ({}, now)", at(plan, plan.stored(), false)),
        None => "(nothing)".to_owned(),
    };
    let then = format!("{target} ({}, applied)", plan.version());
    Ok(render::unified(&before, &after, (&now, &then)))
}
