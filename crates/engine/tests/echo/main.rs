//! Clients of several versions read, change one thing and save, in turn, through the engine.
//!
//! A case is a resource of a generated type ([`coeval_core_suite`]): stored at a random version, then
//! read and saved by clients of three versions, with moves to other versions in between. After each
//! turn it is read at every version and compared with what the generator knows of the type:
//!
//! - what was saved reads back equal at the client's version (put-get);
//! - what was saved unchanged changes nothing at any version (get-put);
//! - what the edit did not touch reads as before everywhere, and the edit itself is seen wherever its
//!   field is declared, in that version's terms (edit safety);
//! - a move to another version changes nothing that anybody sees;
//! - a refusal has one of the few codes that there are for it, for a reason that the generator knows of,
//!   changes nothing, and names the upgrade that ends it, which then does.
//!
//! Refusals are counted and printed; more than 5 % of all writes fail the test. Cases are the same in
//! every run. One that fails is printed whole, with the `COEVAL_ECHO_CASE=world.case` that repeats it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod case;
mod edit;
mod server;
mod snapshot;
mod tally;

use coeval_core_suite::world::TypeWorld;
use futures::StreamExt;
use server::Server;
use tally::Tally;

/// Types, and resources of each.
const WORLDS: usize = 100;
const CASES: u64 = 100;
/// So that they run side by side.
const PARTS: usize = 4;
/// Cases at a time: their writes share durable commits.
const AT_A_TIME: usize = 64;

/// The case that `COEVAL_ECHO_CASE` names.
fn chosen() -> Option<(u64, u64)> {
    let text = std::env::var("COEVAL_ECHO_CASE").ok()?;
    let (world, case) = text.split_once('.')?;
    Some((world.parse().unwrap(), case.parse().unwrap()))
}

async fn part(number: usize) {
    let server = Server::open().await;
    if let Some((world, case)) = chosen() {
        if number == 0 {
            let outcome = run(&server, world, case..case + 1).await;
            fail_if_any(&outcome.failures);
            println!("{}", outcome.tally);
        }
        return;
    }
    let worlds = coeval_storage_suite::scaled(WORLDS / PARTS);
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for world in 0..worlds {
        let seed = u64::try_from(world * PARTS + number).unwrap();
        let outcome = run(&server, seed, 0..CASES).await;
        tally.add(&outcome.tally);
        failures.extend(outcome.failures);
    }
    println!("{tally}");
    fail_if_any(&failures);
    tally.must_be_telling(u64::try_from(worlds).unwrap() * CASES);
}

/// Of all cases that broke a law the shortest is told, and of the others which they are.
fn fail_if_any(failures: &[String]) {
    let Some(shortest) = failures.iter().min_by_key(|text| text.len()) else {
        return;
    };
    for failure in failures {
        println!("{}", failure.lines().next().unwrap_or_default());
    }
    panic!("{} cases break a law\n{shortest}", failures.len());
}

#[derive(Default)]
struct Outcome {
    tally: Tally,
    failures: Vec<String>,
}

async fn run(server: &Server, seed: u64, cases: std::ops::Range<u64>) -> Outcome {
    let world = TypeWorld::new(seed);
    let of = server.register(&world).await;
    let cases = cases.map(|number| case::run(server, &of, &world, number));
    let mut done = futures::stream::iter(cases).buffer_unordered(AT_A_TIME);
    let mut outcome = Outcome::default();
    while let Some(one) = done.next().await {
        match one {
            Ok(tally) => outcome.tally.add(&tally),
            Err(failure) => outcome.failures.push(failure),
        }
    }
    outcome
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echoing_clients_lose_nothing_in_the_first_quarter_of_the_worlds() {
    part(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echoing_clients_lose_nothing_in_the_second_quarter_of_the_worlds() {
    part(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echoing_clients_lose_nothing_in_the_third_quarter_of_the_worlds() {
    part(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echoing_clients_lose_nothing_in_the_last_quarter_of_the_worlds() {
    part(3).await;
}
