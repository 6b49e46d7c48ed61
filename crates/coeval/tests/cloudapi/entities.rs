//! Entities as the SDKs of go-vcloud-director, CAPVCD, CPI and CSE handle them.

mod changes;
mod lists;

pub(crate) use changes::{
    a_null_counts_as_absent_where_the_schema_has_none, a_resolved_entity_never_becomes_invalid,
    an_entity_changes_its_version_and_only_that_of_its_own_type, an_entity_goes_by_way_of_deletion,
    an_old_client_saves_a_new_object_and_is_told_what_was_kept, entities_of_a_version_migrate,
    one_that_was_never_resolved_is_deleted_by_force_alone,
};

pub(crate) use lists::{
    an_old_client_edits_items_with_a_key_and_is_told_where_one_is_missing,
    lists_are_downgraded_by_reading_and_saving_at_a_lower_version,
    lists_are_upgraded_by_reading_and_saving_at_a_higher_version,
    what_a_lower_version_forbids_in_items_is_kept_in_a_downgrade,
    what_a_lower_version_hides_in_items_is_back_when_they_are_saved_higher,
};

use crate::stage::{at, minor};
use crate::world::World;
use serde_json::{Value, json};

const TYPE: &str = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.0.0";

pub(crate) fn an_entity_is_made_resolved_changed_and_deleted_as_clients_do_it(mut world: World) {
    world.add_app();
    for user in ["administrator@System", "alice@acme"] {
        let token = world.login(user);
        // Without the image, which is required.
        let id = world.make(&token, "1.0.0", "e1", &json!({"replicas": 1}));
        let read = world.fetch(&token, &id);
        assert_eq!(
            (read.status, &read.json["state"]),
            (200, &json!("PRE_CREATED"))
        );
        assert_eq!(read.json["entityType"], "urn:vcloud:type:acme:app:1.0.0");
        assert_eq!(read.json["externalId"], Value::Null);
        let refused = world.delete(&at(&id)).by(&token).send();
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(minor(&refused), "RDE_ENTITY_NOT_RESOLVED");

        let resolved = world
            .post(&format!("{}/resolve", at(&id)))
            .by(&token)
            .send();
        assert_eq!(resolved.json["state"], "RESOLUTION_ERROR", "{resolved:?}");
        let keys: Vec<_> = resolved.json.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["id", "entity", "state", "entityState", "message"]);
        assert!(resolved.json["message"].as_str().unwrap().contains("image"));
        let etags = [read.header("etag"), resolved.header("etag")];
        assert!(!etags[0].is_empty() && etags[0] != etags[1], "{etags:?}");

        let body = json!({"name": "e1", "entity": {"image": "a", "replicas": 1}});
        let put = world
            .put(&at(&id))
            .by(&token)
            .header("if-match", etags[1])
            .json(&body)
            .send();
        assert_eq!(
            (put.status, &put.json["state"]),
            (200, &json!("RESOLUTION_ERROR")),
            "{put:?}"
        );
        assert_ne!(put.header("etag"), etags[1]);
        let again = world
            .post(&format!("{}/resolve/", at(&id)))
            .by(&token)
            .send();
        assert_eq!(again.json["state"], "RESOLVED", "{again:?}");
        assert_eq!(again.json["message"], Value::Null);
        assert_ne!(again.header("etag"), put.header("etag"));
        let idempotent = world
            .post(&format!("{}/resolve", at(&id)))
            .by(&token)
            .send();
        assert_eq!(
            idempotent.header("etag"),
            again.header("etag"),
            "nothing changed"
        );

        let gone = world.delete(&at(&id)).by(&token).send();
        assert_eq!((gone.status, gone.text.as_str()), (204, ""), "{gone:?}");
        let read = world.fetch(&token, &id);
        assert_eq!(read.status, 403, "{read:?}");
        assert_eq!(minor(&read), "ACCESS_TO_RESOURCE_IS_FORBIDDEN");
    }
}

pub(crate) fn a_stale_etag_is_412_and_a_retry_succeeds(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let read = world.fetch(&alice, &id);
    let put = |etag: &str, image: &str| {
        let body = json!({"name": "e1", "entity": {"image": image}});
        world
            .put(&at(&id))
            .by(&alice)
            .header("if-match", etag)
            .json(&body)
            .send()
    };
    let stale = read.header("etag");
    let first = put(stale, "b");
    assert_eq!(first.status, 200, "{first:?}");
    let bare = stale.trim_matches('"');
    for etag in [stale, bare, "W/\"x\"", "x", "\"\"", &stale.to_uppercase()] {
        let refused = put(etag, "c");
        assert_eq!(refused.status, 412, "{etag} {refused:?}");
        assert_eq!(minor(&refused), "PRECONDITION_FAILED");
        let refused = world
            .delete(&at(&id))
            .by(&alice)
            .header("if-match", etag)
            .send();
        assert_eq!(refused.status, 412, "{etag} {refused:?}");
    }
    let current = world.fetch(&alice, &id);
    assert_eq!(current.json["entity"]["image"], "b");
    assert_eq!(current.header("etag"), first.header("etag"));
    // Quoted or not.
    let second = put(current.header("etag").trim_matches('"'), "c");
    assert_eq!(
        (second.status, &second.json["entity"]["image"]),
        (200, &json!("c"))
    );
    // Nothing said, nothing compared.
    let body = json!({"name": "e1", "entity": {"image": "d"}});
    assert_eq!(
        world.put(&at(&id)).by(&alice).json(&body).send().status,
        200
    );
    let etag = world.fetch(&alice, &id);
    let gone = world
        .delete(&at(&id))
        .by(&alice)
        .header("if-match", etag.header("etag"))
        .send();
    assert_eq!(gone.status, 204);
}

