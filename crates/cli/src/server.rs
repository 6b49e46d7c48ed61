//! `coeval server`.

use crate::context::{ServerOptions, Session};
use crate::failure::Failure;
use crate::migrate::server_value;
use crate::rows::{OutputOptions, print_rows};
use clap::{Args, Subcommand};
use coeval_client::ClientError;
use coeval_proto::migrations::v1 as pb;
use std::collections::HashMap;
use std::process::ExitCode;

/// Look at the servers of a store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval server list
  coeval server list -o json

Servers announce themselves. One that was killed is listed for some seconds more.")]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the servers that are alive: their releases, and where each is with types in migration
    #[command(after_help = "Examples:\n  coeval server list\n  coeval server list -o name")]
    List {
        #[command(flatten)]
        output: OutputOptions,
        #[command(flatten)]
        server: ServerOptions,
    },
}

pub(crate) async fn run(options: Options) -> Result<ExitCode, Failure> {
    let Action::List { output, server } = options.action;
    list(&server.session()?, output).await?;
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &Session, output: OutputOptions) -> Result<(), Failure> {
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
    all.sort();
    all.join(", ")
}
