//! A store with a type of two versions and many resources of 2 KiB.

use coeval_access::{AccessSubject, Rights};
use coeval_core::version::{Uuid, Version};
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, TypeKey};
use coeval_storage::DynStore;
use coeval_stores::{OpenOptions, OpenStore, open};
use futures::StreamExt;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// A store in a folder of its own.
pub(crate) struct StoreFolder {
    pub(crate) opened: OpenStore,
    _folder: tempfile::TempDir,
}

impl StoreFolder {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}/coeval.db", folder.path().display());
        let opened = open(&url, OpenOptions::default()).await.unwrap();
        Self {
            opened,
            _folder: folder,
        }
    }

    pub(crate) fn store(&self) -> DynStore {
        Arc::clone(&self.opened.store)
    }
}

/// Many resources.
pub(crate) struct ResourceWorld {
    pub(crate) place: StoreFolder,
    pub(crate) ids: Arc<Vec<Uuid>>,
}

pub(crate) fn caller() -> Caller {
    let subject = AccessSubject::provider("bench", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

pub(crate) fn of() -> TypeKey {
    TypeKey::new("bench", "thing")
}

pub(crate) const OLD: Version = Version::new(1, 0, 0);
pub(crate) const NEW: Version = Version::new(2, 0, 0);

/// Version 2 differs from version 1 by ten steps.
pub(crate) fn files() -> [String; 2] {
    let properties = |prefix: &str| -> String {
        let fields = (0..10).map(|n| format!("{prefix}{n}: {{type: string}}"));
        let fields: Vec<_> = fields.chain(["rest: {type: string}".to_owned()]).collect();
        fields.join(", ")
    };
    let head = |version: &str| {
        format!(
            "kind: type\nversion: v1\nmetadata: {{name: \"bench:thing:{version}\"}}\nspec:\n  vendor: bench\n  nss: thing\n  version: {version}\n"
        )
    };
    let steps: Vec<String> = (0..10)
        .map(|n| format!("{{rename: {{path: /a{n}, to: b{n}}}}}"))
        .collect();
    [
        format!(
            "{}  schema: {{type: object, properties: {{{}}}}}\n",
            head("1.0.0"),
            properties("a")
        ),
        format!(
            "{}  schema: {{type: object, properties: {{{}}}}}\n  conversion: {{from: 1.0.0, steps: [{}]}}\n",
            head("2.0.0"),
            properties("b"),
            steps.join(", ")
        ),
    ]
}

/// 2 KiB of content at version 1.
pub(crate) fn content(n: usize) -> Value {
    let mut content = json!({"rest": "r".repeat(1_650)});
    for field in 0..10 {
        content[format!("a{field}")] = json!(format!("value {field} of resource {n:08}"));
    }
    content
}

pub(crate) async fn register(engine: &Engine) {
    for file in files() {
        engine
            .register(&caller(), Registration::of(file))
            .await
            .unwrap();
    }
}

impl ResourceWorld {
    pub(crate) async fn with(resources: usize) -> Self {
        let place = StoreFolder::new().await;
        let engine = Arc::new(Engine::new(place.store(), Settings::default()));
        register(&engine).await;
        let begun = Instant::now();
        let made = futures::stream::iter(0..resources).map(|n| {
            let engine = Arc::clone(&engine);
            async move {
                let create = Create::new(OLD, format!("thing-{n:08}"), content(n));
                let made = engine.create(&caller(), &of(), create).await.unwrap();
                made.resource.id
            }
        });
        // Many at a time, so that they share commits.
        let ids: Vec<Uuid> = made.buffer_unordered(256).collect().await;
        println!(
            "{resources} resources made in {:.1} s",
            begun.elapsed().as_secs_f64()
        );
        Self {
            place,
            ids: Arc::new(ids),
        }
    }
}
