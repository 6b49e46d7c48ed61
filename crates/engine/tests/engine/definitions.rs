//! What definitions may be, who sees them, and what may change while they are in use.

use crate::world::{TENANT, World, admin, app, app_1_0, app_1_1, app_file, tenant, v};
use coeval_access::inheritance::InheritedAcl;
use coeval_access::{AccessLevel, Acl, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::decide::StoreAt;
use coeval_core::types::InterfaceId;
use coeval_engine::behaviors::{Behavior, BehaviorAccess, interface_behavior_id};
use coeval_engine::types::{Interface, Registration};
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    AuditQuery, Caller, Engine, EngineError, Target, TypeKey, WantedVersions, What,
};
use serde_json::{Value, json};

fn deployable() -> InterfaceId {
    InterfaceId {
        vendor: "acme".to_owned(),
        nss: "deployable".to_owned(),
        version: v("1.0.0"),
    }
}

fn behavior(name: &str, id: &str) -> Behavior {
    Behavior {
        name: name.to_owned(),
        description: None,
        execution: json!({ "type": "noop", "id": id, "_secure_key": "k" }),
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, EngineError>) -> coeval_codes::Code {
    result.unwrap_err().code()
}

/// `acme:app:1.0.0` implements an interface with a behavior.
async fn deploy(engine: &Engine) {
    let mut interface = Interface::new(&deployable(), "Deployable");
    interface.behaviors = vec![behavior("deploy", "1")];
    engine.define_interface(&admin(), &interface).await.unwrap();
    let file = app_file(
        "1.0.0",
        "  interfaces: [\"acme:deployable:1.0.0\"]\n  schema: {type: object}\n",
    );
    let registration = Registration::of(file);
    engine.register(&admin(), registration).await.unwrap();
}

async fn use_it(engine: &Engine) {
    let create = Create::new(v("1.0.0"), "web", json!({}));
    engine.create(&admin(), &app(), create).await.unwrap();
}

pub(crate) async fn in_an_interface_in_use_only_executions_change(world: World) {
    let engine = &world.engine;
    deploy(engine).await;
    let (by, id) = (admin(), deployable());
    let added = engine.add_behavior(&by, &id, behavior("stop", "1")).await;
    added.unwrap();
    let twice = engine.add_behavior(&by, &id, behavior("stop", "2")).await;
    assert_eq!(code(twice), coeval_codes::BEHAVIOR_EXISTS);
    use_it(engine).await;
    let in_use = coeval_codes::INTERFACE_IN_USE;
    let refused = engine.add_behavior(&by, &id, behavior("start", "1")).await;
    assert_eq!(code(refused), in_use);
    assert_eq!(code(engine.remove_behavior(&by, &id, "stop").await), in_use);
    let fewer = engine.set_behaviors(&by, &id, vec![behavior("deploy", "2")]);
    assert_eq!(code(fewer.await), in_use);
    let mut told = behavior("deploy", "2");
    told.description = Some("another".to_owned());
    let described = vec![told, behavior("stop", "1")];
    let refused = engine.set_behaviors(&by, &id, described).await;
    assert_eq!(code(refused), in_use);
    // In another order, and without what is never shown.
    let plain = |name: &str, id: &str| Behavior {
        execution: json!({ "type": "noop", "id": id }),
        ..behavior(name, id)
    };
    let executions = vec![plain("stop", "9"), plain("deploy", "1")];
    let set = engine.set_behaviors(&by, &id, executions).await.unwrap();
    assert_eq!(set, [behavior("deploy", "1"), behavior("stop", "9")]);
    let which = interface_behavior_id("stop", &id);
    let changed = engine
        .change_behavior(
            &by,
            &id,
            &which,
            None,
            &json!({ "type": "noop", "id": "8" }),
        )
        .await;
    assert_eq!(changed.unwrap(), behavior("stop", "8"));
}

pub(crate) async fn a_type_in_use_may_do_a_behavior_otherwise(world: World) {
    let engine = &world.engine;
    deploy(engine).await;
    use_it(engine).await;
    let (by, of, at) = (admin(), app(), v("1.0.0"));
    let reference = interface_behavior_id("deploy", &deployable());
    let execution = json!({ "type": "noop", "id": "own" });
    let done = engine
        .override_behavior(&by, &of, at, &reference, Some("own"), &execution)
        .await
        .unwrap();
    assert_eq!(done.reference, reference);
    assert_eq!(
        done.behavior.execution,
        behavior("deploy", "own").execution,
        "what its sender could not see is as before"
    );
    let own = done.own_id.clone().unwrap();
    assert_eq!(
        engine.type_behavior(&by, &of, at, &own).await.unwrap(),
        done
    );
    let access = |behavior: &str, level| BehaviorAccess {
        behavior: behavior.to_owned(),
        level,
    };
    let first = access(&own, AccessLevel::ReadOnly);
    engine
        .add_behavior_access(&by, &of, at, first)
        .await
        .unwrap();
    let second = access(&reference, AccessLevel::FullControl);
    engine
        .add_behavior_access(&by, &of, at, second.clone())
        .await
        .unwrap();
    let said = engine.behavior_access(&by, &of, at).await.unwrap();
    assert_eq!(said, [second], "of one behavior one thing is said");
    let foreign = access(
        "urn:vcloud:behavior-interface:x:y:z:1.0.0",
        AccessLevel::ReadOnly,
    );
    let refused = engine
        .set_behavior_access(&by, &of, at, vec![foreign])
        .await;
    assert_eq!(code(refused), coeval_codes::BEHAVIOR_UNKNOWN);
    engine.end_override(&by, &of, at, &own).await.unwrap();
    let all = engine.type_behaviors(&by, &of, at).await.unwrap();
    assert_eq!(all[0].own_id, None);
    assert_eq!(all[0].behavior, behavior("deploy", "1"));
    // What was done is told.
    let query = AuditQuery {
        of: Some(of.to_string()),
        ..AuditQuery::default()
    };
    let deeds = engine.audit(&by, &query, None, 20).await.unwrap();
    let notes = deeds.iter().filter_map(|one| one.deed.note.as_deref());
    assert_eq!(
        notes.filter(|note| note.contains(&reference)).count(),
        2,
        "overridden, and no longer"
    );
}

pub(crate) async fn an_edit_keeps_what_is_noted_beside_the_definition(world: World) {
    let engine = &world.engine;
    deploy(engine).await;
    let (by, of, at) = (admin(), app(), v("1.0.0"));
    let reference = interface_behavior_id("deploy", &deployable());
    let execution = json!({ "type": "noop", "id": "own" });
    engine
        .override_behavior(&by, &of, at, &reference, None, &execution)
        .await
        .unwrap();
    let access = BehaviorAccess {
        behavior: reference.clone(),
        level: AccessLevel::ReadWrite,
    };
    engine
        .add_behavior_access(&by, &of, at, access.clone())
        .await
        .unwrap();
    let open = |acl: &mut Acl| {
        let member = AclMember::Org(TENANT.to_owned());
        let level = AccessLevel::ReadOnly;
        Ok(acl.set(Grant { member, level }, AccessLevel::FullControl)?)
    };
    engine.set_type_acl(&by, &of, at, open).await.unwrap();
    let acl = engine.type_acl(&by, &of, at).await.unwrap();
    let file = |interfaces: &str, more: &str| {
        let spec = format!("  interfaces: [{interfaces}]\n  schema: {{type: object}}\n{more}");
        Registration::of(app_file("1.0.0", &spec))
    };
    let own = "\"acme:deployable:1.0.0\"";
    let mut edit = file(own, "  title: Titled\n");
    edit.external_id = Some("ext".to_owned());
    engine.edit_type(&by, &of, at, edit).await.unwrap();
    let shown = engine.visible_type(&by, &of, at).await.unwrap();
    assert_eq!(shown.version.title.as_deref(), Some("Titled"));
    assert_eq!(shown.external_id.as_deref(), Some("ext"));
    assert_eq!(engine.type_acl(&by, &of, at).await.unwrap(), acl);
    assert_eq!(
        engine.behavior_access(&by, &of, at).await.unwrap(),
        [access]
    );
    let all = engine.type_behaviors(&by, &of, at).await.unwrap();
    assert!(all[0].own_id.is_some());
    // What it names must be there, as with a new version.
    let missing = engine.edit_type(&by, &of, at, file("\"acme:none:1.0.0\"", ""));
    assert_eq!(code(missing.await), coeval_codes::INTERFACE_UNKNOWN);
    let hook = format!("  hooks: {{PostCreate: \"{reference}\"}}\n");
    let elsewhere = engine.edit_type(&by, &of, at, file("", &hook)).await;
    assert_eq!(code(elsewhere), coeval_codes::BEHAVIOR_UNKNOWN);
    engine
        .edit_type(&by, &of, at, file(own, &hook))
        .await
        .unwrap();
}

pub(crate) async fn a_catalog_shows_what_its_reader_may_see(world: World) {
    let engine = &world.engine;
    let somebody = tenant("t", TENANT, &[]);
    let names = |all: Vec<coeval_engine::types::CatalogEntry>| {
        let names = all.iter().map(|one| one.version.id.to_string());
        names.collect::<Vec<_>>()
    };
    let built_in = ["vmware:tkgcluster:1.0.0".to_owned()];
    let seen = engine.visible_types(&somebody).await.unwrap();
    assert!(seen[0].built_in);
    assert_eq!(names(seen), built_in, "and none of the engine's own kinds");
    for file in [app_1_0(), app_1_1()] {
        let registration = Registration::of(file);
        engine.register(&admin(), registration).await.unwrap();
    }
    let seen = engine.visible_types(&admin()).await.unwrap();
    let all = [
        "acme:app:1.0.0",
        "acme:app:1.1.0",
        "vmware:tkgcluster:1.0.0",
    ];
    assert_eq!(names(seen), all);
    assert_eq!(
        names(engine.visible_types(&somebody).await.unwrap()),
        built_in
    );
    world.open_to_tenants(&["1.1.0"]).await;
    let seen = engine.visible_types(&somebody).await.unwrap();
    assert_eq!(names(seen), [all[1], all[2]]);
    let hidden = engine.visible_type(&somebody, &app(), v("1.0.0")).await;
    assert_eq!(code(hidden), coeval_codes::TYPE_VERSION_UNKNOWN);
    let own = TypeKey::new("coeval", "user");
    let hidden = engine.visible_type(&admin(), &own, v("1.0.0")).await;
    assert_eq!(code(hidden), coeval_codes::TYPE_VERSION_UNKNOWN);
}

pub(crate) async fn a_reference_that_leads_out_is_a_finding_or_refused(mut world: World) {
    let engine = std::sync::Arc::clone(&world.engine);
    let engine = &engine;
    let schema = "  schema: {type: object, required: [a], properties: {a: {$ref: \"https://example.com/x.json\"}}}\n";
    let file = app_file("1.0.0", schema);
    let refused = engine
        .register(&admin(), Registration::of(file.clone()))
        .await;
    assert_eq!(code(refused), coeval_codes::SCHEMA_REF_REMOTE);
    let warn = Registration::of(file).warn();
    let done = engine.register(&admin(), warn).await.unwrap();
    assert!(done.unproven);
    assert_eq!(done.inherits, Some(InheritedAcl::NothingAsFirst));
    let rule = coeval_codes::SCHEMA_REF_REMOTE.to_string();
    assert_eq!(done.findings[0].rule, rule);
    assert_eq!(done.findings[0].path, "/properties/a/$ref");
    let query = AuditQuery {
        of: Some(app().to_string()),
        ..AuditQuery::default()
    };
    let deeds = engine.audit(&admin(), &query, None, 9).await.unwrap();
    let deed = &deeds[0].deed;
    assert_eq!(deed.what, What::RegisterType);
    assert!(deed.note.as_ref().unwrap().contains("leads out"));
    // Another server loads it, and the rest of the schema holds.
    let another = world.another(crate::world::settings()).await;
    let fits = Create::new(v("1.0.0"), "fits", json!({ "a": { "whatever": 1 } }));
    another.create(&admin(), &app(), fits).await.unwrap();
    let lacks = Create::new(v("1.0.0"), "lacks", json!({}));
    let lacks = another.create(&admin(), &app(), lacks).await;
    assert_eq!(code(lacks), coeval_codes::CONTENT_INVALID);
}

pub(crate) async fn what_is_built_in_stays_and_its_vendor_is_free(world: World) {
    let engine = &world.engine;
    let of = TypeKey::new("vmware", "tkgcluster");
    let refused = engine.delete_type(&admin(), &of, v("1.0.0")).await;
    assert_eq!(code(refused), coeval_codes::BUILT_IN);
    let bundle = "vmware:tkgcluster Entitlement";
    let bundle = engine.get_bundle(&admin(), bundle).await.unwrap();
    assert_eq!(bundle.rights.len(), 5);
    let file = "kind: type\nversion: v1\nmetadata: {name: \"vmware:tkgcluster:1.1.0\"}\nspec: {vendor: vmware, nss: tkgcluster, version: 1.1.0, schema: {type: object}}\n";
    let registration = Registration::of(file);
    engine.register(&admin(), registration).await.unwrap();
    engine.delete_type(&admin(), &of, v("1.1.0")).await.unwrap();
    let kept = engine.get_bundle(&admin(), &bundle.name).await.unwrap();
    assert_eq!(kept.id, bundle.id);
    let create = Create::new(v("1.0.0"), "c", json!({ "kind": "TkgCluster" }));
    engine.create(&admin(), &of, create).await.unwrap();
}

pub(crate) async fn a_mark_that_comes_later_holds_at_older_versions_too(world: World) {
    let engine = &world.engine;
    let schema = |mark: &str| {
        format!(
            "  schema: {{type: object, properties: {{a: {{type: string}}, s: {{type: string{mark}}}}}}}\n"
        )
    };
    let private = ", x-vcloud-restricted: private";
    let file = |version: &str, mark: &str| app_file(version, &schema(mark));
    let open = Registration::of(file("1.0.0", ""));
    engine.register(&admin(), open).await.unwrap();
    let marked = Registration::of(file("1.1.0", private));
    let refused = engine.register(&admin(), marked.clone()).await;
    assert_eq!(code(refused), coeval_codes::TYPE_INCOMPATIBLE);
    // A conversion that is declared to show it to more people is refused under either policy.
    let declared = schema(private) + "  conversion: {from: 1.0.0, steps: []}\n";
    let declared = Registration::of(app_file("1.1.0", &declared)).warn();
    let refused = engine.register(&admin(), declared).await;
    assert_eq!(code(refused), coeval_codes::TYPE_INCOMPATIBLE);
    let done = engine.register(&admin(), marked.warn()).await.unwrap();
    assert!(done.unproven);
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;

    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let owner = tenant("owner", TENANT, &rights);
    let reader = tenant("reader", TENANT, &["acme:app: Administrator View"]);
    let at = |caller: &Caller, version: &str| {
        let mut caller = caller.clone();
        caller.wanted = WantedVersions::exactly(v(version));
        caller
    };
    let content = json!({ "a": "seen", "s": "hidden" });
    let create = Create::new(v("1.1.0"), "web", content.clone());
    let made = engine.create(&owner, &app(), create).await.unwrap();
    let target = Target::Id(made.resource.id);
    let mut down = Update::new(v("1.0.0"), content.clone());
    down.store_at = StoreAt::Set;
    for stored in ["1.1.0", "1.0.0"] {
        for version in ["1.0.0", "1.1.0"] {
            let whole = engine.get(&at(&owner, version), &app(), &target).await;
            let whole: Value = serde_json::from_slice(&whole.unwrap().content).unwrap();
            assert_eq!(whole, content, "stored at {stored}, read at {version}");
            let seen = engine.get(&at(&reader, version), &app(), &target).await;
            let seen: Value = serde_json::from_slice(&seen.unwrap().content).unwrap();
            assert_eq!(
                seen,
                json!({ "a": "seen" }),
                "stored at {stored}, read at {version}"
            );
        }
        let stored = engine.get(&reader, &app(), &target).await.unwrap();
        let seen: Value = serde_json::from_slice(&stored.content).unwrap();
        assert_eq!(seen, json!({ "a": "seen" }), "as it is stored");
        engine.update(&owner, &app(), &target, &down).await.unwrap();
    }
}
