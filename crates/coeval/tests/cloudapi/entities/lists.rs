//! Entities with lists that move from version to version as clients move them: GET, another
//! `entityType`, PUT.

use crate::stage::{at, type_file};
use crate::world::{Reply, World};
use serde_json::{Value, json};

/// `acme:app`: its nodes have a name, and its rules nothing that tells them apart. Version 2.0.0 gives
/// both a zone, which is required and has a default, and something optional.
fn files(closed: bool) -> Vec<String> {
    let closed = if closed {
        ", additionalProperties: false"
    } else {
        ""
    };
    let item = |required: &str, properties: &str| {
        format!(
            "{{type: array, items: {{type: object, required: [{required}], properties: {{{properties}}}{closed}}}}}"
        )
    };
    let schema = |nodes: String, rules: String| {
        format!("  schema: {{type: object, properties: {{nodes: {nodes}, rules: {rules}}}}}\n")
    };
    let node = "name: {type: string}, size: {type: integer}";
    let rule = "port: {type: integer}, note: {type: string}";
    let zone = "zone: {type: string, default: eu}";
    vec![
        type_file(
            "acme:app",
            "1.0.0",
            &schema(item("name", node), item("", rule)),
        ),
        type_file(
            "acme:app",
            "2.0.0",
            &schema(
                item(
                    "name, zone",
                    &format!("{node}, {zone}, gpu: {{type: integer}}"),
                ),
                item("zone", &format!("{rule}, {zone}, color: {{type: string}}")),
            ),
        ),
    ]
}

fn urn(version: &str) -> String {
    format!("urn:vcloud:type:acme:app:{version}")
}

/// Reads an entity, changes it, and saves it as another version.
fn save_as(world: &World, token: &str, id: &str, version: &str, change: &Change) -> Reply {
    let mut read = world.fetch(token, id);
    read.json["entityType"] = json!(urn(version));
    (change.1)(&mut read.json["entity"]);
    let etag = read.header("etag").to_owned();
    let put = world.put(&at(id)).by(token).header("if-match", &etag);
    put.json(&read.json).send()
}

fn list<'v>(entity: &'v mut Value, name: &str) -> &'v mut Vec<Value> {
    entity[name].as_array_mut().unwrap()
}

