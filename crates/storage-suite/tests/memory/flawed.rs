//! Stores that are wrong on purpose: the recorded history shows it, whatever it is.

use super::reference::{Flaw, Memory, Shared};
use coeval_storage::layers::FaultyStore;
use coeval_storage::{DynStore, SystemClock};
use coeval_storage_suite::workload::{RandomFaults, Workload};
use std::sync::Arc;

/// What the check says of a history on a store with this flaw.
async fn verdict(flaw: Option<Flaw>, seed: u64, faults: bool) -> Result<(), String> {
    let shared = Shared::new(Arc::new(SystemClock::default()), flaw);
    let store: DynStore = Arc::new(Memory::new(&shared));
    let mut handle = Arc::clone(&store);
    let mut workload = Workload::new(seed);
    if faults {
        handle = Arc::new(FaultyStore::new(handle, Arc::new(RandomFaults::new(seed))));
        workload = workload.with_faults();
    }
    let checked = tokio::spawn(async move {
        workload.run(vec![handle]).await.check(&store).await;
    });
    checked.await.map_err(|panicked| {
        let panic = panicked.into_panic();
        let text = panic.downcast_ref::<String>().cloned();
        text.unwrap_or_default().chars().take(160).collect()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_flaw_is_found_with_and_without_faults() {
    for faults in [false, true] {
        verdict(None, 1, faults).await.expect("nothing is wrong");
        for flaw in [
            Flaw::StaleRead,
            Flaw::OldRead,
            Flaw::Unconditional,
            Flaw::BlindToExpiry,
            Flaw::Torn,
            Flaw::Lost,
            Flaw::SameSequence,
            Flaw::Silent,
            Flaw::FalseRefusal,
            Flaw::NewRevision,
        ] {
            // Whether one workload meets a flaw depends on timing too (little expires in a fast
            // one): some of a few must.
            let mut found = None;
            for seed in 2..=6 {
                if let Err(told) = verdict(Some(flaw), seed, faults).await {
                    found = Some(told);
                    break;
                }
            }
            let found = found.unwrap_or_else(|| panic!("{flaw:?} was not found"));
            println!("{flaw:?}: {found}");
        }
    }
}
