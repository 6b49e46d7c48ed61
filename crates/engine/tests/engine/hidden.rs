//! What a type version that the caller can't see is to it: nothing.

use crate::identity::code;
use crate::world::{TENANT, World, admin, app, app_1_0, app_file, tenant, v};
use coeval_codes::Coded;
use coeval_core::version::Version;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create, Update, Upgrade};
use coeval_engine::{
    AcceptedType, AuditQuery, Caller, ListQuery, Target, WantedVersions, WatchQuery, WatchStream,
    Watched,
};
use futures::StreamExt;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// 1.1.0: with a region; 2.0.0: with a mode, and another meaning of the image; 3.0.0: with a zone.
async fn registered(world: &World) {
    let properties = "image: {type: string}, replicas: {type: integer, minimum: 0}";
    let files = [
        app_1_0(),
        app_file(
            "1.1.0",
            &format!(
                "  schema: {{type: object, required: [image], properties: {{{properties}, region: {{type: string}}}}}}\n  conversion: {{from: 1.0.0, steps: [{{add: {{path: /region}}}}]}}\n  since: {{/region: 1.1.0}}\n"
            ),
        ),
        app_file(
            "2.0.0",
            &format!(
                "  schema: {{type: object, required: [image], properties: {{{properties}, region: {{type: string}}, mode: {{type: string}}}}}}\n  conversion: {{from: 1.1.0, steps: [{{add: {{path: /mode}}}}]}}\n  since: {{/mode: 2.0.0}}\n  meaningChanged: [/image]\n"
            ),
        ),
        app_file(
            "3.0.0",
            &format!(
                "  schema: {{type: object, required: [image], properties: {{{properties}, region: {{type: string}}, mode: {{type: string}}, zone: {{type: string}}}}}}\n  conversion: {{from: 2.0.0, steps: [{{add: {{path: /zone}}}}]}}\n  since: {{/mode: 2.0.0, /zone: 3.0.0}}\n"
            ),
        ),
    ];
    for file in files {
        let registration = Registration::of(file).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
}

fn alice() -> Caller {
    tenant("alice", TENANT, &["acme:app: Full Access"])
}

async fn made(world: &World, at: &str, content: Value) -> Target {
    let create = Create::new(v(at), "it", content);
    let made = world.engine.create(&alice(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

fn at_most(version: &str) -> Caller {
    let mut caller = alice();
    caller.wanted = WantedVersions {
        accept: vec![(AcceptedType::Full(app()), v(version))],
        ..WantedVersions::default()
    };
    caller
}

pub(crate) async fn a_hidden_version_reads_and_writes_as_an_unknown_one(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.1.0", json!({"image": "a", "region": "eu"})).await;
    let told = |text: String| text.replace("v9", "v2").replace("9.0.0", "2.0.0");
    let both: [Version; 2] = [v("2.0.0"), v("9.0.0")];
    let reads = both.map(|version| alice().at(version));
    let mut answers = Vec::new();
    for caller in &reads {
        let error = engine.get(caller, &app(), &id).await.unwrap_err();
        let list = engine.list(caller, &ListQuery::of(app())).await.unwrap();
        let told = told(format!("{error} {} {:?}", error.advice(), list.quarantined));
        answers.push(told);
    }
    assert_eq!(answers[0], answers[1]);
    assert!(
        answers[0].contains("Use v1.1 or an older version"),
        "{answers:?}"
    );
    answers.clear();
    for version in both {
        let update = Update::new(version, json!({"image": "b"}));
        let error = engine.update(&alice(), &app(), &id, &update).await;
        let error = error.unwrap_err();
        let upgrade = Upgrade {
            to: Some(version),
            ..Upgrade::default()
        };
        let other = engine.upgrade(&alice(), &app(), &id, &upgrade).await;
        let other = other.unwrap_err();
        let create = Create::new(version, "other", json!({"image": "b"}));
        let made = engine.create(&alice(), &app(), create).await.unwrap_err();
        answers.push(told(format!(
            "{error} {} {other} {} {made} {}",
            error.advice(),
            other.advice(),
            made.advice()
        )));
    }
    assert_eq!(answers[0], answers[1]);
    // The newest that is seen.
    let read = engine.get(&at_most("5.0.0"), &app(), &id).await.unwrap();
    assert_eq!(read.version.version, v("1.1.0"));
    let newest = Upgrade::default();
    engine
        .upgrade(&alice(), &app(), &id, &newest)
        .await
        .unwrap();
    let read = engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(read.header.version, v("1.1.0"));
}

/// What a watch tells of one change.
async fn told_by(stream: &mut WatchStream) -> String {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let next = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
        if let Ok(Watched::Changes(_, changes)) = next.unwrap().unwrap() {
            return format!("{changes:?}");
        }
    }
    panic!("nothing within 20 s");
}

pub(crate) async fn a_watch_at_a_hidden_version_tells_what_one_at_an_unknown_tells(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.1.0", json!({"image": "a", "region": "eu"})).await;
    let mut streams = Vec::new();
    for version in ["2.0.0", "9.0.0"] {
        let caller = alice().at(v(version));
        let watch = WatchQuery::of(app());
        streams.push(engine.watch(&caller, watch).await.unwrap());
    }
    // Somebody writes at the hidden version: something of it is kept.
    let update = Update::new(v("2.0.0"), json!({"image": "b", "mode": "dark"}));
    let refused = engine.update(&admin(), &app(), &id, &update).await;
    assert!(refused.is_err(), "2.0.0 changes a meaning");
    let update = Update::new(v("1.1.0"), json!({"image": "b", "region": "us"}));
    engine.update(&admin(), &app(), &id, &update).await.unwrap();
    let mut told = Vec::new();
    for stream in &mut streams {
        let text = told_by(stream).await;
        told.push(text.replace("v9", "v2").replace("9.0.0", "2.0.0"));
    }
    assert_eq!(told[0], told[1]);
    assert!(told[0].contains("Quarantined"), "{told:?}");
    assert!(!told[0].contains("mode"), "{told:?}");
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    let gone = [
        told_by(&mut streams[0]).await,
        told_by(&mut streams[1]).await,
    ];
    assert_eq!(gone[0], gone[1]);
}

pub(crate) async fn answers_name_only_what_visible_versions_declare(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0", "1.1.0", "3.0.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.0.0", json!({"image": "a"})).await;
    // Somebody who sees all of them writes at the newest: what 1.0.0 can't hold is kept.
    let body = json!({"image": "a", "region": "eu", "mode": "dark", "zone": "z"});
    let moved = Upgrade {
        to: Some(v("3.0.0")),
        ..Upgrade::default()
    };
    engine.upgrade(&admin(), &app(), &id, &moved).await.unwrap();
    let update = Update::new(v("3.0.0"), body);
    engine.update(&admin(), &app(), &id, &update).await.unwrap();
    let lower = Update::new(v("1.0.0"), json!({"image": "b"}));
    let changed = engine
        .update(&alice(), &app(), &id, &lower)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(changed.kept, ["/mode", "/region", "/zone"]);
    // Without 3.0.0 nobody tells of the mode and the zone.
    world.hide("3.0.0").await;
    let refused = engine.get(&alice(), &app(), &id).await;
    assert_eq!(
        code(refused),
        coeval_codes::RESOURCE_NOT_FOUND,
        "out of reach"
    );
    let back = Upgrade {
        to: Some(v("1.1.0")),
        ..Upgrade::default()
    };
    engine.upgrade(&admin(), &app(), &id, &back).await.unwrap();
    let lower = Update::new(v("1.0.0"), json!({"image": "c"}));
    let changed = engine
        .update(&alice(), &app(), &id, &lower)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(changed.kept, ["/region"]);
    let admins = engine
        .update(&admin(), &app(), &id, &lower)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(admins.kept, ["/mode", "/region", "/zone"]);
    // A body that sets what only hidden versions have is refused, and nothing is told of them.
    let sets = Update::new(v("1.0.0"), json!({"image": "c", "mode": "x"}));
    let refused = engine
        .update(&alice(), &app(), &id, &sets)
        .await
        .unwrap_err();
    let told = format!("{refused} {}", refused.advice());
    for word in ["mode", "2.0", "3.0", "v2", "v3", "other versions"] {
        assert!(!told.contains(word), "{word}: {told}");
    }
    // Earlier revisions that were stored at a hidden version are not there.
    let history = engine.history(&alice(), &app(), &id).await.unwrap();
    let versions = history.revisions.iter().map(|one| one.header.version);
    assert!(versions.into_iter().all(|one| one < v("2.0.0")));
    let all = engine.history(&admin(), &app(), &id).await.unwrap();
    assert!(all.revisions.len() > history.revisions.len());
}

pub(crate) async fn refusals_speak_of_the_next_version_that_is_seen(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0", "1.1.0", "3.0.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.1.0", json!({"image": "a"})).await;
    // 2.0.0, which is hidden, changes a meaning on the way.
    let above = Update::new(v("3.0.0"), json!({"image": "b"}));
    let refused = engine
        .update(&alice(), &app(), &id, &above)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MEANING_BETWEEN);
    let told = format!("{refused} {}", refused.advice());
    assert!(told.contains("v3") && !told.contains("v2"), "{told}");
    let admins = engine
        .update(&admin(), &app(), &id, &above)
        .await
        .unwrap_err();
    assert!(admins.to_string().contains("v2"), "{admins}");
    // 3.0.0 says that the mode came with 2.0.0.
    let create = Create::new(v("1.1.0"), "new", json!({"image": "a", "mode": "x"}));
    let refused = engine.create(&alice(), &app(), create.clone()).await;
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("/mode (since 3.0.0)"), "{told}");
    let told = engine.create(&admin(), &app(), create).await.unwrap_err();
    assert!(told.to_string().contains("/mode (since 2.0.0)"), "{told}");
}

/// A field that only a hidden version declares is refused as on an update, and not told of: neither
/// by the refusal nor by the message of an entity that is resolved later.
pub(crate) async fn a_create_names_no_field_of_a_hidden_version(world: World) {
    let fields = "image: {type: string}";
    let file = |version: &str, more: &str| {
        let schema = format!("  schema: {{type: object, properties: {{{fields}{more}}}}}\n");
        app_file(version, &schema)
    };
    for file in [
        file("1.0.0", ""),
        file("1.1.0", ", codename: {type: string}"),
    ] {
        let registration = Registration::of(file).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
    world.open_to_tenants(&["1.0.0"]).await;
    let engine = &world.engine;
    let content = json!({"image": "a", "codename": "guess"});
    let create = || Create::new(v("1.0.0"), "it", content.clone());
    let refused = engine.create(&alice(), &app(), create()).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::BODY_UNEXPRESSED);
    let told = format!("{refused} {}", refused.advice());
    assert!(!told.contains("codename"), "{told}");
    let at_once = Create {
        checking: Checking::Resolve,
        ..create()
    };
    let made = engine.create(&alice(), &app(), at_once).await.unwrap();
    let message = made.resource.header.message.clone().unwrap_or_default();
    assert!(
        !message.is_empty() && !message.contains("codename"),
        "{message}"
    );
    let later = Create {
        checking: Checking::Later,
        name: "other".to_owned(),
        ..create()
    };
    let made = engine.create(&alice(), &app(), later).await.unwrap();
    let id = Target::Id(made.resource.id);
    let resolved = engine.resolve(&alice(), &app(), &id).await.unwrap();
    let message = resolved.header.message.clone().unwrap_or_default();
    assert!(
        !message.is_empty() && !message.contains("codename"),
        "{message}"
    );
    // Whoever sees the version is told which field it is.
    let refused = engine.create(&admin(), &app(), create()).await.unwrap_err();
    assert!(refused.to_string().contains("/codename"), "{refused}");
}

/// Others write at a hidden version what the caller may read at its own: the audit says that, and
/// not at which version.
pub(crate) async fn the_audit_names_no_hidden_version(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.1.0", json!({"image": "a"})).await;
    let upgrade = Upgrade {
        to: Some(v("3.0.0")),
        ..Upgrade::default()
    };
    engine
        .upgrade(&admin(), &app(), &id, &upgrade)
        .await
        .unwrap();
    let auditor = tenant("alice", TENANT, &["acme:app: Full Access", "Audit: View"]);
    let query = AuditQuery {
        of: Some(app().to_string()),
        ..AuditQuery::default()
    };
    let versions = async |caller: &Caller| -> Vec<_> {
        let found = engine.audit(caller, &query, None, 50).await.unwrap();
        let of_resources = found.into_iter().filter(|one| one.deed.id.is_some());
        let told = of_resources.map(|one| (one.deed.version, one.deed.stored));
        told.collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(versions(&admin()).await[0], (some("3.0.0"), some("3.0.0")));
    let told = versions(&auditor).await;
    assert_eq!(told, [(None, None), (some("1.1.0"), some("1.1.0"))]);
}

pub(crate) async fn of_a_hidden_type_there_is_nothing(world: World) {
    registered(&world).await;
    world.open_to_tenants(&["1.0.0"]).await;
    let engine = &world.engine;
    let id = made(&world, "1.0.0", json!({"image": "a"})).await;
    world.hide("1.0.0").await;
    let unknown = coeval_codes::TYPE_UNKNOWN;
    let create = Create::new(v("1.0.0"), "b", json!({"image": "a"}));
    assert_eq!(code(engine.get(&alice(), &app(), &id).await), unknown);
    assert_eq!(code(engine.create(&alice(), &app(), create).await), unknown);
    let query = ListQuery::of(app());
    assert_eq!(code(engine.list(&alice(), &query).await), unknown);
    let watch = coeval_engine::WatchQuery::of(app());
    let watched = engine.watch(&alice(), watch).await.map(|_| ());
    assert_eq!(code(watched), unknown);
    assert_eq!(engine.types_called(&alice(), "app").await.unwrap(), []);
    let package = engine.typed_package(&alice(), "acme.app.v1").await;
    assert!(package.unwrap().is_none());
    assert_eq!(engine.types_called(&admin(), "app").await.unwrap(), [app()]);
}
