//! Changes of one entity: at its version and at others, its states, and its end.

use crate::stage::{at, minor};
use crate::world::World;
use serde_json::{Value, json};

const TYPE: &str = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.0.0";

pub(crate) fn an_old_client_saves_a_new_object_and_is_told_what_was_kept(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make_resolved(
        &alice,
        "1.1.0",
        "e1",
        &json!({"image": "a", "region": "eu"}),
    );
    for query in [
        "acceptType=urn:vcloud:type:acme:app:1.0.0",
        "acceptType=1.0.0",
        "acceptType=1.0",
        "entityVersion=1.0.0",
        "entityVersion=1",
        "entityVersion=v1",
        "entityVersion=urn:vcloud:type:acme:app:1.0.0",
    ] {
        let path = format!("{}?{query}", at(&id));
        let mut old = world.get(&path).by(&alice).send();
        assert_eq!(
            old.json["entityType"], "urn:vcloud:type:acme:app:1.0.0",
            "{old:?}"
        );
        assert_eq!(
            old.json["entity"],
            json!({"image": old.json["entity"]["image"]})
        );
        assert_eq!(old.header("etag"), world.fetch(&alice, &id).header("etag"));
        old.json["entity"]["image"] = json!(query);
        let etag = old.header("etag").to_owned();
        let put = world
            .put(&path)
            .by(&alice)
            .header("if-match", &etag)
            .json(&old.json)
            .send();
        assert_eq!(put.status, 200, "{put:?}");
        assert_eq!(put.header("coeval-kept"), "/region", "{put:?}");
        assert_eq!(put.json["entityType"], "urn:vcloud:type:acme:app:1.0.0");
        let new = world.fetch(&alice, &id);
        assert_eq!(new.json["entity"], json!({"image": query, "region": "eu"}));
        assert_eq!(new.json["entityType"], "urn:vcloud:type:acme:app:1.1.0");
    }
    // The same for a client that says what it understands: what it returns is no wish to move it.
    let accept = |sending: crate::world::Sending<'_>| {
        sending
            .by(&alice)
            .header("coeval-accept", "acme:app=1.0")
            .send()
    };
    let old = accept(world.get(&at(&id)));
    assert_eq!(old.json["entityType"], "urn:vcloud:type:acme:app:1.0.0");
    let put = accept(world.put(&at(&id)).json(&old.json));
    assert_eq!(
        (put.status, put.header("coeval-kept")),
        (200, "/region"),
        "{put:?}"
    );
    let new = world.fetch(&alice, &id);
    assert_eq!(new.json["entityType"], "urn:vcloud:type:acme:app:1.1.0");
    assert_eq!(new.json["entity"]["region"], "eu");
    for query in [
        "acceptType=urn:vcloud:type:acme:other:1.0.0",
        "entityVersion=1.x",
        "entityVersion=urn:vcloud:type:acme:app:1",
        "acceptType=1.0.0&entityVersion=1.1.0",
    ] {
        let refused = world.get(&format!("{}?{query}", at(&id))).by(&alice).send();
        assert_eq!(refused.status, 400, "{query} {refused:?}");
    }
}

pub(crate) fn a_null_counts_as_absent_where_the_schema_has_none(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make(
        &alice,
        "1.0.0",
        "e1",
        &json!({"image": "a", "sizing_class": null}),
    );
    let resolved = world
        .post(&format!("{}/resolve", at(&id)))
        .by(&alice)
        .send();
    assert_eq!(resolved.json["state"], "RESOLVED", "{resolved:?}");
    let body = json!({"name": "e1", "entity": {"image": "a", "replicas": null, "status": null}});
    let put = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(
        (put.status, &put.json["state"]),
        (200, &json!("RESOLVED")),
        "{put:?}"
    );
    let body = json!({"name": "e1", "entity": {"image": null}});
    let refused = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(
        refused.status, 400,
        "what is required is still required: {refused:?}"
    );
}

