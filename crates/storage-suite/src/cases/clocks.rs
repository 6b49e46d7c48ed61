//! Servers whose clocks differ.

use crate::bench::{BenchStore, fleeting, key, text};
use coeval_storage::StorageError::{AlreadyExists, ClockOff, NotFound};
use coeval_storage::{Revision, Store};

/// What is known of a key from the answers so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownKey {
    /// It is there unless it has expired since.
    There(Revision),
    /// Somebody was told that it is gone.
    Gone,
}

pub async fn servers_whose_clocks_differ_agree_on_what_was_acknowledged(bench: &BenchStore) {
    let handles = [
        bench.handle().await,
        bench.handle_with_clock(180_000).await,
        bench.handle_with_clock(-180_000).await,
    ];
    let mut dice = crate::workload::SeededDice::new(7);
    for round in 0..crate::scaled(40) {
        let name = key(&format!("c/{round}"));
        // Past, soon, or future: for each of the clocks something else.
        let expires = [-60_000, 100, 60_000, 600_000][dice.below(4)];
        let mut known = KnownKey::Gone;
        for step in 0..12 {
            let store = &handles[dice.below(3)];
            let put = fleeting("x", expires);
            let later = put.expires;
            let was = match known {
                KnownKey::There(revision) => revision,
                KnownKey::Gone => Revision::NEVER,
            };
            // The first step creates, so that there is something to disagree about.
            let operation = if step == 0 { 0 } else { dice.below(5) };
            let answer = match operation {
                0 => store.create(&name, put).await.map(|w| w.revision),
                1 => store.keep_alive(&name, later).await.map(|_| was),
                2 => store
                    .conditional_update(&name, was, put)
                    .await
                    .map(|w| w.revision),
                3 => store.delete(&name).await.map(|_| was),
                _ => store.get(&name).await.map(|record| record.revision),
            };
            let label = format!("round {round} step {step}, {known:?}: {operation} {answer:?}");
            known = match answer {
                // A create may follow an expiry that nobody was told of.
                Ok(revision) if operation == 0 => KnownKey::There(revision),
                Ok(revision) => {
                    // What somebody was told is gone comes back only by a create.
                    assert_ne!(known, KnownKey::Gone, "{label}");
                    match operation {
                        3 => KnownKey::Gone,
                        2 => KnownKey::There(revision),
                        _ => {
                            assert_eq!(known, KnownKey::There(revision), "{label}");
                            known
                        }
                    }
                }
                Err(NotFound { .. }) => KnownKey::Gone,
                Err(AlreadyExists { current, .. }) => {
                    assert_eq!(known, KnownKey::There(current), "{label}");
                    known
                }
                // A server whose clock is wrong may say so instead.
                Err(ClockOff { .. }) => known,
                Err(_) => panic!("{label}"),
            };
        }
    }
    // What never expires is there for everyone.
    let written = handles[1].put(&key("stays"), text("x")).await.unwrap();
    for handle in &handles {
        let record = handle.get(&key("stays")).await.unwrap();
        assert_eq!(record.revision, written.revision);
    }
}
