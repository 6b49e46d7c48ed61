//! `coeval apply`: resources become what files say, by a three-way merge and conditional writes.

mod carry_out;
mod error;
mod plan;
mod prune;
mod report;
mod validate;

pub(crate) use carry_out::{AppliedPlan, ApplyOutcome, planned_outcome};
pub(crate) use error::ApplyError;
pub(crate) use plan::{plan, stored, target};
pub(crate) use report::{ResultFormat, difference, notes, show};
pub(crate) use validate::schema_refusal;

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::files::{DeclaredResource, FileOptions};
use crate::messages;
use crate::targets;
use carry_out::{RefusedPlan, carry_out};
use clap::Args;
use coeval_client::{ClientError, ClientErrorKind};
use indicatif::{ProgressBar, ProgressStyle};
use report::ApplyReport;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// So many resources are worth a progress bar.
const MANY: usize = 20;

/// Create or change resources so that they are as files say.
#[derive(Debug, Args)]
#[command(
    disable_version_flag = true,
    after_help = "Examples:
  coeval apply -f app.yaml
  coeval apply -f apps/ --dry-run
  coeval apply -f apps/ --prune --label team=web
  coeval get app web -o yaml --version v1 | sed s/web:1/web:2/ | coeval apply -f -

What a file says is set. What it said when it was applied last, and says no longer,
is removed. All else stays: the fields that controllers and other people have set,
and those that the file's version does not have. Labels stay too; one that is null
in the file is removed.

Where somebody else has changed since the last apply what the file declares, or the
file has the revision of another state, nothing is changed: the differences are
shown, and the exit code is 3. --force overrides them and lists them.

A list is one value, unless its items all have a `name` or a `key` of their own.

Exit codes: 0 all is as the files say, 1 refused or failed, 2 a file can't be used
(then nothing was sent), 3 conflict, 4 nobody knows whether it happened."
)]
pub struct ApplyOptions {
    #[command(flatten)]
    files: FileOptions,
    /// Write nothing; show what would change, at which version, and whether it fits the schema
    #[arg(long)]
    dry_run: bool,
    /// Override what others have changed, and list it
    #[arg(long)]
    force: bool,
    /// Refuse fields that no version of the type declares (default: store them and warn)
    #[arg(long)]
    strict: bool,
    /// Delete what was applied before, has the label, and is in no file any more
    #[arg(long, requires = "label")]
    prune: bool,
    /// With --prune: the label that all resources of these files have
    #[arg(long, value_name = "KEY=VALUE")]
    label: Vec<String>,
    /// With --prune: do not ask
    #[arg(long)]
    yes: bool,
    /// The version of resources whose file says none
    #[arg(long, value_name = "VERSION", value_parser = targets::version)]
    version: Option<String>,
    /// Print the results so
    #[arg(short, long, value_name = "FORM")]
    output: Option<ResultFormat>,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: ApplyOptions) -> Result<ExitCode, Failure> {
    let mut files = options.files.read()?;
    set_default_version(&mut files, options.version.as_deref());
    let labels = prune::labels(&options.label)?;
    // Before anything is sent: a prune that is not meant so can't be taken back.
    if options.prune {
        prune::check(&files, &labels)?;
    }
    let mut session = options.server.session()?;
    session.strict = options.strict;
    let report = ApplyReport {
        form: options.output,
        dry_run: options.dry_run,
    };
    let mut run = ApplyRun::new(files.len());
    for file in &files {
        let done = if options.dry_run {
            // A rehearsal reads and compares, and stops before the write.
            rehearse(&session, file, options.force).await
        } else {
            carry_out(&session, file, options.force).await
        };
        if !run.note(file, done, report) {
            // Whoever can't reach the server, or is not known to it, would only be told the same
            // for each file.
            break;
        }
    }
    run.bar.finish_and_clear();
    // Only if all files were applied: a file that could not be would look like one that is gone.
    if options.prune && run.worst == 0 {
        let found = prune::candidates(&session, &files, &labels).await?;
        let gone = prune::prune(&session, &found, report, options.yes).await?;
        run.count(ApplyOutcome::Deleted, gone);
    } else if options.prune {
        messages::note("nothing was pruned, because not all resources are as the files say\n");
    }
    run.summary(options.dry_run);
    Ok(ExitCode::from(run.worst))
}

