//! Races and histories.

use crate::bench::{BenchStore, key};
use crate::workload::{RandomFaults, Workload};
use coeval_storage::StorageError::{AlreadyExists, Conflict, NotFound};
use coeval_storage::{Record, RecordContent, RecordPut, Revision, Store};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;

/// A value in which a torn write would show: one byte throughout, and in the fields and flags.
fn whole(byte: u8) -> RecordPut {
    RecordPut::of(RecordContent {
        flags: byte,
        fields: vec![(byte, vec![byte; 100].into())],
        body: vec![byte; 4_000].into(),
        packed: false,
    })
}

fn is_whole(record: &Record) -> bool {
    record.content == whole(record.content.flags).content
}

pub async fn racing_handles_get_documented_errors_and_whole_reads(bench: &BenchStore) {
    let name = key("race");
    let handles = [Arc::clone(&bench.store), bench.handle().await];
    // Which value each revision was given to.
    let given: Arc<Mutex<HashMap<Revision, u8>>> = Arc::default();
    let seen: Arc<Mutex<Vec<(Revision, u8)>>> = Arc::default();
    let rounds = crate::scaled(60);
    let racers = (0..8_usize).map(|racer| {
        let (store, name) = (Arc::clone(&handles[racer % 2]), name.clone());
        let (given, seen) = (Arc::clone(&given), Arc::clone(&seen));
        tokio::spawn(async move {
            let mut known = Revision::NEVER;
            for round in 0..rounds {
                let byte = (racer * 31 + round) as u8;
                let put = whole(byte);
                let result = match (racer + round) % 6 {
                    0 => store.create(&name, put).await,
                    1 => store.put(&name, put).await,
                    2 => store.conditional_update(&name, known, put).await,
                    3 => store.update(&name, put).await,
                    4 => store.conditional_delete(&name, known).await,
                    _ => store.delete(&name).await,
                };
                let allowed = match (racer + round) % 6 {
                    0 => matches!(result, Ok(_) | Err(AlreadyExists { .. })),
                    1 => result.is_ok(),
                    2 | 4 => matches!(result, Ok(_) | Err(NotFound { .. } | Conflict { .. })),
                    _ => matches!(result, Ok(_) | Err(NotFound { .. })),
                };
                assert!(allowed, "{} answered {result:?}", (racer + round) % 6);
                match &result {
                    Ok(written) if (racer + round) % 6 < 4 => {
                        let again = given.lock().unwrap().insert(written.revision, byte);
                        assert_eq!(again, None, "one revision for two writes");
                    }
                    Err(AlreadyExists { current, .. } | Conflict { current, .. }) => {
                        known = *current;
                    }
                    _ => {}
                }
                match store.get(&name).await {
                    Ok(record) => {
                        assert!(is_whole(&record), "a torn read: {record:?}");
                        known = record.revision;
                        let mut seen = seen.lock().unwrap();
                        seen.push((record.revision, record.content.flags));
                    }
                    Err(NotFound { .. }) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        })
    });
    for racer in racers.collect::<Vec<_>>() {
        racer.await.unwrap();
    }
    let given = given.lock().unwrap();
    // Whatever was read was written under that revision.
    for (revision, byte) in seen.lock().unwrap().iter() {
        assert_eq!(given.get(revision), Some(byte), "a value that nobody wrote");
    }
}

pub async fn a_recorded_history_is_strictly_serializable_and_linearizable(bench: &BenchStore) {
    for seed in [1, 2] {
        let handles = vec![Arc::clone(&bench.store), bench.handle().await];
        let recorded = Workload::new(seed).run(handles).await;
        recorded.check(&bench.store).await;
    }
}

pub async fn a_history_on_one_key_is_strictly_serializable_and_linearizable(bench: &BenchStore) {
    let workload = Workload {
        keys: 2,
        operations: crate::scaled(60),
        ..Workload::new(3)
    };
    let handles = vec![Arc::clone(&bench.store), bench.handle().await];
    workload.run(handles).await.check(&bench.store).await;
}

pub async fn a_history_with_injected_faults_is_strictly_serializable(bench: &BenchStore) {
    for seed in [4, 5] {
        let plan = Arc::new(RandomFaults::new(seed));
        let handles = vec![bench.faulty(plan.clone()).await, bench.faulty(plan).await];
        let recorded = Workload::new(seed).with_faults().run(handles).await;
        recorded.check(&bench.store).await;
    }
}
