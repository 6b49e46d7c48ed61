//! Grants on single entities, and why somebody may not.

use crate::stage::{at, minor, type_file};
use crate::world::{Reply, World};
use serde_json::{Value, json};

fn grant(member: &str, level: &str) -> Value {
    json!({
        "tenant": {},
        "grantType": "MembershipAccessControlGrant",
        "accessLevelId": format!("urn:vcloud:accessLevel:{level}"),
        "memberId": member,
    })
}

fn share(world: &World, by: &str, id: &str, body: &Value) -> Reply {
    world
        .post(&format!("{}/accessControls", at(id)))
        .by(by)
        .json(body)
        .send()
}

/// An entity of wanda's, and tokens of wanda, walter and alice.
fn prepared(world: &mut World) -> (String, [String; 3]) {
    world.add_app();
    world.add_workers();
    let tokens = ["wanda", "walter", "alice"].map(|user| world.login(&format!("{user}@acme")));
    let id = world.make_resolved(&tokens[0], "1.0.0", "e1", &json!({"image": "a"}));
    (id, tokens)
}

pub(crate) fn a_grant_lets_somebody_in_and_its_deletion_out(mut world: World) {
    let (id, [wanda, walter, _]) = prepared(&mut world);
    assert_eq!(world.fetch(&walter, &id).status, 403);
    let member = world.user_id(&walter);
    let made = share(&world, &wanda, &id, &grant(&member, "ReadOnly"));
    assert_eq!(made.status, 201, "{made:?}");
    let keys: Vec<_> = made.json.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "grantType",
            "objectId",
            "accessLevelId",
            "memberId",
            "tenant"
        ]
    );
    assert_eq!(
        (&made.json["objectId"], &made.json["memberId"]),
        (&json!(id), &json!(member))
    );
    assert_eq!(made.json["tenant"]["name"], "acme");
    assert!(!made.header("coeval-sequence").is_empty());
    assert_eq!(world.fetch(&walter, &id).status, 200);
    let body = json!({"name": "e1", "entity": {"image": "b"}});
    let put = || world.put(&at(&id)).by(&walter).json(&body).send();
    assert_eq!(put().status, 403);
    let path = format!(
        "{}/accessControls/{}",
        at(&id),
        made.json["id"].as_str().unwrap()
    );
    let raised = world
        .put(&path)
        .by(&wanda)
        .json(&grant(&member, "ReadWrite"))
        .send();
    assert_eq!(
        (raised.status, &raised.json["id"]),
        (200, &made.json["id"]),
        "{raised:?}"
    );
    assert_eq!(put().status, 200);
    let read = world.get(&path).by(&walter).send();
    assert_eq!((read.status, &read.json), (200, &raised.json));
    let listed = world
        .get(&format!("{}/accessControls/", at(&id)))
        .by(&walter)
        .send();
    assert_eq!(listed.json["resultTotal"], 2, "{listed:?}");
    let owner = &listed.json["values"][0];
    assert_eq!(
        (&owner["memberId"], &owner["accessLevelId"]),
        (
            &json!(world.user_id(&wanda)),
            &json!("urn:vcloud:accessLevel:FullControl")
        )
    );
    assert_eq!(listed.json["values"][1], raised.json);
    let old = world.get(&path).by(&wanda).version("35.0").send();
    assert_eq!(old.json.get("tenant"), None, "from 35.2 on");
    assert_eq!(world.delete(&path).by(&wanda).send().status, 204);
    assert_eq!(world.get(&path).by(&wanda).send().status, 403);
    assert_eq!(world.fetch(&walter, &id).status, 403);
}

pub(crate) fn a_grant_for_the_same_member_replaces_the_one_before(mut world: World) {
    let (id, [wanda, walter, _]) = prepared(&mut world);
    let member = world.user_id(&walter);
    let first = share(&world, &wanda, &id, &grant(&member, "ReadOnly"));
    let second = share(&world, &wanda, &id, &grant(&member, "FullControl"));
    assert_eq!(
        (second.status, &second.json["id"]),
        (201, &first.json["id"]),
        "{second:?}"
    );
    let listed = world
        .get(&format!("{}/accessControls", at(&id)))
        .by(&wanda)
        .send();
    assert_eq!(listed.json["resultTotal"], 2, "{listed:?}");
    // The organization as a whole, and the owner, who has full control anyhow.
    let org = first.json["tenant"]["id"].as_str().unwrap();
    assert_eq!(
        share(&world, &wanda, &id, &grant(org, "ReadOnly")).status,
        201
    );
    let owner = share(
        &world,
        &wanda,
        &id,
        &grant(&world.user_id(&wanda), "ReadOnly"),
    );
    assert_eq!(
        (owner.status, &owner.json["accessLevelId"]),
        (201, &json!("urn:vcloud:accessLevel:FullControl"))
    );
    let listed = world
        .get(&format!("{}/accessControls?pageSize=1", at(&id)))
        .by(&wanda)
        .send();
    assert_eq!(
        (&listed.json["resultTotal"], &listed.json["pageCount"]),
        (&json!(3), &json!(3))
    );
}

