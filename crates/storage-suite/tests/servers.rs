//! Private servers start, answer, come back and go away.

use coeval_storage_suite::servers::{EtcdCluster, PostgresServer};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn answers(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

#[test]
fn postgres_starts_comes_back_after_a_crash_and_goes_away() {
    let mut server = PostgresServer::start().unwrap();
    let (port, directory) = (server.port(), server.data_dir());
    assert!(server.url().contains(&port.to_string()));
    assert!(answers(port) && directory.exists());
    server.restart_immediate();
    assert!(answers(port));
    server.stop();
    assert!(!answers(port));
    server.run_again();
    drop(server);
    assert!(!answers(port) && !directory.exists());
}

#[test]
fn an_etcd_cluster_elects_another_leader() {
    let mut cluster = EtcdCluster::start(3).unwrap();
    let leader = || cluster.leader().unwrap();
    let first = leader();
    cluster.kill_member(first);
    let begun = Instant::now();
    while cluster.leader().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no new leader");
    }
    assert_ne!(cluster.leader(), Some(first));
    cluster.restart_member(first);
    assert_eq!(cluster.endpoints().len(), 3);
    assert_eq!(cluster.url().matches(',').count(), 2);
}
