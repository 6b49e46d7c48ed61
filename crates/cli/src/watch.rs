//! `coeval watch`, and the part of `coeval get --watch` that follows.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::kind_columns::KindColumns;
use crate::output::{OutputOptions, OutputShape, Printable, Printer, TableCell, notes};
use crate::reading::{self, ReadChange, ReadQuery};
use crate::targets;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use coeval_client::Resource;
use coeval_proto::header::v1::Quarantined;
use futures::{StreamExt as _, pin_mut};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::ExitCode;

/// Names that are remembered, to say who a deleted id was.
const REMEMBERED: usize = 100_000;

/// As wide as the longest change: what comes later stays aligned.
const CHANGE: &str = "CHANGE     ";

/// Follow what changes.
#[derive(Debug, Args)]
#[command(disable_version_flag = true)] // --version is a resource's here
#[command(after_help = "Examples:
  coeval watch app
  coeval watch app --filter 'labels.tier==gold'
  coeval watch app -o json | jq -r 'select(.change == \"put\") | .resource.metadata.name'
  coeval get app --watch

Every change is told once and in order, a line or a document for each:
  put          it is there, or was changed
  deleted      it is gone
  left         it no longer matches, or you may no longer see it
  quarantined  it is there and can't be shown to you
With `coeval get --watch` those that are there already come first, as `present`.

With -o json, yaml and jsonpath a change is {change, resource}, without a resource
{change, id, name}. Ctrl-C ends it.")]
pub struct WatchOptions {
    /// The kind
    #[arg(value_name = "KIND", add = ArgValueCompleter::new(targets::kinds))]
    kind: String,
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
    #[command(flatten)]
    server: ServerOptions,
}

/// One change, as it is printed.
struct PrintedChange {
    change: &'static str,
    kind: String,
    id: String,
    /// Empty if nobody knows.
    name: String,
    resource: Option<Box<Resource>>,
    quarantined: Option<Quarantined>,
}

impl Printable for PrintedChange {
    fn heads(wide: bool) -> Vec<&'static str> {
        let mut heads = vec![CHANGE];
        heads.extend(Resource::<Value>::heads(wide));
        heads
    }

    fn row(&self, wide: bool) -> Vec<TableCell> {
        let mut row = vec![TableCell::new(self.change)];
        match (&self.resource, &self.quarantined) {
            (Some(resource), _) => row.extend(resource.row(wide)),
            (None, Some(one)) => row.extend([&one.id, "", &one.code].map(TableCell::new)),
            (None, None) if self.name.is_empty() => row.push(TableCell::new(&self.id)),
            (None, None) => row.push(TableCell::new(&self.name)),
        }
        row
    }

    fn name(&self) -> String {
        let name = if self.name.is_empty() {
            &self.id
        } else {
            &self.name
        };
        format!("{}/{name}", self.kind)
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        if let Some(resource) = &self.resource {
            return Ok(json!({"change": self.change, "resource": serde_json::to_value(resource)?}));
        }
        let mut value = json!({"change": self.change, "id": self.id});
        if let Some(object) = value.as_object_mut() {
            if !self.name.is_empty() {
                object.insert("name".into(), self.name.clone().into());
            }
            if let Some(one) = &self.quarantined {
                object.insert("code".into(), one.code.clone().into());
                object.insert("reason".into(), one.reason.clone().into());
            }
        }
        Ok(value)
    }
}

/// Who is behind an id.
struct KnownNames {
    kind: String,
    names: HashMap<String, String>,
}

impl KnownNames {
    fn event(&mut self, change: ReadChange) -> PrintedChange {
        let kind = self.kind.clone();
        let empty = |change, id: String, name: String| PrintedChange {
            change,
            kind,
            id,
            name,
            resource: None,
            quarantined: None,
        };
        match change {
            ReadChange::Put(resource) => self.put("put", *resource),
            ReadChange::Deleted(id) => {
                // The delete names only the id. Who it was is known from before.
                let name = self.names.remove(&id).unwrap_or_default();
                empty("deleted", id, name)
            }
            ReadChange::Left(id) => {
                let name = self.names.remove(&id).unwrap_or_default();
                empty("left", id, name)
            }
            ReadChange::Quarantined(one) => {
                let name = self.names.get(&one.id).cloned().unwrap_or_default();
                PrintedChange {
                    quarantined: Some(one.clone()),
                    ..empty("quarantined", one.id, name)
                }
            }
        }
    }

