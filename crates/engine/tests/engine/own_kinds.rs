//! The engine's own kinds, and its records, by releases that know more of them than others.

use crate::identity::{code, org, user};
use crate::migrations::{drive, patiently, sound};
use crate::world::{World, admin, app, app_1_0, settings, v};
use coeval_core::phases::Phase;
use coeval_engine::identity::{Login, NewRole, Password, PasswordGiven, RoleEdit, UserEdit};
use coeval_engine::migrations::{Advance, Declared, MigrationDriver, Moved, State};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    Engine, OwnKinds, SYSTEM_ORG, Settings, Target, TypeKey, VENDOR, WantedVersions,
};
use coeval_storage::{Key, KeySpan, ReadRange};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PASSWORD: &str = "correct horse battery staple";

/// A role with a purpose, as a later release may have it.
const ROLE_1_1: &str = r#"
kind: type
version: v1
metadata: {name: "coeval:role:1.1.0"}
spec:
  vendor: coeval
  nss: role
  version: 1.1.0
  uniqueNames: true
  conversion: {from: 1.0.0, steps: [{add: {path: /purpose}}]}
  schema:
    type: object
    additionalProperties: false
    required: [rolename]
    properties:
      rolename: {type: string, minLength: 1, maxLength: 256}
      org: {type: string}
      holds: {type: string, enum: [these, everything, whatIsPublished], default: these}
      rights: {type: array, maxItems: 2000, items: {type: string, maxLength: 512}}
      predefined: {type: boolean, default: false}
      purpose: {type: string}
"#;

/// The next major: other names for its own name and for what it gives.
const ROLE_2_0: &str = r#"
kind: type
version: v1
metadata: {name: "coeval:role:2.0.0"}
spec:
  vendor: coeval
  nss: role
  version: 2.0.0
  uniqueNames: true
  conversion:
    from: 1.0.0
    steps:
      - {rename: {path: /rolename, to: title}}
      - {rename: {path: /rights, to: gives}}
  schema:
    type: object
    additionalProperties: false
    required: [title]
    properties:
      title: {type: string, minLength: 1, maxLength: 256}
      org: {type: string}
      holds: {type: string, enum: [these, everything, whatIsPublished], default: these}
      gives: {type: array, maxItems: 2000, items: {type: string, maxLength: 512}}
      predefined: {type: boolean, default: false}
"#;

/// The name of a user is elsewhere, and so are the places that indexes look at.
const USER_2_0: &str = r#"
kind: type
version: v1
metadata: {name: "coeval:user:2.0.0"}
spec:
  vendor: coeval
  nss: user
  version: 2.0.0
  uniqueNames: true
  indexes: {org: /of/org, role: "/of/roles/*"}
  conversion:
    from: 1.0.0
    steps:
      - {rename: {path: /username, to: login}}
      - {nest: {paths: [/org, /roles], under: /of}}
  schema:
    type: object
    additionalProperties: false
    required: [of, login]
    properties:
      login: {type: string, minLength: 1, maxLength: 256}
      fullName: {type: string, maxLength: 256}
      email: {type: string, maxLength: 320}
      enabled: {type: boolean, default: true}
      of:
        type: object
        additionalProperties: false
        required: [org]
        properties:
          org: {type: string}
          roles: {type: array, maxItems: 12, items: {type: string}}
      sessionEpoch: {type: integer, minimum: 0, default: 0}
      tokenEpoch: {type: integer, minimum: 0, default: 0}
"#;

