//! Random concurrent operations on a few keys, recorded and checked in every way that we know.
//!
//! ```text
//! let recorded = Workload::new(seed).with_faults().run(handles).await;   // break things meanwhile
//! recorded.check(&store).await;                                         // through a sound handle
//! ```
//!
//! Workers choose by dice from a seed. Every write has a value of its own, so that a read names
//! the write that it shows, and nothing expires meanwhile. A watcher that began before the first
//! write follows over every cut. At the end three things are compared: what the watcher saw with
//! the event log, the log with what was answered ([`check_serial`]), and the answers with each
//! other ([`check_linearizable`]).

mod dice;
mod faults;
mod watcher;
mod worker;

pub use dice::SeededDice;
pub use faults::RandomFaults;

use crate::bench::key;
use crate::history::{Logged, Operation, Recorder, Version, check_linearizable, check_serial};
use coeval_storage::{
    DynStore, EventGroup, Key, KeyChange, KeySpan, Record, RecordPut, Store, Token,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is run.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Where the random numbers begin.
    pub seed: u64,
    /// Concurrent workers, spread over the handles.
    pub workers: usize,
    /// Operations of each, scaled.
    pub operations: usize,
    /// Keys that they fight for.
    pub keys: usize,
    /// Whether the store may fail while it runs: errors that say that nothing happened, and
    /// unknown outcomes, are part of the history then.
    pub faults: bool,
    /// A pause between the operations of a worker, to stretch the history over a fault.
    pub pause: Duration,
}

