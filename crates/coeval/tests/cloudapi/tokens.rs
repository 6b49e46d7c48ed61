//! API tokens: how programs get theirs, and what they open.

use crate::world::{Reply, World};
use serde_json::json;

const FORM: &str = "application/x-www-form-urlencoded";
const JWT_BEARER: &str = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer";

fn token(world: &World, door: &str, form: &str) -> Reply {
    world
        .post(&format!("/oauth/{door}/token"))
        .header("content-type", FORM)
        .header("accept", "application/*;version=36.1")
        .bytes(form.as_bytes())
        .send()
}

/// As clients make one: a name is registered, and then the token is asked for.
fn made(world: &World, door: &str, by: &str, name: &str) -> (String, String) {
    let registered = world
        .post(&format!("/oauth/{door}/register"))
        .by(by)
        .header("accept", "application/json;version=")
        .json(&json!({ "client_name": name, "client_id": "" }))
        .send();
    assert_eq!(registered.status, 201, "{registered:?}");
    let id = registered.json["client_id"].as_str().unwrap().to_owned();
    let path = format!("/cloudapi/1.0.0/tokens/urn:vcloud:token:{id}");
    let shown = world.get(&path).by(by).send();
    assert_eq!(shown.json["name"], name, "{shown:?}");
    let form = format!("grant_type={JWT_BEARER}&assertion={by}&client_id={id}");
    let given = token(world, door, &form);
    assert_eq!(given.status, 200, "{given:?}");
    let secret = given.json["refresh_token"].as_str().unwrap();
    assert!(secret.starts_with("cvt_"), "{secret}");
    let again = token(world, door, &form);
    assert_eq!(again.status, 400, "a secret is given once: {again:?}");
    assert_eq!(again.json["error"], "invalid_grant");
    (path, secret.to_owned())
}

pub(crate) fn a_token_opens_sessions_at_its_own_door_until_it_is_revoked(world: World) {
    for (user, own, other) in [
        ("alice@acme", "tenant/acme", "provider"),
        ("administrator@System", "provider", "tenant/acme"),
        ("oscar@other", "tenant/other", "tenant/acme"),
    ] {
        let by = world.login(user);
        let (path, secret) = made(&world, own, &by, "ci");
        let form = format!("grant_type=refresh_token&refresh_token={secret}");
        let refused = token(&world, other, &form);
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json["error"], "invalid_grant");
        let texts = refused.json.as_object().unwrap().values();
        assert!(texts.into_iter().all(serde_json::Value::is_string));
        let given = token(&world, own, &form);
        assert_eq!(given.status, 200, "{given:?}");
        assert_eq!(given.json["token_type"], "Bearer");
        assert_eq!(given.json["expires_in"], 86_400);
        assert_eq!(given.json["refresh_token"], secret.as_str());
        let access = given.json["access_token"].as_str().unwrap();
        assert!(access.len() > 32);
        let current = world.get("/cloudapi/1.0.0/sessions/current");
        let current = current.by(access).send();
        assert!(user.starts_with(current.json["user"]["name"].as_str().unwrap()));
        let gone = world.delete(&path).by(&by).send();
        assert_eq!(gone.status, 204, "{gone:?}");
        assert_eq!(token(&world, own, &form).status, 400);
        let ended = world.get("/cloudapi/1.0.0/sessions/current");
        assert_eq!(
            ended.by(access).send().status,
            401,
            "it ends with its token"
        );
        assert_eq!(world.get(&path).by(&by).send().status, 403);
        let still = world.get("/cloudapi/1.0.0/sessions/current").by(&by).send();
        assert_eq!(still.status, 200, "other sessions stay");
    }
}

pub(crate) fn what_is_asked_may_stand_in_the_url_as_older_clients_have_it(world: World) {
    let alice = world.login("alice@acme");
    let (_, secret) = made(&world, "tenant/acme", &alice, "old");
    let path = format!("/oauth/tenant/acme/token?grant_type=refresh_token&refresh_token={secret}");
    let given = world.post(&path).send();
    assert_eq!(given.status, 200, "{given:?}");
    assert!(given.json["access_token"].is_string());
}

