//! Rights and rights bundles, as clients look them up and publish them.

use crate::world::{Reply, World};
use serde_json::{Value, json};

pub(crate) const TYPE: &str = r#"
kind: type
version: v1
metadata: {name: "vmware:testType:1.0.0"}
spec:
  vendor: vmware
  nss: testType
  version: 1.0.0
  schema: {type: object, properties: {foo: {type: string}}}
"#;

/// With a type, as a bootstrap makes it.
pub(crate) fn with_a_type(world: &mut World) {
    world.write("type.yaml", TYPE);
    world.write("bootstrap.yaml", "types: [type.yaml]");
    world.restart_with(&[]);
}

pub(crate) fn values(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json["values"].as_array().expect("a page").clone()
}

pub(crate) fn names(reply: &Reply) -> Vec<String> {
    let values = values(reply);
    let names = values.iter().map(|one| one["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

const BUNDLES: &str = "/cloudapi/1.0.0/rightsBundles";

pub(crate) fn a_bundle_is_found_by_name_and_published(mut world: World) {
    with_a_type(&mut world);
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    // Encoded as one client does it, and as the other.
    for filter in [
        "name%3D%3Dvmware%3AtestType+Entitlement",
        "name==vmware:testType%20Entitlement",
    ] {
        let path = format!("{BUNDLES}?filter={filter}&pageSize=128");
        let found = world.get(&path).by(&admin).version("37.0").send();
        assert_eq!(names(&found), ["vmware:testType Entitlement"]);
    }
    let found = world.get(&format!(
        "{BUNDLES}?filter=name==vmware:testType%20Entitlement"
    ));
    let bundle = values(&found.by(&admin).send()).remove(0);
    assert_eq!(bundle["readOnly"], false);
    assert_eq!(bundle["publishAll"], false);
    let path = format!("{BUNDLES}/{}", bundle["id"].as_str().unwrap());
    let one = world.get(&path).by(&admin).send();
    assert_eq!(one.json["id"], bundle["id"]);
    let rights = world.get(&format!("{path}/rights")).by(&admin).send();
    assert_eq!(
        names(&rights),
        [
            "vmware:testType: View",
            "vmware:testType: Modify",
            "vmware:testType: Full Access",
            "vmware:testType: Administrator View",
            "vmware:testType: Administrator Full access",
        ]
    );
    let sees = || {
        let path = "/cloudapi/1.0.0/rights?filter=name==vmware:testType:*";
        values(&world.get(path).by(&alice).send()).len()
    };
    let org = |name: &str| {
        let path = format!("/cloudapi/1.0.0/orgs?filter=name=={name}");
        let org = values(&world.get(&path).by(&admin).send()).remove(0);
        json!({ "name": name, "id": org["id"] })
    };
    let (acme, other) = (org("acme"), org("other"));
    let call = |method: &str, what: &str, orgs: &[&Value]| {
        let reply = world.sending(method, &format!("{path}/tenants{what}"));
        let reply = reply.by(&admin).json(&json!({ "values": orgs })).send();
        names(&reply)
    };
    let nobody: [&str; 0] = [];
    assert_eq!(sees(), 0);
    // One client sends ids alone.
    let id_alone = json!({ "id": acme["id"] });
    assert_eq!(call("POST", "/publish", &[&id_alone]), ["acme"]);
    assert_eq!(sees(), 5);
    assert_eq!(call("POST", "/publish", &[&other]), ["acme", "other"]);
    assert_eq!(call("POST", "/unpublish", &[&acme]), ["other"]);
    assert_eq!(sees(), 0);
    assert_eq!(call("PUT", "", &[&acme]), ["acme"]);
    assert_eq!(sees(), 5);
    assert_eq!(call("PUT", "", &[]), nobody);
    assert_eq!(sees(), 0);
    // These have no body; the answer does.
    let bare = |what: &str| {
        let reply = world.post(&format!("{path}/tenants/{what}")).by(&admin);
        names(&reply.send())
    };
    assert_eq!(bare("publishAll"), ["acme", "other"]);
    assert_eq!(sees(), 5);
    assert_eq!(world.get(&path).by(&admin).send().json["publishAll"], true);
    assert_eq!(bare("unpublishAll"), nobody);
    let tenants = world.get(&format!("{path}/tenants")).by(&admin).send();
    assert!(values(&tenants).is_empty());
}

pub(crate) fn every_right_has_an_id_that_stays(mut world: World) {
    with_a_type(&mut world);
    let admin = world.admin();
    // Along the links, as a client reads a whole list.
    let mut url = "/cloudapi/1.0.0/rights?pageSize=8".to_owned();
    let mut all = Vec::new();
    loop {
        let page = world.get(&url).by(&admin).version("37.0").send();
        all.extend(values(&page));
        let links = page.header("link").to_owned();
        let next = links.split(',').find(|link| link.contains("nextPage"));
        let Some(next) = next else { break };
        url = next.split(['<', '>']).nth(1).unwrap().to_owned();
    }
    assert_eq!(
        all.len(),
        35,
        "25 general ones, those of the type and of a built-in one"
    );
    for right in &all {
        let id = right["id"].as_str().unwrap();
        assert!(id.starts_with("urn:vcloud:right:"), "{right}");
        let one = world.get(&format!("/cloudapi/1.0.0/rights/{id}"));
        assert_eq!(one.by(&admin).send().json, *right);
        let category = right["category"].as_str().unwrap();
        let path = format!("/cloudapi/1.0.0/rightsCategories?filter=id=={category}");
        assert_eq!(values(&world.get(&path).by(&admin).send()).len(), 1);
    }
    for (id, status) in [
        ("urn:vcloud:right:56bacbaa-8ddc-4bef-b7a5-e8f6758aff25", 403),
        ("x", 400),
    ] {
        let reply = world.get(&format!("/cloudapi/1.0.0/rights/{id}"));
        assert_eq!(reply.by(&admin).send().status, status, "{id}");
    }
}

pub(crate) fn a_bundle_of_one_s_own_gets_rights_by_name_or_id(mut world: World) {
    with_a_type(&mut world);
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let made = world.post(BUNDLES).by(&admin);
    let made = made
        .json(&json!({ "name": "mine", "description": "d" }))
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("{BUNDLES}/{}", made.json["id"].as_str().unwrap());
    let rights = "/cloudapi/1.0.0/rights?filter=name==vmware:testType:%20View";
    let view = values(&world.get(rights).by(&admin).send()).remove(0);
    let call = |method: &str, values: Value| {
        let reply = world.sending(method, &format!("{path}/rights")).by(&admin);
        reply.json(&json!({ "values": values })).send()
    };
    let by_id = call("POST", json!([{ "id": view["id"] }]));
    assert_eq!(names(&by_id), ["vmware:testType: View"]);
    let by_name = call(
        "POST",
        json!([{ "name": "User: View" }, { "id": view["id"] }]),
    );
    assert_eq!(names(&by_name), ["vmware:testType: View", "User: View"]);
    let replaced = call("PUT", json!([{ "name": "User: View" }]));
    assert_eq!(names(&replaced), ["User: View"]);
    for bad in [
        json!([{ "name": "No: Right" }]),
        json!([{ "id": "urn:vcloud:right:x" }]),
        json!([{}]),
        json!(["x"]),
        json!("x"),
    ] {
        assert_eq!(call("POST", bad.clone()).status, 400, "{bad}");
    }
    let put = world.put(&path).by(&admin).json(&json!({ "name": "ours" }));
    let put = put.send();
    assert_eq!(put.json["name"], "ours", "{put:?}");
    for (method, path) in [("GET", BUNDLES), ("GET", &path), ("DELETE", &path)] {
        let reply = world.sending(method, path).by(&alice).send();
        assert_eq!(reply.status, 403, "{reply:?}");
    }
    assert_eq!(world.delete(&path).by(&admin).send().status, 204);
    assert_eq!(world.get(&path).by(&admin).send().status, 403);
    // A type's bundle belongs to the type.
    let found = world.get(&format!(
        "{BUNDLES}?filter=name==vmware:testType%20Entitlement"
    ));
    let bundle = values(&found.by(&admin).send()).remove(0);
    let path = format!("{BUNDLES}/{}", bundle["id"].as_str().unwrap());
    assert_eq!(world.delete(&path).by(&admin).send().status, 400);
}