/// Migrations themselves: how they go on has other names.
const MIGRATION_2_0: &str = r#"
kind: type
version: v1
metadata: {name: "coeval:migration:2.0.0"}
spec:
  vendor: coeval
  nss: migration
  version: 2.0.0
  uniqueNames: true
  conversion: {from: 1.0.0, steps: [{rename: {path: /auto, to: by-itself}}, {rename: {path: /until, to: as-far-as}}]}
  schema:
    type: object
    additionalProperties: false
    required: [type, from, to]
    properties:
      type: {type: string, minLength: 3, maxLength: 512}
      from: {type: integer, minimum: 0, maximum: 4294967295}
      to: {type: integer, minimum: 1, maximum: 4294967295}
      by-itself: {type: boolean, default: false}
      as-far-as: {type: string, enum: [mirror, read-new, backfill, soak, cutover, cleanup, finished], default: soak}
      paused: {type: boolean, default: false}
      rate: {type: integer, minimum: 0, maximum: 1000000, default: 0}
      meaningChanged: {type: array, maxItems: 100, items: {type: string, maxLength: 64}}
      observed:
        type: object
        additionalProperties: false
        properties:
          state: {type: string, enum: [running, undoing, finished, undone]}
          low: {type: string}
          high: {type: string}
          forwardDone: {type: boolean}
          backDone: {type: boolean}
          began: {type: integer}
          moved: {type: integer}
"#;

fn releasing(own_kinds: OwnKinds) -> Settings {
    Settings {
        own_kinds,
        ..settings()
    }
}

fn kind(nss: &str) -> TypeKey {
    TypeKey::new(VENDOR, nss)
}

/// The version that a resource of an own kind is stored at.
async fn stored_at(engine: &Engine, nss: &str, name: &str) -> String {
    let target = Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: name.to_owned(),
    };
    let found = engine.get(&admin(), &kind(nss), &target).await.unwrap();
    found.header.version.to_string()
}

fn role(name: &str, rights: &[&str]) -> NewRole {
    NewRole {
        name: name.to_owned(),
        org: None,
        description: None,
        rights: rights.iter().map(|right| (*right).to_owned()).collect(),
    }
}

fn rights(all: &[&str]) -> RoleEdit {
    RoleEdit {
        rights: Some(all.iter().map(|right| (*right).to_owned()).collect()),
        ..RoleEdit::default()
    }
}

