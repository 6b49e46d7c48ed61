//! What needs a server that is set up in a special way: secure fields, and writes that must say
//! which revision they change.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use axum::Router;
use axum::body::Body;
use coeval_cloudapi::{CloudApi, CloudApiSettings};
use coeval_engine::identity::{Bootstrap, PasswordCost};
use coeval_engine::seal::{KeyId, Keyring};
use coeval_engine::{AuditQuery, Engine, What};
use coeval_stores::{OpenOptions, OpenStore, open};
use http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt;

const TYPE: &str = "kind: type
version: v1
metadata: {name: \"acme:app:1.0.0\"}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema: {type: object, properties: {image: {type: string}, password: {type: string, x-vcloud-restricted: [private, secure]}, keys: {type: array, items: {type: string, x-vcloud-restricted: secure}}}}
";

struct Api {
    router: Router,
    engine: Arc<Engine>,
    token: String,
    _opened: OpenStore,
    _folder: tempfile::TempDir,
}

struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    json: Value,
}

impl Api {
    async fn new(set: impl FnOnce(&mut CloudApiSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("coeval.db").display());
        let opened = open(&url, OpenOptions::default()).await.unwrap();
        let line = Keyring::generate_line(&KeyId::new("k1").unwrap()).unwrap();
        let mut settings = coeval_engine::Settings {
            keyring: Some(Arc::new(Keyring::parse(&line).unwrap())),
            ..coeval_engine::Settings::default()
        };
        settings.identity.password_cost = PasswordCost::CHEAP;
        let engine = Engine::open(Arc::clone(&opened.store), settings).await;
        let engine = Arc::new(engine.unwrap());
        let bootstrap: Bootstrap = serde_json::from_value(json!({
            "types": [TYPE],
            "users": [{"name": "root", "password": "secret", "roles": ["System Administrator"]}],
        }))
        .unwrap();
        engine.bootstrap(&bootstrap).await.unwrap();
        let mut settings = CloudApiSettings::new("http://api");
        set(&mut settings);
        let mut api = Self {
            router: CloudApi::new(Arc::clone(&engine), settings).router(),
            engine,
            token: String::new(),
            _opened: opened,
            _folder: folder,
        };
        // root@System:secret
        let basic = [("authorization", "Basic cm9vdEBTeXN0ZW06c2VjcmV0")];
        let login = api.send("POST", "sessions/provider", &basic, None).await;
        assert_eq!(login.status, 200);
        let token = login.headers["x-vmware-vcloud-access-token"].to_str();
        api.token = token.unwrap().to_owned();
        api
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/cloudapi/1.0.0/{path}"));
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        Reply {
            status: parts.status,
            headers: parts.headers,
            json: serde_json::from_slice(&bytes).unwrap_or_default(),
        }
    }

    /// At an API version.
    async fn at(&self, version: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let accept = format!("application/json;version={version}");
        self.send(method, path, &[("accept", &accept)], body).await
    }

    async fn make(&self, entity: Value) -> String {
        let body = json!({"name": "e1", "entity": entity});
        let path = "entityTypes/urn:vcloud:type:acme:app:1.0.0?resolveEntity=true";
        let made = self.send("POST", path, &[], Some(&body)).await;
        assert_eq!(made.status, 202, "{:?}", made.json);
        let listed = self.send("GET", "entities/types/acme/app", &[], None).await;
        let id = listed.json["values"][0]["id"].as_str().unwrap();
        format!("entities/{id}")
    }
}

