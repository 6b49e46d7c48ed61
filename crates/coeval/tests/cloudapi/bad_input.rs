//! Whatever is wrong with a request, it is refused with a code, and nothing is changed.

use crate::raw::{Mark, Raw, ask, assert_refused, status};
use crate::world::World;

/// Routes that take JSON, with a body that they read: `BAD` stands for a value that is put there.
const TAKING_JSON: &[(&str, &str, &str)] = &[
    (
        "POST",
        "/cloudapi/1.0.0/interfaces",
        r#"{"name":"i","vendor":"bad","nss":"input","version":"1.0.0","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/entityTypes",
        r#"{"name":"t","vendor":"bad","nss":"input","version":"1.0.0","schema":{"x":BAD}}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:bad:input:1.0.0",
        r#"{"name":"e","entity":{"x":BAD}}"#,
    ),
    (
        "PUT",
        "/cloudapi/1.0.0/entities/urn:vcloud:entity:bad:input:11111111-1111-4111-8111-111111111111",
        r#"{"name":"e","entity":{"x":BAD}}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:bad:input:1.0.0/migrateEntities",
        r#"{"targetEntityType":"urn:vcloud:type:bad:input:1.1.0","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/entities/urn:vcloud:entity:bad:input:11111111-1111-4111-8111-111111111111/accessControls",
        r#"{"memberId":"urn:vcloud:user:x","accessLevelId":"urn:vcloud:accessLevel:ReadOnly","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/entities/urn:vcloud:entity:bad:input:11111111-1111-4111-8111-111111111111/metadata",
        r#"{"keyValue":{"key":"k","value":BAD}}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/interfaces/urn:vcloud:interface:vmware:k8s:1.0.0/behaviors",
        r#"{"name":"b","execution":{"type":"noop","x":BAD}}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/orgs",
        r#"{"name":"o","displayName":"o","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/users",
        r#"{"username":"u","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/globalRoles",
        r#"{"name":"r","x":BAD}"#,
    ),
    (
        "POST",
        "/cloudapi/1.0.0/rightsBundles",
        r#"{"name":"r","x":BAD}"#,
    ),
    (
        "POST",
        "/oauth/provider/register",
        r#"{"client_name":"r","x":BAD}"#,
    ),
];

/// Routes that list.
const LISTING: &[&str] = &[
    "/cloudapi/1.0.0/interfaces",
    "/cloudapi/1.0.0/entityTypes",
    "/cloudapi/1.0.0/entities/types/bad/input/1.0.0",
    "/cloudapi/1.0.0/entities/interfaces/bad/input/1.0.0",
    "/cloudapi/1.0.0/entities/types/vmware/tkgcluster/1",
    "/cloudapi/1.0.0/entities/interfaces/vmware/k8s/1.0.0",
    "/cloudapi/1.0.0/orgs",
    "/cloudapi/1.0.0/users",
    "/cloudapi/1.0.0/rights",
    "/cloudapi/1.0.0/rightsBundles",
    "/cloudapi/1.0.0/globalRoles",
];

/// Any route that needs a user and is there.
const SOME: &str = "/cloudapi/1.0.0/sessions/current";
const LIMIT: usize = 512 * 1024;

/// Every route that takes a body, also those that ignore it.
fn taking_a_body() -> impl Iterator<Item = (&'static str, &'static str)> {
    let json = TAKING_JSON.iter().map(|(method, path, _)| (*method, *path));
    json.chain([("POST", "/cloudapi/1.0.0/sessions"), ("DELETE", SOME)])
}

/// At once, not after the time that a body has.
fn assert_too_large(what: &str, answer: &str) {
    assert_refused(what, answer);
    assert_eq!(status(answer), 413, "{what}: {answer}");
}