pub(crate) fn tokens_are_listed_for_their_user_alone(world: World) {
    let (alice, bob) = (world.login("alice@acme"), world.login("bob@acme"));
    for name in ["one", "two"] {
        made(&world, "tenant/acme", &alice, name);
    }
    let (path, _) = made(&world, "tenant/acme", &bob, "one");
    let list = |query: &str| {
        let path = format!("/cloudapi/1.0.0/tokens?{query}");
        let reply = world.get(&path).by(&alice).version("36.1").send();
        assert_eq!(reply.status, 200, "{reply:?}");
        let values = reply.json["values"].as_array().unwrap().clone();
        let names = values.iter().map(|one| one["name"].as_str().unwrap());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list(""), ["one", "two"]);
    // Raw, as one client sends it, and encoded, as another does.
    assert_eq!(list("filter=type==REFRESH;name==two"), ["two"]);
    let go = "filter=%28name%3D%3Done%3Bowner.name%3D%3Dalice%3B%28type%3D%3DPROXY%2Ctype%3D%3DREFRESH%29%29";
    assert_eq!(list(go), ["one"]);
    assert!(list("filter=owner.name==bob").is_empty());
    for method in ["GET", "DELETE"] {
        let reply = world.sending(method, &path).by(&alice).send();
        assert_eq!(reply.status, 403, "{reply:?}");
    }
    assert_eq!(world.get(&path).by(&bob).send().status, 200);
}

pub(crate) fn nothing_is_given_for_what_is_no_grant(world: World) {
    let alice = world.login("alice@acme");
    let bob = world.login("bob@acme");
    let registered = world
        .post("/oauth/tenant/acme/register")
        .by(&bob)
        .json(&json!({ "client_name": "bobs" }))
        .send();
    let bobs = registered.json["client_id"].as_str().unwrap();
    for (form, error) in [
        (String::new(), "invalid_request"),
        ("grant_type=password".into(), "invalid_request"),
        ("grant_type=refresh_token".into(), "invalid_request"),
        (
            "grant_type=refresh_token&refresh_token=%".into(),
            "invalid_request",
        ),
        (
            "grant_type=refresh_token&refresh_token=x".into(),
            "invalid_grant",
        ),
        // A session is no API token.
        (
            format!("grant_type=refresh_token&refresh_token={alice}"),
            "invalid_grant",
        ),
        (
            format!("grant_type={JWT_BEARER}&assertion={alice}"),
            "invalid_request",
        ),
        (
            format!("grant_type={JWT_BEARER}&assertion=x&client_id={bobs}"),
            "invalid_grant",
        ),
        (
            format!("grant_type={JWT_BEARER}&assertion={alice}&client_id={bobs}"),
            "invalid_grant",
        ),
        (
            format!("grant_type={JWT_BEARER}&assertion={alice}&client_id=x"),
            "invalid_grant",
        ),
    ] {
        let reply = token(&world, "tenant/acme", &form);
        assert_eq!(reply.status, 400, "{form}: {reply:?}");
        assert_eq!(reply.json["error"], error, "{form}: {reply:?}");
        assert!(reply.json["code"].as_str().unwrap().starts_with("COEVAL-"));
    }
    for door in ["provider", "tenant/other", "tenant/nowhere"] {
        let reply = world.post(&format!("/oauth/{door}/register")).by(&alice);
        let reply = reply.json(&json!({ "client_name": "x" })).send();
        assert_eq!(reply.status, 403, "{reply:?}");
    }
    let nobody = world.post("/oauth/tenant/acme/register");
    let nobody = nobody.json(&json!({ "client_name": "x" })).send();
    assert_eq!(nobody.status, 401, "{nobody:?}");
}

pub(crate) fn a_token_that_keeps_being_wrong_has_to_wait_and_others_do_not(world: World) {
    let alice = world.login("alice@acme");
    let (_, secret) = made(&world, "tenant/acme", &alice, "ci");
    let right = format!("grant_type=refresh_token&refresh_token={secret}");
    // Trying the provider's door first is what clients do every time.
    for _ in 0..8 {
        assert_eq!(token(&world, "provider", &right).status, 400);
    }
    assert_eq!(token(&world, "tenant/acme", &right).status, 200);
    let wrong = format!(
        "grant_type=refresh_token&refresh_token=cvt_{}",
        "A".repeat(43)
    );
    let statuses: Vec<u16> = (0..6)
        .map(|_| token(&world, "tenant/acme", &wrong).status)
        .collect();
    assert_eq!(statuses, [400, 400, 400, 400, 400, 429]);
    assert_eq!(token(&world, "tenant/acme", &right).status, 200);
}
