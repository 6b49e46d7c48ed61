//! Ratios of the stores against the bare libraries, each pair measured in the same run.

mod bare;
mod embedded;
mod million;
mod servers;
mod table;
mod watchers;
mod writers;

use crate::figures::is_wanted;
use clap::Args;
use std::time::Duration;
use table::RatioTable;

#[derive(Debug, Args)]
pub(crate) struct StorageOptions {
    /// Which to measure: embedded, postgres, etcd, million. All but million if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Records in the store for reads, and for `million`.
    #[arg(long)]
    records: Option<usize>,
}

/// Measures what is wanted, and prints the table.
pub(crate) async fn run(options: &StorageOptions) {
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| {
        // So many records take long.
        is_wanted(&options.parts, part) && (part != "million" || !options.parts.is_empty())
    };
    let mut table = RatioTable::default();
    if wanted("embedded") {
        embedded::measure(&mut table, time, options.records.unwrap_or(100_000)).await;
    }
    if wanted("postgres") {
        servers::postgres(&mut table, time).await;
    }
    if wanted("etcd") {
        servers::etcd(&mut table, time).await;
    }
    if wanted("million") {
        million::measure(&mut table, options.records.unwrap_or(1_000_000)).await;
    }
    print!("{table}");
}
