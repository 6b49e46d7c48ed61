//! Creates, against the storage layer writing the same keys and bytes.

use super::figures::at_least;
use super::recording::WriteRecording;
use super::world::{OLD, StoreFolder, caller, content, of, register};
use coeval_engine::write::Create;
use coeval_engine::{Engine, Settings};
use coeval_storage::{AtomicWrite, WriteCondition};
use futures::StreamExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CALLERS: usize = 64;

pub(crate) async fn measure(time: Duration) {
    let place = StoreFolder::new().await;
    let recording = Arc::new(WriteRecording::new(place.store()));
    let engine = Arc::new(Engine::new(
        Arc::clone(&recording) as _,
        Settings::default(),
    ));
    register(&engine).await;
    // Only creates are compared: what registering wrote is no part of it.
    recording.noted.lock().unwrap().clear();
    let begun = Instant::now();
    let mut made = 0_usize;
    while begun.elapsed() < time {
        let some = futures::stream::iter(0..CALLERS * 16).map(|n| {
            let engine = Arc::clone(&engine);
            let n = made + n;
            async move {
                let create = Create::new(OLD, format!("thing-{n:08}"), content(n));
                engine.create(&caller(), &of(), create).await.unwrap();
            }
        });
        some.buffer_unordered(CALLERS).collect::<()>().await;
        made += CALLERS * 16;
    }
    let engine_rate = per_second(made, begun);
    let writes = std::mem::take(&mut *recording.noted.lock().unwrap());
    let bare = StoreFolder::new().await;
    let store = bare.store();
    let writes: Vec<AtomicWrite> = writes.into_iter().map(unconditional).collect();
    let count = writes.len();
    let keys: usize = writes.iter().map(|write| write.steps.len()).sum();
    let begun = Instant::now();
    let written = futures::stream::iter(writes).map(|write| {
        let store = Arc::clone(&store);
        async move {
            store.atomic_write(write).await.unwrap();
        }
    });
    written.buffer_unordered(CALLERS).collect::<()>().await;
    let bare_rate = per_second(count, begun);
    at_least(
        "creates by 64 callers / the same keys and bytes",
        engine_rate / bare_rate,
        0.5,
        &format!(
            "{engine_rate:.0}/s against {bare_rate:.0}/s, {} keys each",
            keys / count.max(1)
        ),
    );
}

/// The same steps without what only the engine's own store would satisfy.
fn unconditional(mut write: AtomicWrite) -> AtomicWrite {
    write
        .steps
        .retain(|step| step.action != coeval_storage::WriteAction::Nop);
    for step in &mut write.steps {
        step.condition = WriteCondition::Whatever;
    }
    write
}

#[expect(clippy::cast_precision_loss, reason = "a count of operations")]
fn per_second(count: usize, begun: Instant) -> f64 {
    count as f64 / begun.elapsed().as_secs_f64()
}
