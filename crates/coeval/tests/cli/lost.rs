//! Writes whose answers are lost on the way: nobody is told that nothing happened where something did.
//! And a server that is not there.

use crate::desk::{Desk, Said, run};
use serde_json::{Value, json};
use std::io::{Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const UNDECIDED: i32 = 4;
/// What begins a connection is smaller, every answer larger.
const ANSWER: usize = 100;
/// More pieces than the answers of a command come in.
pub(crate) const PIECES: usize = 8;

/// A way to the server on which a piece of an answer is lost, with its connection.
pub(crate) fn losing(server: &str, piece: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = server.trim_start_matches("http://").to_owned();
    let seen = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&server).unwrap();
            let (to_server, from_client) = (server.try_clone(), client.try_clone());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from_client.unwrap(), &mut to_server.unwrap());
            });
            let seen = Arc::clone(&seen);
            std::thread::spawn(move || answers(server, client, &seen, piece));
        }
    });
    format!("http://{address}")
}

fn answers(mut server: TcpStream, mut client: TcpStream, seen: &AtomicUsize, lost: usize) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        let is_lost = count > ANSWER && seen.fetch_add(1, Ordering::Relaxed) == lost;
        if is_lost || client.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (
        client.shutdown(Shutdown::Both),
        server.shutdown(Shutdown::Both),
    );
}

fn run_losing(desk: &Desk, piece: usize, args: &[&str]) -> Said {
    let mut command = desk.command(args);
    command.env("COEVAL_SERVER", losing(desk.world.url(), piece));
    run(command)
}

/// What was done is not called failed, and what was not is not called done.
fn is_honest(said: &Said, done: bool) -> bool {
    match said.code {
        0 => done,
        UNDECIDED => said.err.contains("COEVAL-4009"),
        _ => !done,
    }
}

#[test]
fn a_create_whose_answer_is_lost_is_done_or_undecided() {
    let desk = Desk::new();
    let mut codes = Vec::new();
    for piece in 0..PIECES {
        let name = format!("web-{piece}");
        let file = desk.app(&name, "v1", &json!({"image": "web:1"}));
        let said = run_losing(&desk, piece, &["create", "-f", &file]);
        let done = desk.look(&name) != Value::Null;
        assert!(is_honest(&said, done), "{piece}: {done} {said:?}");
        codes.push(said.code);
    }
    assert!(codes.contains(&UNDECIDED), "{codes:?}");
}

#[test]
fn an_apply_whose_answer_is_lost_finds_out_what_came_of_it() {
    let desk = Desk::new();
    for piece in 0..PIECES {
        let file = desk.app("web", "v1", &json!({"image": "web:1"}));
        desk.ok(&["apply", "-f", &file]);
        let image = format!("web:2-{piece}");
        let file = desk.app("web", "v1", &json!({"image": image}));
        let said = run_losing(&desk, piece, &["apply", "-f", &file]);
        assert_eq!(said.code, 0, "{piece}: {said:?}");
        assert_eq!(desk.spec("web"), json!({"image": image}), "{piece}");
    }
}

#[test]
fn a_role_whose_answer_is_lost_is_undecided() {
    let desk = Desk::new();
    let mut codes = Vec::new();
    for piece in 0..PIECES {
        let name = format!("role-{piece}");
        let said = run_losing(&desk, piece, &["role", "create", &name]);
        let roles = desk.ok(&["role", "list", "-o", "name"]);
        let done = roles.lines().any(|role| role == name);
        assert!(is_honest(&said, done), "{piece}: {done} {said:?}");
        codes.push(said.code);
    }
    assert!(codes.contains(&UNDECIDED), "{codes:?}");
}

#[test]
fn a_server_that_is_not_there_is_named_and_not_waited_for_as_long_as_a_call_may_take() {
    let desk = Desk::new();
    let file = desk.app("web", "v1", &json!({"image": "web:1"}));
    // Nobody listens there any more.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let server = format!("http://{}", gone.unwrap());
    for args in [
        &["get", "app"][..],
        &["get", "app", "web"],
        &["apply", "-f", &file],
    ] {
        let mut command = desk.command(args);
        command.env("COEVAL_SERVER", &server);
        let begun = Instant::now();
        let said = run(command);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(
            said.err.contains(&format!("{server} can't be reached: ")),
            "{said:?}"
        );
        assert!(begun.elapsed() < Duration::from_secs(15), "{args:?}");
    }
}