pub(crate) fn a_resolved_entity_never_becomes_invalid(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let before = world.fetch(&alice, &id);
    let body = json!({"name": "e1", "entity": {"replicas": "many"}});
    let refused = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(refused.status, 400, "{refused:?}");
    let violations = refused.json["details"]["violations"].as_array().unwrap();
    let paths: Vec<_> = violations
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert!(paths.contains(&"/replicas"), "{refused:?}");
    let after = world.fetch(&alice, &id);
    assert_eq!(
        (after.header("etag"), &after.text),
        (before.header("etag"), &before.text)
    );
    // Without a content the content stays.
    let renamed = world
        .put(&at(&id))
        .by(&alice)
        .json(&json!({"name": "e2", "externalId": "x", "state": "PRE_CREATED"}))
        .send();
    assert_eq!(renamed.json["entity"], json!({"image": "a"}), "{renamed:?}");
    assert_eq!(
        (&renamed.json["name"], &renamed.json["state"]),
        (&json!("e2"), &json!("RESOLVED"))
    );
    let kept = world
        .put(&at(&id))
        .by(&alice)
        .json(&json!({"name": "e2", "externalId": null}))
        .send();
    assert_eq!(kept.json["externalId"], "x");
    let taken = world
        .put(&at(&id))
        .by(&alice)
        .json(&json!({"externalId": ""}))
        .send();
    assert_eq!(
        (&taken.json["externalId"], &taken.json["name"]),
        (&Value::Null, &json!("e2"))
    );
}

pub(crate) fn an_entity_changes_its_version_and_only_that_of_its_own_type(mut world: World) {
    world.add_app();
    world.add_workers();
    let (alice, wanda) = (world.login("alice@acme"), world.login("wanda@acme"));
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let put = |token: &str, body: &Value| world.put(&at(&id)).by(token).json(body).send();
    let typed = |version: &str| format!("urn:vcloud:type:acme:app:{version}");
    for wrong in [
        "urn:vcloud:type:acme:other:1.1.0".to_owned(),
        typed("7.0.0"),
    ] {
        let refused = put(
            &alice,
            &json!({"entityType": wrong, "entity": {"image": "b"}}),
        );
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(minor(&refused), "RDE_INVALID_TYPE_UPDATE", "{wrong}");
    }
    let grant = json!({"grantType": "MembershipAccessControlGrant", "accessLevelId": "urn:vcloud:accessLevel:ReadWrite", "memberId": world.user_id(&wanda)});
    assert_eq!(
        world
            .post(&format!("{}/accessControls", at(&id)))
            .by(&alice)
            .json(&grant)
            .send()
            .status,
        201
    );
    let refused = put(
        &wanda,
        &json!({"entityType": typed("1.1.0"), "entity": {"image": "b"}}),
    );
    assert_eq!(refused.status, 403, "it takes full control: {refused:?}");
    let edited = put(
        &wanda,
        &json!({"entityType": typed("1.0.0"), "entity": {"image": "b"}}),
    );
    assert_eq!(edited.status, 200, "{edited:?}");
    let moved = put(
        &alice,
        &json!({"entityType": typed("1.1.0"), "entity": {"image": "b", "region": "eu"}}),
    );
    assert_eq!(
        (moved.status, moved.json["entityType"].as_str()),
        (200, Some(&*typed("1.1.0"))),
        "{moved:?}"
    );
    // Back and forth without a content: nothing is lost.
    let back = put(&alice, &json!({"entityType": typed("1.0.0")}));
    assert_eq!(back.json["entity"], json!({"image": "b"}), "{back:?}");
    assert_eq!(
        (back.json["entityType"].as_str(), back.header("coeval-kept")),
        (Some(&*typed("1.0.0")), "/region")
    );
    let forth = put(&alice, &json!({"entityType": typed("1.1.0")}));
    assert_eq!(
        forth.json["entity"],
        json!({"image": "b", "region": "eu"}),
        "{forth:?}"
    );
    assert_eq!(forth.json["owner"]["name"], "alice");
    // Another owner: with full control, and somebody who is there.
    let owner = json!({"owner": {"id": world.user_id(&wanda)}});
    assert_eq!(put(&wanda, &owner).status, 403);
    for nobody in ["urn:vcloud:user:00000000-0000-0000-0000-000000000009", "x"] {
        assert_eq!(put(&alice, &json!({"owner": {"id": nobody}})).status, 400);
    }
    let given = put(&alice, &owner);
    assert_eq!(
        (given.status, &given.json["owner"]["name"]),
        (200, &json!("wanda")),
        "{given:?}"
    );
}