#[tokio::test]
async fn a_secure_field_is_masked_kept_removed_and_shown_in_full_to_who_may_ask() {
    let api = Api::new(|_| {}).await;
    let path = api.make(json!({"image": "a", "password": "hush"})).await;
    let full = async || {
        let full = api
            .send("GET", &format!("{path}/fullContents"), &[], None)
            .await;
        assert_eq!(full.status, 200, "{:?}", full.json);
        full.json["entity"].clone()
    };
    for (version, shown) in [
        ("37.2", json!({"image": "a"})),
        ("38.0", json!({"image": "a", "password": "******"})),
        ("39.1", json!({"image": "a", "password": "******"})),
    ] {
        let one = api.at(version, "GET", &path, None).await;
        assert_eq!(one.json["entity"], shown, "{version}");
        let list = api
            .at(version, "GET", "entities/types/acme/app/1", None)
            .await;
        assert_eq!(list.json["values"][0]["entity"], shown, "{version}");
        let resolved = api
            .at(version, "POST", &format!("{path}/resolve"), None)
            .await;
        assert_eq!(resolved.json["entity"], shown, "{version}");
        // What was read can be sent back.
        let put = api.at(version, "PUT", &path, Some(&one.json)).await;
        assert_eq!((put.status.as_u16(), &put.json["entity"]), (200, &shown));
        assert_eq!(full().await, json!({"image": "a", "password": "hush"}));
    }
    let body = json!({"name": "e1", "entity": {"image": "b", "password": "new"}});
    let put = api.at("37.2", "PUT", &path, Some(&body)).await;
    assert_eq!(put.json["entity"], json!({"image": "b"}), "{:?}", put.json);
    assert_eq!(full().await["password"], "new");
    let body = json!({"name": "e1", "entity": {"image": "b", "password": null}});
    let put = api.at("39.1", "PUT", &path, Some(&body)).await;
    assert_eq!(put.json["entity"], json!({"image": "b"}), "{:?}", put.json);
    assert_eq!(full().await, json!({"image": "b"}));
    let (by, query) = (
        api.engine.caller(&api.token, None, Default::default()),
        AuditQuery::default(),
    );
    let deeds = api
        .engine
        .audit(&by.await.unwrap(), &query, None, 100)
        .await;
    let deeds = deeds.unwrap();
    let read = deeds
        .iter()
        .filter(|one| one.deed.what == What::ReadSecrets);
    assert_eq!(read.count(), 4, "each time that there was a secret");
}

#[tokio::test]
async fn secure_items_of_a_list_survive_a_read_and_a_write_at_every_api_version() {
    let api = Api::new(|_| {}).await;
    let path = api.make(json!({"image": "a", "keys": ["x", "y"]})).await;
    for version in ["39.1", "38.0", "37.2"] {
        let one = api.at(version, "GET", &path, None).await;
        let put = api.at(version, "PUT", &path, Some(&one.json)).await;
        assert_eq!(put.status, 200, "{version} {:?}", put.json);
        let full = format!("{path}/fullContents");
        let full = api.send("GET", &full, &[], None).await;
        assert_eq!(
            full.json["entity"]["keys"],
            json!(["x", "y"]),
            "{version} {}",
            one.json
        );
    }
}

#[tokio::test]
async fn where_it_is_demanded_a_write_says_which_revision_it_changes() {
    let api = Api::new(|settings| settings.if_match_required = true).await;
    let path = api.make(json!({"image": "a"})).await;
    let body = json!({"name": "e1", "entity": {"image": "b"}});
    for (method, body) in [("PUT", Some(&body)), ("DELETE", None)] {
        let refused = api.send(method, &path, &[], body).await;
        assert_eq!(refused.status, 428, "{method}");
        assert_eq!(refused.json["minorErrorCode"], "PRECONDITION_REQUIRED");
    }
    for (method, body, status) in [("PUT", Some(&body), 200), ("DELETE", None, 204)] {
        let read = api.send("GET", &path, &[], None).await;
        assert_eq!(
            read.json["entity"]["image"],
            if status == 200 { "a" } else { "b" }
        );
        let etag = read.headers["etag"].to_str().unwrap();
        let done = api.send(method, &path, &[("if-match", etag)], body).await;
        assert_eq!(done.status, status, "{method} {:?}", done.json);
    }
}
