//! Clients that take their time.

use crate::raw::{Mark, Raw, assert_refused, status};
use crate::world::World;
use std::time::{Duration, Instant};

const SOME: &str = "/cloudapi/1.0.0/sessions/current";

pub(crate) fn a_body_that_does_not_arrive_in_time_is_refused(mut world: World) {
    world.restart_with(&["--body-seconds", "0.5"]);
    let token = world.admin();
    let before = Mark::of(&world);
    for kind in ["content-length: 100", "transfer-encoding: chunked"] {
        let mut raw = Raw::to(&world);
        raw.send(format!(
            "DELETE {SOME} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\n{kind}\r\n\r\n1\r\nx\r\n"
        ));
        let began = Instant::now();
        let answer = raw.rest();
        assert_refused(kind, &answer);
        assert_eq!(status(&answer), 408, "{answer}");
        assert!(answer.contains("COEVAL-8009"), "{answer}");
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(Mark::of(&world), before);
}

/// Memory of the server in KiB.
fn resident(world: &World) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", world.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

/// Two hundred at once, of every kind: each takes buffers, and no more.
pub(crate) fn many_slow_clients_take_little_memory_and_nobody_elses_turn(world: World) {
    let token = world.admin();
    let before = (Mark::of(&world), resident(&world));
    let large = "x".repeat(8 * 1024);
    let openings = [
        String::new(),
        "GET /healthz HTT".to_owned(),
        format!("GET /healthz HTTP/1.1\r\nhost: t\r\nx: {large}"),
        format!(
            "DELETE {SOME} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\ncontent-length: 500000\r\n\r\n{large}"
        ),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ];
    let slow: Vec<_> = (0..200)
        .map(|number| {
            let mut raw = Raw::to(&world);
            raw.send(&openings[number % openings.len()]);
            raw
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    assert_eq!(world.get(SOME).by(&token).send().status, 200);
    assert!(began.elapsed() < Duration::from_secs(5));
    let grown = resident(&world).saturating_sub(before.1);
    assert!(grown < 64 * 1024, "{grown} KiB for 200 clients");
    drop(slow);
    assert_eq!(Mark::of(&world), before.0);
}
