//! Where the API is.

use crate::visit::{code, v1};
use crate::world::World;

pub(crate) fn both_prefixes_are_the_same_with_and_without_a_slash_at_the_end(mut world: World) {
    world.add_app();
    let admin = world.enter("administrator@System");
    for path in ["/types", "/types/acme:app", "/server", "/organizations"] {
        let first = world.look(&admin, path);
        for same in [
            format!("/webapi{path}"),
            format!("/webapi{path}/"),
            format!("/v1/webapi{path}/"),
        ] {
            let reply = world.get(&same).by(&admin).send();
            assert_eq!((reply.status, &reply.json), (200, &first), "{same}");
        }
    }
}

pub(crate) fn what_this_release_lacks_is_told_with_its_release(world: World) {
    let admin = world.enter("administrator@System");
    for path in [
        "/v1/webapi/nothing",
        "/webapi/nothing",
        "/v1/webapi",
        "/webapi/",
        "/v2/webapi/types",
        "/v17/webapi/a/b/c",
        "/v1/webapi/types/acme:app/nothing",
    ] {
        for sending in [world.get(path), world.post(path).by(&admin)] {
            let reply = sending.send();
            assert_eq!((reply.status, code(&reply)), (404, "COEVAL-8001"), "{path}");
            assert!(reply.json["advice"].as_str().unwrap().contains("release"));
        }
    }
    for (method, path, allowed) in [
        ("POST", "/server", "GET,HEAD"),
        ("PUT", "/types", "GET,HEAD,POST"),
        ("DELETE", "/types", "GET,HEAD,POST"),
        ("PATCH", "/sessions/current", "GET,HEAD,DELETE"),
    ] {
        for prefix in ["/v1/webapi", "/webapi"] {
            let reply = world.sending(method, &format!("{prefix}{path}")).send();
            assert_eq!((reply.status, code(&reply)), (405, "COEVAL-8002"), "{path}");
            let mut allow: Vec<_> = reply.header("allow").split(',').collect();
            let mut expected: Vec<_> = allowed.split(',').collect();
            allow.sort_unstable();
            expected.sort_unstable();
            assert_eq!(allow, expected, "{method} {path}");
        }
    }
}

pub(crate) fn the_description_is_served_to_everybody(world: World) {
    let reply = world.get(&v1("/openapi.json")).send();
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json["openapi"], "3.1.0");
    assert!(reply.json["paths"]["/v1/webapi/types"]["get"].is_object());
    assert_eq!(reply.header("cache-control"), "no-store");
    let release = world.get("/webapi/release").send();
    assert_eq!(release.json["release"], reply.json["info"]["version"]);
}
