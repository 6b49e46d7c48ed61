//! An engine on a store of its own, with the generated types.

use coeval_access::{AccessSubject, Rights};
use coeval_core_suite::world::TypeWorld;
use coeval_engine::types::Registration;
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, TypeKey};
use coeval_stores::{OpenOptions, OpenStore, open};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) admin: Caller,
    _opened: OpenStore,
    _folder: tempfile::TempDir,
}

impl Server {
    pub(crate) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
        let opened = open(&url, OpenOptions::default()).await.unwrap();
        let engine = Engine::open(Arc::clone(&opened.store), Settings::default()).await;
        let roles = vec!["System Administrator".to_owned()];
        let admin = AccessSubject::provider("admin", SYSTEM_ORG, roles, Rights::everything());
        Self {
            engine: engine.unwrap(),
            admin: Caller::new(Arc::new(admin)),
            _opened: opened,
            _folder: folder,
        }
    }

    /// Registers all versions of a world, in their order, whatever is found: a bump that is too small
    /// marks the version unproven, as it does for clients of the RDE API.
    pub(crate) async fn register(&self, world: &TypeWorld) -> TypeKey {
        let nss = format!("w{}", world.seed);
        for number in 0..world.made.len() {
            let file = file(world, number, &nss);
            let registration = Registration::of(file.to_string()).warn();
            let registered = self.engine.register(&self.admin, registration).await;
            registered.unwrap_or_else(|error| panic!("world {}: {error}\n{file}", world.seed));
        }
        TypeKey::new("acme", &nss)
    }
}

/// One type in 160 accepts edits at the stored version alone: few, since nearly every save at
/// another version is refused there.
pub(crate) fn is_strict(world: &TypeWorld) -> bool {
    world.seed % 160 == 95
}

/// One in forty changes a meaning with every version.
pub(crate) fn changes_meaning(world: &TypeWorld) -> bool {
    world.seed % 40 == 21
}

pub(crate) fn file(world: &TypeWorld, number: usize, nss: &str) -> Value {
    let mut file = world.file(number, nss);
    if is_strict(world) {
        file["spec"]["skew"] = json!("strict");
    }
    let field = &world.made[number].fields[0].name;
    if changes_meaning(world) && number > 0 {
        let escaped = field.replace('~', "~0").replace('/', "~1");
        file["spec"]["meaningChanged"] = json!([format!("/{escaped}")]);
    }
    file
}
