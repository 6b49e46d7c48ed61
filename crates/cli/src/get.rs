//! `coeval get`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::kind_columns::KindColumns;
use crate::output::{OutputOptions, OutputShape, Printable, Printer, TableCell, notes};
use crate::reading::{self, ReadQuery, ResourceReading};
use crate::targets::{self, NamedTarget, TargetArguments};
use crate::watch;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::Resource;
use futures::{StreamExt as _, pin_mut};
use serde_json::Value;
use std::process::ExitCode;

/// Show resources.
#[derive(Debug, Args)]
#[command(disable_version_flag = true)] // --version is a resource's here
#[command(after_help = "Examples:
  coeval get app
  coeval get app web -o yaml
  coeval get app/web app/api
  coeval get app --filter 'spec.region==eu;labels.tier==gold' --order-by 'created desc'
  coeval get app web --version 1.0
  coeval get app -A -o jsonpath='{.metadata.name} {.spec.image}'
  coeval get app -o yaml > apps.yaml

A table shows the columns that the type declares, after its own: see coeval type columns.
With --version the content is shown as that version has it, and stderr says what
of the stored content it leaves out. What can't be shown is named on stderr; it
hides nothing else.

An expression of jsonpath is about each resource: it prints a line for each.")]
pub struct GetOptions {
    #[command(flatten)]
    targets: TargetArguments,
    #[command(flatten)]
    output: OutputOptions,
    /// Only those that it matches: name==web*;spec.size=gt=3
    #[arg(
        long,
        value_name = "FILTER",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,
    /// Fields to sort by: created desc, name
    #[arg(long, value_name = "FIELDS", default_value = "name")]
    order_by: String,
    /// Those of all organizations (for the provider)
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    all_namespaces: bool,
    /// Show them at exactly this version: 1.0
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    #[arg(value_parser = targets::version, add = ArgValueCompleter::new(targets::versions))]
    version: String,
    /// Go on with what changes, as `coeval watch` tells it
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(options: GetOptions) -> Result<ExitCode, Failure> {
    // Names are looked up one by one; a kind alone is a list.
    let targets = options.targets.each()?;
    if !targets.is_empty() {
        return options.one_by_one(&targets).await;
    }
    let session = options.server.session()?;
    let namespace = if options.all_namespaces {
        reading::ALL.to_owned()
    } else {
        session.namespace.clone()
    };
    let query = ReadQuery {
        kind: options.targets.kind.clone(),
        namespace,
        filter: options.filter.clone(),
        order_by: options.order_by.clone(),
        version: options.version.clone(),
    };
    if options.watch {
        watch::follow(&session, &query, &options.output, true).await
    } else if options.all_namespaces {
        list::<NamespacedResource>(&session, &query, &options.output).await
    } else {
        list::<Resource>(&session, &query, &options.output).await
    }
}

impl GetOptions {
    async fn one_by_one(&self, targets: &[NamedTarget]) -> Result<ExitCode, Failure> {
        // Silently ignored flags would look as if they had an effect.
        if !self.filter.is_empty() || self.all_namespaces || self.watch {
            return Err(Failure::usage(
                "--filter, --all-namespaces and --watch are for lists",
                "Give the kind without a name; `coeval wait` waits for one resource.",
            ));
        }
        let session = self.server.session()?;
        // Several are a list, also if only one of them is found.
        let shape = match targets {
            [_] => OutputShape::One,
            _ => OutputShape::List,
        };
        let columns = KindColumns::named(&session, targets, &self.version, &self.output).await;
        let heads = columns.heads();
        let mut printer = Printer::<Resource>::with_columns(&self.output, shape, &heads);
        let mut failures = Vec::new();
        for target in targets {
            let found = reading::get(&session, &target.kind, &target.name, &self.version).await;
            match found {
                Ok(found) => {
                    let more = columns.cells(&found.resource);
                    printer.print_with(&found.resource, more)?;
                    report_hidden(target, &found);
                }
                Err(error) => failures.push(Failure::from(error)),
            }
        }
        // One that is asked for and not there leaves nothing half: no `{"items": []}`.
        // For a single one that is missing, stdout stays empty.
        if printer.printed() > 0 || shape == OutputShape::List {
            printer.finish()?;
        }
        report_all_but_last(failures)
    }
}

/// All but the last are told here; that one ends the command.
pub(crate) fn report_all_but_last(mut failures: Vec<Failure>) -> Result<ExitCode, Failure> {
    // The last failure is the command's own, and decides on the exit code.
    let Some(last) = failures.pop() else {
        return Ok(ExitCode::SUCCESS);
    };
    for failure in failures {
        failure.report();
    }
    Err(last)
}

/// Says what a view can't show.
pub(crate) fn report_hidden(target: &NamedTarget, found: &ResourceReading) {
    let version = &found.resource.version;
    let stored = found.resource.status.as_ref();
    let stored = stored.map_or("", |status| status.stored_version.as_str());
    if let Some(status) = &found.resource.status
        && !status.restricted.is_empty()
    {
        notes::warn(&format!(
            "{target} is shown restricted: {}",
            status.restricted
        ));
        return;
    }
    match found.left_out.as_slice() {
        [] if version.ends_with("+downgraded") => notes::note(&format!(
            "{target} is stored at {stored}; this is a view at {version}."
        )),
        [] => {}
        paths => notes::note(&format!(
            "{target} is stored at {stored}; this view at {version} leaves out {}.",
            paths.join(", ")
        )),
    }
}

/// One of many organizations: a row says of which.
struct NamespacedResource(Resource);

impl From<Resource> for NamespacedResource {
    fn from(resource: Resource) -> Self {
        Self(resource)
    }
}

impl Printable for NamespacedResource {
    fn heads(wide: bool) -> Vec<&'static str> {
        // A wide table has the organization already.
        let mut heads = Resource::<Value>::heads(wide);
        if !wide {
            heads.insert(0, "NAMESPACE");
        }
        heads
    }

