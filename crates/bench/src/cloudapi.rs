//! The RDE API under load, each figure beside a limit that is measured in the same run.
//!
//! Starts `coeval serve` as a process of its own on a fresh store, with everything on (logins,
//! audit), and sends requests over loopback. Both share the machine, as does the bare server that
//! they are compared with.

mod bare;
mod figures;
mod in_process;
mod parts;

use crate::figures::is_wanted;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct CloudapiOptions {
    /// Which to measure: gets, creates, lists. All if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Entities in the store while it is read.
    #[arg(long, default_value_t = 20_000)]
    entities: usize,
    /// Connections that send requests.
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// An empty store other than SQLite: postgres://… or etcd://…
    #[arg(long)]
    store: Option<String>,
    /// Leave TLS out.
    #[arg(long)]
    plain_only: bool,
    #[command(subcommand)]
    command: Option<CloudapiHelper>,
}

#[derive(Debug, Subcommand)]
enum CloudapiHelper {
    /// Answers every request with these bytes.
    #[command(hide = true)]
    Bare {
        /// The file with the bytes.
        file: PathBuf,
        /// A folder with cert.pem and key.pem.
        #[arg(long)]
        tls: Option<PathBuf>,
    },
}

/// The type of what is stored.
const TYPE: &str = r#"
kind: type
version: v1
metadata: {name: "acme:thing:1.0.0"}
spec:
  vendor: acme
  nss: thing
  version: 1.0.0
  schema:
    type: object
    required: [image]
    properties:
      image: {type: string}
      number: {type: integer}
      text: {type: string}
"#;

/// Measures what is wanted, plain and with TLS.
pub(crate) async fn run(options: &CloudapiOptions) {
    if let Some(CloudapiHelper::Bare { file, tls }) = &options.command {
        return bare::serve(file, tls.as_deref()).await;
    }
    let wanted = |part: &str| is_wanted(&options.parts, part);
    for tls in [false, true] {
        if tls && options.plain_only {
            continue;
        }
        println!("{}", if tls { "with TLS" } else { "plain HTTP" });
        let load = parts::LoadSize {
            time: Duration::from_secs_f64(options.seconds),
            clients: options.clients,
            entities: options.entities,
            store: options.store.clone(),
            tls,
        };
        if wanted("creates") {
            parts::creates(&load).await;
        }
        if wanted("gets") || wanted("lists") {
            parts::reads(&load, wanted("gets"), wanted("lists")).await;
        }
    }
}
