//! Metadata entries, as go-vcloud-director's test of them goes.

use crate::stage::{at, minor};
use crate::world::{Reply, World};
use serde_json::{Value, json};

fn entry(domain: &str, key: &str, kind: &str, value: &Value) -> Value {
    json!({
        "persistent": false,
        "readOnly": false,
        "keyValue": {
            "domain": domain, "key": key, "namespace": "foo",
            "value": {"type": kind, "value": value},
        },
    })
}

fn note(world: &World, by: &str, id: &str, body: &Value) -> Reply {
    world
        .post(&format!("{}/metadata", at(id)))
        .by(by)
        .version("37.0")
        .json(body)
        .send()
}

fn prepared(world: &mut World) -> (String, String, String) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let id = world.make_resolved(&alice, "1.0.0", "e1", &json!({"image": "a"}));
    (id, admin, alice)
}

pub(crate) fn an_entry_is_noted_found_changed_and_deleted(mut world: World) {
    let (id, admin, _) = prepared(&mut world);
    let all = format!("{}/metadata", at(&id));
    let entity_etag = world.fetch(&admin, &id).header("etag").to_owned();
    for (domain, kind, first, second) in [
        ("TENANT", "StringEntry", json!("a"), json!("b")),
        ("TENANT", "NumberEntry", json!(1), json!(42)),
        ("TENANT", "NumberEntry", json!(-1.5), json!(-42)),
        ("TENANT", "BoolEntry", json!(true), json!(false)),
        ("PROVIDER", "StringEntry", json!("a"), json!("b")),
    ] {
        let made = note(&world, &admin, &id, &entry(domain, "k", kind, &first));
        assert_eq!(made.status, 201, "{made:?}");
        assert!(
            made.json["id"]
                .as_str()
                .unwrap()
                .starts_with("urn:vcloud:metadata:")
        );
        let mut expected = entry(domain, "k", kind, &first);
        expected["id"] = made.json["id"].clone();
        assert_eq!(made.json, expected);
        let etag = made.header("etag");
        assert!(!etag.is_empty());
        let listed = world.get(&all).by(&admin).version("37.0").send();
        assert_eq!(
            (&listed.json["resultTotal"], &listed.json["values"][0]),
            (&json!(1), &made.json)
        );
        let by_key = world
            .get(&format!("{all}?filter=keyValue.key%3D%3Dk"))
            .by(&admin)
            .send();
        assert_eq!(by_key.json["values"][0], made.json);
        let none = world
            .get(&format!("{all}?filter=keyValue.key==z"))
            .by(&admin)
            .send();
        assert_eq!(none.json["values"], json!([]));
        let path = format!("{all}/{}", made.json["id"].as_str().unwrap());
        let read = world.get(&path).by(&admin).send();
        assert_eq!((read.header("etag"), &read.json), (etag, &made.json));
        let mut changed = made.json.clone();
        changed["keyValue"]["value"]["value"] = second;
        changed["persistent"] = json!(true);
        let put = world
            .put(&path)
            .by(&admin)
            .header("if-match", etag)
            .json(&changed)
            .send();
        assert_eq!((put.status, &put.json), (200, &changed), "{put:?}");
        assert_ne!(put.header("etag"), etag);
        let stale = world
            .put(&path)
            .by(&admin)
            .header("if-match", etag)
            .json(&changed)
            .send();
        assert_eq!(stale.status, 412, "{stale:?}");
        assert_eq!(
            world
                .delete(&path)
                .by(&admin)
                .header("if-match", etag)
                .send()
                .status,
            412
        );
        assert_eq!(world.delete(&path).by(&admin).send().status, 204);
        let gone = world.get(&path).by(&admin).send();
        assert_eq!(
            (gone.status, minor(&gone)),
            (403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN")
        );
    }
    assert_eq!(
        world.fetch(&admin, &id).header("etag"),
        entity_etag,
        "no new revision"
    );
    assert_eq!(
        world.get(&all).by(&admin).version("36.3").send().status,
        406
    );
}

pub(crate) fn tenants_neither_see_nor_make_the_providers_entries(mut world: World) {
    let (id, admin, alice) = prepared(&mut world);
    let all = format!("{}/metadata", at(&id));
    let text = json!("v");
    let providers = note(
        &world,
        &admin,
        &id,
        &entry("PROVIDER", "p", "StringEntry", &text),
    );
    let mut protected = entry("TENANT", "t", "StringEntry", &text);
    protected["readOnly"] = json!(true);
    let protected = note(&world, &admin, &id, &protected);
    assert_eq!((providers.status, protected.status), (201, 201));
    let listed = world.get(&all).by(&alice).send();
    assert_eq!(listed.json["values"], json!([protected.json]));
    let path = |reply: &Reply| format!("{all}/{}", reply.json["id"].as_str().unwrap());
    assert_eq!(world.get(&path(&providers)).by(&alice).send().status, 403);
    assert_eq!(
        world.delete(&path(&providers)).by(&alice).send().status,
        403
    );
    assert_eq!(
        world
            .put(&path(&protected))
            .by(&alice)
            .json(&protected.json)
            .send()
            .status,
        403
    );
    assert_eq!(
        world.delete(&path(&protected)).by(&alice).send().status,
        403
    );
    assert_eq!(
        world
            .put(&path(&protected))
            .by(&admin)
            .json(&protected.json)
            .send()
            .status,
        200
    );
    assert_eq!(
        note(
            &world,
            &alice,
            &id,
            &entry("PROVIDER", "x", "StringEntry", &text)
        )
        .status,
        403
    );
    for (token, domain) in [(&admin, "PROVIDER"), (&alice, "TENANT")] {
        let mut flagged = entry(domain, "f", "StringEntry", &text);
        flagged["readOnly"] = json!(true);
        let refused = note(&world, token, &id, &flagged);
        assert_eq!(
            (refused.status, minor(&refused)),
            (400, "VCD_META_CRUD_INVALID_FLAG"),
            "{refused:?}"
        );
    }
}

pub(crate) fn an_entry_that_can_t_be_kept_is_refused(mut world: World) {
    let (id, admin, alice) = prepared(&mut world);
    let long = "k".repeat(300);
    for (kind, value, key, named) in [
        ("NumberEntry", json!("notANumber"), "k", "notANumber"),
        ("BoolEntry", json!("notABool"), "k", "notABool"),
        ("StringEntry", json!(7), "k", "7"),
        ("FileEntry", json!("x"), "k", "StringEntry"),
        ("StringEntry", json!("x"), "a|b", "|"),
        ("StringEntry", json!("x"), "", "key"),
        ("StringEntry", json!("x"), &long, "key"),
        ("StringEntry", json!("x".repeat(5_000)), "k", "text"),
    ] {
        let refused = note(&world, &alice, &id, &entry("TENANT", key, kind, &value));
        assert_eq!(refused.status, 400, "{refused:?}");
        minor(&refused);
        assert!(
            refused.json["message"].as_str().unwrap().contains(named),
            "{refused:?}"
        );
    }
    let one = entry("TENANT", "k", "StringEntry", &json!("v"));
    let made = note(&world, &alice, &id, &one);
    assert_eq!(
        note(&world, &alice, &id, &one).status,
        400,
        "it exists already"
    );
    assert_eq!(
        note(
            &world,
            &admin,
            &id,
            &entry("PROVIDER", "k", "StringEntry", &json!("v"))
        )
        .status,
        201,
        "unique in its domain"
    );
    let path = format!("{}/metadata/{}", at(&id), made.json["id"].as_str().unwrap());
    for (pointer, value) in [
        ("/keyValue/key", json!("z")),
        ("/keyValue/namespace", json!("z")),
        ("/readOnly", json!(true)),
        (
            "/keyValue/value",
            json!({"type": "NumberEntry", "value": 1}),
        ),
    ] {
        let mut other = made.json.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        let refused = world.put(&path).by(&alice).json(&other).send();
        assert_eq!(refused.status, 400, "{pointer} {refused:?}");
    }
    for number in 0..48 {
        let one = entry(
            "TENANT",
            &format!("k{number}"),
            "NumberEntry",
            &json!(number),
        );
        assert_eq!(note(&world, &alice, &id, &one).status, 201, "{number}");
    }
    let refused = note(
        &world,
        &alice,
        &id,
        &entry("TENANT", "more", "NumberEntry", &json!(1)),
    );
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(
        refused.json["message"].as_str().unwrap().contains("50"),
        "{refused:?}"
    );
}

pub(crate) fn entries_go_with_their_entity(mut world: World) {
    let (id, _, alice) = prepared(&mut world);
    assert_eq!(
        note(
            &world,
            &alice,
            &id,
            &entry("TENANT", "k", "StringEntry", &json!("v"))
        )
        .status,
        201
    );
    let body = json!({"name": "e1", "entity": {"image": "b"}});
    assert_eq!(
        world.put(&at(&id)).by(&alice).json(&body).send().status,
        200
    );
    let listed = world
        .get(&format!("{}/metadata", at(&id)))
        .by(&alice)
        .send();
    assert_eq!(
        listed.json["resultTotal"], 1,
        "a change of the entity leaves them alone"
    );
    assert_eq!(world.delete(&at(&id)).by(&alice).send().status, 204);
    assert_eq!(
        world
            .get(&format!("{}/metadata", at(&id)))
            .by(&alice)
            .send()
            .status,
        403
    );
}