    fn row(&self, wide: bool) -> Vec<TableCell> {
        let mut row = self.0.row(wide);
        if !wide {
            row.insert(0, TableCell::new(&self.0.metadata.namespace));
        }
        row
    }

    fn name(&self) -> String {
        self.0.name()
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        self.0.value()
    }
}

async fn list<T: Printable + From<Resource>>(
    session: &ClientSession,
    query: &ReadQuery,
    output: &OutputOptions,
) -> Result<ExitCode, Failure> {
    let columns = KindColumns::shown(session, query, output).await;
    // Known before the first row: the columns of the type come after those of all resources.
    let mut printer = Printer::<T>::with_columns(output, OutputShape::List, &columns.heads());
    let mut lowered = 0_u64;
    let mut hidden = 0_u64;
    let pages = reading::pages(session, query);
    pin_mut!(pages);
    while let Some(page) = pages.next().await {
        let page = page?;
        for resource in page.resources {
            // The mark of a view that shows less than is stored.
            lowered += u64::from(resource.version.ends_with("+downgraded"));
            let more = columns.cells(&resource);
            printer.print_with(&resource.into(), more)?;
        }
        for one in &page.quarantined {
            // One refusal, instead of the same for each resource.
            if let Some(failure) = unknown_version(&query.kind, &query.version, one.code.as_str()) {
                return Err(failure);
            }
            hidden += 1;
            notes::quarantined(one);
        }
    }
    let printed = printer.printed();
    printer.finish()?;
    if printed == 0 && hidden == 0 {
        notes::note(&format!("There is no {}{}.", query.kind, place(query)));
    }
    if lowered > 0 {
        let kind = &query.kind;
        let asked = match query.version.as_str() {
            "" => String::new(),
            version => format!(" --version {version}"),
        };
        notes::note(&format!(
            "{lowered} of {printed} show less than is stored; `coeval get {kind} NAME{asked}` says what that leaves out."
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// A version that was asked for and is none is no matter of each resource.
pub(crate) fn unknown_version(kind: &str, version: &str, code: &str) -> Option<Failure> {
    let unknown = coeval_codes::VERSION_UNKNOWN;
    (!version.is_empty() && code == unknown.to_string()).then(|| {
        let message = format!("there is no version {version} of {kind} that this server knows");
        let advice = format!("`coeval type versions {kind}` shows those that there are.");
        Failure::coded(unknown, message, advice)
    })
}

fn place(query: &ReadQuery) -> String {
    let matching = match query.filter.as_str() {
        "" => "",
        _ => " that matches",
    };
    let place = match query.namespace.as_str() {
        "" => String::new(),
        reading::ALL => " in any organization".to_owned(),
        namespace => format!(" in {namespace}"),
    };
    format!("{matching}{place}")
}
