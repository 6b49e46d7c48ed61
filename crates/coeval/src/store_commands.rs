//! `coeval store …`: what operators do with a store.

mod backup;
mod check;
mod progress;
mod quarantine;
mod secret_keys;
mod transfer;
mod upkeep;

use crate::quantity;
use crate::store_address::StoreAddress;
use clap::{ArgMatches, Args, Subcommand};
use coeval_cli::Failure;
use coeval_engine::ResourceBelongings;
use coeval_storage::EventRetention;
use coeval_stores::{LoadTarget, OpenOptions, OpenStore, open, open_read_only};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Look after a store.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval store check --data ./data
  coeval store backup backup.db --data ./data
  coeval store restore backup.db --data ./new")]
pub(crate) struct StoreOptions {
    #[command(subcommand)]
    action: StoreAction,
}

#[derive(Debug, Subcommand)]
enum StoreAction {
    /// Verify every record, the order of events, indexes and counts; also while a server runs
    #[command(after_help = "Examples:
  coeval store check --data ./data
  coeval store check --store sqlite:backup.db")]
    Check {
        #[command(flatten)]
        store: StoreAddress,
    },
    /// List what can't be shown or does not agree, and why; repair what can be repaired
    #[command(after_help = "Examples:
  coeval store quarantine --data ./data
  coeval store quarantine --repair --data ./data

Nothing is lost by a repair: indexes, counts and leftovers are made to agree with the
resources. A resource that can't be read stays as it is; restore it from a backup, or
write it again.")]
    Quarantine {
        #[command(flatten)]
        store: StoreAddress,
        /// Repair indexes and counts, and remove what belongs to nothing
        #[arg(long)]
        repair: bool,
        /// One JSON object for each finding, on a line of its own
        #[arg(long)]
        json: bool,
    },
    /// Print a new line for a keyring
    #[command(after_help = "Examples:
  coeval store new-key 2026-11 >> keys

A keyring is a file of such lines; the first is the key that new secrets are sealed by.
Keep it apart from backups of the store: who has both reads the secrets.")]
    NewKey {
        /// The key's name: letters, digits, - and _
        id: String,
    },
    /// Seal all secrets by the keyring's first key; also while servers run
    #[command(after_help = "Examples:
  coeval store rotate-keys --secret-keys keys --store postgres://coeval@127.0.0.1/coeval
  COEVAL_SECRET_KEYRING=\"$(cat keys)\" coeval store rotate-keys --data ./data

It can be cut at any moment and run again. An embedded store belongs to its server: stop that first.")]
    RotateKeys {
        #[command(flatten)]
        store: StoreAddress,
        /// The keyring; without it COEVAL_SECRET_KEYRING has the text
        #[arg(long, value_name = "FILE")]
        secret_keys: Option<PathBuf>,
    },
    /// Copy every record, at one stated sequence, to a new file; also while a server runs
    #[command(after_help = "Examples:
  coeval store backup backup.db --data ./data
  coeval store backup monday.db --store etcd://127.0.0.1:2379

A backup is the file of an embedded store, whatever store it comes from.")]
    Backup {
        #[command(flatten)]
        store: StoreAddress,
        /// The new file
        file: PathBuf,
    },
    /// Fill an empty store from a backup; its history begins anew
    #[command(after_help = "Examples:
  coeval store restore backup.db --data ./new
  coeval store restore backup.db --store postgres://coeval@127.0.0.1/coeval --replace

Whoever watches or resumes from before the restore is told to read everything again.")]
    Restore {
        #[command(flatten)]
        store: StoreAddress,
        /// What `coeval store backup` wrote
        file: PathBuf,
        /// Remove everything that is in the store first
        #[arg(long)]
        replace: bool,
    },
    /// Write every record as a line of JSON; also while a server runs
    #[command(after_help = "Examples:
  coeval store export --data ./data > records.jsonl
  coeval store export records.jsonl --store etcd://127.0.0.1:2379")]
    Export {
        #[command(flatten)]
        store: StoreAddress,
        /// The file; - is stdout
        #[arg(default_value = "-")]
        file: PathBuf,
    },
    /// Fill an empty store from lines of JSON, from whatever kind of store they came
    #[command(after_help = "Examples:
  coeval store import records.jsonl --data ./new
  coeval store export --data ./data | coeval store import --store etcd://127.0.0.1:2379")]
    Import {
        #[command(flatten)]
        store: StoreAddress,
        /// The file; - is stdin
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Remove everything that is in the store first
        #[arg(long, conflicts_with = "merge")]
        replace: bool,
        /// Keep what is in the store; what is imported goes over it
        #[arg(long)]
        merge: bool,
    },
    /// Begin a new history: after the store's files were put back by other means than `restore`
    #[command(after_help = "Examples:
  coeval store adopt --data ./data

Run it after copying a database file back, or after restoring an etcd or PostgreSQL backup with
their own tools. Every client is then told to read everything again, instead of missing events.")]
    Adopt {
        #[command(flatten)]
        store: StoreAddress,
    },
    /// Remove old events now; servers do this by themselves too
    #[command(after_help = "Examples:
  coeval store compact --data ./data --events-keep-age 10m")]
    Compact {
        #[command(flatten)]
        store: StoreAddress,
        /// Events younger than this stay
        #[arg(long, value_name = "TIME", default_value = "0s", value_parser = quantity::duration)]
        events_keep_age: Duration,
        /// The newest events stay, up to so many bytes, if they are young enough
        #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = quantity::bytes)]
        events_keep_bytes: u64,
    },
}

/// `matches` are those of the action.
pub(crate) async fn run(options: StoreOptions, matches: &ArgMatches) -> Result<(), Failure> {
    let url = |store: StoreAddress| store.url(matches);
    match options.action {
        StoreAction::Check { store } => check::run(&url(store)?).await,
        StoreAction::Quarantine {
            store,
            repair,
            json,
        } => quarantine::run(&url(store)?, repair, json).await,
        StoreAction::NewKey { id } => secret_keys::new_key(&id),
        StoreAction::RotateKeys { store, secret_keys } => {
            secret_keys::rotate(&url(store)?, secret_keys.as_deref()).await
        }
        StoreAction::Backup { store, file } => backup::backup(&url(store)?, &file).await,
        StoreAction::Restore {
            store,
            file,
            replace,
        } => backup::restore(&url(store)?, &file, target(replace, false)).await,
        StoreAction::Export { store, file } => transfer::export(&url(store)?, &file).await,
        StoreAction::Import {
            store,
            file,
            replace,
            merge,
        } => transfer::import(&url(store)?, &file, target(replace, merge)).await,
        StoreAction::Adopt { store } => upkeep::adopt(&url(store)?).await,
        StoreAction::Compact {
            store,
            events_keep_age: age,
            events_keep_bytes: bytes,
        } => upkeep::compact(&url(store)?, EventRetention { age, bytes }).await,
    }
}

fn target(replace: bool, merge: bool) -> LoadTarget {
    match (replace, merge) {
        (true, _) => LoadTarget::Replace,
        (false, true) => LoadTarget::Merge,
        (false, false) => LoadTarget::MustBeEmpty,
    }
}

async fn to_look(url: &str) -> Result<OpenStore, Failure> {
    Ok(open_read_only(url, OpenOptions::default()).await?)
}

async fn to_change(url: &str) -> Result<OpenStore, Failure> {
    let mut options = OpenOptions::default();
    options.maintenance.dependents = Some(Arc::new(ResourceBelongings::default()));
    Ok(open(url, options).await?)
}