/// Until it is so.
async fn until<F: Future<Output = bool>>(what: &str, so: impl Fn() -> F) {
    let end = Instant::now() + Duration::from_secs(60);
    while !so().await {
        assert!(Instant::now() < end, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Long enough for a driver to have looked several times.
async fn looked(driver: &MigrationDriver) {
    driver.settled().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
}

pub(crate) async fn a_version_of_an_own_kind_is_stored_once_every_server_knows_it(
    mut world: World,
) {
    let today = Arc::clone(&world.engine);
    let first = drive(&today, "today");
    let later = OwnKinds::default().speaking(ROLE_1_1).unwrap();
    let next = world.another(releasing(later.clone())).await;
    let driver = drive(&next, "next");
    first.settled().await;
    looked(&driver).await;
    let auditor = next
        .create_role(&admin(), &role("auditor", &["acme:app: View"]))
        .await;
    let auditor = auditor.unwrap();
    assert_eq!(stored_at(&today, "role", "auditor").await, "1.0.0");
    // Both read it, and a change by either one is the other's too.
    let edited = today
        .update_role(&admin(), &auditor.id, &rights(&["acme:app: Modify"]))
        .await;
    edited.unwrap();
    let seen = next
        .get_role(&admin(), "System", &auditor.id)
        .await
        .unwrap();
    assert_eq!(seen.rights, ["acme:app: Modify"]);
    next.update_role(&admin(), &auditor.id, &rights(&[]))
        .await
        .unwrap();
    assert_eq!(stored_at(&today, "role", "auditor").await, "1.0.0");
    // The last server of the release before stops.
    first.stop().await;
    until("1.1.0 is stored", || async {
        next.update_role(&admin(), &auditor.id, &rights(&[]))
            .await
            .unwrap();
        stored_at(&next, "role", "auditor").await == "1.1.0"
    })
    .await;
    let maker = next
        .create_role(&admin(), &role("maker", &[]))
        .await
        .unwrap();
    assert_eq!(stored_at(&next, "role", "maker").await, "1.1.0");
    // Had it only been thought gone: it guesses nothing, and changes nothing.
    let refused = today
        .update_role(&admin(), &maker.id, &rights(&["acme:app: View"]))
        .await;
    assert_eq!(code(refused), coeval_codes::LEVEL_UNKNOWN);
    assert_eq!(
        code(today.list_roles(&admin(), "System").await),
        coeval_codes::LEVEL_UNKNOWN
    );
    assert_eq!(code(today.ready().await), coeval_codes::LEVEL_UNKNOWN);
    let opened = Engine::open(Arc::clone(today.store()), settings()).await;
    assert_eq!(code(opened), coeval_codes::LEVEL_UNKNOWN);
    // A server that is told to know less is no better.
    let mut told = releasing(later);
    told.emulate.insert(kind("role"), v("1.0.0"));
    let opened = Engine::open(Arc::clone(today.store()), told).await;
    assert_eq!(code(opened), coeval_codes::LEVEL_UNKNOWN);
    next.ready().await.unwrap();
    drop(driver);
}

pub(crate) async fn a_server_that_is_told_to_know_less_keeps_the_way_back_open(mut world: World) {
    let later = OwnKinds::default().speaking(ROLE_1_1).unwrap();
    let mut told = releasing(later.clone());
    told.emulate.insert(kind("role"), v("1.0.0"));
    told.emulate.insert(kind("record"), v("1.0.0"));
    let held = world.another(told).await;
    let driver = drive(&held, "held");
    let next = world.another(releasing(later)).await;
    let other = drive(&next, "next");
    looked(&driver).await;
    looked(&other).await;
    next.create_role(&admin(), &role("auditor", &[]))
        .await
        .unwrap();
    assert_eq!(stored_at(&next, "role", "auditor").await, "1.0.0");
    // Back to the release before, with nothing to restore.
    let today = Engine::open(Arc::clone(next.store()), settings())
        .await
        .unwrap();
    assert_eq!(today.list_roles(&admin(), "System").await.unwrap().len(), 3);
    drop((driver, other));
}

async fn moved(engine: &Engine, of: &TypeKey, phase: Phase) {
    let admin = admin();
    loop {
        let now = engine.migration_status(&admin, of).await.unwrap().live;
        if now == Some((phase, phase)) {
            return;
        }
        patiently(|| engine.advance_migration(&admin, of, Advance::default())).await;
    }
}

pub(crate) async fn own_kinds_move_to_their_next_major_phase_by_phase(mut world: World) {
    let files = [ROLE_2_0, USER_2_0, MIGRATION_2_0];
    let own = files
        .into_iter()
        .fold(OwnKinds::default(), |own, file| own.knowing(file).unwrap());
    let one = world.another(releasing(own.clone())).await;
    let other = world.another(releasing(own)).await;
    let _drivers = (drive(&one, "one"), drive(&other, "other"));
    org(&one, "acme").await;
    let auditor = one
        .create_role(&admin(), &role("auditor", &[]))
        .await
        .unwrap();
    let alice = user(&one, "acme", "alice", &["auditor"]).await;
    let password = PasswordGiven::Clear(Password::new(PASSWORD));
    one.set_password(&admin(), &alice.id, &password)
        .await
        .unwrap();
    let login = Login {
        org: "acme".to_owned(),
        user: "alice".to_owned(),
        password: Password::new(PASSWORD),
        source: None,
    };
    let session = one.login(&login).await.unwrap();
    for nss in ["role", "user", "migration"] {
        let of = kind(nss);
        let declared = Declared {
            from: Some(1),
            to: Some(2),
            ..Declared::default()
        };
        one.start_migration(&admin(), &of, &declared).await.unwrap();
        for phase in Phase::ALL {
            let about = format!("{nss} at {phase}");
            moved(&one, &of, phase).await;
            // What a role gives is what its users have, at both servers, at once.
            let given = [format!("acme:{nss}-{phase}: View")];
            let edit = RoleEdit {
                rights: Some(given.to_vec()),
                ..RoleEdit::default()
            };
            other
                .update_role(&admin(), &auditor.id, &edit)
                .await
                .unwrap();
            for engine in [&one, &other] {
                let seen = engine
                    .get_role(&admin(), "System", &auditor.id)
                    .await
                    .unwrap();
                assert_eq!(seen.rights, given, "{about}");
                let roles = engine.list_roles(&admin(), "acme").await.unwrap();
                let names = roles.iter().filter(|role| role.name == "auditor");
                assert_eq!(names.count(), 1, "{about}");
                let caller = engine.caller(session.token.reveal(), None, WantedVersions::default());
                assert_eq!(caller.await.unwrap().user(), alice.id, "{about}");
                engine.login(&login).await.unwrap();
                let users = engine
                    .list_users(&admin(), "acme", None, 100)
                    .await
                    .unwrap();
                assert!(users.iter().any(|user| user.name == "alice"), "{about}");
            }
            let name = format!("u-{nss}-{phase}");
            let made = user(&other, "acme", &name, &["auditor"]).await;
            let edit = UserEdit {
                full_name: Some(Some(about.clone())),
                ..UserEdit::default()
            };
            one.update_user(&admin(), &made.id, &edit).await.unwrap();
            let seen = other.get_user(&admin(), &made.id).await.unwrap();
            assert_eq!(seen.full_name.as_deref(), Some(about.as_str()));
            if phase != Phase::Backfill {
                one.delete_user(&admin(), &made.id).await.unwrap();
                assert_eq!(
                    code(other.get_user(&admin(), &made.id).await),
                    coeval_codes::USER_UNKNOWN,
                    "{about}"
                );
            }
            let all = one.migrations(&admin()).await.unwrap();
            assert_eq!(
                all.len(),
                1 + ["role", "user", "migration"]
                    .iter()
                    .position(|one| *one == nss)
                    .unwrap(),
                "{about}"
            );
            sound(&one, &about).await;
        }
        let caller = admin();
        let done = patiently(|| one.advance_migration(&caller, &of, Advance::default())).await;
        assert_eq!(done.state, State::Finished, "{nss}");
    }
    for (nss, name) in [
        ("role", "auditor"),
        ("role", "System Administrator"),
        ("user", "acme/alice"),
        ("user", "acme/u-role-backfill"),
        ("migration", "coeval:migration-1-2"),
    ] {
        assert_eq!(stored_at(&other, nss, name).await, "2.0.0", "{nss} {name}");
    }
    let late = other
        .create_role(&admin(), &role("late", &[]))
        .await
        .unwrap();
    assert_eq!(
        one.get_role(&admin(), "System", &late.id)
            .await
            .unwrap()
            .name,
        "late"
    );
    assert_eq!(stored_at(&one, "role", "late").await, "2.0.0");
    // Declared at either version, a migration is the same.
    for file in [app_1_0(), crate::migrations::app_2_0()] {
        one.register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    let body = json!({"type": "acme:app", "from": 1, "to": 2, "as-far-as": "mirror", "rate": 7});
    let create = Create::new(v("2.0.0"), "acme:app-1-2", body);
    let made = one
        .create(&admin().at(v("1.0.0")), &kind("migration"), create)
        .await;
    let made: serde_json::Value = serde_json::from_slice(&made.unwrap().resource.content).unwrap();
    assert_eq!(
        (&made["until"], &made["rate"]),
        (&json!("mirror"), &json!(7))
    );
    // A role that a user has, found by the index of the new major, is not deleted.
    let refused = one.delete_role(&admin(), &auditor.id).await;
    assert_eq!(code(refused), coeval_codes::ROLE_IN_USE);
    // Who knows only the first major does not open the store.
    let opened = Engine::open(Arc::clone(one.store()), settings()).await;
    assert_eq!(code(opened), coeval_codes::LEVEL_UNKNOWN);
    sound(&one, "at the end").await;
}

pub(crate) async fn own_kinds_are_moved_at_start_too(mut world: World) {
    let own = OwnKinds::default().knowing(ROLE_2_0).unwrap();
    let next = world.another(releasing(own)).await;
    let _driver = drive(&next, "next");
    let auditor = role("auditor", &["acme:app: View"]);
    let auditor = next.create_role(&admin(), &auditor).await.unwrap();
    let moved = next.migrate_on_start(&|_| {}).await.unwrap();
    let of = kind("role");
    let majors = vec![(1, 2)];
    assert_eq!(moved, [Moved::Done { of, majors }]);
    assert_eq!(stored_at(&next, "role", "auditor").await, "2.0.0");
    let seen = next
        .get_role(&admin(), "System", &auditor.id)
        .await
        .unwrap();
    assert_eq!(seen.rights, ["acme:app: View"]);
    assert!(next.migrate_on_start(&|_| {}).await.unwrap().is_empty());
    sound(&next, "at the end").await;
}

/// How many entries of the history are stored packed, and how many are not.
async fn packed(engine: &Engine) -> (usize, usize) {
    let span = KeySpan::below(&Key::try_from("h").unwrap());
    let (_, page) = engine.store().range(ReadRange::of(span)).await.unwrap();
    let is_packed =
        |entry: &&coeval_storage::StoredEntry| entry.stored.record().unwrap().content.packed;
    let packed = page.entries.iter().filter(is_packed).count();
    (packed, page.entries.len() - packed)
}

pub(crate) async fn a_level_of_records_is_written_once_every_server_reads_it(mut world: World) {
    let mut before = settings();
    before.emulate.insert(kind("record"), v("1.0.0"));
    let today = world.another(before.clone()).await;
    let first = drive(&today, "today");
    let next = world.another(settings()).await;
    let driver = drive(&next, "next");
    first.settled().await;
    looked(&driver).await;
    let file = Registration::of(app_1_0());
    next.register(&admin(), file).await.unwrap();
    let image = "an image whose name goes on and on and on ".repeat(20);
    let create = Create::new(v("1.0.0"), "web", json!({"image": image, "replicas": 1}));
    let made = next.create(&admin(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    let write = |replicas: i32| {
        let body = json!({"image": image, "replicas": replicas});
        let (next, id) = (Arc::clone(&next), id.clone());
        async move {
            let update = Update::new(v("1.0.0"), body);
            next.update(&admin(), &app(), &id, &update).await.unwrap();
        }
    };
    let (_, plain) = packed(&next).await;
    write(2).await;
    write(3).await;
    assert_eq!(packed(&next).await, (0, plain + 2));
    first.stop().await;
    let mut replicas = 3;
    let end = Instant::now() + Duration::from_secs(60);
    while packed(&next).await.0 == 0 {
        assert!(Instant::now() < end, "nothing is packed");
        replicas += 1;
        write(replicas).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // What is packed is there as before, and can be brought back.
    let history = next.history(&admin(), &app(), &id).await.unwrap();
    assert!(history.quarantined.is_empty());
    let contents = history.revisions.iter().map(|one| {
        let content: serde_json::Value = serde_json::from_slice(&one.content).unwrap();
        assert_eq!(content["image"], json!(image));
        content["replicas"].as_i64().unwrap()
    });
    let mut contents: Vec<i64> = contents.collect();
    contents.sort_unstable();
    let newest = i64::from(replicas);
    assert_eq!(contents.last(), Some(&newest));
    assert!(contents.contains(&(newest - 1)), "{contents:?}");
    // A server of the release before does not open the store, and one that runs is not ready.
    assert_eq!(code(today.ready().await), coeval_codes::LEVEL_UNKNOWN);
    let opened = Engine::open(Arc::clone(next.store()), before).await;
    assert_eq!(code(opened), coeval_codes::LEVEL_UNKNOWN);
    drop(driver);
}
