//! Upgrading what a filter matches: which resources are meant, whose are touched, and what is told.

use crate::jobs::{LONG, quick, read, runner, with_two_majors};
use crate::world::{OTHER, TENANT, World, admin, app, app_1_0, app_1_1, app_file, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::version::{Classification, Uuid};
use coeval_engine::jobs::{UPGRADE, UpgradeMatching};
use coeval_engine::tasks::{Status, Task};
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use coeval_engine::{AcceptedType, Caller, EngineError, InOrg, Target, WantedVersions};
use coeval_filter::{FilterField, fiql};
use serde_json::{Value, json};

fn matching(filter: &str) -> UpgradeMatching {
    UpgradeMatching {
        filter: fiql::parse(filter, |key| FilterField::parse(key, "spec")).unwrap(),
        versions: None,
        org: InOrg::Own,
        to: None,
        dry_run: false,
    }
}

fn to(version: &str, filter: &str) -> UpgradeMatching {
    UpgradeMatching {
        to: Some(v(version)),
        ..matching(filter)
    }
}

async fn make(world: &World, caller: &Caller, at: &str, name: &str, body: Value) -> Uuid {
    let create = Create::new(v(at), name, body);
    let made = world.engine.create(caller, &app(), create).await.unwrap();
    made.resource.id
}

async fn start(
    world: &World,
    caller: &Caller,
    asked: UpgradeMatching,
) -> Result<Task, EngineError> {
    let started = world.engine.upgrade_matching(caller, &app(), &asked).await;
    started.map(|(task, _)| task)
}

async fn ended(world: &World, caller: &Caller, asked: &UpgradeMatching) -> Task {
    let engine = &world.engine;
    let task = start(world, caller, asked.clone()).await.unwrap();
    assert_eq!(task.operation, UPGRADE);
    let _runner = runner(engine, "one", quick());
    let task = engine.wait_for_task(caller, task.id, LONG).await.unwrap();
    assert_eq!(task.status, Status::Success, "{task:?}");
    task
}

/// Upgraded, unchanged, refused.
fn counts(result: &Value) -> [u64; 3] {
    ["upgraded", "unchanged", "refused"].map(|name| result[name].as_u64().unwrap())
}

async fn upgraded(world: &World, caller: &Caller, asked: &UpgradeMatching) -> Value {
    let task = ended(world, caller, asked).await;
    let result = task.result.clone().unwrap();
    let told: u64 = counts(&result).iter().sum();
    assert_eq!(task.progress.done, told, "nothing else is counted");
    assert_eq!(task.progress.percent(), 100);
    result
}

async fn stored_at(world: &World, id: Uuid) -> String {
    read(&world.engine, id).await.header.version.to_string()
}

/// Name and code of what was refused.
fn refused(result: &Value) -> Vec<(String, String)> {
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let entries = result["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| (text(entry, "name"), text(entry, "code")))
        .collect()
}

pub(crate) async fn what_matches_is_upgraded_whatever_its_version(world: World) {
    for file in [app_1_0(), app_1_1()] {
        let registration = Registration::of(file).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
    let next = app_file(
        "2.0.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, replicas: {type: integer, maximum: 5}, region: {type: string}}}\n  indexes: {image: /img}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: img}}]}\n",
    );
    let registration = Registration::of(next).warn();
    world.engine.register(&admin(), registration).await.unwrap();
    let bodies = [
        ("1.0.0", "old", json!({"image": "a"})),
        ("1.1.0", "middle", json!({"image": "a", "region": "eu"})),
        ("2.0.0", "new", json!({"img": "a"})),
        ("1.0.0", "other", json!({"image": "b"})),
        ("1.0.0", "large", json!({"image": "a", "replicas": 9})),
    ];
    let mut made = Vec::new();
    for (at, name, body) in bodies {
        made.push(make(&world, &admin(), at, name, body).await);
    }
    let [old, middle, new, other, large] = made[..] else {
        panic!("five were made");
    };
    // At its own version `new` has no image; at 1.0.0 all have one.
    let at_1_0 = admin().at(v("1.0.0"));
    let dry = UpgradeMatching {
        dry_run: true,
        ..matching("spec.image==a")
    };
    let result = upgraded(&world, &at_1_0, &dry).await;
    assert_eq!(counts(&result), [2, 1, 1], "{result}");
    assert_eq!(result["dryRun"], true);
    assert_eq!(
        stored_at(&world, old).await,
        "1.0.0",
        "a dry run writes nothing"
    );
    let result = upgraded(&world, &at_1_0, &matching("spec.image==a")).await;
    assert_eq!(counts(&result), [2, 1, 1], "{result}");
    assert_eq!(result["version"], "2.0.0");
    let code = coeval_codes::CONTENT_INVALID.to_string();
    assert_eq!(refused(&result), [("large".to_owned(), code)]);
    let told = &result["entries"][0];
    assert_eq!(told["id"], format!("urn:vcloud:entity:acme:app:{large}"));
    assert!(!told["advice"].as_str().unwrap().is_empty(), "{told}");
    for (id, version, generation) in [
        (old, "2.0.0", 1),
        (middle, "2.0.0", 1),
        (new, "2.0.0", 0),
        (other, "1.0.0", 0),
        (large, "1.0.0", 0),
    ] {
        let now = read(&world.engine, id).await;
        assert_eq!(now.header.version, v(version), "{}", now.header.name);
        assert_eq!(now.header.generation, generation, "{}", now.header.name);
    }
    // As they are stored, by the versions that they are stored at, and back down.
    let some = UpgradeMatching {
        versions: Some(Classification::parse("1").unwrap()),
        ..to("1.1.0", "spec.image==*")
    };
    let result = upgraded(&world, &admin(), &some).await;
    assert_eq!(counts(&result), [2, 0, 0], "{result}");
    let result = upgraded(&world, &admin(), &to("1.0.0", "name==middle,name==old")).await;
    assert_eq!(counts(&result), [2, 0, 0], "{result}");
    let at_1_1 = admin().at(v("1.1.0"));
    let target = Target::Id(middle);
    let back = world.engine.get(&at_1_1, &app(), &target).await.unwrap();
    let content: Value = serde_json::from_slice(&back.content).unwrap();
    assert_eq!(content, json!({"image": "a", "region": "eu"}));
}

pub(crate) async fn others_resources_are_neither_touched_nor_told_of(world: World) {
    with_two_majors(&world).await;
    world.open_to_tenants(&["1.0.0", "2.0.0"]).await;
    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let callers = [("ann", TENANT), ("ben", TENANT), ("cyd", OTHER)];
    let [ann, ben, cyd] = callers.map(|(user, org)| tenant(user, org, &rights));
    let body = || json!({"image": "a", "replicas": 1});
    let own = make(&world, &ann, "1.0.0", "own", body()).await;
    let hidden = make(&world, &ben, "1.0.0", "hidden", body()).await;
    let shared = make(&world, &ben, "1.0.0", "shared", body()).await;
    let given = make(&world, &ben, "1.0.0", "given", body()).await;
    let foreign = make(&world, &cyd, "1.0.0", "foreign", body()).await;
    for (id, level) in [
        (shared, AccessLevel::ReadWrite),
        (given, AccessLevel::FullControl),
    ] {
        let member = AclMember::User("ann".to_owned());
        let grant = Grant { member, level };
        let target = Target::Id(id);
        let done = world.engine.grant(&ben, &app(), &target, &grant).await;
        done.unwrap();
    }
    let task = ended(&world, &ann, &matching("name==*")).await;
    let result = task.result.clone().unwrap();
    assert_eq!(counts(&result), [2, 0, 0], "{result}");
    assert_eq!((task.progress.done, task.progress.total), (2, Some(2)));
    assert_eq!(result["entries"], json!([]));
    for (id, version) in [
        (own, "2.0.0"),
        (given, "2.0.0"),
        (shared, "1.0.0"),
        (hidden, "1.0.0"),
        (foreign, "1.0.0"),
    ] {
        assert_eq!(stored_at(&world, id).await, version);
    }
    // Another organization is the provider's to name.
    let elsewhere = |org| UpgradeMatching {
        org,
        ..matching("name==*")
    };
    for org in [InOrg::All, InOrg::One(OTHER.to_owned())] {
        let asked = elsewhere(org);
        let code = start(&world, &ann, asked).await.unwrap_err().code();
        assert_eq!(code, coeval_codes::OTHER_ORGANIZATION);
    }
    let asked = elsewhere(InOrg::One(OTHER.to_owned()));
    let result = upgraded(&world, &admin(), &asked).await;
    assert_eq!(counts(&result), [1, 0, 0], "{result}");
    let result = upgraded(&world, &admin(), &elsewhere(InOrg::All)).await;
    assert_eq!(counts(&result), [2, 3, 0], "{result}");
}

/// The mode is secret to all but those with full control.
fn secretive(version: &str, rest: &str) -> String {
    app_file(
        version,
        &format!(
            "  schema: {{type: object, properties: {{mode: {{type: string, x-vcloud-restricted: [private]}}, zone: {{type: string}}}}}}\n{rest}"
        ),
    )
}

pub(crate) async fn what_is_not_seen_is_not_found_by_its_content(world: World) {
    for file in [
        secretive("1.0.0", ""),
        secretive("2.0.0", "  conversion: {from: 1.0.0, steps: []}\n"),
    ] {
        let registration = Registration::of(file).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
    world.open_to_tenants(&["1.0.0", "2.0.0"]).await;
    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let (ann, ben) = (
        tenant("ann", TENANT, &rights),
        tenant("ben", TENANT, &rights),
    );
    let open = make(&world, &ann, "1.0.0", "open", json!({"zone": "z"})).await;
    let secret = make(&world, &admin(), "1.0.0", "secret", json!({"mode": "x"})).await;
    // What nobody of the organization sees is not found by its content either.
    let result = upgraded(&world, &ann, &matching("spec.mode==x")).await;
    assert_eq!(counts(&result), [0, 0, 0], "{result}");
    let result = upgraded(&world, &ben, &matching("spec.zone==z")).await;
    assert_eq!(counts(&result), [0, 0, 0], "{result}");
    assert_eq!(stored_at(&world, open).await, "1.0.0");
    let result = upgraded(&world, &admin(), &matching("spec.mode==x")).await;
    assert_eq!(counts(&result), [1, 0, 0], "{result}");
    assert_eq!(stored_at(&world, secret).await, "2.0.0");
    let result = upgraded(&world, &ann, &matching("spec.zone==z")).await;
    assert_eq!(counts(&result), [1, 0, 0], "{result}");
}

pub(crate) async fn the_version_is_decided_when_it_is_asked_for(world: World) {
    with_two_majors(&world).await;
    let engine = &world.engine;
    let body = json!({"image": "a"});
    let id = make(&world, &admin(), "1.0.0", "it", body.clone()).await;
    let task = start(&world, &admin(), matching("name==it")).await.unwrap();
    // The newest by now changes a meaning: that has to be named.
    let changed = app_file(
        "3.0.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, tier: {type: string}, replicas: {type: integer}}}\n  conversion: {from: 2.0.0, steps: []}\n  meaningChanged: [/tier]\n",
    );
    let registration = Registration::of(changed).warn();
    engine.register(&admin(), registration).await.unwrap();
    let _runner = runner(engine, "first", quick());
    let done = engine.wait_for_task(&admin(), task.id, LONG).await.unwrap();
    assert_eq!(done.status, Status::Success, "{done:?}");
    assert_eq!(stored_at(&world, id).await, "2.0.0");
    let above = make(&world, &admin(), "3.0.0", "above", json!({"img": "b"})).await;
    let result = upgraded(&world, &admin(), &matching("name==*")).await;
    assert_eq!(counts(&result), [0, 1, 1], "{result}");
    let code = coeval_codes::MEANING_BETWEEN.to_string();
    assert_eq!(refused(&result), [("it".to_owned(), code)]);
    let advice = result["entries"][0]["advice"].as_str().unwrap();
    assert!(
        advice.contains("`coeval upgrade acme:app it --to 3.0.0`"),
        "{advice}"
    );
    let result = upgraded(&world, &admin(), &to("3.0.0", "name==*")).await;
    assert_eq!(counts(&result), [1, 1, 0], "{result}");
    // What is above stays, unless the lower version is named.
    assert_eq!(stored_at(&world, above).await, "3.0.0");
    let result = upgraded(&world, &admin(), &to("2.0.0", "name==above")).await;
    assert_eq!(counts(&result), [1, 0, 0], "{result}");
    assert_eq!(stored_at(&world, above).await, "2.0.0");
}

pub(crate) async fn hidden_versions_are_not_there_for_it(world: World) {
    with_two_majors(&world).await;
    world.open_to_tenants(&["1.0.0"]).await;
    let ann = tenant("ann", TENANT, &["acme:app: Full Access"]);
    let id = make(&world, &ann, "1.0.0", "it", json!({"image": "a"})).await;
    let result = upgraded(&world, &ann, &matching("name==it")).await;
    assert_eq!(counts(&result), [0, 1, 0], "{result}");
    assert_eq!(result["version"], "1.0.0", "the newest that ann sees");
    let told = |text: String| text.replace("9.0.0", "2.0.0").replace("v9", "v2");
    let mut answers = Vec::new();
    for version in ["2.0.0", "9.0.0"] {
        let named = start(&world, &ann, to(version, "name==it")).await;
        let at = ann.clone().at(v(version));
        let view = start(&world, &at, matching("name==it")).await;
        let (named, view) = (named.unwrap_err(), view.unwrap_err());
        let text = format!("{named} {} {view} {}", named.advice(), view.advice());
        answers.push(told(text));
    }
    assert_eq!(answers[0], answers[1]);
    // A field that only a hidden version has is none.
    let field = start(&world, &ann, matching("spec.tier==basic")).await;
    let code = field.unwrap_err().code();
    assert_eq!(code, coeval_codes::FILTER_FIELD_UNDECLARED);
    assert_eq!(stored_at(&world, id).await, "1.0.0");
    world.hide("1.0.0").await;
    let gone = start(&world, &ann, matching("name==it")).await;
    assert_eq!(gone.unwrap_err().code(), coeval_codes::TYPE_UNKNOWN);
}

pub(crate) async fn the_view_of_a_client_release_is_kept_with_the_task(world: World) {
    with_two_majors(&world).await;
    let body = json!({"img": "a", "tier": "basic"});
    let id = make(&world, &admin(), "2.0.0", "it", body).await;
    let mut old = admin();
    old.wanted = WantedVersions {
        accept: vec![(AcceptedType::Full(app()), v("1.0.0"))],
        ..WantedVersions::default()
    };
    // Shown to it at 1.0.0, where the image is called so.
    let result = upgraded(&world, &old, &to("1.0.0", "spec.image==a")).await;
    assert_eq!(counts(&result), [1, 0, 0], "{result}");
    assert_eq!(stored_at(&world, id).await, "1.0.0");
}
