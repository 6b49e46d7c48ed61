//! RFD 126's rows with servers of two releases: the older ones are what was released, not this
//! release told to know less.

use crate::matrix_rows::{NEW, Row, ServerRelease, etcd, play, postgres};
use crate::release::previous_binary;

/// As it was released; it knows both majors.
const PREVIOUS: ServerRelease = ServerRelease {
    binary: previous_binary,
    knows_less: false,
};

/// As it was released, in an installation whose type had one major then.
const PREVIOUS_KNOWING_LESS: ServerRelease = ServerRelease {
    knows_less: true,
    ..PREVIOUS
};

/// All of the release before; upgraded one by one in the midst of the migration, and back.
const ALL_OF_ONE_RELEASE: Row = Row {
    servers: [PREVIOUS, PREVIOUS],
    clients: ["2.0", "2.0", "2.0"],
    agents: "2.0",
    replaced: &[(1, NEW), (0, NEW), (1, PREVIOUS), (0, PREVIOUS)],
    reads_on: false,
};
/// One server was upgraded; everybody else is of the release before, or older.
const FIRST_UPGRADED: Row = Row {
    servers: [NEW, PREVIOUS_KNOWING_LESS],
    clients: ["1.1", "1.1", "1.0"],
    agents: "1.1",
    replaced: &[(1, PREVIOUS)],
    reads_on: false,
};
/// The servers are upgraded while the others are not, and one is taken back.
const SERVERS_UPGRADED: Row = Row {
    servers: [PREVIOUS, NEW],
    clients: ["1.1", "1.0", "1.1"],
    agents: "1.0",
    replaced: &[(0, NEW), (1, PREVIOUS), (1, NEW)],
    reads_on: false,
};
/// Both releases throughout, agents that lag behind, and clients of all versions.
const AGENTS_BEHIND: Row = Row {
    servers: [PREVIOUS, NEW],
    clients: ["2.0", "1.1", "1.0"],
    agents: "1.0",
    replaced: &[],
    reads_on: false,
};

macro_rules! rows {
    ($($on_postgres:ident, $on_etcd:ident: $row:ident;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $on_postgres() {
                play(postgres(), $row).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $on_etcd() {
                play(etcd(), $row).await;
            }
        )*
    };
}

rows! {
    servers_of_the_previous_release_migrate_and_are_upgraded_meanwhile_on_postgres,
    servers_of_the_previous_release_migrate_and_are_upgraded_meanwhile_on_etcd: ALL_OF_ONE_RELEASE;
    the_first_upgraded_server_migrates_beside_a_previous_one_on_postgres,
    the_first_upgraded_server_migrates_beside_a_previous_one_on_etcd: FIRST_UPGRADED;
    previous_servers_are_upgraded_and_taken_back_while_clients_lag_on_postgres,
    previous_servers_are_upgraded_and_taken_back_while_clients_lag_on_etcd: SERVERS_UPGRADED;
    previous_and_current_servers_migrate_together_while_agents_lag_on_postgres,
    previous_and_current_servers_migrate_together_while_agents_lag_on_etcd: AGENTS_BEHIND;
}