impl Workload {
    /// The usual size: about a thousand operations.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        println!(
            "the workload's seed is {seed}, the scale {}",
            crate::scale()
        );
        Self {
            seed,
            workers: 8,
            operations: crate::scaled(120),
            keys: 5,
            faults: false,
            pause: Duration::ZERO,
        }
    }

    /// The same on a store that may fail.
    #[must_use]
    pub fn with_faults(self) -> Self {
        Self {
            faults: true,
            ..self
        }
    }

    /// The same with a pause between the operations of a worker.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Runs it through the handles, below a prefix of its own, and watches meanwhile.
    ///
    /// # Panics
    /// If the store answers with what no store may answer, or never recovers.
    pub async fn run(self, handles: Vec<DynStore>) -> RecordedRun {
        let prefix = key(&format!("load-{}", self.seed));
        let status = handles[0].status().await.expect("the status");
        let start = Token {
            incarnation: status.incarnation,
            sequence: status.head,
        };
        let recorder = Arc::new(Recorder::default());
        let values = Arc::new(AtomicU64::new(1));
        let (last, until) = tokio::sync::watch::channel(None);
        let watcher = tokio::spawn(watcher::follow(
            Arc::clone(&handles[0]),
            KeySpan::below(&prefix),
            start,
            until,
        ));
        let mut dice = SeededDice::new(self.seed);
        let workers: Vec<_> = (0..self.workers)
            .map(|process| {
                // Dice of its own: what a worker chooses depends on the seed, not on who comes
                // first.
                let worker = worker::WorkloadWorker {
                    process,
                    store: Arc::clone(&handles[process % handles.len()]),
                    keys: self.keys(&prefix),
                    dice: SeededDice::new(dice.next()),
                    recorder: Arc::clone(&recorder),
                    values: Arc::clone(&values),
                    known: std::collections::HashMap::new(),
                    faults: self.faults,
                };
                tokio::spawn(worker.work(self.operations, self.pause))
            })
            .collect();
        for worker in workers {
            worker.await.expect("a worker");
        }
        last.send_replace(Some(self.mark(&handles[0], &prefix).await));
        // A store that lost the last write would let the watcher wait for ever.
        let watched = tokio::time::timeout(SEEN_WITHIN, watcher)
            .await
            .expect("the watcher never saw the last write")
            .expect("the watcher");
        RecordedRun {
            prefix,
            start,
            operations: recorder.operations(),
            watched,
        }
    }

    fn keys(&self, prefix: &Key) -> Vec<Key> {
        let names = (0..self.keys).map(|n| prefix.join(format!("{n}")));
        names.collect::<Result<_, _>>().expect("keys")
    }

    /// A last write, so that there is an end to watch for.
    async fn mark(&self, store: &DynStore, prefix: &Key) -> u64 {
        let name = prefix.join(MARKER).expect("a key");
        for _ in 0..600 {
            match store.put(&name, RecordPut::of(b"0".to_vec())).await {
                Ok(written) => return written.token.sequence,
                Err(error) => assert!(self.faults, "{error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the store never recovered");
    }
}

/// How long the watcher may take to come to the last write, over every cut.
const SEEN_WITHIN: Duration = Duration::from_secs(30);

/// The key of the last write; not part of the history.
const MARKER: &str = "marker";

/// A recorded run.
#[derive(Debug)]
pub struct RecordedRun {
    /// Where the keys are.
    pub prefix: Key,
    /// Where it began.
    pub start: Token,
    /// What was done.
    pub operations: Vec<Operation>,
    /// What a watcher saw that began before it.
    pub watched: Vec<Arc<EventGroup>>,
}

impl RecordedRun {
    /// Checks the history both ways, and that the watcher saw the event log.
    ///
    /// # Panics
    /// If anything is wrong.
    pub async fn check(&self, store: &dyn Store) {
        let log = self.log(store).await;
        // Up to where the watcher followed: the log may have gone on.
        let end = self.watched.last().map_or(0, |group| group.sequence);
        let until_end = log.iter().filter(|group| group.sequence <= end);
        let missed: Vec<_> = until_end.clone().map(|group| group.sequence).collect();
        let seen: Vec<_> = self.watched.iter().map(|group| group.sequence).collect();
        assert_eq!(seen, missed, "the watcher saw another log");
        assert!(
            until_end.eq(self.watched.iter()),
            "the watcher saw other events"
        );

        // The last write is no part of the history.
        let marker = self.prefix.join(MARKER).expect("a key");
        let log: Vec<_> = log.iter().map(|group| logged(group, &marker)).collect();
        let log: Vec<_> = log.into_iter().filter(|g| !g.changes.is_empty()).collect();
        let decided = check_serial(&self.operations, &log);
        let decided = decided.unwrap_or_else(|e| panic!("not serial: {e}"));
        // With hundreds of unknown outcomes the search would take for ever; these are decided.
        check_linearizable(&decided).unwrap_or_else(|e| panic!("not linearizable: {e}"));
        println!(
            "{} operations, {} groups: right",
            self.operations.len(),
            log.len()
        );
    }

    /// The store's event log of these keys, since the start.
    async fn log(&self, store: &dyn Store) -> Vec<Arc<EventGroup>> {
        let span = KeySpan::below(&self.prefix);
        let mut groups = Vec::new();
        let mut after = self.start.sequence;
        loop {
            let page = store.events(after).await.expect("the event log");
            let bounds = page.bounds;
            assert_eq!(
                bounds.incarnation, self.start.incarnation,
                "another history"
            );
            // A compacted log could hide that a write was lost.
            assert!(bounds.floor <= self.start.sequence, "a compacted history");
            for group in page.groups {
                let mine = group
                    .events
                    .iter()
                    .filter(|event| span.contains(&event.key));
                let mine: Vec<_> = mine.cloned().collect();
                if !mine.is_empty() {
                    groups.push(Arc::new(EventGroup::new(group.sequence, mine)));
                }
            }
            // At the head, or no progress: there is no more.
            if page.complete_to <= after || page.complete_to >= bounds.head {
                return groups;
            }
            after = page.complete_to;
        }
    }
}

fn logged(group: &EventGroup, marker: &Key) -> Logged {
    let events = group.events.iter().filter(|event| event.key != *marker);
    let changes = events.map(|event| match &event.change {
        KeyChange::Put(stored) => {
            let record = stored.record().expect("a whole record");
            (event.key.clone(), Some(version(record)))
        }
        KeyChange::Deleted { .. } => (event.key.clone(), None),
    });
    Logged {
        sequence: group.sequence,
        changes: changes.collect(),
    }
}

/// A value that is found again in the record: its number, and as many bytes as that says.
fn body(value: u64) -> Vec<u8> {
    let mut body = value.to_string().into_bytes();
    body.resize(body.len() + filling(value), b'.');
    body
}

fn filling(value: u64) -> usize {
    usize::try_from(value * 37 % 500).expect("a small number")
}

fn version(record: &Record) -> Version {
    let text = String::from_utf8_lossy(&record.content.body);
    let value = text.trim_end_matches('.').parse().expect("a number");
    assert_eq!(record.content.body, body(value), "a torn value");
    Version {
        revision: record.revision,
        value,
        expires: record.expires.map(|at| at.0),
    }
}

fn fresh_value(values: &AtomicU64) -> u64 {
    values.fetch_add(1, Ordering::Relaxed)
}
