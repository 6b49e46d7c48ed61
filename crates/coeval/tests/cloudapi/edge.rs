//! What a server does around its APIs: quotas, the access log, what is not there, its flags.

use crate::raw::{ask, status};
use crate::world::World;
use serde_json::Value;

const SOME: &str = "/cloudapi/1.0.0/sessions/current";

pub(crate) fn a_user_who_sends_too_much_waits_and_others_do_not(mut world: World) {
    let (alice, oscar) = (world.login("alice@acme"), world.login("oscar@other"));
    world.restart_with(&["--max-requests-per-user", "5"]);
    let sent: Vec<_> = (0..40).map(|_| world.get(SOME).by(&alice).send()).collect();
    let refused = sent.iter().find(|reply| reply.status == 429);
    let refused = refused.expect("forty at once are more than five a second");
    assert_eq!(refused.json["code"], "COEVAL-8008");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(sent[0].status, 200);
    assert_eq!(world.get(SOME).by(&oscar).send().status, 200);
    // Who does not say who they are is known by the address.
    let unknown = || world.get("/api/versions").send().status;
    assert_eq!(unknown(), 200);
    assert!((0..40).any(|_| unknown() == 429));
    let wrong = || world.get(SOME).by("wrong").send().status;
    assert!(
        (0..40).any(|_| wrong() == 429),
        "guessing tokens is limited too"
    );
}

/// Clients of this API send what other servers of it know.
pub(crate) fn a_parameter_that_is_not_known_is_ignored_with_a_warning(world: World) {
    let admin = world.admin();
    for path in ["/cloudapi/1.0.0/entityTypes", "/cloudapi/1.0.0/roles"] {
        let plain = world.get(path).by(&admin).send();
        let asked = format!("{path}?invented=1&page=1");
        let reply = world.get(&asked).by(&admin).send();
        assert_eq!((reply.status, &reply.json), (200, &plain.json), "{path}");
        let warning = reply.header("coeval-warning");
        assert!(warning.contains("invented"), "{warning}");
        assert!(warning.contains(env!("CARGO_PKG_VERSION")), "{warning}");
        assert_eq!(plain.header("coeval-warning"), "");
    }
}

pub(crate) fn what_is_not_there_is_told_in_the_form_of_its_api(world: World) {
    let json = world.get("/cloudapi/1.0.0/nothing/here").send();
    assert_eq!(json.status, 404, "{json:?}");
    assert_eq!(json.json["code"], "COEVAL-8001");
    assert_eq!(json.json["minorErrorCode"], "NOT_FOUND");
    let xml = world.get("/api/nothing").send();
    assert_eq!(xml.status, 404, "{xml:?}");
    assert!(xml.text.contains("<Error"), "{xml:?}");
    assert!(xml.text.contains("COEVAL-8001"), "{xml:?}");
    for path in ["/", "/api", "/cloudapi", "/cloudapi/", "/nothing"] {
        let reply = world.get(path).send();
        assert_eq!(reply.status, 404, "{path}: {reply:?}");
        assert!(reply.text.contains("COEVAL-8001"), "{path}: {reply:?}");
    }
    let method = world.put(SOME).send();
    assert_eq!(method.status, 405, "{method:?}");
    assert_eq!(method.json["code"], "COEVAL-8002");
    assert_eq!(method.json["minorErrorCode"], "METHOD_NOT_ALLOWED");
    for allowed in ["GET", "HEAD", "DELETE"] {
        assert!(method.header("allow").contains(allowed), "{method:?}");
    }
    for reply in [json, xml, method, world.get("/healthz").send()] {
        assert!(!reply.header("coeval-release").is_empty(), "{reply:?}");
    }
    let options = ask(&world, &format!("OPTIONS {SOME} HTTP/1.1"), b"");
    assert_eq!(status(&options), 204, "{options}");
    let head = ask(&world, "HEAD /api/versions HTTP/1.1", b"");
    assert_eq!(status(&head), 200, "{head}");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

pub(crate) fn the_access_log_tells_who_asked_for_what_and_no_secret(mut world: World) {
    world.restart_with(&["--log-format", "json"]);
    let token = world.login("alice@acme");
    let path = format!("{SOME}?password=hunter2");
    let reply = world
        .get(&path)
        .by(&token)
        .header("x-request-id", "mine-7")
        .send();
    assert_eq!(reply.status, 200);
    world.get("/healthz").send();
    let log = world.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["target"] == "access")
        .collect();
    let line = lines.iter().find(|line| line["id"] == "mine-7").unwrap();
    assert_eq!(line["method"], "GET");
    assert_eq!(line["path"], SOME);
    assert_eq!(line["status"], 200);
    assert_eq!(line["source"], "127.0.0.1");
    assert_eq!(line["user"], reply.json["user"]["id"]);
    assert_eq!(line["bytes"], reply.text.len());
    assert!(line["ms"].is_number(), "{line}");
    assert!(!log.contains(&token), "the token is in the log");
    assert!(!log.contains("hunter2"), "the query is in the log");
    assert!(!log.contains("/healthz"), "probes are not worth a line");
}

pub(crate) fn the_public_url_and_the_limits_reach_the_server(mut world: World) {
    world.restart_with(&[
        "--public-url",
        "https://coeval.example.com/base/",
        "--max-body",
        "1KiB",
        "--max-header-bytes",
        "8KiB",
        "--emulate",
        "acme:app=1.1.0",
        "--emulate",
        "acme:other=2.0.0",
        "--require-if-match",
        "true",
        "--refuse-small-bumps",
        "true",
        "--trust-forwarded-for",
        "true",
    ]);
    let versions = world.get("/api/versions").send().text;
    let login = "https://coeval.example.com/base/cloudapi/1.0.0/sessions<";
    assert!(versions.contains(login), "{versions}");
    let long = world
        .get("/api/versions")
        .header("x", &"y".repeat(9000))
        .send();
    assert_eq!(long.status, 431, "{long:?}");
    let large = world
        .post("/cloudapi/1.0.0/sessions")
        .bytes(&[b' '; 1025])
        .send();
    assert_eq!(large.status, 413, "{large:?}");
}

pub(crate) fn a_session_tells_where_it_was_begun(mut world: World) {
    world.restart_with(&["--trust-forwarded-for", "true", "--log-format", "json"]);
    let reply = world
        .post("/cloudapi/1.0.0/sessions")
        .header("x-forwarded-for", "6.6.6.6, 10.1.2.3")
        .basic("alice@acme", crate::world::PASSWORD)
        .send();
    assert_eq!(reply.status, 200);
    let log = world.log();
    assert!(log.contains(r#""source":"10.1.2.3""#), "{log}");
    assert!(!log.contains("6.6.6.6"), "{log}");
}