pub(crate) fn a_body_that_can_t_be_an_entity_is_refused_and_nothing_is_made(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let entity = json!({"image": "a"});
    for body in [
        json!({"entity": entity}),
        json!({"name": null, "entity": entity}),
        json!({"name": "", "entity": entity}),
        json!({"name": 7, "entity": entity}),
        json!({"name": "e1"}),
        json!({"name": "e1", "entity": null}),
        json!({"name": "e1", "entity": []}),
        json!({"name": "e1", "entity": "x"}),
        json!({"name": "e1", "entity": entity, "entityType": "urn:vcloud:type:acme:app:1.1.0"}),
        json!({"name": "e1", "entity": entity, "entityType": "x"}),
        json!({"name": "n".repeat(2_000), "entity": entity}),
        json!([]),
    ] {
        let reply = world.post(TYPE).by(&alice).json(&body).send();
        assert_eq!(reply.status, 400, "{body} {reply:?}");
        minor(&reply);
    }
    let listed = world
        .get("/cloudapi/1.0.0/entities/types/acme/app/1")
        .by(&alice)
        .send();
    assert_eq!(listed.json["resultTotal"], 0, "{listed:?}");
    // What was read before may come along.
    let echo = json!({
        "name": "e1", "entity": entity, "entityType": "urn:vcloud:type:acme:app:1.0.0",
        "id": null, "state": "RESOLVED", "owner": {"name": "x"}, "org": null, "unknown": 1,
        "externalId": "123"
    });
    let reply = world
        .post(&format!("{TYPE}/?resolveEntity=true&invokeHooks=true"))
        .by(&alice)
        .json(&echo)
        .send();
    assert_eq!(reply.status, 202, "{reply:?}");
    let id = world.id_of(&alice, "e1");
    let read = world.fetch(&alice, &id);
    assert_eq!(
        (&read.json["state"], &read.json["externalId"]),
        (&json!("RESOLVED"), &json!("123"))
    );
    assert_eq!(read.json["owner"]["name"], "alice");
    let owner: Vec<_> = read.json["owner"].as_object().unwrap().keys().collect();
    let org: Vec<_> = read.json["org"].as_object().unwrap().keys().collect();
    assert_eq!(owner, ["name", "id"]);
    assert_eq!(org, ["name", "id"]);
}

pub(crate) fn a_provider_makes_entities_in_a_tenants_organization(mut world: World) {
    world.add_app();
    let (admin, alice, oscar) = (
        world.admin(),
        world.login("alice@acme"),
        world.login("oscar@other"),
    );
    let session = world
        .get("/cloudapi/1.0.0/sessions/current")
        .by(&alice)
        .send();
    let org = session.json["org"]["id"].as_str().unwrap().to_owned();
    let bare = org.rsplit(':').next().unwrap();
    for (number, context) in [org.as_str(), bare].into_iter().enumerate() {
        let name = format!("e{number}");
        let body = json!({"name": name, "entity": {"image": "a"}});
        let made = world
            .post(TYPE)
            .by(&admin)
            .header("x-vmware-vcloud-tenant-context", context)
            .json(&body)
            .send();
        assert_eq!(made.status, 202, "{made:?}");
        let id = world.id_of(&alice, &name);
        // By id also without the header; in lists only with it.
        let read = world.fetch(&admin, &id);
        assert_eq!(
            (read.status, &read.json["org"]["name"]),
            (200, &json!("acme")),
            "{read:?}"
        );
        let resolved = world
            .post(&format!("{}/resolve", at(&id)))
            .by(&admin)
            .send();
        assert_eq!(resolved.json["state"], "RESOLVED");
        let listed = world
            .get("/cloudapi/1.0.0/entities/types/acme/app/1.0.0")
            .by(&admin)
            .send();
        assert_eq!(listed.json["resultTotal"], 0);
        assert_eq!(world.fetch(&oscar, &id).status, 403);
        // A tenant may name its own organization.
        let own = world
            .get(&at(&id))
            .by(&alice)
            .header("x-vmware-vcloud-tenant-context", context)
            .send();
        assert_eq!(own.status, 200);
    }
}

