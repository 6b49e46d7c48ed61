//! PostgreSQL and etcd: what group commit, or many requests at once, gain over one writer.

use super::table::RatioTable;
use super::writers::rate;
use crate::figures::PromisedFigure;
use coeval_stores::{OpenOptions, open};
use std::time::Duration;

pub(crate) async fn postgres(table: &mut RatioTable, time: Duration) {
    let server = coeval_storage_suite::servers::PostgresServer::start().unwrap();
    measure(table, "postgres", &server.url(), (5.0, time)).await;
}

pub(crate) async fn etcd(table: &mut RatioTable, time: Duration) {
    let server = coeval_storage_suite::servers::EtcdCluster::start(1).unwrap();
    measure(table, "etcd, one member", &server.url(), (3.0, time)).await;
}

async fn measure(table: &mut RatioTable, name: &str, url: &str, (goal, time): (f64, Duration)) {
    let opened = open(url, OpenOptions::default()).await.unwrap();
    let one = rate(&opened.store, 1, 0, time).await;
    // Other numbers than before, so that both rounds only create.
    let many = rate(&opened.store, 64, 1_000_000, time).await;
    opened.store.close().await;
    let what = format!("{name}: 64 durable writers / one");
    table.ratio(
        &what,
        "writes/s",
        (many, one),
        PromisedFigure::AtLeast(goal),
    );
}