pub(crate) fn a_body_that_is_too_large_is_refused_however_it_is_sent(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    for (method, path) in taking_a_body() {
        let head = format!("{method} {path} HTTP/1.1\r\nauthorization: Bearer {token}");
        for said in [LIMIT + 1, 10 << 30] {
            let head = format!("{head}\r\ncontent-length: {said}");
            let answer = ask(&world, &head, b"{\"a\":");
            assert_too_large(&format!("{method} {path}, {said} said"), &answer);
        }
        let head = format!("{head}\r\ntransfer-encoding: chunked");
        let mut body = format!("{:x}\r\n", LIMIT + 1).into_bytes();
        body.extend(std::iter::repeat_n(b' ', LIMIT + 1));
        let answer = ask(&world, &head, &body);
        assert_too_large(&format!("{method} {path}, chunked"), &answer);
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn json_that_can_t_be_taken_literally_is_refused(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let open = "[".repeat(100_000);
    for (method, path, body) in TAKING_JSON {
        let send = |what: &str, bytes: &[u8]| {
            let head = format!(
                "{method} {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {}",
                bytes.len()
            );
            let answer = ask(&world, &head, bytes);
            let what = format!("{method} {path}: {what}");
            assert_refused(&what, &answer);
            // For what the body is, not for what it is about.
            assert_eq!(status(&answer), 400, "{what}: {answer}");
        };
        for (what, value) in [
            ("deep", deep.as_str()),
            ("deep and never closed", &open),
            ("a key twice", r#"{"a":1,"a":2}"#),
            ("the same key in two spellings", r#"{"a":1,"\u0061":2}"#),
            ("a number beyond 64 bits", "1e400"),
            ("a number that loses digits", "0.1234567890123456789012345"),
            (
                "an integer that loses digits",
                "123456789012345678901234567890",
            ),
            ("not a number", "NaN"),
            ("no value", ""),
            ("half a pair of surrogates", r#""\ud800""#),
            ("a control character", "\"\u{1}\""),
            ("a comment", "1/*x*/"),
            ("a comma too many", "[1,]"),
            ("single quotes", "'x'"),
        ] {
            send(what, body.replace("BAD", value).as_bytes());
        }
        let good = body.replace("BAD", "1");
        let utf_16: Vec<u8> = good.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut latin_1 = body.replace("BAD", "\"?\"").into_bytes();
        let at = latin_1.iter().position(|byte| *byte == b'?').unwrap();
        latin_1[at] = 0xE9;
        send("UTF-16", &utf_16);
        send("latin 1", &latin_1);
        send("a byte order mark", format!("\u{feff}{good}").as_bytes());
        send("something after it", format!("{good}x").as_bytes());
        send("cut", &good.as_bytes()[..good.len() - 1]);
        send("a list", format!("[{good}]").as_bytes());
        send("nothing", b"");
        send("a NUL", b"\0");
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn hostile_filters_orders_and_pages_are_refused(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let deep = format!("filter={}name==x{}", "(".repeat(2000), ")".repeat(2000));
    let long = format!("filter=name=={}", "x".repeat(20_000));
    let many = format!("filter={}", "name==x;".repeat(2000));
    for path in LISTING {
        for query in [
            deep.as_str(),
            &long,
            &many,
            "filter=(",
            "filter=name",
            "filter===x",
            "filter=name==x;;name==y",
            "filter=name=regex=(a%2B)%2B",
            "filter=no.such.field==x",
            "filter=name==%ff",
            "filter=name==%zz",
            "sortAsc=no.such.field",
            "sortAsc=name;drop",
            "page=0",
            "page=-1",
            "page=1.5",
            "page=99999999999999999999",
            "pageSize=129",
            "pageSize=-1",
            "pageSize=many",
        ] {
            let head = format!("GET {path}?{query} HTTP/1.1\r\nauthorization: Bearer {token}");
            let answer = ask(&world, &head, b"");
            let shown: String = query.chars().take(60).collect();
            assert_refused(&format!("{path}?{shown}"), &answer);
        }
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn an_api_version_that_is_not_served_is_refused(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    for version in ["34.0", "40.0", "37", "37.0.1", "x", "-1.0", "99999999999.0"] {
        let reply = world.get(SOME).by(&token).version(version).send();
        assert_eq!(reply.status, 406, "{version}: {reply:?}");
        assert_eq!(reply.json["code"], "COEVAL-8003", "{version}");
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn a_path_with_two_readings_is_refused(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let long = format!("/cloudapi/1.0.0/entities/{}", "x".repeat(5000));
    for path in [
        "//cloudapi/1.0.0/sessions/current",
        "/cloudapi//1.0.0/sessions/current",
        "/cloudapi/1.0.0/sessions/current//",
        "/cloudapi/./1.0.0/sessions/current",
        "/cloudapi/x/../1.0.0/sessions/current",
        "/cloudapi/%2e%2e/cloudapi/1.0.0/sessions/current",
        "/cloudapi/1.0.0/sessions%2fcurrent",
        "/cloudapi/1.0.0/entities/%00",
        "/cloudapi/1.0.0/entities/a%0d%0ab",
        "/cloudapi/1.0.0/entities/%ff%fe",
        "/cloudapi/1.0.0/entities/%c0%ae%c0%ae",
        "/cloudapi/1.0.0/entities/%",
        "/cloudapi/1.0.0/entities/%zz",
        &long,
    ] {
        for method in ["GET", "PUT", "DELETE"] {
            let head = format!("{method} {path} HTTP/1.1\r\nauthorization: Bearer {token}");
            let answer = ask(&world, &head, b"");
            assert_refused(&format!("{method} {path}"), &answer);
            assert!(answer.contains("COEVAL-8013"), "{method} {path}: {answer}");
        }
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn bad_headers_are_refused_rather_than_guessed(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let huge = format!("x-huge: {}", "x".repeat(100_000));
    for header in [
        "authorization: Bearer other",
        "accept: */*\r\naccept: application/json",
        "accept: é",
        "coeval-accept: nonsense",
        "coeval-accept: acme:app=1.0.0-alpha",
        "coeval-accept: a=1\r\ncoeval-accept: a=2",
        "coeval-at-least: 7",
        "coeval-at-least: é",
        "version: fourteen",
        "x-vmware-vcloud-tenant-context: a\r\nx-vmware-vcloud-tenant-context: b",
        "x-vmware-vcloud-tenant-context: é",
        "x-vmware-vcloud-tenant-context: urn:vcloud:org:11111111-1111-4111-8111-111111111111",
        &huge,
    ] {
        for path in [
            SOME,
            "/cloudapi/1.0.0/entities/urn:vcloud:entity:a:b:11111111-1111-4111-8111-111111111111",
        ] {
            let head = format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {token}\r\n{header}");
            let answer = ask(&world, &head, b"");
            let shown: String = header.chars().take(60).collect();
            assert_refused(&format!("{path} with {shown}"), &answer);
        }
    }
    for credentials in [
        "Bearer",
        "Bearer ",
        "Digest x",
        "Basic !",
        "Basic YQ==",
        "Bearer é",
    ] {
        let head = format!("GET {SOME} HTTP/1.1\r\nauthorization: {credentials}");
        assert_refused(credentials, &ask(&world, &head, b""));
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn what_is_not_http_is_not_answered_as_if_it_were(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let many = "x: y\r\n".repeat(1000);
    let larger = format!("x: {}\r\n", "y".repeat(300_000));
    let good = format!("DELETE {SOME} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\n");
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        (
            "a TLS hello".into(),
            vec![0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3],
        ),
        ("zeros".into(), vec![0; 4096]),
        ("no path".into(), b"GET\r\n\r\n".to_vec()),
        (
            "a version that is none".into(),
            b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        ),
        (
            "an address".into(),
            b"GET example HTTP/1.1\r\n\r\n".to_vec(),
        ),
        (
            "a broken preface".into(),
            b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".to_vec(),
        ),
        (
            "HTTP/2 without settings".into(),
            [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &[0xff; 64]].concat(),
        ),
    ];
    for (what, lines) in [
        ("a header without a colon", "nonsense\r\n"),
        ("a space in a header's name", "a b: c\r\n"),
        ("a NUL in a header", "a: \0\r\n"),
        ("two lengths", "content-length: 1\r\ncontent-length: 2\r\n"),
        ("a negative length", "content-length: -1\r\n"),
        ("a length that is none", "content-length: ten\r\n"),
        (
            "a length beyond 64 bits",
            "content-length: 99999999999999999999\r\n",
        ),
        ("an unknown encoding", "transfer-encoding: magic\r\n"),
        ("too many headers", &many),
        ("headers without end", &larger),
    ] {
        cases.push((what.to_owned(), format!("{good}{lines}\r\n").into_bytes()));
    }
    let chunk = format!("{good}transfer-encoding: chunked\r\n\r\nnot a size\r\n");
    cases.push(("a chunk without a size".into(), chunk.into_bytes()));
    for (what, bytes) in cases {
        let mut raw = Raw::to(&world);
        raw.send(bytes);
        raw.end_sending();
        let answer = raw.rest();
        let refused = !answer.starts_with("HTTP/") || (400..500).contains(&status(&answer));
        assert!(refused, "{what}: {answer}");
    }
    assert_eq!(Mark::of(&world), before);
}

pub(crate) fn half_a_request_changes_nothing(world: World) {
    let token = world.admin();
    let before = Mark::of(&world);
    let whole = format!(
        "DELETE {SOME} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\ncontent-length: 10\r\n\r\n0123456789"
    );
    for cut in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
        let mut raw = Raw::to(&world);
        raw.send(&whole[..cut]);
        if cut % 2 == 0 {
            raw.end_sending();
            let answer = raw.rest();
            assert!(!answer.starts_with("HTTP/1.1 2"), "{cut}: {answer}");
        }
    }
    assert_eq!(Mark::of(&world), before);
    let reply = world.get(SOME).by(&token).send();
    assert_eq!(reply.status, 200, "the session is there: {reply:?}");
}

pub(crate) fn old_and_hasty_clients_are_answered_in_order(world: World) {
    let mut old = Raw::to(&world);
    old.send("GET /healthz HTTP/1.0\r\n\r\n");
    let answer = old.rest();
    assert_eq!(status(&answer), 200, "{answer}");
    assert!(answer.ends_with("ok\n"), "{answer}");

    let token = world.admin();
    let line = |path: &str, end: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {token}\r\n{end}\r\n")
    };
    let mut hasty = Raw::to(&world);
    let three = [
        line(SOME, ""),
        line("/cloudapi/1.0.0/nothing", ""),
        line("/healthz", "connection: close\r\n"),
    ];
    hasty.send(three.concat());
    let answer = hasty.rest();
    let statuses: Vec<_> = answer
        .match_indices("HTTP/1.1 ")
        .map(|(at, _)| status(&answer[at..]))
        .collect();
    assert_eq!(statuses, [200, 404, 200], "{answer}");
}