pub(crate) fn fields_are_there_from_their_api_version_on(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let paths = [
        at(&id),
        "/cloudapi/1.0.0/entities/types/acme/app/1.0.0".to_owned(),
    ];
    for path in paths {
        for (version, state, dates) in [
            ("35.0", false, false),
            ("37.0", false, false),
            ("37.1", true, false),
            ("38.1", true, false),
            ("39.1", true, true),
        ] {
            let reply = world.get(&path).by(&alice).version(version).send();
            assert_eq!(
                reply.header("content-type"),
                format!("application/json;version={version}")
            );
            let entity = match reply.json.get("values") {
                Some(values) => {
                    assert_eq!(reply.header("etag"), "", "none in lists");
                    values[0].clone()
                }
                None => reply.json.clone(),
            };
            assert_eq!(entity["state"], "RESOLVED", "at every version");
            assert_eq!(entity.get("entityState").is_some(), state, "{version}");
            assert_eq!(entity.get("creationDate").is_some(), dates, "{version}");
            assert_eq!(
                entity.get("lastModificationDate").is_some(),
                dates,
                "{version}"
            );
        }
    }
    let all = "/cloudapi/1.0.0/entities/types/acme/app";
    assert_eq!(world.get(all).by(&alice).version("36.3").send().status, 406);
    assert_eq!(world.get(all).by(&alice).version("37.0").send().status, 200);
}

pub(crate) fn headers_of_the_cloud_provider_interface_are_understood(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let session = world
        .get("/cloudapi/1.0.0/sessions/current")
        .by(&alice)
        .send();
    let org = session.json["org"]["id"].as_str().unwrap().to_owned();
    let made = world
        .post(&format!("{TYPE}?resolveEntity=true"))
        .by(&alice)
        .header("accept", "*_/_*;version=37.2")
        .header("x-vmware-vcloud-tenant-context", &org)
        .json(&json!({"name": "e1", "entityType": "urn:vcloud:type:acme:app:1.0.0", "entity": {"image": "a"}}))
        .send();
    assert_eq!(made.status, 202, "{made:?}");
    let id = world.id_of(&alice, "e1");
    let old = id.replace("acme:app:", "acme:app:1.0.0:");
    let read = world
        .get(&at(&old))
        .by(&alice)
        .header("accept", "application/json;version=37.2")
        .send();
    assert_eq!(
        read.json["id"],
        id.as_str(),
        "the old form of an id is read: {read:?}"
    );
    assert!(read.header("content-type").contains("application/json"));
    let gone = world
        .delete(&format!("{}?invokeHooks=false", at(&id)))
        .by(&alice)
        .header("accept", "*_/_*;version=37.2")
        .send();
    assert_eq!(gone.status, 204, "{gone:?}");
}

pub(crate) fn what_is_not_there_answers_as_what_may_not_be_seen(mut world: World) {
    world.add_app();
    let (alice, oscar) = (world.login("alice@acme"), world.login("oscar@other"));
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    let nothing = "urn:vcloud:entity:acme:app:00000000-0000-4000-8000-000000000000";
    let body = json!({"name": "x", "entity": {}});
    let ask = |id: &str| {
        let path = at(id);
        let all = [
            world.get(&path).by(&oscar).send(),
            world.put(&path).by(&oscar).json(&body).send(),
            world.delete(&path).by(&oscar).send(),
            world.post(&format!("{path}/resolve")).by(&oscar).send(),
            world.get(&format!("{path}/fullContents")).by(&oscar).send(),
            world
                .get(&format!("{path}/access?explain=true"))
                .by(&oscar)
                .send(),
            world
                .get(&format!("{path}/accessControls"))
                .by(&oscar)
                .send(),
            world.get(&format!("{path}/metadata")).by(&oscar).send(),
        ];
        all.map(|reply| {
            let text = reply.json["message"].as_str().unwrap();
            let text = text.split("] ").nth(1).unwrap().to_owned();
            let uuid = id.rsplit(':').next().unwrap();
            (
                reply.status,
                minor(&reply).to_owned(),
                text.replace(uuid, "ID"),
            )
        })
    };
    let (there, missing) = (ask(&id), ask(nothing));
    assert_eq!(there, missing);
    for (status, code, _) in there {
        assert_eq!(
            (status, code.as_str()),
            (403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN")
        );
    }
    for path in [
        "/cloudapi/1.0.0/entities/urn:vcloud:entity:coeval:user:00000000-0000-4000-8000-000000000000",
        "/cloudapi/1.0.0/entities/types/coeval/user/1",
        "/cloudapi/1.0.0/entities/types/acme/nothing/1",
    ] {
        let reply = world.get(path).by(&world.admin()).send();
        assert_eq!(reply.status, 403, "{path} {reply:?}");
    }
    for path in [
        "/cloudapi/1.0.0/entities/x",
        "/cloudapi/1.0.0/entities/types/acme/app/1.x",
    ] {
        assert_eq!(world.get(path).by(&alice).send().status, 400, "{path}");
    }
}