/// What a client does to what it read, with a name.
type Change = (&'static str, fn(&mut Value));

const CHANGES: [Change; 5] = [
    ("unchanged", |_| {}),
    ("changed", |entity| {
        entity["nodes"][0]["size"] = json!(9);
        entity["rules"][0]["note"] = json!("other");
    }),
    ("reordered", |entity| {
        list(entity, "nodes").reverse();
        list(entity, "rules").reverse();
    }),
    ("added", |entity| {
        list(entity, "nodes").insert(0, json!({"name": "new", "size": 5}));
        list(entity, "rules").insert(0, json!({"port": 1, "note": "new"}));
    }),
    ("deleted", |entity| {
        list(entity, "nodes").remove(0);
        list(entity, "rules").remove(0);
    }),
];

/// What the change makes of a whole entity; new items get the default.
fn expected(entity: &Value, change: &Change, zone: bool) -> Value {
    let mut entity = entity.clone();
    (change.1)(&mut entity);
    for name in ["nodes", "rules"] {
        for item in list(&mut entity, name) {
            if zone && item.get("zone").is_none() {
                item["zone"] = json!("eu");
            }
        }
    }
    entity
}

fn old_entity() -> Value {
    json!({
        "nodes": [{"name": "a", "size": 1}, {"name": "b", "size": 2}],
        "rules": [{"port": 80, "note": "x"}, {"port": 80, "note": "y"}, {"port": 80, "note": "y"}],
    })
}

fn new_entity() -> Value {
    json!({
        "nodes": [
            {"name": "a", "size": 1, "zone": "us", "gpu": 1}, {"name": "b", "size": 2, "zone": "eu"},
        ],
        "rules": [
            {"port": 80, "note": "x", "zone": "us", "color": "red"},
            {"port": 80, "note": "y", "zone": "eu"}, {"port": 80, "note": "y", "zone": "us"},
        ],
    })
}

pub(crate) fn lists_are_upgraded_by_reading_and_saving_at_a_higher_version(mut world: World) {
    world.add_types(&["acme:app"], &files(false));
    let alice = world.login("alice@acme");
    for change in &CHANGES {
        let id = world.make_resolved(&alice, "1.0.0", change.0, &old_entity());
        let put = save_as(&world, &alice, &id, "2.0.0", change);
        assert_eq!(put.status, 200, "{}: {put:?}", change.0);
        assert_eq!(put.header("coeval-dropped"), "", "{}", change.0);
        let read = world.fetch(&alice, &id);
        assert_eq!(read.json["entityType"], urn("2.0.0"));
        assert_eq!(read.json["state"], "RESOLVED");
        let wanted = expected(&old_entity(), change, true);
        assert_eq!(read.json["entity"], wanted, "{}", change.0);
        // Saved again at its version, with another change: the notes of filled defaults stop nobody.
        let again = save_as(&world, &alice, &id, "2.0.0", &CHANGES[1]);
        assert_eq!(again.status, 200, "{}: {again:?}", change.0);
    }
    // Saved as it was read is the same as saved without content, also on the way back.
    let id = world.make_resolved(&alice, "1.0.0", "whole", &old_entity());
    let other = world.make_resolved(&alice, "1.0.0", "without", &old_entity());
    save_as(&world, &alice, &id, "2.0.0", &CHANGES[0]);
    for (id, version) in [(&other, "2.0.0"), (&other, "1.0.0"), (&id, "1.0.0")] {
        let body = json!({"entityType": urn(version)});
        let put = world.put(&at(id)).by(&alice).json(&body).send();
        assert_eq!(put.status, 200, "{put:?}");
    }
    for id in [&id, &other] {
        assert_eq!(world.fetch(&alice, id).json["entity"], old_entity());
    }
}

pub(crate) fn lists_are_downgraded_by_reading_and_saving_at_a_lower_version(mut world: World) {
    world.add_types(&["acme:app"], &files(false));
    downgrades(&world);
}

pub(crate) fn what_a_lower_version_hides_in_items_is_back_when_they_are_saved_higher(
    mut world: World,
) {
    world.add_types(&["acme:app"], &files(false));
    let alice = world.login("alice@acme");
    let store_at = |id: &str, body: Value| {
        let put = world.put(&at(id)).by(&alice).json(&body).send();
        assert_eq!(put.status, 200, "{put:?}");
    };
    // Equal rules have no order among themselves.
    let sorted = |entity: &Value| {
        let mut entity = entity.clone();
        list(&mut entity, "rules")
            .sort_by_key(|rule| rule["zone"].to_string() + &rule["note"].to_string());
        entity
    };
    for change in &CHANGES {
        let name = change.0;
        let id = world.make_resolved(&alice, "1.0.0", name, &old_entity());
        store_at(
            &id,
            json!({"entityType": urn("2.0.0"), "entity": new_entity()}),
        );
        store_at(&id, json!({"entityType": urn("1.0.0")}));
        assert_eq!(world.fetch(&alice, &id).json["entity"], old_entity());
        let put = save_as(&world, &alice, &id, "2.0.0", change);
        if name == "changed" {
            // A rule has no key, and its zone and color are not in the body.
            assert_eq!(put.json["code"], "COEVAL-3202", "{put:?}");
            let only_nodes: Change = (name, |entity| entity["nodes"][0]["size"] = json!(9));
            let put = save_as(&world, &alice, &id, "2.0.0", &only_nodes);
            assert_eq!(
                put.json["entity"],
                expected(&new_entity(), &only_nodes, true),
                "{put:?}"
            );
            continue;
        }
        assert_eq!(put.status, 200, "{name}: {put:?}");
        let wanted = expected(&new_entity(), change, true);
        let read = world.fetch(&alice, &id);
        assert_eq!(
            sorted(&read.json["entity"]),
            sorted(&wanted),
            "{name}: {read:?}"
        );
    }
}

pub(crate) fn what_a_lower_version_forbids_in_items_is_kept_in_a_downgrade(mut world: World) {
    world.add_types(&["acme:app"], &files(true));
    downgrades(&world);
}

fn downgrades(world: &World) {
    let alice = world.login("alice@acme");
    for change in &CHANGES {
        let name = change.0;
        let id = world.make_resolved(&alice, "1.0.0", name, &old_entity());
        let body = json!({"entityType": urn("2.0.0"), "entity": new_entity()});
        let made = world.put(&at(&id)).by(&alice).json(&body).send();
        assert_eq!(made.json["entity"], new_entity(), "{made:?}");
        let put = save_as(world, &alice, &id, "1.0.0", change);
        assert_eq!(put.status, 200, "{name}: {put:?}");
        let read = world.fetch(&alice, &id);
        assert_eq!(read.json["entityType"], urn("1.0.0"), "{name}");
        assert_eq!(read.json["state"], "RESOLVED", "{name}");
        // Nothing is lost: at the higher version all of it is there again.
        let path = format!("{}?acceptType=2.0.0", at(&id));
        let above = world.get(&path).by(&alice).send();
        let wanted = expected(&new_entity(), change, true);
        assert_eq!(above.json["entity"], wanted, "{name}: {above:?}");
        let back = world
            .put(&at(&id))
            .by(&alice)
            .json(&json!({"entityType": urn("2.0.0")}))
            .send();
        assert_eq!(back.json["entity"], wanted, "{name}: {back:?}");
    }
}

pub(crate) fn an_old_client_edits_items_with_a_key_and_is_told_where_one_is_missing(
    mut world: World,
) {
    world.add_types(&["acme:app"], &files(false));
    let alice = world.login("alice@acme");
    let id = world.make_resolved(&alice, "1.0.0", "e1", &old_entity());
    let body = json!({"entityType": urn("2.0.0"), "entity": new_entity()});
    let made = world.put(&at(&id)).by(&alice).json(&body).send();
    assert_eq!(made.status, 200, "{made:?}");
    let path = format!("{}?acceptType=1.0.0", at(&id));
    let edit = |change: &dyn Fn(&mut Value)| {
        let mut read = world.get(&path).by(&alice).send();
        change(&mut read.json["entity"]);
        world.put(&path).by(&alice).json(&read.json).send()
    };
    let put = edit(&|entity| {
        entity["nodes"][0]["size"] = json!(7);
        list(entity, "nodes").reverse();
        list(entity, "nodes").insert(0, json!({"name": "new"}));
        list(entity, "rules").reverse();
    });
    assert_eq!(put.status, 200, "{put:?}");
    let mut wanted = new_entity();
    wanted["nodes"] = json!([
        {"name": "new", "zone": "eu"}, {"name": "b", "size": 2, "zone": "eu"},
        {"name": "a", "size": 7, "zone": "us", "gpu": 1},
    ]);
    let rules = world.fetch(&alice, &id).json["entity"]["rules"].clone();
    assert_eq!(rules[2], new_entity()["rules"][0]);
    wanted["rules"] = rules;
    assert_eq!(world.fetch(&alice, &id).json["entity"], wanted);
    // An edited rule could be a new one.
    let refused = edit(&|entity| entity["rules"][2]["note"] = json!("z"));
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(refused.json["code"], "COEVAL-3202");
    for told in [
        "the list /rules",
        "`x-coeval-list-key: FIELD` at /properties/rules of acme:app:1.0.0",
    ] {
        assert!(refused.text.contains(told), "{told}: {refused:?}");
    }
    // Two nodes of one name have no key: they are the same if they are equal.
    let twice = edit(&|entity| {
        let node = entity["nodes"][2].clone();
        list(entity, "nodes").push(node);
        entity["nodes"][2]["size"] = json!(8);
    });
    assert_eq!(twice.status, 200, "{twice:?}");
    let nodes = &world.fetch(&alice, &id).json["entity"]["nodes"];
    assert_eq!(nodes[3]["gpu"], 1);
    assert_eq!(nodes[2].get("gpu"), None);
    let refused = edit(&|entity| {
        entity["nodes"][2]["size"] = json!(10);
        entity["nodes"][3]["size"] = json!(11);
    });
    assert_eq!(refused.json["code"], "COEVAL-3202", "{refused:?}");
    assert!(
        refused.text.contains("give every item a name of its own"),
        "{refused:?}"
    );
}
