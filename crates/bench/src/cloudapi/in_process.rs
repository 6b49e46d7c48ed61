//! The limit for creates: the engine called directly, in this process, on a store of the same kind.

use super::TYPE;
use super::parts::content;
use crate::store_url::place_in;
use coeval_access::{AccessSubject, Rights};
use coeval_core::version::Version;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create};
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, TypeKey};
use coeval_stores::{OpenOptions, open};
use futures::StreamExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Creates a second, by so many callers at a time.
#[expect(clippy::cast_precision_loss, reason = "a count of operations")]
pub(crate) async fn creates(store: Option<&str>, callers: usize, time: Duration) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let url = match store {
        None => format!("sqlite:{}", folder.path().join("coeval.db").display()),
        Some(store) => place_in(store, "coeval_limit"),
    };
    let opened = open(&url, OpenOptions::default()).await.unwrap();
    let engine = Engine::open(Arc::clone(&opened.store), Settings::default());
    let engine = Arc::new(engine.await.unwrap());
    let subject = AccessSubject::provider("bench", SYSTEM_ORG, Vec::new(), Rights::everything());
    let caller = Caller::new(Arc::new(subject));
    engine
        .register(&caller, Registration::of(TYPE))
        .await
        .unwrap();
    let of = TypeKey::new("acme", "thing");
    let begun = Instant::now();
    let mut made = 0_usize;
    while begun.elapsed() < time {
        // In batches, so that the clock is not asked for each of them.
        let batch = callers * 16;
        let some = futures::stream::iter(made..made + batch).map(|number| {
            let (engine, caller, of) = (Arc::clone(&engine), caller.clone(), of.clone());
            async move {
                let content = content(number as u64);
                let create = Create {
                    // As the API creates them, so that both do the same work.
                    unique: false,
                    checking: Checking::Later,
                    announced: true,
                    ..Create::new(Version::new(1, 0, 0), format!("thing-{number}"), content)
                };
                engine.create(&caller, &of, create).await.unwrap();
            }
        });
        some.buffer_unordered(callers).collect::<()>().await;
        made += batch;
    }
    let rate = made as f64 / begun.elapsed().as_secs_f64();
    opened.store.close().await;
    rate
}
