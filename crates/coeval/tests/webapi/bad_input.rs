//! Whatever is sent, the answer is a typed refusal and nothing changes.

use crate::raw::{Mark, ask, assert_refused, status};
use crate::visit::{code, v1};
use crate::world::World;
use serde_json::json;

pub(crate) fn a_body_that_can_t_be_taken_as_it_is_is_refused(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let around =
        |spec: &str| format!(r#"{{"version":"v1","metadata":{{"name":"n"}},"spec":{spec}}}"#);
    let bodies: Vec<(Vec<u8>, u16)> = vec![
        (b"".to_vec(), 400),
        (b"{".to_vec(), 400),
        (b"[]".to_vec(), 400),
        (b"null".to_vec(), 400),
        (b"{\"version\":\"v1\",\"version\":\"v1\"}".to_vec(), 400),
        (around(r#"{"image":"a","image":"b"}"#).into_bytes(), 400),
        (around(&format!(r#"{{"image":{deep}}}"#)).into_bytes(), 400),
        (
            around(r#"{"image":"a","replicas":1e999}"#).into_bytes(),
            400,
        ),
        (
            around(r#"{"image":"a","replicas":123456789012345678901}"#).into_bytes(),
            400,
        ),
        (around(r#"{"image":7}"#).into_bytes(), 400),
        (around("{}").into_bytes(), 400),
        (around("[]").into_bytes(), 400),
        (around("null").into_bytes(), 400),
        (
            b"{\"version\":\"v1\",\"spec\":{\"image\":\"\xff\"}}".to_vec(),
            400,
        ),
        (b"\xef\xbb\xbf{}".to_vec(), 400),
        (
            around(&format!(r#"{{"image":"{}"}}"#, "x".repeat(600_000))).into_bytes(),
            413,
        ),
    ];
    for (body, expected) in bodies {
        let mark = Mark::of(&world);
        let sent = world
            .ask(&alice, "POST", "/resources/app")
            .at(0)
            .bytes(&body);
        let reply = sent.send();
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert_eq!(reply.status, expected, "{shown}: {reply:?}");
        code(&reply);
        assert_eq!(Mark::of(&world), mark, "{shown}");
    }
    let none = world.look(&alice, "/resources/app?count=true");
    assert_eq!(none["total"], 0);
    // What does not fit says where.
    let body = json!({"version": "v1", "metadata": {"name": "n"}, "spec": {"image": 7}});
    let reply = world.tell(&alice, "POST", "/resources/app", &body);
    assert_eq!(
        reply.json["details"]["violations"][0]["path"], "/image",
        "{reply:?}"
    );
    let head = format!(
        "POST {} HTTP/1.1\r\nauthorization: Bearer {alice}\r\ncontent-length: 99999999",
        v1("/resources/app")
    );
    let answer = ask(&world, &head, b"{");
    assert_eq!(status(&answer), 413, "{answer}");
    assert_refused("a length that is too large", &answer);
}

pub(crate) fn a_field_that_nobody_reads_is_refused(mut world: World) {
    world.add_app();
    let (alice, admin) = (
        world.enter("alice@acme"),
        world.enter("administrator@System"),
    );
    let made = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    for (method, path, body) in [
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"name": "n"}, "spce": {}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"nmae": "n"}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"name": "n", "id": made["metadata"]["id"]}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": 1, "metadata": {"name": "n"}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": [], "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"name": 7}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"name": ""}, "spec": {"image": "a"}}),
        ),
        (
            "POST",
            "/resources/app",
            json!({"version": "v1", "metadata": {"name": "n"}, "spec": {"image": "a"}, "mask": ["spec"]}),
        ),
        ("PUT", "/resources/app/web/status", json!({"massage": "x"})),
        ("POST", "/resources/app/web/restore", json!({})),
        (
            "POST",
            "/resources/app/web/upgrade",
            json!({"version": "new"}),
        ),
        ("POST", "/resources/app/upgrade", json!({})),
        (
            "POST",
            "/resources/app/upgrade?filter=name",
            json!({"dryRun": true}),
        ),
        (
            "POST",
            "/resources/app/upgrade?filter=name==*",
            json!({"revision": "x"}),
        ),
        ("POST", "/tokens", json!({"name": "t", "expiry": "never"})),
        (
            "POST",
            "/tokens",
            json!({"name": "t", "expires": "2001-01-01T00:00:00Z"}),
        ),
        ("POST", "/types", json!({"file": "kind: type"})),
        (
            "PUT",
            "/types/acme:app/versions/1.0.0/annotations",
            json!({"deprecation": {}}),
        ),
        ("POST", "/types", json!({"file": "{", "policy": "refuse"})),
        ("POST", "/types", json!({"file": "", "policy": "perhaps"})),
        (
            "POST",
            "/types/acme:app/migrations",
            json!({"from": "1.0.0"}),
        ),
        (
            "POST",
            "/types/acme:app/migrations",
            json!({"from": "1.0.0", "to": "x"}),
        ),
        ("POST", "/organizations", json!({"name": "a/b"})),
        ("POST", "/users", json!({"name": "u", "roles": "Reader"})),
        (
            "POST",
            "/roles",
            json!({"name": "r", "forAll": true, "organization": "acme"}),
        ),
        ("POST", "/bundles/x/publish", json!({})),
        (
            "POST",
            "/bundles/x/publish",
            json!({"all": true, "organizations": ["acme"]}),
        ),
        (
            "POST",
            "/interfaces",
            json!({"vendor": "a", "nss": "b", "version": "1", "name": "n"}),
        ),
    ] {
        let who = if path.starts_with("/resources") {
            &alice
        } else {
            &admin
        };
        let reply = world.tell(who, method, path, &body);
        assert_eq!(reply.status, 400, "{method} {path} {body}: {reply:?}");
        code(&reply);
    }
}

pub(crate) fn bad_queries_are_refused(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for query in [
        "pageSize=0",
        "pageSize=1001",
        "pageSize=x",
        "pageSize=-1",
        "page=0",
        "page=1&pageToken=x",
        "pageToken=x",
        "pageToken=%00",
        "count=yes",
        "filter=(",
        "filter=nothing==a",
        "orderBy=nothing",
        "orderBy=name%20sideways",
        "label=x",
        "label=a=1&label=a=2",
        "version=x",
        "version=v1-alpha",
        "storedVersion=x",
        "namespace=nowhere",
        "filter=%ff",
        "filter=%zz",
    ] {
        let reply = world
            .ask(&alice, "GET", &format!("/resources/app?{query}"))
            .send();
        let expected = if query == "namespace=nowhere" {
            404
        } else {
            400
        };
        assert_eq!(reply.status, expected, "{query}: {reply:?}");
        code(&reply);
    }
    for path in [
        "/types?filter=nothing==a",
        "/types?pageSize=0",
        "/types?orderBy=nothing",
        "/tasks?status=odd",
        "/tasks?pageToken=x",
        "/tasks/x",
        "/audit?pageToken=%2e%2e",
        "/types/app",
        "/types/acme:app/versions/x",
        "/interfaces/x",
        "/resources/app/web/history?version=x",
    ] {
        let reply = world.ask(&alice, "GET", path).send();
        assert_eq!(reply.status, 400, "{path}: {reply:?}");
        code(&reply);
    }
}

pub(crate) fn bad_headers_are_refused(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for (name, value) in [
        ("coeval-accept", "app"),
        ("coeval-accept", "app=x"),
        ("coeval-force", "yes"),
        ("coeval-at-least", "7"),
        ("version", "14"),
        ("if-match", "\"a\", \"b\""),
    ] {
        let sent = world.ask(&alice, "PUT", "/resources/app/web");
        let body = json!({"version": "v1", "spec": {"image": "a"}});
        let reply = sent.json(&body).header(name, value).send();
        let expected: &[u16] = if name == "if-match" {
            &[404, 412]
        } else {
            &[400]
        };
        assert!(
            expected.contains(&reply.status),
            "{name}: {value}: {reply:?}"
        );
        code(&reply);
    }
    for authorization in ["x", "Digest x", "Basic x", "Basic YTpi"] {
        let sent = world
            .get(&v1("/types"))
            .header("authorization", authorization);
        let reply = sent.send();
        assert!(
            [400, 401].contains(&reply.status),
            "{authorization}: {reply:?}"
        );
        code(&reply);
    }
    let twice = world.ask(&alice, "GET", "/types").by(&alice).send();
    assert_eq!(twice.status, 400, "{twice:?}");
}

pub(crate) fn a_version_that_is_none_is_refused(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for version in [
        "",
        "x",
        "v",
        "1.0.0-alpha",
        "v9",
        "v1.5",
        "99999999999",
        "v1+other",
        "v1.0.0.0",
    ] {
        let body = json!({"version": version, "metadata": {"name": "n"}, "spec": {"image": "a"}});
        let reply = world.tell(&alice, "POST", "/resources/app", &body);
        assert!((400..410).contains(&reply.status), "{version}: {reply:?}");
        code(&reply);
    }
}
