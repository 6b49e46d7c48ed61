//! `coeval apply`: resources become what files say, by a three-way merge and conditional writes.

mod carry_out;
mod error;
mod plan;
mod prune;
mod report;
mod validate;

pub(crate) use carry_out::{Done, Outcome, would};
pub(crate) use error::ApplyError;
pub(crate) use plan::{plan, stored, target};
pub(crate) use report::{Form, difference, notes, show};
pub(crate) use validate::misfit;

use crate::context::{ServerOptions, Session};
use crate::failure::Failure;
use crate::files::{Declared, FileOptions};
use crate::names;
use crate::say;
use carry_out::{Refused, carry_out};
use clap::Args;
use coeval_client::Kind;
use indicatif::{ProgressBar, ProgressStyle};
use report::Report;
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
pub struct Options {
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
    #[arg(long, value_name = "VERSION", value_parser = names::version)]
    version: Option<String>,
    /// Print the results so
    #[arg(short, long, value_name = "FORM")]
    output: Option<Form>,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: Options) -> Result<ExitCode, Failure> {
    let mut files = options.files.read()?;
    say_version(&mut files, options.version.as_deref());
    let labels = prune::labels(&options.label)?;
    if options.prune {
        prune::check(&files, &labels)?;
    }
    let mut session = options.server.session()?;
    session.strict = options.strict;
    let report = Report {
        form: options.output,
        dry_run: options.dry_run,
    };
    let mut run = Run::new(files.len());
    for file in &files {
        let done = if options.dry_run {
            rehearse(&session, file, options.force).await
        } else {
            carry_out(&session, file, options.force).await
        };
        if !run.note(file, done, report) {
            break;
        }
    }
    run.bar.finish_and_clear();
    if options.prune && run.worst == 0 {
        let found = prune::candidates(&session, &files, &labels).await?;
        let gone = prune::prune(&session, &found, report, options.yes).await?;
        run.count(Outcome::Deleted, gone);
    } else if options.prune {
        say::note("nothing was pruned, because not all resources are as the files say\n");
    }
    run.summary(options.dry_run);
    Ok(ExitCode::from(run.worst))
}

/// The version of those that say none.
pub(crate) fn say_version(files: &mut [Declared], version: Option<&str>) {
    let silent = files.iter_mut().filter(|file| file.version.is_empty());
    for file in silent {
        file.version = version.unwrap_or_default().to_owned();
    }
}

/// What would be done, checked as far as it can be without writing.
async fn rehearse(session: &Session, file: &Declared, force: bool) -> Result<Done, Refused> {
    let mut plan = plan(session, file).await?;
    if let Some(error) = plan.refusal().filter(|_| !force) {
        let plan = Some(Box::new(plan));
        return Err(Refused { error, plan });
    }
    if let Some(error) = misfit(session, &mut plan).await {
        return Err(error.into());
    }
    Ok(Done {
        outcome: would(&plan),
        plan,
        wrote: None,
    })
}

/// All documents on their way.
struct Run {
    bar: ProgressBar,
    counts: BTreeMap<Outcome, usize>,
    failed: usize,
    left: usize,
    total: usize,
    /// The worst exit code so far.
    worst: u8,
}

impl Run {
    fn new(total: usize) -> Self {
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

    fn count(&mut self, outcome: Outcome, many: usize) {
        *self.counts.entry(outcome).or_default() += many;
    }

    /// Notes what became of one and says it; whether the next should be tried.
    fn note(&mut self, file: &Declared, done: Result<Done, Refused>, report: Report) -> bool {
        self.left -= 1;
        self.bar.set_message(file.to_string());
        self.bar.inc(1);
        let refused = match done {
            Ok(done) => {
                self.count(done.outcome, 1);
                self.bar.suspend(|| {
                    if report.dry_run && report.form.is_none() {
                        say::out(&difference(&done.plan));
                    }
                    report::overridden(&done.plan);
                    report.done(&done);
                    report::beside(&done);
                });
                return true;
            }
            Err(refused) => refused,
        };
        self.failed += 1;
        let hopeless = matches!(&refused.error, ApplyError::Client { error, .. }
            if matches!(error.kind(), Kind::Unavailable | Kind::Unauthenticated));
        let failure = Failure::from(refused.error);
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
        say::note(&format!(
            "{}: {}{dry}\n",
            match self.total {
                1 => "1 resource".to_owned(),
                many => format!("{many} resources"),
            },
            parts.join(", ")
        ));
    }
}
