//! Servers of two releases, one after the other, on one store.

use crate::support::{Server, serve};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn serving(folder: &Path, emulated: &[&str]) -> Command {
    let mut command = serve(folder);
    for one in emulated {
        command.args(["--emulate", one]);
    }
    command
}

fn stopped(server: Server) -> String {
    server.signal("TERM");
    let (code, _, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    log
}

#[test]
fn the_way_back_is_open_until_every_server_knows_more() {
    let folder = TempDir::new().unwrap();
    let before = ["coeval:record=1.0.0"];
    // As the release before, twice: nothing newer is stored.
    for _ in 0..2 {
        let log = stopped(Server::start(serving(folder.path(), &before)));
        assert!(!log.contains("it is written"), "{log}");
    }
    // It is ready only after it has looked who is there.
    let log = stopped(Server::start(serving(folder.path(), &[])));
    assert!(log.contains("every server reads this level"), "{log}");
    let refused = serving(folder.path(), &before).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(told.contains("COEVAL-4016"), "{told}");
    // The release that wrote it goes on.
    let server = Server::start(serving(folder.path(), &[]));
    assert!(server.get("/readyz").starts_with("HTTP/1.1 200"));
    stopped(server);
}
