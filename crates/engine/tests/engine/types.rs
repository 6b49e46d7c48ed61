//! Types: registering, changing and deleting versions, and the races with those who use them.

use crate::world::{World, admin, app, app_1_0, app_file, v};
use coeval_codes::Coded;
use coeval_engine::EngineError;
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use serde_json::json;
use std::sync::Arc;

pub(crate) async fn a_bump_that_is_too_small_is_refused_with_a_witness(world: World) {
    let engine = &world.engine;
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    let narrower = app_file(
        "1.0.1",
        "  schema: {type: object, required: [image, size], properties: {image: {type: string}, size: {type: integer}}}\n",
    );
    let refused = engine
        .register(&admin(), Registration::of(narrower.clone()))
        .await;
    let EngineError::Incompatible { findings, .. } = refused.unwrap_err() else {
        panic!("refused for another reason");
    };
    assert!(
        findings.iter().any(|finding| finding.witness.is_some()),
        "{findings:?}"
    );
    let warned = engine
        .register(&admin(), Registration::of(narrower).warn())
        .await
        .unwrap();
    assert!(warned.unproven);
}

/// 100 creators against an editor: never both.
pub(crate) async fn creators_and_an_editor_never_both_succeed(world: World) {
    for round in 0..2 {
        let version = format!("1.{round}.0");
        let file = app_file(&version, "  schema: {type: object}\n");
        let edited = app_file(
            &version,
            "  description: edited\n  schema: {type: object}\n",
        );
        let engine = Arc::clone(&world.engine);
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
        let creators: Vec<_> = (0..100)
            .map(|n| {
                let (engine, version) = (Arc::clone(&engine), v(&version));
                tokio::spawn(async move {
                    let create = Create::new(version, format!("r{round}-{n}"), json!({}));
                    engine.create(&admin(), &app(), create).await
                })
            })
            .collect();
        let editing = {
            let engine = Arc::clone(&engine);
            let version = v(&version);
            tokio::spawn(async move {
                engine
                    .edit_type(&admin(), &app(), version, Registration::of(edited))
                    .await
            })
        };
        let mut first_made_before = false;
        for creator in creators {
            let made = creator.await.unwrap().unwrap();
            first_made_before |= made.created;
        }
        assert!(first_made_before);
        let state = engine.type_state(&app()).await.unwrap();
        let definition = state.version(v(&version)).unwrap();
        match editing.await.unwrap() {
            Ok(_) => assert_eq!(definition.description.as_deref(), Some("edited")),
            Err(error) => {
                assert!(matches!(error, EngineError::TypeInUse { .. }), "{error}");
                assert_eq!(definition.description, None);
            }
        }
    }
}

pub(crate) async fn versions_registered_at_the_same_time_all_arrive(mut world: World) {
    let engines = [
        Arc::clone(&world.engine),
        world.another(coeval_engine::Settings::default()).await,
    ];
    let registering: Vec<_> = (0..8)
        .map(|n| {
            let engine = Arc::clone(&engines[n % 2]);
            let file = app_file(&format!("1.{n}.0"), "  schema: {type: object}\n");
            tokio::spawn(async move {
                engine
                    .register(&admin(), Registration::of(file).warn())
                    .await
            })
        })
        .collect();
    for one in registering {
        one.await.unwrap().unwrap();
    }
    // One server knows what the other registered, and so does a create at it.
    for engine in &engines {
        let state = engine.type_state(&app()).await.unwrap();
        assert_eq!(state.known_versions().count(), 8);
    }
    let create = Create::new(v("1.7.0"), "web", json!({}));
    engines[0].create(&admin(), &app(), create).await.unwrap();
    let again = app_file("1.3.0", "  schema: {type: object}\n");
    let refused = engines[1]
        .register(&admin(), Registration::of(again))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_EXISTS);
}

pub(crate) async fn a_version_with_resources_is_immutable(world: World) {
    let engine = &world.engine;
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    let edit = || Registration::of(app_1_0());
    let refused = engine
        .edit_type(&admin(), &app(), v("1.0.0"), edit())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_IN_USE);
    let refused = engine
        .delete_type(&admin(), &app(), v("1.0.0"))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_IN_USE);
    let id = coeval_engine::Target::Id(made.resource.id);
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    engine
        .edit_type(&admin(), &app(), v("1.0.0"), edit())
        .await
        .unwrap();
    engine
        .delete_type(&admin(), &app(), v("1.0.0"))
        .await
        .unwrap();
    let gone = engine.type_state(&app()).await.unwrap_err();
    assert_eq!(gone.code(), coeval_codes::TYPE_UNKNOWN);
}

pub(crate) async fn a_stored_resource_that_breaks_a_law_refuses_a_version(world: World) {
    let engine = &world.engine;
    let first = app_file(
        "1.0.0",
        "  schema: {type: object, properties: {size: {type: string}}}\n",
    );
    engine
        .register(&admin(), Registration::of(first))
        .await
        .unwrap();
    let create = Create::new(v("1.0.0"), "web", json!({"size": "huge"}));
    engine.create(&admin(), &app(), create).await.unwrap();
    // A table that has no place for what is stored refuses that resource; that is no broken law.
    let second = app_file(
        "2.0.0",
        "  schema: {type: object, properties: {size: {enum: [S, L]}}}\n  conversion: {from: 1.0.0, steps: [{map: {path: /size, table: {small: S, large: L}}}]}\n",
    );
    let registered = engine
        .register(&admin(), Registration::of(second))
        .await
        .unwrap();
    assert!(!registered.unproven, "{registered:?}");
}