pub(crate) fn one_that_was_never_resolved_is_deleted_by_force_alone(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make(&alice, "1.0.0", "e1", &json!({}));
    let refused = world
        .delete(&at(&id))
        .by(&alice)
        .header("coeval-force", "false")
        .send();
    assert_eq!(minor(&refused), "RDE_ENTITY_NOT_RESOLVED");
    assert_eq!(
        world
            .delete(&at(&id))
            .by(&alice)
            .header("coeval-force", "yes")
            .send()
            .status,
        400
    );
    let gone = world
        .delete(&at(&id))
        .by(&alice)
        .header("coeval-force", "true")
        .send();
    assert_eq!(gone.status, 204, "{gone:?}");
    assert_eq!(world.fetch(&alice, &id).status, 403);
}

pub(crate) fn an_entity_goes_by_way_of_deletion(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let body = json!({"name": "e1", "entityState": "IN_DELETION"});
    let put = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(
        (put.status, &put.json["entityState"]),
        (200, &json!("IN_DELETION")),
        "{put:?}"
    );
    let resolve = world
        .post(&format!("{}/resolve", at(&id)))
        .by(&alice)
        .send();
    assert_eq!(resolve.status, 400, "{resolve:?}");
    let body = json!({"name": "e1", "entity": {}, "entityState": "RESOLVED"});
    let put = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(
        (put.status, &put.json["state"]),
        (200, &json!("IN_DELETION")),
        "it stays so: {put:?}"
    );
    assert_eq!(world.delete(&at(&id)).by(&alice).send().status, 204);
}

pub(crate) fn entities_of_a_version_migrate(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    for number in 0..3 {
        world.make_resolved(
            &alice,
            "1.0.0",
            &format!("e{number}"),
            &json!({"image": "a"}),
        );
    }
    let path = format!("{TYPE}/migrateEntities");
    let start = |body: &Value| world.post(&path).by(&alice).json(body).send();
    let target = "urn:vcloud:type:acme:app:1.1.0";
    assert_eq!(start(&json!({})).status, 400);
    let other = start(&json!({"targetEntityType": "urn:vcloud:type:acme:other:1.1.0"}));
    assert_eq!(minor(&other), "RDE_INVALID_TYPE_UPDATE");
    assert_eq!(
        start(&json!({"targetEntityType": target, "meaningChanged": [1]})).status,
        400
    );
    let old = world
        .post(&path)
        .by(&alice)
        .version("37.2")
        .json(&json!({"targetEntityType": target}))
        .send();
    assert_eq!(old.status, 406);
    let count = |version: &str| {
        let path = format!("/cloudapi/1.0.0/entities/types/acme/app/{version}");
        world.get(&path).by(&alice).send().json["resultTotal"]
            .as_u64()
            .unwrap()
    };
    let tried = start(&json!({"targetEntityType": target, "dryRun": true}));
    assert_eq!(tried.status, 202, "{tried:?}");
    let started = start(&json!({"targetEntityType": target, "forceMigrate": false}));
    assert_eq!(
        (started.status, started.text.as_str()),
        (202, ""),
        "{started:?}"
    );
    assert!(started.header("location").contains("/api/task/"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while count("1.1.0") < 3 {
        assert!(std::time::Instant::now() < until, "{}", world.log());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(count("1.0.0"), 0);
}
