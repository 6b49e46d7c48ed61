//! `coeval server`.

use crate::context::{ClientSession, ServerOptions};
use crate::failure::Failure;
use crate::migrate::server_value;
use crate::rows::{OutputOptions, print_rows, say};
use clap::{Args, Subcommand};
use coeval_client::ClientError;
use coeval_proto::migrations::v1 as pb;
use coeval_proto::releases::v1::{DeprecatedItem, ListDeprecationsRequest};
use serde_json::json;
use std::collections::HashMap;
use std::process::ExitCode;

/// Look at the servers of a store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval server list
  coeval server list -o json
  coeval server deprecations

Servers announce themselves. One that was killed is listed until its lease ends:
up to five minutes, and some seconds while a type is in migration.")]
pub struct ServerListOptions {
    #[command(subcommand)]
    action: ServerCommand,
}

#[derive(Debug, Subcommand)]
enum ServerCommand {
    /// Show the servers that are alive: their releases, and where each is with types in migration
    #[command(after_help = "Examples:\n  coeval server list\n  coeval server list -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show what is deprecated in the server's release, and which release removes it
    #[command(
        after_help = "Examples:\n  coeval server deprecations\n  coeval server deprecations -o json"
    )]
    Deprecations {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
}

pub(crate) async fn run(options: ServerListOptions) -> Result<ExitCode, Failure> {
    match options.action {
        ServerCommand::List { output, server } => list(&server.session()?, output).await?,
        ServerCommand::Deprecations { output, server } => {
            deprecations(&server.session()?, output).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn deprecations(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = ListDeprecationsRequest {
            page_size: 1000,
            page_token,
        };
        let page = session.client.releases().list_deprecations(asked).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.deprecations);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let declared = |one: &DeprecatedItem| one.deprecation.clone().unwrap_or_default();
    let row = |one: &DeprecatedItem| {
        let by = declared(one);
        vec![
            one.name.clone(),
            one.what.clone(),
            by.since,
            by.removed_in,
            by.instead,
        ]
    };
    let value = |one: &DeprecatedItem| {
        let by = declared(one);
        json!({
            "name": one.name, "what": one.what, "since": by.since, "lastUsedIn": by.last_used_in,
            "removedIn": by.removed_in, "instead": by.instead,
        })
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(value).collect();
    let headers = ["name", "what", "since", "removed in", "instead"];
    print_rows(&output.output, &headers, &rows, &values)?;
    if found.is_empty() {
        let release = session.client.server_release().unwrap_or_default();
        say(&format!("Nothing is deprecated in release {release}."));
    }
    Ok(())
}

async fn list(session: &ClientSession, output: OutputOptions) -> Result<(), Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = pb::ListServersRequest {
            page_size: 1000,
            page_token,
        };
        let page = session.client.migrations().list_servers(asked).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.servers);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let row = |one: &pb::Server| {
        vec![
            one.name.clone(),
            one.release.clone(),
            pairs(&one.phases),
            pairs(&one.known),
            pairs(&one.refused),
        ]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(server_value).collect();
    let headers = ["name", "release", "phases", "knows", "refuses"];
    print_rows(&output.output, &headers, &rows, &values)
}

/// `acme:app=mirror, acme:db=soak`.
fn pairs(map: &HashMap<String, String>) -> String {
    let mut all: Vec<_> = map
        .iter()
        .map(|(of, what)| format!("{of}={what}"))
        .collect();
    // Maps have no order; a table must have the same each time.
    all.sort();
    all.join(", ")
}