pub(crate) async fn an_interface_in_use_stays(world: World) {
    let engine = &world.engine;
    let id = coeval_core::types::InterfaceId {
        vendor: "acme".to_owned(),
        nss: "deployable".to_owned(),
        version: v("1.0.0"),
    };
    let file = app_file(
        "1.0.0",
        "  interfaces: [\"acme:deployable:1.0.0\"]\n  schema: {type: object}\n",
    );
    let missing = engine
        .register(&admin(), Registration::of(file.clone()))
        .await
        .unwrap_err();
    assert_eq!(missing.code(), coeval_codes::INTERFACE_UNKNOWN);
    let interface = coeval_engine::types::Interface::new(&id, "Deployable");
    engine.define_interface(&admin(), &interface).await.unwrap();
    assert!(engine.define_interface(&admin(), &interface).await.is_err());
    engine
        .register(&admin(), Registration::of(file))
        .await
        .unwrap();
    // Without resources its name may change, but it is not deleted while a type implements it.
    let rename = |one: &mut coeval_engine::types::Interface| {
        "Can be deployed".clone_into(&mut one.name);
    };
    let renamed = engine.edit_interface(&admin(), &id, rename).await.unwrap();
    assert_eq!(renamed.name, "Can be deployed");
    let refused = engine.delete_interface(&admin(), &id).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::INTERFACE_IN_USE);
    let create = Create::new(v("1.0.0"), "web", json!({}));
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    let refused = engine
        .edit_interface(&admin(), &id, |one| one.name = "No".to_owned())
        .await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::INTERFACE_IN_USE);
    let target = coeval_engine::Target::Id(made.resource.id);
    engine
        .delete(&admin(), &app(), &target, None)
        .await
        .unwrap();
    engine
        .delete_type(&admin(), &app(), v("1.0.0"))
        .await
        .unwrap();
    engine.delete_interface(&admin(), &id).await.unwrap();
    assert!(engine.interface(&id).await.is_err());
}

pub(crate) async fn a_denial_is_explained_to_those_who_may_know(world: World) {
    use crate::world::{TENANT, tenant};
    use coeval_access::{AccessLevel, AclMember, Grant, ResourceAction};
    let engine = &world.engine;
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    world.open_to_tenants(&["1.0.0"]).await;
    let owner = tenant("owner", TENANT, &["acme:app: Full Access"]);
    let reader = tenant("reader", TENANT, &["acme:app: View"]);
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    let made = engine.create(&owner, &app(), create).await.unwrap();
    let id = coeval_engine::Target::Id(made.resource.id);
    let member = AclMember::User("reader".to_owned());
    let level = AccessLevel::ReadOnly;
    engine
        .grant(&owner, &app(), &id, &Grant { member, level })
        .await
        .unwrap();
    let why = engine
        .explain(&owner, &app(), &id, &reader.subject, ResourceAction::Modify)
        .await
        .unwrap();
    let text = format!("{why:?}");
    assert!(text.contains("acme:app: Modify"), "{text}");
    // Somebody who can't read it is told nothing.
    let nobody = tenant("nobody", TENANT, &["acme:app: View"]);
    let hidden = engine
        .explain(&nobody, &app(), &id, &nobody.subject, ResourceAction::Read)
        .await;
    assert_eq!(hidden.unwrap_err().code(), coeval_codes::RESOURCE_NOT_FOUND);
    // What was done is in the audit, newest first, a page at a time.
    let query = coeval_engine::AuditQuery {
        id: Some(made.resource.id.to_string()),
        ..Default::default()
    };
    let first = engine.audit(&admin(), &query, None, 1).await.unwrap();
    assert_eq!(first[0].deed.what, coeval_engine::What::ChangeAcl);
    let then = engine
        .audit(&admin(), &query, Some(&first[0].place), 10)
        .await
        .unwrap();
    assert_eq!(then.len(), 1);
    assert_eq!(then[0].deed.what, coeval_engine::What::Create);
    assert_eq!(then[0].after, made.resource.revision);
    assert_eq!(then[0].deed.user, "owner");
}

pub(crate) async fn an_undecided_change_is_accepted_by_name(world: World) {
    let engine = &world.engine;
    // Two patterns whose automata are too large to be compared.
    let schema = |pattern: &str| {
        format!(
            "  schema: {{type: object, properties: {{image: {{type: string, pattern: '{pattern}'}}}}}}\n"
        )
    };
    let before = app_file("1.0.0", &schema("^(a|b)*a(a|b){24}$"));
    let after = app_file("1.0.1", &schema("^(a|b)*(a|c)(a|b){24}$"));
    engine
        .register(&admin(), Registration::of(before))
        .await
        .unwrap();
    let registration = Registration::of(after);
    match engine.register(&admin(), registration.clone()).await {
        Err(EngineError::Incompatible { findings, .. }) => {
            println!("{findings:#?}");
            assert_eq!(findings[0].rule, "undecided");
        }
        other => panic!("{other:?}"),
    }
    let accepted = Registration {
        accept_undecided: true,
        ..registration
    };
    let registered = engine.register(&admin(), accepted).await.unwrap();
    assert!(!registered.unproven);
}
