//! Recorded histories of a store that breaks meanwhile: strictly serializable all the same.

use crate::bed::Bed;
use coeval_storage::DynStore;
use coeval_storage_suite::servers::PostgresServer;
use coeval_storage_suite::workload::{RecordedRun, Workload};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Random operations through two servers, long enough for something to break.
async fn workload(bed: &Bed, seed: u64) -> JoinHandle<RecordedRun> {
    let handles: Vec<DynStore> = vec![bed.open().await, bed.open().await];
    let workload = Workload::new(seed).with_faults();
    let workload = workload.with_pause(Duration::from_millis(15));
    tokio::spawn(workload.run(handles))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_history_over_crashes_of_the_server_is_strictly_serializable() {
    let mut server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let running = workload(&bed, 21).await;
    let mut crashes = 0;
    while !running.is_finished() && crashes < 3 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let restart = tokio::task::spawn_blocking(move || {
            server.restart_immediate();
            server
        });
        server = restart.await.unwrap();
        crashes += 1;
    }
    let recorded = running.await.unwrap();
    recorded.check(&bed.open().await).await;
    assert!(crashes >= 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_history_over_ended_sessions_is_strictly_serializable() {
    let server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let running = workload(&bed, 22).await;
    let admin = bed.admin().await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'coeval'";
    let mut ended = 0;
    while !running.is_finished() {
        tokio::time::sleep(Duration::from_millis(70)).await;
        ended += admin.query(end, &[]).await.unwrap().len();
    }
    let recorded = running.await.unwrap();
    recorded.check(&bed.open().await).await;
    assert!(ended >= 5, "{ended}");
}
