//! How fast a mass migration is on the embedded store. Printed, not asserted: run it with
//! `cargo nextest run --release -p coeval-engine --run-ignored all --no-capture speed`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use coeval_access::{Rights, Subject};
use coeval_core::version::Version;
use coeval_engine::jobs::{JobRunner, MigrateOptions, RunnerSettings};
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, TypeKey};
use coeval_stores::{OpenOptions, open};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RESOURCES: usize = 20_000;

fn admin() -> Caller {
    let subject = Subject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn speed_of_a_conversion_of_ten_steps() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
    let opened = open(&url, OpenOptions::default()).await.unwrap();
    let engine = Arc::new(Engine::new(Arc::clone(&opened.store), Settings::default()));
    let fields = |prefix: &str| -> String {
        let one = |n| format!("{prefix}{n}: {{type: string}}");
        (0..10).map(one).collect::<Vec<_>>().join(", ")
    };
    let steps: Vec<_> = (0..10)
        .map(|n| format!("{{rename: {{path: /a{n}, to: b{n}}}}}"))
        .collect();
    let old = format!(
        "  schema: {{type: object, properties: {{{}}}}}\n",
        fields("a")
    );
    let new = format!(
        "  schema: {{type: object, properties: {{{}}}}}\n  conversion: {{from: 1.0.0, steps: [{}]}}\n",
        fields("b"),
        steps.join(", ")
    );
    for (major, spec) in [(1, old), (2, new)] {
        let file = format!(
            "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{major}.0.0\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {major}.0.0\n{spec}"
        );
        let registration = Registration::of(file).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
    let of = TypeKey::new("acme", "app");
    let mut writers = Vec::new();
    for writer in 0..64 {
        let (engine, of) = (Arc::clone(&engine), of.clone());
        writers.push(tokio::spawn(async move {
            for n in (writer..RESOURCES).step_by(64) {
                let body: serde_json::Map<_, _> = (0..10)
                    .map(|field| (format!("a{field}"), json!(format!("value {n}"))))
                    .collect();
                let create = Create::new(Version::new(1, 0, 0), format!("r{n}"), body.into());
                engine.create(&admin(), &of, create).await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    for dry_run in [true, false] {
        let options = MigrateOptions {
            dry_run,
            ..MigrateOptions::default()
        };
        let (from, to) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
        let task = engine
            .migrate_resources(&admin(), &of, from, to, &options)
            .await
            .unwrap();
        let begun = Instant::now();
        let _runner = JobRunner::start(Arc::clone(&engine), "one", RunnerSettings::default());
        let long = Duration::from_secs(600);
        let task = engine.wait_for_task(&admin(), task.id, long).await.unwrap();
        let seconds = begun.elapsed().as_secs_f64();
        assert_eq!(task.result.unwrap()["migrated"], RESOURCES);
        let what = if dry_run { "tried" } else { "migrated" };
        println!(
            "{what} {RESOURCES} in {seconds:.2} s: {:.0} a second",
            RESOURCES as f64 / seconds
        );
    }
}
