//! What a store's operations look like at `/metrics`.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::layers::{CheckedStore, MeteredStore};
use coeval_storage::{Key, RecordPut, Store, StoreLimits};
use metrics_exporter_prometheus::PrometheusBuilder;

#[test]
fn operations_failures_and_times_are_counted_by_kind() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::with_local_recorder(&recorder, || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let store = MeteredStore::new(CheckedStore::new(own::Empty, StoreLimits::default()));
            let key = Key::try_from("k").unwrap();
            for _ in 0..3 {
                assert!(store.get(&key).await.is_err());
            }
            let large = RecordPut::of(vec![0; 400 * 1024]);
            assert!(store.put(&key, large).await.is_err());
        });
    });
    let text = handle.render();
    for line in [
        "coeval_storage_operations_total{operation=\"read\"} 3",
        "coeval_storage_operations_total{operation=\"atomic_write\"} 1",
        "coeval_storage_failures_total{operation=\"atomic_write\",kind=\"too_large\"} 1",
        "coeval_storage_operation_seconds_count{operation=\"read\"} 3",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    // An absent key is an answer of `read`, not a failure of it.
    assert!(!text.contains("not_found"), "{text}");
}
