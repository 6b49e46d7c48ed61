//! Organizations, users, roles, bundles, tokens, what was done, and the server itself.

use crate::visit::code;
use crate::world::World;
use serde_json::{Value, json};

pub(crate) fn organizations_users_and_roles_are_made_changed_and_deleted(world: World) {
    let admin = world.enter("administrator@System");
    let new = json!({"name": "third", "displayName": "Third"});
    let org = world.tell(&admin, "POST", "/organizations", &new);
    assert_eq!(org.status, 201, "{org:?}");
    assert_eq!(
        world.tell(&admin, "POST", "/organizations", &new).status,
        409
    );
    let path = "/organizations/third";
    let changed = world.tell(&admin, "PATCH", path, &json!({"description": "d"}));
    assert_eq!(changed.json["displayName"], "Third", "{changed:?}");
    let stale = json!({"description": "e", "revision": org.json["revision"]});
    let stale = world.tell(&admin, "PATCH", path, &stale);
    assert_eq!(stale.status, 409, "{stale:?}");
    let if_match = world
        .ask(&admin, "PATCH", path)
        .json(&json!({"description": "e"}));
    let stale = if_match.header("if-match", org.header("etag")).send();
    assert_eq!(stale.status, 412, "{stale:?}");
    let role = json!({"name": "Helper", "organization": "third", "rights": ["User: View"]});
    let role = world.tell(&admin, "POST", "/roles", &role);
    assert_eq!(role.status, 201, "{role:?}");
    let user =
        json!({"name": "tom", "organization": "third", "roles": ["Helper"], "password": "x1"});
    let user = world.tell(&admin, "POST", "/users", &user);
    assert_eq!(user.status, 201, "{user:?}");
    assert!(!user.text.contains("x1"), "{user:?}");
    assert_eq!(user.json["roles"][0]["name"], "Helper");
    let id = user.json["id"].as_str().unwrap();
    let listed = world.look(&admin, "/users?organization=third&filter=name==tom");
    assert_eq!(
        (&listed["total"], &listed["items"][0]["id"]),
        (&json!(1), &json!(id))
    );
    let used = role.json["id"].as_str().unwrap();
    let used = world
        .ask(&admin, "DELETE", &format!("/roles/{used}"))
        .send();
    assert_eq!(used.status, 409, "{used:?}");
    let renamed = json!({"name": "tim", "enabled": false});
    let renamed = world.tell(&admin, "PATCH", &format!("/users/{id}"), &renamed);
    assert_eq!(
        (&renamed.json["name"], &renamed.json["enabled"]),
        (&json!("tim"), &json!(false))
    );
    let set = world.tell(
        &admin,
        "PUT",
        &format!("/users/{id}/password"),
        &json!({"password": "x2"}),
    );
    assert_eq!(set.status, 204, "{set:?}");
    assert_eq!(
        world
            .ask(&admin, "DELETE", &format!("/users/{id}"))
            .send()
            .status,
        204
    );
    assert_eq!(
        world
            .ask(&admin, "GET", &format!("/users/{id}"))
            .send()
            .status,
        404
    );
    let id = role.json["id"].as_str().unwrap();
    let named = world.tell(
        &admin,
        "PATCH",
        &format!("/roles/{id}"),
        &json!({"name": "Aide"}),
    );
    assert_eq!(named.json["name"], "Aide", "{named:?}");
    assert_eq!(
        world
            .ask(&admin, "DELETE", &format!("/roles/{id}"))
            .send()
            .status,
        204
    );
    assert_eq!(world.ask(&admin, "DELETE", path).send().status, 204);
    // Pages of what there are few of are followed too.
    let mut all = Vec::new();
    let mut token = String::new();
    loop {
        let page = world.look(
            &admin,
            &format!("/organizations?pageSize=1&pageToken={token}"),
        );
        all.push(page["items"][0]["name"].as_str().unwrap().to_owned());
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    all.sort_unstable();
    assert_eq!(all, ["System", "acme", "other"]);
    let sorted = world.look(&admin, "/organizations?orderBy=name%20desc&pageSize=1");
    let next = sorted["nextPageToken"].as_str().unwrap();
    let second = world.look(
        &admin,
        &format!("/organizations?orderBy=name%20desc&pageSize=1&pageToken={next}"),
    );
    assert_eq!(
        (&sorted["items"][0]["name"], &second["items"][0]["name"]),
        (&json!("other"), &json!("acme"))
    );
    let alice = world.enter("alice@acme");
    let own = world.look(&alice, "/organizations");
    assert_eq!(
        (&own["total"], &own["items"][0]["name"]),
        (&json!(1), &json!("acme"))
    );
}

pub(crate) fn a_bundle_is_published_and_taken_back(mut world: World) {
    world.add_app();
    let (admin, alice) = (
        world.enter("administrator@System"),
        world.enter("alice@acme"),
    );
    let bundles = world.look(&admin, "/bundles?filter=type==acme:app");
    let id = bundles["items"][0]["id"].as_str().unwrap();
    assert_eq!(
        bundles["items"][0]["published"]["organizations"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let sees = || world.ask(&alice, "GET", "/types/acme:app").send().status;
    assert_eq!(sees(), 200);
    let orgs = json!({"organizations": ["acme"]});
    let back = world.tell(&admin, "POST", &format!("/bundles/{id}/unpublish"), &orgs);
    assert_eq!(back.status, 200, "{back:?}");
    assert_eq!(sees(), 404);
    let all = world.tell(
        &admin,
        "POST",
        &format!("/bundles/{id}/publish"),
        &json!({"all": true}),
    );
    assert_eq!(all.json["published"]["all"], true, "{all:?}");
    assert_eq!(sees(), 200);
    let new = json!({"name": "Mine", "rights": ["Task: View"]});
    let made = world.tell(&admin, "POST", "/bundles", &new);
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json["id"].as_str().unwrap();
    let path = format!("/bundles/{id}");
    let changed = world.tell(&admin, "PATCH", &path, &json!({"rights": []}));
    assert_eq!(changed.json["rights"], json!([]), "{changed:?}");
    assert_eq!(world.ask(&admin, "DELETE", &path).send().status, 204);
    assert_eq!(world.ask(&alice, "GET", "/bundles").send().status, 403);
    let rights = world.look(&alice, "/rights?filter=name==acme*");
    assert!(!rights["items"].as_array().unwrap().is_empty());
}

pub(crate) fn tokens_and_sessions_are_listed_and_ended(world: World) {
    let alice = world.enter("alice@acme");
    let made = world.tell(
        &alice,
        "POST",
        "/tokens",
        &json!({"name": "ci", "expires": "2126-01-01T00:00:00.000Z"}),
    );
    assert_eq!(made.status, 201, "{made:?}");
    let token = made.json["token"].as_str().unwrap();
    assert_eq!(made.json["expires"], "2126-01-01T00:00:00.000Z");
    assert_eq!(
        world.look(token, "/sessions/current")["user"]["name"],
        "alice"
    );
    let listed = world.look(&alice, "/sessions?filter=kind==apiToken");
    assert_eq!(listed["items"][0]["name"], "ci", "{listed}");
    assert!(!listed.to_string().contains(token));
    let id = made.json["id"].as_str().unwrap();
    let bob = world.enter("bob@acme");
    let path = format!("/sessions/{id}");
    assert_eq!(world.ask(&bob, "DELETE", &path).send().status, 404);
    assert_eq!(world.ask(&alice, "DELETE", &path).send().status, 204);
    assert_eq!(world.ask(token, "GET", "/types").send().status, 401);
    let user = world.look(&bob, "/sessions/current")["user"]["id"].clone();
    let user = user.as_str().unwrap();
    let seen = world.look(&alice, &format!("/sessions?user={user}"));
    assert_eq!(seen["total"], 1, "{seen}");
    let ended = world
        .ask(&alice, "DELETE", &format!("/users/{user}/sessions"))
        .send();
    assert_eq!(ended.status, 204, "{ended:?}");
    assert_eq!(world.ask(&bob, "GET", "/types").send().status, 401);
    let bob = world.enter("bob@acme");
    let wrong = json!({"old": "wrong", "new": "other"});
    let wrong = world.tell(&bob, "PUT", "/sessions/current/password", &wrong);
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let right = json!({"old": "secret", "new": "other"});
    let right = world.tell(&bob, "PUT", "/sessions/current/password", &right);
    assert_eq!(right.status, 204, "{right:?}");
    assert_eq!(world.ask(&bob, "GET", "/types").send().status, 401);
}

pub(crate) fn what_was_done_is_told_a_page_at_a_time(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let made = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let id = made["metadata"]["id"].as_str().unwrap();
    assert_eq!(
        world
            .ask(&alice, "DELETE", "/resources/app/web")
            .send()
            .status,
        200
    );
    let mut deeds = Vec::new();
    let mut token = String::new();
    loop {
        let page = world.look(
            &alice,
            &format!("/audit?resource={id}&pageSize=1&pageToken={token}"),
        );
        deeds.extend(page["items"].as_array().unwrap().clone());
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    let what: Vec<&Value> = deeds.iter().map(|deed| &deed["what"]).collect();
    assert_eq!(what, ["delete", "create"], "{deeds:?}");
    let user = made["metadata"]["owner"]["id"].as_str().unwrap();
    let by = world.look(&alice, &format!("/audit?user={user}&type=acme:app"));
    assert_eq!(by["items"].as_array().unwrap().len(), 2);
    let bob = world.enter("bob@acme");
    let denied = world.ask(&bob, "GET", "/audit").send();
    assert_eq!(denied.status, 403, "{denied:?}");
    let oscar = world.enter("oscar@other");
    let foreign = world.look(&oscar, "/audit?type=acme:app");
    assert_eq!(foreign["items"], json!([]));
}

pub(crate) fn the_server_tells_of_itself_to_those_who_may_know(world: World) {
    let (admin, alice) = (
        world.enter("administrator@System"),
        world.enter("alice@acme"),
    );
    let told = world.look(&admin, "/server");
    assert_eq!(told["healthy"], true);
    let kind = told["store"]["kind"].as_str().unwrap();
    assert!(["sqlite", "postgres", "etcd"].contains(&kind), "{told}");
    assert!(told["store"]["sequence"].as_u64().unwrap() > 0);
    let told = world.look(&alice, "/server");
    assert_eq!(
        (&told["healthy"], &told["store"]),
        (&json!(true), &Value::Null)
    );
    let nobody = world.get("/v1/webapi/server").send();
    assert_eq!((nobody.status, code(&nobody)), (401, "COEVAL-8004"));
    let who = world.look(&admin, "/sessions/current");
    assert_eq!(who["provider"], true);
    assert!(
        who["rights"]
            .as_array()
            .unwrap()
            .contains(&json!("Store: View"))
    );
}
