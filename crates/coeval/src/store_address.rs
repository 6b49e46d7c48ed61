//! Which store: `--data` or `--store`, whichever was said more strongly.

use crate::config::ConfigFile;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use coeval_cli::Failure;

/// Where the data is when nobody says.
const DEFAULT_FOLDER: &str = "data";

#[derive(Clone, Debug, Args)]
pub(crate) struct StoreAddress {
    /// Folder of the embedded store, made if it is missing; without --data and --store: data,
    /// or for `coeval dev` a temporary one
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// Another store: sqlite:PATH, postgres://… or etcd://host:port,host:port
    // Its value stays out of --help: it may hold a password.
    #[arg(long, value_name = "URL", hide_env_values = true)]
    store: Option<String>,
    // Whoever names a store once, in a file, means it for every command.
    #[command(flatten)]
    config: ConfigFile,
}

impl StoreAddress {
    /// The store's URL. A flag beats the environment, that beats the file; both said equally
    /// strongly is a contradiction.
    pub(crate) fn url(&self, matches: &ArgMatches) -> Result<String, Failure> {
        let of_data = rank(matches.value_source("data"));
        let of_store = rank(matches.value_source("store"));
        match (&self.data, &self.store) {
            (Some(_), Some(_)) if of_data == of_store => Err(Failure::config(
                "both --data and --store are given",
                "Keep one of them: --data DIR is the embedded store in that folder.",
            )),
            (None, Some(url)) => Ok(url.clone()),
            (Some(_), Some(url)) if of_store > of_data => Ok(url.clone()),
            (Some(folder), _) => Ok(embedded(folder)),
            (None, None) => Ok(embedded(DEFAULT_FOLDER)),
        }
    }

    /// The folder of the embedded store, if one is said; for a command that takes no other store.
    pub(crate) fn folder(&self, matches: &ArgMatches) -> Result<Option<&str>, Failure> {
        let of_data = rank(matches.value_source("data"));
        let of_store = rank(matches.value_source("store"));
        if self.store.is_some() && of_store >= of_data {
            return Err(Failure::config(
                "this command takes the embedded store alone, and --store names another",
                "Leave --store and COEVAL_STORE out, or use `coeval serve`.",
            ));
        }
        Ok(self.data.as_deref())
    }
}

/// The URL of the embedded store in a folder.
pub(crate) fn embedded(folder: &str) -> String {
    format!("sqlite:{}/coeval.db", folder.trim_end_matches('/'))
}

fn rank(source: Option<ValueSource>) -> u8 {
    match source {
        Some(ValueSource::CommandLine) => 3,
        Some(ValueSource::EnvVariable) => 2,
        // Only the config file sets a default of these two.
        Some(_) => 1,
        None => 0,
    }
}