pub(crate) fn who_is_no_member_gets_no_grant(mut world: World) {
    let (id, [wanda, walter, _]) = prepared(&mut world);
    let member = world.user_id(&walter);
    for body in [
        grant(
            "urn:vcloud:user:00000000-0000-0000-0000-000000000009",
            "ReadOnly",
        ),
        grant(
            "urn:vcloud:right:00000000-0000-0000-0000-000000000009",
            "ReadOnly",
        ),
        grant("walter", "ReadOnly"),
        grant(&member, "Nothing"),
        json!({"memberId": member}),
        json!({"accessLevelId": "urn:vcloud:accessLevel:ReadOnly"}),
        json!({"grantType": "RightAccessControlGrant", "accessLevelId": "urn:vcloud:accessLevel:ReadOnly", "rightId": "x"}),
    ] {
        let refused = share(&world, &wanda, &id, &body);
        assert_eq!(refused.status, 400, "{body} {refused:?}");
        minor(&refused);
    }
    // Nobody gives more than one has.
    assert_eq!(
        share(&world, &wanda, &id, &grant(&member, "ReadWrite")).status,
        201
    );
    let above = share(&world, &walter, &id, &grant(&member, "FullControl"));
    assert_eq!(above.status, 403, "{above:?}");
    let path = format!("{}/accessControls/urn:vcloud:accessControl:x", at(&id));
    assert_eq!(world.get(&path).by(&wanda).send().status, 403);
}

pub(crate) fn a_denial_says_what_is_missing_to_those_who_may_know(mut world: World) {
    let (id, [wanda, walter, alice]) = prepared(&mut world);
    let member = world.user_id(&walter);
    share(&world, &wanda, &id, &grant(&member, "ReadOnly"));
    let refused = world.delete(&at(&id)).by(&walter).send();
    assert_eq!(
        (refused.status, minor(&refused)),
        (403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN")
    );
    let message = refused.json["message"].as_str().unwrap();
    assert!(
        message.contains("ReadOnly") && message.contains("FullControl"),
        "{message}"
    );
    // Bob has the grant and not the right.
    let bob = world.login("bob@acme");
    share(
        &world,
        &wanda,
        &id,
        &grant(&world.user_id(&bob), "FullControl"),
    );
    let hidden = world.fetch(&bob, &id);
    assert_eq!(hidden.status, 403);
    assert!(
        !hidden.json["message"].as_str().unwrap().contains("right"),
        "{hidden:?}"
    );

    let access = |token: &str, query: &str| {
        world
            .get(&format!("{}/access{query}", at(&id)))
            .by(token)
            .send()
    };
    let level = access(&walter, "");
    assert_eq!(
        (&level.json["accessLevelId"], level.json.get("actions")),
        (&json!("urn:vcloud:accessLevel:ReadOnly"), None),
        "{level:?}"
    );
    let told = access(&walter, "?explain=true");
    let action = |reply: &Reply, name: &str| {
        let all = reply.json["actions"]
            .as_array()
            .unwrap_or_else(|| panic!("{reply:?}"));
        all.iter()
            .find(|one| one["action"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(action(&told, "read")["allowed"], true, "{told:?}");
    let delete = action(&told, "delete");
    assert_eq!(delete["allowed"], false);
    let unmet: Vec<_> = delete["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["met"] == false)
        .collect();
    assert_eq!(unmet.len(), 1, "{delete}");
    assert!(
        unmet[0]["needs"].as_str().unwrap().contains("FullControl"),
        "{delete}"
    );
    assert!(
        unmet[0]["code"].as_str().unwrap().starts_with("COEVAL-5"),
        "{delete}"
    );
    // Those who may ask for others learn what bob lacks.
    let of_bob = access(
        &alice,
        &format!("?explain=true&user={}", world.user_id(&bob)),
    );
    let read = action(&of_bob, "read");
    assert!(read.to_string().contains("acme:app: View"), "{read}");
    assert_eq!(of_bob.json["accessLevelId"], Value::Null);
    assert_eq!(
        access(
            &walter,
            &format!("?explain=true&user={}", world.user_id(&bob))
        )
        .status,
        403
    );
    let nobody = "urn:vcloud:user:00000000-0000-0000-0000-000000000009";
    assert_eq!(access(&alice, &format!("?user={nobody}")).status, 403);
}

pub(crate) fn restricted_fields_are_named(mut world: World) {
    let schema = "  schema: {type: object, properties: {spec: {type: string}, status: {type: string, x-vcloud-restricted: protected}, cost: {type: integer, x-vcloud-restricted: [private]}}}\n";
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", schema)]);
    world.add_workers();
    let (wanda, walter) = (world.login("wanda@acme"), world.login("walter@acme"));
    let id = world.make_resolved(
        &wanda,
        "1.0.0",
        "e1",
        &json!({"spec": "a", "status": "up", "cost": 7}),
    );
    share(
        &world,
        &wanda,
        &id,
        &grant(&world.user_id(&walter), "ReadWrite"),
    );
    let mut seen = world.fetch(&walter, &id);
    assert_eq!(
        seen.json["entity"],
        json!({"spec": "a", "status": "up"}),
        "{seen:?}"
    );
    seen.json["entity"]["spec"] = json!("b");
    let put = world.put(&at(&id)).by(&walter).json(&seen.json).send();
    assert_eq!(
        put.status, 200,
        "what it does not see is unchanged: {put:?}"
    );
    assert_eq!(
        world.fetch(&wanda, &id).json["entity"],
        json!({"spec": "b", "status": "up", "cost": 7})
    );
    for (field, value) in [("status", json!("down")), ("cost", json!(8))] {
        let mut body = seen.json.clone();
        body["entity"][field] = value;
        let refused = world.put(&at(&id)).by(&walter).json(&body).send();
        assert_eq!(
            (refused.status, minor(&refused)),
            (400, "RDE_RESTRICTED_FIELDS"),
            "{refused:?}"
        );
        let message = refused.json["message"].as_str().unwrap();
        assert!(message.contains(&format!("[ {field} ]")), "{message}");
    }
    let full = world
        .get(&format!("{}/fullContents", at(&id)))
        .by(&wanda)
        .send();
    assert_eq!(
        (full.status, &full.json["entity"]["cost"]),
        (200, &json!(7)),
        "{full:?}"
    );
}