    fn put(&mut self, change: &'static str, resource: Resource) -> PrintedChange {
        let (id, name) = (resource.metadata.id.clone(), resource.metadata.name.clone());
        // Bounded: a watch may run for months.
        if self.names.len() < REMEMBERED {
            self.names.insert(id.clone(), name.clone());
        }
        PrintedChange {
            change,
            kind: resource.kind.clone(),
            id,
            name,
            resource: Some(Box::new(resource)),
            quarantined: None,
        }
    }
}

pub(crate) async fn run(options: WatchOptions) -> Result<ExitCode, Failure> {
    let session = options.server.session()?;
    let namespace = if options.all_namespaces {
        reading::ALL.to_owned()
    } else {
        session.namespace.clone()
    };
    let query = ReadQuery {
        kind: options.kind,
        namespace,
        filter: options.filter,
        order_by: String::new(),
        version: options.version,
    };
    follow(&session, &query, &options.output, false).await
}

/// Prints what changes until Ctrl-C; first what is there, if that is wanted.
pub(crate) async fn follow(
    session: &ClientSession,
    query: &ReadQuery,
    output: &OutputOptions,
    present: bool,
) -> Result<ExitCode, Failure> {
    tokio::select! {
        // Ctrl-C is how a watch is meant to end.
        ended = print_changes(session, query, output, present) => ended.map(|()| ExitCode::SUCCESS),
        _ = tokio::signal::ctrl_c() => Ok(ExitCode::SUCCESS),
    }
}

async fn print_changes(
    session: &ClientSession,
    query: &ReadQuery,
    output: &OutputOptions,
    present: bool,
) -> Result<(), Failure> {
    let columns = KindColumns::shown(session, query, output).await;
    let mut printer =
        Printer::<PrintedChange>::with_columns(output, OutputShape::Stream, &columns.heads());
    let mut known = KnownNames {
        kind: query.kind.clone(),
        names: HashMap::new(),
    };
    let mut from = String::new();
    if present {
        let pages = reading::pages(session, query);
        pin_mut!(pages);
        while let Some(page) = pages.next().await {
            let page = page?;
            // What changes while the list is read comes after it.
            // The first page is the oldest: nothing that happens during the list is lost.
            if from.is_empty() {
                from = page.sequence;
            }
            for resource in page.resources {
                print(&mut printer, &columns, &known.put("present", resource))?;
            }
            for one in page.quarantined {
                print(
                    &mut printer,
                    &columns,
                    &known.event(ReadChange::Quarantined(one)),
                )?;
            }
        }
        printer.flush()?;
    }
    let changes = reading::changes(session, query, &from).await?;
    pin_mut!(changes);
    // Said on stderr, and only to people: stdout has the changes alone.
    if output.output.is_table() && std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        notes::note(&format!("Watching {}; Ctrl-C ends it.", query.kind));
    }
    while let Some(changes) = changes.next().await {
        for change in changes? {
            print(&mut printer, &columns, &known.event(change))?;
        }
        printer.flush()?;
    }
    Err(Failure::refused(
        "the server ended the watch",
        "Start it again; `coeval get --watch` shows first what is there.",
    ))
}

/// With what the type's columns show of it, if it is there.
fn print(
    printer: &mut Printer<PrintedChange>,
    columns: &KindColumns,
    event: &PrintedChange,
) -> Result<(), Failure> {
    let cells = event.resource.as_ref().map(|one| columns.cells(one));
    printer.print_with(event, cells.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str) -> ReadChange {
        let mut resource = Resource::new("app", "v1", name, json!({}));
        resource.metadata.id = format!("urn:{name}");
        ReadChange::Put(Box::new(resource))
    }

    #[test]
    fn every_change_has_room_under_its_head() {
        for change in ["present", "put", "deleted", "left", "quarantined"] {
            assert!(change.len() <= CHANGE.len(), "{change}");
        }
    }

    #[test]
    fn a_deleted_one_is_told_by_the_name_that_it_had() {
        let mut known = KnownNames {
            kind: "app".into(),
            names: HashMap::new(),
        };
        assert_eq!(known.event(app("web")).name(), "app/web");
        let gone = known.event(ReadChange::Deleted("urn:web".into()));
        assert_eq!(gone.name(), "app/web");
        let expected = json!({"change": "deleted", "id": "urn:web", "name": "web"});
        assert_eq!(gone.value().unwrap(), expected);
        let unknown = known.event(ReadChange::Left("urn:x".into()));
        assert_eq!(unknown.name(), "app/urn:x");
        assert_eq!(
            unknown.value().unwrap(),
            json!({"change": "left", "id": "urn:x"})
        );
    }
}