/// The version of those that say none.
pub(crate) fn set_default_version(files: &mut [DeclaredResource], version: Option<&str>) {
    // A file that says its version keeps it: the flag is for the others.
    let silent = files.iter_mut().filter(|file| file.version.is_empty());
    for file in silent {
        file.version = version.unwrap_or_default().to_owned();
    }
}

/// What would be done, checked as far as it can be without writing.
async fn rehearse(
    session: &ClientSession,
    file: &DeclaredResource,
    force: bool,
) -> Result<AppliedPlan, RefusedPlan> {
    let mut plan = plan(session, file).await?;
    // With --force a conflict is overridden, so it is no refusal.
    if let Some(error) = plan.refusal().filter(|_| !force) {
        let plan = Some(Box::new(plan));
        return Err(RefusedPlan { error, plan });
    }
    if let Some(error) = schema_refusal(session, &mut plan).await {
        return Err(error.into());
    }
    Ok(AppliedPlan {
        outcome: planned_outcome(&plan),
        plan,
        wrote: None,
    })
}

/// All documents on their way.
struct ApplyRun {
    bar: ProgressBar,
    counts: BTreeMap<ApplyOutcome, usize>,
    failed: usize,
    left: usize,
    total: usize,
    /// The worst exit code so far.
    worst: u8,
}

impl ApplyRun {
    fn new(total: usize) -> Self {
        // A bar would mix with what is printed where nobody sees it drawn.
        let bar = if total > MANY && std::io::stderr().is_terminal() {
            ProgressBar::new(total as u64)
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self {
            bar,
            counts: BTreeMap::new(),
            failed: 0,
            left: total,
            total,
            worst: 0,
        }
    }

    fn count(&mut self, outcome: ApplyOutcome, many: usize) {
        *self.counts.entry(outcome).or_default() += many;
    }

    /// Notes what became of one and says it; whether the next should be tried.
    fn note(
        &mut self,
        file: &DeclaredResource,
        done: Result<AppliedPlan, RefusedPlan>,
        report: ApplyReport,
    ) -> bool {
        self.left -= 1;
        self.bar.set_message(file.to_string());
        self.bar.inc(1);
        let refused = match done {
            Ok(done) => {
                self.count(done.outcome, 1);
                // The bar is taken off the screen while lines are printed.
                let printed = self.bar.suspend(|| {
                    if report.dry_run && report.form.is_none() {
                        messages::out(&difference(&done.plan)?);
                    }
                    report::overridden(&done.plan);
                    report.done(&done)?;
                    report::print_side_effects(&done);
                    Ok::<_, ClientError>(())
                });
                // It was done all the same, so the next one is tried.
                if let Err(error) = printed {
                    let failure = Failure::from(error);
                    self.worst = self.worst.max(failure.exit());
                    let _ = failure.report();
                }
                return true;
            }
            Err(refused) => refused,
        };
        self.failed += 1;
        // What is wrong with one resource says nothing of the next; that nobody answers does.
        let hopeless = matches!(&refused.error, ApplyError::Client { error, .. }
            if matches!(error.kind(), ClientErrorKind::Unavailable | ClientErrorKind::Unauthenticated));
        let failure = Failure::from(refused.error);
        // The worst of all files is the exit code of the run.
        self.worst = self.worst.max(failure.exit());
        self.bar.suspend(|| {
            if let Some(plan) = &refused.plan {
                report::conflicts(plan);
            }
            let _ = failure.report();
        });
        !hopeless
    }

    fn summary(&self, dry_run: bool) {
        // The line of a single resource says it all.
        if self.total < 2 && self.counts.len() < 2 {
            return;
        }
        let counts = self.counts.iter().filter(|(_, many)| **many > 0);
        let mut parts: Vec<_> = counts
            .map(|(what, many)| format!("{many} {what}"))
            .collect();
        for (many, what) in [(self.failed, "failed"), (self.left, "not tried")] {
            if many > 0 {
                parts.push(format!("{many} {what}"));
            }
        }
        let dry = if dry_run { " (dry run)" } else { "" };
        messages::note(&format!(
            "{}: {}{dry}\n",
            match self.total {
                1 => "1 resource".to_owned(),
                many => format!("{many} resources"),
            },
            parts.join(", ")
        ));
    }
}
