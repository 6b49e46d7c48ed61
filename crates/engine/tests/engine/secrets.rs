//! Fields that not everybody sees: private, protected, and secure ones, which nobody does.

use crate::world::{OTHER, TENANT, World, admin, app, app_file, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_engine::seal::{KeyId, Keyring};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Engine, Resource, Settings, Target};
use coeval_storage::{KeySpan, ReadRange};
use serde_json::{Value, json};
use std::sync::Arc;

const SECRET: &str = "correct horse battery staple";

pub(crate) fn keyring(ids: &[&str]) -> (String, Arc<Keyring>) {
    let line = |id: &&str| {
        Keyring::generate_line(&KeyId::new(id).unwrap())
            .unwrap()
            .to_string()
    };
    let text = ids.iter().map(line).collect::<Vec<_>>().join("\n");
    let ring = Keyring::parse(&text).unwrap();
    (text, Arc::new(ring))
}

fn settings(ring: &Arc<Keyring>) -> Settings {
    Settings {
        keyring: Some(Arc::clone(ring)),
        ..Settings::default()
    }
}

fn files() -> [String; 2] {
    let properties = "image: {type: string}, cost: {type: integer, x-vcloud-restricted: private}, quota: {type: integer, x-vcloud-restricted: protected}, password: {type: string, x-vcloud-restricted: secure}";
    let one = format!("  schema: {{type: object, properties: {{{properties}}}}}\n");
    let moved = properties.replace("password:", "secret:");
    let two = format!(
        "  schema: {{type: object, properties: {{{moved}}}}}\n  conversion: {{from: 1.0.0, steps: [{{rename: {{path: /password, to: secret}}}}]}}\n"
    );
    [app_file("1.0.0", &one), app_file("2.0.0", &two)]
}

async fn prepared(world: &World, engine: &Engine) -> Target {
    for file in files() {
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    world.open_to_tenants(&["1.0.0", "2.0.0"]).await;
    let body = json!({"image": "a", "cost": 7, "quota": 3, "password": SECRET});
    let create = Create::new(v("1.0.0"), "web", body);
    let made = engine.create(&owner(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    for (user, level) in [("writer", AccessLevel::ReadWrite)] {
        let member = AclMember::User(user.to_owned());
        engine
            .grant(&owner(), &app(), &id, &Grant { member, level })
            .await
            .unwrap();
    }
    id
}

fn owner() -> Caller {
    let rights = ["acme:app: Full Access", "Custom entity: View secrets"];
    tenant("owner", TENANT, &rights)
}

fn writer() -> Caller {
    tenant(
        "writer",
        TENANT,
        &["acme:app: Full Access", "Custom entity: View secrets"],
    )
}

fn content(resource: &Resource) -> Value {
    serde_json::from_slice(&resource.content).unwrap()
}

/// Whether the text stands in clear anywhere in the store, its events included.
async fn stands_in_clear(engine: &Engine, text: &str) -> bool {
    let found = |bytes: &[u8]| {
        bytes
            .windows(text.len())
            .any(|some| some == text.as_bytes())
    };
    let mut range = ReadRange::of(KeySpan::everything());
    loop {
        let (_, page) = engine.store().range(range.clone()).await.unwrap();
        for entry in &page.entries {
            let record = entry.stored.record().unwrap();
            let fields = record.content.fields.iter().any(|(_, value)| found(value));
            if fields || found(&record.content.body) || found(entry.key.as_bytes()) {
                return true;
            }
        }
        match page.entries.last() {
            Some(last) if page.more => range = range.after(&last.key),
            _ => return false,
        }
    }
}

pub(crate) async fn a_secure_field_is_encrypted_and_kept_by_those_who_do_not_see_it(
    mut world: World,
) {
    let (_, ring) = keyring(&["k1"]);
    let engine = world.another(settings(&ring)).await;
    let id = prepared(&world, &engine).await;
    assert!(!stands_in_clear(&engine, SECRET).await);
    let seen = engine.get(&owner(), &app(), &id).await.unwrap();
    assert_eq!(content(&seen), json!({"image": "a", "cost": 7, "quota": 3}));
    assert_eq!(*seen.secure, ["/password"]);
    // Another version, where it has another name.
    let there = engine
        .get(&owner().at(v("2.0.0")), &app(), &id)
        .await
        .unwrap();
    assert_eq!(
        content(&there),
        json!({"image": "a", "cost": 7, "quota": 3})
    );
    assert_eq!(*there.secure, ["/secret"]);
    // A writer changes what it sees; the rest stays.
    let limited = engine.get(&writer(), &app(), &id).await.unwrap();
    assert_eq!(content(&limited), json!({"image": "a", "quota": 3}));
    let update = Update::new(v("1.0.0"), json!({"image": "b", "quota": 3}));
    engine
        .update(&writer(), &app(), &id, &update)
        .await
        .unwrap();
    let after = engine.get(&owner(), &app(), &id).await.unwrap();
    assert_eq!(
        content(&after),
        json!({"image": "b", "cost": 7, "quota": 3})
    );
    let secrets = engine.secrets(&owner(), &app(), &id).await.unwrap();
    assert_eq!(secrets["/password"], json!(SECRET));
    // Only a grant of full control opens them, and a protected field is not for writers.
    assert!(engine.secrets(&writer(), &app(), &id).await.is_err());
    let update = Update::new(v("1.0.0"), json!({"image": "b", "quota": 99}));
    let refused = engine
        .update(&writer(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::RESTRICTED_FIELDS);
    let stranger = tenant("stranger", OTHER, &["acme:app: Full Access"]);
    assert!(engine.secrets(&stranger, &app(), &id).await.is_err());
}

pub(crate) async fn without_a_key_a_secure_field_is_refused(world: World) {
    for file in files() {
        world
            .engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    let body = json!({"image": "a", "password": SECRET});
    let create = Create::new(v("1.0.0"), "web", body);
    let refused = world
        .engine
        .create(&admin(), &app(), create)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::SECRETS_NO_KEY);
    assert!(!refused.to_string().contains(SECRET));
    assert!(!stands_in_clear(&world.engine, SECRET).await);
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    world.engine.create(&admin(), &app(), create).await.unwrap();
}

pub(crate) async fn a_rotation_seals_everything_by_the_new_key(mut world: World) {
    let (old_line, ring) = keyring(&["k1"]);
    let engine = world.another(settings(&ring)).await;
    let id = prepared(&world, &engine).await;
    let before = engine.get(&owner(), &app(), &id).await.unwrap();
    let (new_line, alone) = keyring(&["k2"]);
    let both = Keyring::parse(&format!("{new_line}\n{old_line}")).unwrap();
    let rotating = world.another(settings(&Arc::new(both))).await;
    let rotated = rotating.rotate_secrets(&|_| {}).await.unwrap();
    assert_eq!((rotated.sealed, rotated.current, rotated.failed), (1, 0, 0));
    let again = rotating.rotate_secrets(&|_| {}).await.unwrap();
    assert_eq!((again.sealed, again.current), (0, 1));
    // The new key alone opens it, nobody sees a new revision, and the old key is of no use.
    let only_new = world.another(settings(&alone)).await;
    let secrets = only_new.secrets(&owner(), &app(), &id).await.unwrap();
    assert_eq!(secrets["/password"], json!(SECRET));
    let after = only_new.get(&owner(), &app(), &id).await.unwrap();
    assert_eq!(after.revision, before.revision);
    let refused = engine.secrets(&owner(), &app(), &id).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::SEALED_KEY_UNKNOWN);
}
