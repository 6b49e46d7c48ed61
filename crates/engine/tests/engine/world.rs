//! A store of its own for each test, and callers.

use coeval_access::{AccessLevel, AccessSubject, Acl, AclMember, Grant, Rights};
use coeval_core::version::Version;
use coeval_engine::identity::PasswordCost;
use coeval_engine::{Caller, Engine, ResourceBelongings, SYSTEM_ORG, Settings, TypeKey};
use coeval_storage_suite::servers::{fresh_name, shared_etcd, shared_postgres};
use coeval_stores::{OpenOptions, OpenStore, open};
use std::sync::Arc;

/// A tenant.
pub(crate) const TENANT: &str = "urn:vcloud:org:00000000-0000-0000-0000-000000000001";
/// Another one.
pub(crate) const OTHER: &str = "urn:vcloud:org:00000000-0000-0000-0000-000000000002";

/// A store and an engine on it.
pub(crate) struct World {
    url: String,
    pub(crate) engine: Arc<Engine>,
    opened: Vec<OpenStore>,
    _folder: Option<tempfile::TempDir>,
}

impl World {
    pub(crate) async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("coeval.db");
        let url = format!("sqlite:{}", path.display());
        Self::at(url, Some(folder)).await
    }

    pub(crate) async fn postgres() -> Self {
        let url = shared_postgres();
        let mark = if url.contains('?') { '&' } else { '?' };
        Self::at(format!("{url}{mark}schema={}", fresh_name()), None).await
    }

    pub(crate) async fn etcd() -> Self {
        let url = shared_etcd();
        Self::at(format!("{url}/{}", fresh_name()), None).await
    }

    /// One that holds no more than a few events in memory.
    pub(crate) async fn with_small_ring() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("coeval.db");
        let url = format!("sqlite:{}", path.display());
        let mut options = options();
        options.ring.groups = 8;
        Self::opened_at(url, Some(folder), options).await
    }

    async fn at(url: String, folder: Option<tempfile::TempDir>) -> Self {
        Self::opened_at(url, folder, options()).await
    }

    async fn opened_at(
        url: String,
        folder: Option<tempfile::TempDir>,
        options: OpenOptions,
    ) -> Self {
        let opened = open(&url, options).await.unwrap();
        let engine = Engine::open(Arc::clone(&opened.store), settings()).await;
        let engine = engine.unwrap();
        Self {
            url,
            engine: Arc::new(engine),
            opened: vec![opened],
            _folder: folder,
        }
    }

    /// Lets both tenants work with these versions of `acme:app`.
    pub(crate) async fn open_to_tenants(&self, versions: &[&str]) {
        let (admin, app) = (admin(), app());
        for version in versions {
            let let_in = |acl: &mut Acl| {
                for org in [TENANT, OTHER] {
                    let member = AclMember::Org(org.to_owned());
                    let level = AccessLevel::ReadWrite;
                    acl.set(Grant { member, level }, AccessLevel::FullControl)?;
                }
                Ok(())
            };
            let done = self.engine.set_type_acl(&admin, &app, v(version), let_in);
            done.await.unwrap();
        }
    }

    /// Takes a version of `acme:app` from both tenants.
    pub(crate) async fn hide(&self, version: &str) {
        let keep_out = |acl: &mut Acl| {
            for org in [TENANT, OTHER] {
                acl.remove(&AclMember::Org(org.to_owned()), AccessLevel::FullControl)?;
            }
            Ok(())
        };
        let (admin, app) = (admin(), app());
        let done = self.engine.set_type_acl(&admin, &app, v(version), keep_out);
        done.await.unwrap();
    }

    /// Another engine on the same store: another handle where the store allows it.
    pub(crate) async fn another(&mut self, settings: Settings) -> Arc<Engine> {
        let store = if self.url.starts_with("sqlite:") {
            Arc::clone(&self.opened[0].store)
        } else {
            let opened = open(&self.url, options()).await.unwrap();
            let store = Arc::clone(&opened.store);
            self.opened.push(opened);
            store
        };
        Arc::new(Engine::open(store, settings).await.unwrap())
    }
}

/// Everything as a server has it.
fn options() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.maintenance.dependents = Some(Arc::new(ResourceBelongings::default()));
    options
}

/// The defaults, with passwords that are hashed in no time.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.identity.password_cost = PasswordCost::CHEAP;
    settings
}

/// Somebody of the provider who may do everything.
pub(crate) fn admin() -> Caller {
    let roles = vec!["System Administrator".to_owned()];
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, roles, Rights::everything());
    Caller::new(Arc::new(subject))
}

/// Somebody of a tenant with these rights.
pub(crate) fn tenant(user: &str, org: &str, rights: &[&str]) -> Caller {
    let rights = Rights::from_names(rights.iter().copied());
    Caller::new(Arc::new(AccessSubject::tenant(
        user,
        org,
        Vec::new(),
        rights,
    )))
}

pub(crate) fn v(text: &str) -> Version {
    Version::parse_full(text).unwrap()
}

pub(crate) fn app() -> TypeKey {
    TypeKey::new("acme", "app")
}

/// A type file of `acme:app`.
pub(crate) fn app_file(version: &str, spec: &str) -> String {
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{version}\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {version}\n{spec}"
    )
}

/// The first version: name and image.
pub(crate) fn app_1_0() -> String {
    app_file(
        "1.0.0",
        "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer, minimum: 0}}}\n  indexes: {image: /image}\n",
    )
}

/// The second: with a region and ports.
pub(crate) fn app_1_1() -> String {
    app_file(
        "1.1.0",
        "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer, minimum: 0}, region: {type: string}}}\n  indexes: {image: /image, region: /region}\n  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}\n  since: {/region: 1.1.0}\n",
    )
}
