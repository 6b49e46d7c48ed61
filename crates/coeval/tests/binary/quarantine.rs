use crate::support::{coeval, stderr};
use coeval_access::{AccessSubject, Rights};
use coeval_core::version::Version;
use coeval_engine::seal::Keyring;
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{Caller, Engine, SYSTEM_ORG, Settings, Target, TypeKey};
use coeval_storage::KeySpan;
use coeval_stores::{OpenOptions, open};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const FILE: &str = "
kind: type
version: v1
metadata: {name: 'acme:app:1.0.0'}
spec:
  vendor: acme
  nss: app
  version: 1.0.0
  schema: {type: object, properties: {image: {type: string}, password: {type: string, x-vcloud-restricted: secure}}}
";

fn store(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.arg("store").args(arguments.split(' '));
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code(), out, stderr(&output))
}

fn admin() -> Caller {
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

/// A store with two resources, and what `change` did to it afterwards.
async fn filled(folder: &Path, keys: Option<&str>, change: impl AsyncFnOnce(&Engine, Target)) {
    let url = format!("sqlite:{}", folder.join("s.db").display());
    let opened = open(&url, OpenOptions::default()).await.unwrap();
    let keyring = keys.map(|text| Arc::new(Keyring::parse(text).unwrap()));
    let settings = Settings {
        keyring,
        ..Settings::default()
    };
    let engine = Engine::new(Arc::clone(&opened.store), settings);
    let of = TypeKey::new("acme", "app");
    if engine.type_state(&of).await.is_err() {
        engine
            .register(&admin(), Registration::of(FILE))
            .await
            .unwrap();
        for name in ["web", "db"] {
            let mut body = json!({"image": name});
            if keys.is_some() {
                body["password"] = json!("open sesame");
            }
            let create = Create::new(Version::new(1, 0, 0), name, body);
            engine.create(&admin(), &of, create).await.unwrap();
        }
    }
    let web = Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: "web".to_owned(),
    };
    change(&engine, web).await;
    opened.store.close().await;
}

#[tokio::test]
async fn what_does_not_agree_is_listed_and_repaired() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    filled(folder, None, async |engine, _| {
        let owners = KeySpan::below(&"x/acme/app/owner".try_into().unwrap());
        assert_eq!(engine.store().delete_range(owners).await.unwrap(), 2);
    })
    .await;
    let (code, out, err) = store(folder, "check --store sqlite:s.db");
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(
        out.contains("an index does not find the resource [COEVAL-6020] (can be repaired)"),
        "{out}"
    );
    assert!(
        out.contains("2 resources compared with their indexes, 2 wrong"),
        "{out}"
    );
    assert!(err.contains("store quarantine --repair"), "{err}");
    let (code, out, _) = store(folder, "quarantine --json --store sqlite:s.db");
    assert_eq!(code, Some(1));
    for line in out.lines() {
        let told: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&told["kind"], &told["repaired"]),
            (&json!("indexMissing"), &json!(false))
        );
    }
    assert_eq!(out.lines().count(), 2);
    let (code, out, err) = store(folder, "quarantine --repair --store sqlite:s.db");
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.lines().all(|line| line.ends_with("(repaired)")),
        "{out}"
    );
    let (code, out, _) = store(folder, "check --store sqlite:s.db");
    assert_eq!(code, Some(0), "{out}");
}

#[tokio::test]
async fn keys_are_made_and_rotated() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let line = |id: &str| store(folder, &format!("new-key {id}")).1;
    let (old, new) = (line("first"), line("second"));
    assert!(
        old.starts_with("first:") && new.starts_with("second:"),
        "{old}{new}"
    );
    let (code, _, err) = store(folder, "new-key not/an/id");
    assert_eq!(code, Some(2), "{err}");
    filled(folder, Some(&old), async |_, _| {}).await;
    std::fs::write(folder.join("keys"), format!("{new}{old}")).unwrap();
    let (code, out, err) = store(folder, "rotate-keys --secret-keys keys --store sqlite:s.db");
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(
        out,
        "2 sealed anew, 0 had the current key, 0 could not be opened\n"
    );
    // The new key is enough now, and the old one of no use.
    std::fs::write(folder.join("old"), &old).unwrap();
    let (code, _, err) = store(folder, "rotate-keys --secret-keys old --store sqlite:s.db");
    assert_eq!(code, Some(1), "{err}");
    let key = old.trim().rsplit(':').next().unwrap();
    assert!(!err.contains(key), "a key in an error");
    filled(folder, Some(&new), async |engine, web| {
        let of = TypeKey::new("acme", "app");
        let member = coeval_access::AclMember::User("admin".to_owned());
        let level = coeval_access::AccessLevel::FullControl;
        let grant = coeval_access::Grant { member, level };
        engine.grant(&admin(), &of, &web, &grant).await.unwrap();
        let secrets = engine.secrets(&admin(), &of, &web).await.unwrap();
        assert_eq!(secrets["/password"], json!("open sesame"));
    })
    .await;
    let (code, _, err) = store(folder, "rotate-keys --store sqlite:s.db");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("COEVAL_SECRET_KEYRING"), "{err}");
}
