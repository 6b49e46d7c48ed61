//! Private real servers for tests: started on free ports in a directory of their own, gone when
//! dropped, and gone with the process that started them however it ends.
//!
//! A test runner that starts one server for many test processes (`coeval-test-servers`) says so
//! by `COEVAL_TEST_POSTGRES` and `COEVAL_TEST_ETCD`.

mod etcd;
mod postgres;
mod process;

pub use etcd::EtcdCluster;
pub use postgres::PostgresServer;

use std::net::TcpListener;
use std::sync::OnceLock;

/// The URL of a PostgreSQL server that tests share.
pub const POSTGRES: &str = "COEVAL_TEST_POSTGRES";
/// The URL of an etcd server that tests share.
pub const ETCD: &str = "COEVAL_TEST_ETCD";

/// The URL of the shared PostgreSQL server: the test runner's, or one of this process. Each test
/// uses a schema of its own: [`fresh_name`].
///
/// # Panics
/// If none can be started.
#[must_use]
pub fn shared_postgres() -> String {
    static SERVER: OnceLock<PostgresServer> = OnceLock::new();
    std::env::var(POSTGRES).unwrap_or_else(|_| {
        let start = || PostgresServer::start_without_sync().unwrap_or_else(|e| panic!("{e}"));
        SERVER.get_or_init(start).url()
    })
}

/// The URL of the shared etcd server: the test runner's, or one of this process. Each test uses
/// a prefix of its own: [`fresh_name`].
///
/// # Panics
/// If none can be started.
#[must_use]
pub fn shared_etcd() -> String {
    static SERVER: OnceLock<EtcdCluster> = OnceLock::new();
    std::env::var(ETCD).unwrap_or_else(|_| {
        let start = || EtcdCluster::start(1).unwrap_or_else(|e| panic!("{e}"));
        SERVER.get_or_init(start).url()
    })
}

/// A name that no other test uses, for a schema or a prefix.
///
/// # Panics
/// If the system gives no random bytes.
#[must_use]
pub fn fresh_name() -> String {
    let number = getrandom::u64().expect("random bytes");
    format!("t_{number:016x}")
}

/// A free loopback port. Another process may take it before it is used: callers try again.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
