//! RFD 126's test matrix with real servers of this release, of which those that are older are told
//! to know less. `tests/releases` has the same with servers of the release before.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod rows;

use rows::{NEW, Row, ServerRelease};

/// Knows the old major alone.
const BEFORE: ServerRelease = ServerRelease {
    knows_less: true,
    ..NEW
};

/// All of one release.
const ALL_NEW: Row = Row {
    servers: [NEW, NEW],
    clients: ["2.0", "2.0", "2.0"],
    agents: "2.0",
    replaced: &[],
    reads_on: false,
};
/// One server was upgraded; everybody else is of the release before, or older.
const FIRST_UPGRADED: Row = Row {
    servers: [NEW, BEFORE],
    clients: ["1.1", "1.1", "1.0"],
    agents: "1.1",
    replaced: &[],
    reads_on: true,
};
/// Both servers were upgraded, the others were not.
const SERVERS_UPGRADED: Row = Row {
    servers: [NEW, NEW],
    clients: ["1.1", "1.0", "1.1"],
    agents: "1.0",
    replaced: &[],
    reads_on: false,
};
/// Only agents lag behind; of the clients there are all.
const AGENTS_BEHIND: Row = Row {
    servers: [NEW, NEW],
    clients: ["2.0", "1.1", "1.0"],
    agents: "1.0",
    replaced: &[],
    reads_on: false,
};

macro_rules! rows {
    ($($name:ident: $row:ident;)*) => {
        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::rows::play(crate::rows::postgres(), crate::$row).await;
                }
            )*
        }
        mod on_etcd {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::rows::play(crate::rows::etcd(), crate::$row).await;
                }
            )*
        }
    };
}

rows! {
    everybody_is_of_one_release: ALL_NEW;
    one_server_was_upgraded_first: FIRST_UPGRADED;
    the_servers_were_upgraded: SERVERS_UPGRADED;
    only_the_agents_are_behind: AGENTS_BEHIND;
}
