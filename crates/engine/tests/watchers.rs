//! A thousand watchers at three versions: what one write costs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use coeval_access::{AccessSubject, Rights};
use coeval_core::version::Version;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    Caller, Engine, SYSTEM_ORG, Settings, Target, TypeKey, WatchQuery, WatchStream, Watched,
    WatchedChange,
};
use coeval_stores::{OpenOptions, open};
use futures::StreamExt;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const WATCHERS: usize = 1_000;
const WRITES: usize = 50;

fn v(text: &str) -> Version {
    Version::parse_full(text).unwrap()
}

fn app() -> TypeKey {
    TypeKey::new("acme", "app")
}

fn admin() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, vec![], Rights::everything());
    Caller::new(Arc::new(subject))
}

fn file(version: &str, properties: &str, conversion: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{version}\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {version}\n  schema: {{type: object, properties: {{{properties}}}}}\n{conversion}"
    )
}

fn counted(text: &str) -> u64 {
    let lines = text.lines();
    let of_it = lines.filter(|line| line.starts_with("coeval_conversions_total"));
    of_it
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum()
}

/// Reads until it has had so many changes; how many of them were encoded anew.
async fn drain(engine: &Engine, mut stream: WatchStream, form: u64, made: &AtomicUsize) -> usize {
    let (mut changes, mut bytes) = (0, 0);
    while changes < WRITES {
        let Watched::Changes(_, group) = stream.next().await.unwrap().unwrap() else {
            continue;
        };
        for change in group {
            let WatchedChange::Put(resource) = change else {
                panic!("{change:?}");
            };
            let encoded = engine.encoded(&resource, form, |resource| {
                made.fetch_add(1, Ordering::Relaxed);
                resource.content.clone()
            });
            bytes += encoded.len();
            changes += 1;
        }
    }
    bytes
}

async fn scene() -> (
    tempfile::TempDir,
    coeval_stores::OpenStore,
    Arc<Engine>,
    Target,
) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
    let opened = open(&url, OpenOptions::default()).await.unwrap();
    let engine = Engine::open(Arc::clone(&opened.store), Settings::default()).await;
    let engine = Arc::new(engine.unwrap());
    for file in [
        file("1.0.0", "image: {type: string}", ""),
        file(
            "1.1.0",
            "image: {type: string}, region: {type: string}",
            "  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}\n",
        ),
        file(
            "2.0.0",
            "img: {type: string}, region: {type: string}",
            "  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: img}}]}\n",
        ),
    ] {
        let registration = Registration::of(file).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
    let create = Create::new(v("1.1.0"), "web", json!({"image": "a", "region": "eu"}));
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    (folder, opened, engine, Target::Id(made.resource.id))
}

#[test]
fn a_thousand_watchers_at_three_versions_cost_three_conversions_and_encodings_a_write() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::with_local_recorder(&recorder, || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let (_folder, _opened, engine, id) = scene().await;
            let mut streams = Vec::new();
            for n in 0..WATCHERS {
                let caller = match n % 3 {
                    0 => admin(),
                    1 => admin().at(v("1.0.0")),
                    _ => admin().at(v("2.0.0")),
                };
                let query = WatchQuery::of(app());
                streams.push(engine.watch(&caller, query).await.unwrap());
            }
            let before = counted(&handle.render());
            for n in 0..WRITES {
                let body = json!({"image": format!("a{n}"), "region": "eu"});
                let update = Update::new(v("1.1.0"), body);
                engine.update(&admin(), &app(), &id, &update).await.unwrap();
            }
            let writes = counted(&handle.render()) - before;
            let made = AtomicUsize::new(0);
            let began = Instant::now();
            let all = streams
                .into_iter()
                .map(|stream| drain(&engine, stream, 1, &made));
            let read = futures::future::join_all(all).await;
            assert!(read.into_iter().all(|bytes| bytes > 0));
            let delivered = (WATCHERS * WRITES) as f64 / began.elapsed().as_secs_f64();
            println!("{delivered:.0} events a second delivered");
            let conversions = counted(&handle.render()) - before;
            println!("{conversions} conversions, {writes} of them by the writer");
            assert!(conversions <= 3 * WRITES as u64, "{conversions}");
            let encodings = made.load(Ordering::Relaxed);
            assert!(encodings <= 3 * WRITES, "{encodings}");
        });
    });
}
