//! Type versions, as go-vcloud-director, Container Service Extension and CAPVCD define them.

use crate::world::{Reply, World};
use serde_json::{Value, json};

const ALL: &str = "/cloudapi/1.0.0/entityTypes";
const LEVEL: &str = "urn:vcloud:accessLevel";

fn app(version: &str, schema: &Value) -> Value {
    json!({ "name": "App", "vendor": "acme", "nss": "app", "version": version, "schema": schema })
}

fn one(version: &str) -> String {
    format!("{ALL}/urn:vcloud:type:acme:app:{version}")
}

fn post(world: &World, token: &str, body: &Value) -> Reply {
    world.post(ALL).by(token).version("37.1").json(body).send()
}

fn register(world: &World, admin: &str, version: &str) -> Reply {
    let made = post(world, admin, &app(version, &json!({ "type": "object" })));
    assert_eq!(made.status, 201, "{made:?}");
    made
}

fn sees(world: &World, token: &str, version: &str) -> bool {
    match world.get(&one(version)).by(token).send().status {
        200 => true,
        403 => false,
        other => panic!("{other}"),
    }
}

fn count(world: &World, token: &str) -> usize {
    let reply = world.get(ALL).by(token).version("37.1").send();
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json["values"].as_array().unwrap().len()
}

fn warnings(reply: &Reply) -> Vec<&str> {
    let all = reply.headers.get_all("coeval-warning").iter();
    all.map(|value| value.to_str().unwrap()).collect()
}

/// Publishes the bundle of `acme:app` to the organization `acme`.
fn publish(world: &mut World) {
    world.write(
        "bootstrap.yaml",
        "publish: [{bundle: \"acme:app Entitlement\", orgs: [acme]}]",
    );
    world.restart_with(&[]);
}

pub(crate) fn a_type_goes_through_its_whole_life(mut world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let before = (count(&world, &admin), count(&world, &alice));
    assert!(before.1 > 0, "a tenant sees what is built in");
    let schema = json!({
        "definitions": { "foo": { "type": "object", "properties": { "key": { "type": "string" } } } },
        "type": "object", "required": ["foo"],
        "properties": { "bar": { "type": "string" }, "foo": { "$ref": "#/definitions/foo" } },
    });
    let mut body = app("1.2.3", &schema);
    body["description"] = json!("Description");
    body["interfaces"] = json!(["urn:vcloud:interface:vmware:k8s:1.0.0"]);
    let made = world
        .post(&format!("{ALL}/"))
        .by(&admin)
        .version("37.1")
        .json(&body)
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    let shown = json!({
        "id": "urn:vcloud:type:acme:app:1.2.3", "name": "App", "description": "Description",
        "nss": "app", "version": "1.2.3", "inheritedVersion": null, "externalId": null,
        "schema": schema, "vendor": "acme",
        "interfaces": ["urn:vcloud:interface:vmware:k8s:1.0.0"], "hooks": null,
        "readonly": false, "maxImplicitRight": null,
    });
    assert_eq!(made.json, shown);
    assert!(warnings(&made).is_empty());
    assert_eq!(
        post(&world, &admin, &body).status,
        400,
        "it is there already"
    );
    let refused = post(&world, &alice, &app("4.5.6", &schema));
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.json["minorErrorCode"],
        "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
    );

    assert!(!sees(&world, &alice, "1.2.3"));
    publish(&mut world);
    assert_eq!(
        (count(&world, &admin), count(&world, &alice)),
        (before.0 + 1, before.1 + 1)
    );
    for token in [&admin, &alice] {
        let got = world.get(&one("1.2.3")).by(token).version("37.1").send();
        assert_eq!((got.status, &got.json), (200, &shown));
        let filter = format!("{ALL}?filter=vendor%3D%3Dacme%3Bnss%3D%3Dapp%3Bversion%3D%3D1.2.3");
        let got = world.get(&filter).by(token).version("37.1").send();
        assert_eq!(got.json["values"], json!([shown]));
    }

    // What clients leave out stays.
    let update =
        json!({ "description": "Updated", "id": shown["id"], "name": "App", "schema": schema });
    for (method, token) in [("PUT", &alice), ("DELETE", &alice)] {
        let refused = world
            .sending(method, &one("1.2.3"))
            .by(token)
            .json(&update)
            .send();
        assert_eq!(refused.status, 403, "{method}");
    }
    let put = world
        .put(&one("1.2.3"))
        .by(&admin)
        .version("37.1")
        .json(&update)
        .send();
    let mut expected = shown.clone();
    expected["description"] = json!("Updated");
    assert_eq!((put.status, &put.json), (200, &expected), "{put:?}");
    assert!(sees(&world, &alice, "1.2.3"), "its ACL stays");

    assert_eq!(world.delete(&one("1.2.3")).by(&admin).send().status, 204);
    let gone = world.get(&one("1.2.3")).by(&admin).send();
    assert_eq!(gone.status, 403);
    assert_eq!(
        gone.json["minorErrorCode"],
        "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
    );
    assert_eq!(world.delete(&one("1.2.3")).by(&admin).send().status, 403);
}

pub(crate) fn versions_posted_at_once_by_eight_clients_all_arrive(world: World) {
    let admin = world.admin();
    let done: Vec<u16> = std::thread::scope(|scope| {
        let posting = (0..8).map(|minor| {
            let (world, admin) = (&world, &admin);
            scope.spawn(move || {
                let body = app(&format!("1.{minor}.0"), &json!({ "type": "object" }));
                post(world, admin, &body).status
            })
        });
        let posting: Vec<_> = posting.collect();
        posting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(done, [201; 8]);
    let filter = format!("{ALL}?filter=nss==app&pageSize=5");
    let page = world.get(&filter).by(&admin).send();
    assert_eq!(page.json["resultTotal"], 8);
    assert!(page.header("link").contains("rel=\"lastPage nextPage\""));
}

pub(crate) fn a_schema_is_answered_as_it_was_sent(world: World) {
    let admin = world.admin();
    let schema = r#"{"zeta":1,"type":"object","x-vcloud-restricted":"public","additionalproperties":false,"properties":{"b":{"type":"integer","maximum":12345678901234567,"class":"x"},"a":{"default":1.50,"type":"number"}},"$comment":"c"}"#;
    let body = format!(
        r#"{{"name":"App","vendor":"acme","nss":"app","version":"1.0.0","schema":{schema}}}"#
    );
    let made = world.post(ALL).by(&admin).bytes(body.as_bytes()).send();
    assert_eq!(made.status, 201, "{made:?}");
    let got = world.get(&one("1.0.0")).by(&admin).send();
    for reply in [&made, &got] {
        let compact = schema.replace("1.50", "1.5");
        assert!(reply.text.contains(&compact), "{}", reply.text);
    }
}

pub(crate) fn fields_belong_to_versions_of_the_api(world: World) {
    let admin = world.admin();
    let mut body = app("1.0.0", &json!({ "type": "object" }));
    body["externalId"] = json!("ext");
    body["inheritedVersion"] = json!("0");
    body["maxImplicitRight"] = json!(format!("{LEVEL}:ReadWrite"));
    assert_eq!(post(&world, &admin, &body).status, 201);
    let keys = |version: &str| {
        let got = world.get(&one("1.0.0")).by(&admin).version(version).send();
        let map = got.json.as_object().unwrap().clone();
        let gated = ["hooks", "inheritedVersion", "maxImplicitRight"];
        assert_eq!(map["externalId"], "ext");
        gated.map(|key| map.contains_key(key))
    };
    assert_eq!(keys("35.0"), [false, false, false]);
    assert_eq!(keys("36.0"), [true, true, false]);
    assert_eq!(keys("37.1"), [true, true, true]);
    let got = world
        .get(&one("1.0.0"))
        .by(&admin)
        .version("39.1")
        .send()
        .json;
    assert_eq!(got["inheritedVersion"], "0");
    assert_eq!(got["maxImplicitRight"], format!("{LEVEL}:ReadWrite"));
    // A client of an older version keeps what it does not know; an empty text takes it away.
    let put = |version: &str, body: Value| {
        let reply = world
            .put(&one("1.0.0"))
            .by(&admin)
            .version(version)
            .json(&body)
            .send();
        assert_eq!(reply.status, 200, "{reply:?}");
        world
            .get(&one("1.0.0"))
            .by(&admin)
            .version("39.1")
            .send()
            .json
    };
    let after = put("35.0", json!({ "name": "Named", "externalId": null }));
    assert_eq!(after["name"], "Named");
    assert_eq!(after["externalId"], "ext");
    assert_eq!(after["maxImplicitRight"], got["maxImplicitRight"]);
    let after = put("39.1", json!({ "externalId": "", "maxImplicitRight": "" }));
    assert_eq!(after["externalId"], Value::Null);
    assert_eq!(after["maxImplicitRight"], Value::Null);
}

pub(crate) fn a_bump_that_is_too_small_is_taken_with_a_warning(world: World) {
    let admin = world.admin();
    let of = |kind: &str| json!({ "type": "object", "properties": { "a": { "type": kind } } });
    let first = post(&world, &admin, &app("1.0.0", &of("string")));
    assert!(warnings(&first).is_empty(), "{first:?}");
    let fits = post(&world, &admin, &app("1.0.1", &of("string")));
    assert!(warnings(&fits).is_empty(), "{fits:?}");
    let breaks = post(&world, &admin, &app("1.1.0", &of("integer")));
    assert_eq!(breaks.status, 201, "{breaks:?}");
    let warned = warnings(&breaks);
    assert!(
        warned.iter().any(|one| one.contains("breaking")),
        "{warned:?}"
    );
    assert!(
        breaks.json.get("findings").is_none(),
        "nothing is added to the body"
    );
}

pub(crate) fn a_reference_that_leads_out_is_taken_and_never_followed(world: World) {
    let admin = world.admin();
    // Nobody listens there; following it would fail or take long.
    let schema = json!({ "$ref": "http://127.0.0.1:9/schema_1_1_0.json" });
    let made = post(&world, &admin, &app("1.1.0", &schema));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json["schema"], schema);
    let warned = warnings(&made);
    assert!(
        warned.iter().any(|one| one.contains("never followed")),
        "{warned:?}"
    );
    let got = world.get(&one("1.1.0")).by(&admin).send();
    assert_eq!(got.json["schema"], schema);
    // Others follow after it, and a change may mend it.
    let real = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let put = world
        .put(&one("1.1.0"))
        .by(&admin)
        .json(&json!({ "schema": real }))
        .send();
    assert_eq!(put.status, 200, "{put:?}");
    assert!(warnings(&put).is_empty(), "{put:?}");
}

pub(crate) fn an_older_version_is_invisible_until_it_is_synced(mut world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let oscar = world.login("oscar@other");
    register(&world, &admin, "1.1.0");
    publish(&mut world);
    let newer = register(&world, &admin, "1.2.0");
    assert!(warnings(&newer).is_empty(), "{newer:?}");
    assert!(sees(&world, &alice, "1.2.0"), "a newer one inherits");
    let mut nothing = app("1.3.0", &json!({ "type": "object" }));
    nothing["inheritedVersion"] = json!("0");
    assert_eq!(post(&world, &admin, &nothing).status, 201);
    assert!(
        !sees(&world, &alice, "1.3.0"),
        "unless it says that it does not"
    );
    let older = register(&world, &admin, "1.0.0");
    let warned = warnings(&older);
    assert!(
        warned.iter().any(|one| one.contains("inherits no access")),
        "{warned:?}"
    );
    assert!(!sees(&world, &alice, "1.0.0"));
    let sync = format!("{}/accessControls/sync", one("1.0.0"));
    assert_eq!(world.post(&sync).by(&alice).send().status, 403);
    for granted in [1, 0] {
        let synced = world.post(&sync).by(&admin).send();
        assert_eq!(
            (synced.status, &synced.json["granted"]),
            (200, &json!(granted))
        );
        assert!(sees(&world, &alice, "1.0.0"));
    }
    assert!(
        !sees(&world, &oscar, "1.0.0"),
        "it is published to one organization"
    );
    let mut said = app("0.9.0", &json!({ "type": "object" }));
    said["inheritedVersion"] = json!("1.0.0");
    assert_eq!(post(&world, &admin, &said).status, 201);
    assert!(sees(&world, &alice, "0.9.0"));
    said["version"] = json!("0.8.0");
    said["inheritedVersion"] = json!("7.7.7");
    assert_eq!(
        post(&world, &admin, &said).status,
        400,
        "there is no such version"
    );
}

pub(crate) fn grants_of_a_type_version_are_made_changed_and_taken(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    register(&world, &admin, "1.0.0");
    let all = format!("{}/accessControls", one("1.0.0"));
    let me = world
        .get("/cloudapi/1.0.0/sessions/current")
        .by(&alice)
        .send()
        .json;
    let (user, org) = (me["user"]["id"].clone(), me["org"]["id"].clone());
    let list = || {
        let reply = world.get(&all).by(&admin).send();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json["values"].as_array().unwrap().clone()
    };
    assert_eq!(list().len(), 1, "whoever made it");
    assert_eq!(list()[0]["accessLevelId"], format!("{LEVEL}:FullControl"));
    let grant = |member: &Value, level: &str| {
        let body = json!({
            "grantType": "MembershipAccessControlGrant", "tenant": {},
            "accessLevelId": format!("{LEVEL}:{level}"), "memberId": member,
        });
        world.post(&all).by(&admin).json(&body).send()
    };
    let made = grant(&org, "ReadOnly");
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json["objectId"], "urn:vcloud:type:acme:app:1.0.0");
    assert_eq!(made.json["tenant"], json!({ "name": "acme", "id": org }));
    assert!(sees(&world, &alice, "1.0.0"));
    let again = grant(&org, "ReadWrite");
    assert_eq!(
        (again.status, &again.json["id"]),
        (201, &made.json["id"]),
        "one for each member"
    );
    assert_eq!(list().len(), 2);
    assert_eq!(grant(&user, "ReadOnly").status, 201);

    let path = format!("{all}/{}", made.json["id"].as_str().unwrap());
    let got = world.get(&path).by(&admin).send();
    assert_eq!((got.status, &got.json), (200, &again.json));
    let body = json!({ "accessLevelId": format!("{LEVEL}:FullControl") });
    let put = world.put(&path).by(&admin).json(&body).send();
    assert_eq!((put.status, &put.json["memberId"]), (200, &org));
    for (method, path) in [
        ("GET", &all),
        ("POST", &all),
        ("PUT", &path),
        ("DELETE", &path),
    ] {
        let refused = world.sending(method, path).by(&alice).json(&body).send();
        assert_eq!(
            refused.status, 403,
            "{method}: she has full control, but is no provider"
        );
    }
    assert_eq!(world.delete(&path).by(&admin).send().status, 204);
    assert_eq!(world.delete(&path).by(&admin).send().status, 403);
    assert_eq!(list().len(), 2);
    let unknown = json!("urn:vcloud:org:00000000-0000-4000-8000-000000000000");
    for member in [unknown, json!("x"), json!("urn:vcloud:vm:1"), Value::Null] {
        assert_eq!(grant(&member, "ReadOnly").status, 400, "{member}");
    }
    assert_eq!(grant(&org, "Owner").status, 400);
    let old = world.get(&all).by(&admin).version("35.0").send();
    assert_eq!(old.status, 406, "it came with 35.2");
}

pub(crate) fn what_can_be_no_type_is_refused_with_a_reason(world: World) {
    let admin = world.admin();
    let good = app("1.0.0", &json!({ "type": "object" }));
    for (key, value) in [
        ("nss", json!("dots.are.bad")),
        ("vendor", json!("")),
        ("vendor", json!("coeval")),
        ("version", json!("1.0.0-alpha")),
        ("version", json!("01.0.0")),
        ("name", Value::Null),
        ("schema", Value::Null),
        ("schema", json!({ "type": "nonsense" })),
        ("schema", json!({ "$ref": "#/definitions/none" })),
        (
            "schema",
            json!({ "properties": { "a": { "pattern": "(" } } }),
        ),
        ("interfaces", json!(["vmware:k8s:1.0.0"])),
        ("interfaces", json!([7])),
        ("hooks", json!({ "OnTuesday": "x" })),
        ("hooks", json!({ "PostCreate": "x" })),
        ("maxImplicitRight", json!("Owner")),
        ("inheritedVersion", json!("x")),
    ] {
        let mut body = good.clone();
        body[key] = value.clone();
        let refused = post(&world, &admin, &body);
        assert_eq!(refused.status, 400, "{key}: {value}: {refused:?}");
        assert!(refused.json["advice"].is_string());
    }
    let mut unknown = good.clone();
    unknown["interfaces"] = json!(["urn:vcloud:interface:a:b:1.0.0"]);
    assert_eq!(
        post(&world, &admin, &unknown).status,
        403,
        "an interface that there is not"
    );
    for (id, status) in [
        ("x", 400),
        ("urn:vcloud:type:a:b", 400),
        ("urn:vcloud:type:a:b:1.0.0", 403),
        ("urn:vcloud:type:coeval:user:1.0.0", 403),
    ] {
        let path = format!("{ALL}/{id}");
        for path in [
            path.clone(),
            format!("{path}/behaviors"),
            format!("{path}/accessControls"),
        ] {
            assert_eq!(world.get(&path).by(&admin).send().status, status, "{path}");
        }
    }
    let own = world
        .get(&format!("{ALL}?filter=vendor==coeval"))
        .by(&admin)
        .send();
    assert_eq!(
        own.json["resultTotal"], 0,
        "the engine's own kinds are not shown"
    );
    let built_in = format!("{ALL}/urn:vcloud:type:vmware:tkgcluster:1.0.0");
    for method in ["PUT", "DELETE"] {
        let refused = world
            .sending(method, &built_in)
            .by(&admin)
            .json(&json!({ "name": "x" }))
            .send();
        assert_eq!(refused.status, 400, "{method}");
        assert_eq!(refused.json["code"], "COEVAL-2306");
    }
    let mine =
        json!({ "name": "x", "vendor": "vmware", "nss": "mine", "version": "1.0.0", "schema": {} });
    assert_eq!(
        post(&world, &admin, &mine).status,
        201,
        "its vendor is free for others"
    );
}

pub(crate) fn there_are_three_levels_of_access(world: World) {
    let bob = world.login("bob@acme");
    let all = world.get("/cloudapi/1.0.0/accessLevels").by(&bob).send();
    let names: Vec<_> = all.json["values"].as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 3);
    for level in names {
        let path = format!(
            "/cloudapi/1.0.0/accessLevels/{}",
            level["id"].as_str().unwrap()
        );
        assert_eq!(&world.get(&path).by(&bob).send().json, level);
    }
    let bad = world
        .get(&format!("/cloudapi/1.0.0/accessLevels/{LEVEL}:None"))
        .by(&bob)
        .send();
    assert_eq!(bad.status, 400);
}

/// `terraform destroy` deletes versions in any order, and `apply` makes them again.
pub(crate) fn versions_without_entities_go_in_any_order_and_come_back(world: World) {
    let admin = world.admin();
    let before = count(&world, &admin);
    for version in ["1.0.0", "0.9.0", "1.1.0", "2.0.0"] {
        register(&world, &admin, version);
    }
    let entity = json!({"name": "web", "entity": {"a": 1}});
    let made = world.post(&one("1.1.0")).by(&admin).json(&entity).send();
    assert_eq!(made.status, 202, "{made:?}");
    let used = world.delete(&one("1.1.0")).by(&admin).send();
    assert_eq!(used.status, 400, "{used:?}");
    assert!(
        used.text.contains("COEVAL-2304"),
        "because of its entity: {used:?}"
    );
    for version in ["1.0.0", "0.9.0"] {
        let gone = world.delete(&one(version)).by(&admin).send();
        assert_eq!(gone.status, 204, "{version}: {gone:?}");
        assert!(!sees(&world, &admin, version));
    }
    assert_eq!(count(&world, &admin), before + 2);
    for version in ["1.0.0", "0.9.0"] {
        register(&world, &admin, version);
    }
    assert_eq!(count(&world, &admin), before + 4);
    let accepted = "urn:vcloud:type:acme:app:0.9.0";
    let entities = format!("/cloudapi/1.0.0/entities/types/acme/app/1.1.0?acceptType={accepted}");
    let found = world.get(&entities).by(&admin).version("37.1").send();
    assert_eq!(found.status, 200, "{found:?}");
}

/// What was registered elsewhere, with a conversion, is converted through what this API deletes.
pub(crate) fn a_version_that_others_are_converted_through_is_retired(mut world: World) {
    let admin = world.admin();
    let schema = json!({"type": "object", "properties": {"img": {"type": "string"}}});
    assert_eq!(post(&world, &admin, &app("1.0.0", &schema)).status, 201);
    let file = crate::stage::type_file(
        "acme:app",
        "2.0.0",
        "  schema: {type: object, properties: {image: {type: string}}}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /img, to: image}}]}\n  deprecated: {message: Use 3.0.0.}\n",
    );
    world.write("two.yaml", &file);
    world.write("bootstrap.yaml", "types: [two.yaml]");
    world.restart_with(&[]);
    let got = world.get(&one("2.0.0")).by(&admin).version("37.1").send();
    assert_eq!(warnings(&got), ["acme:app:2.0.0 is deprecated: Use 3.0.0."]);
    assert!(
        got.json.get("deprecated").is_none(),
        "nothing is added: {got:?}"
    );
    let entity = json!({"name": "web", "entity": {"image": "a"}});
    let made = world.post(&one("2.0.0")).by(&admin).json(&entity).send();
    assert_eq!((made.status, warnings(&made).len()), (202, 1), "{made:?}");
    for (path, told) in [
        ("/cloudapi/1.0.0/entities/types/acme/app", 1),
        ("/cloudapi/1.0.0/entities/types/acme/app/2.0.0", 1),
    ] {
        let listed = world.get(path).by(&admin).version("37.1").send();
        assert_eq!(listed.json["values"].as_array().unwrap().len(), 1);
        assert_eq!(warnings(&listed).len(), told, "{listed:?}");
        let id = listed.json["values"][0]["id"].as_str().unwrap();
        let path = format!("/cloudapi/1.0.0/entities/{id}");
        let read = world.get(&path).by(&admin).version("37.1").send();
        assert_eq!(
            (read.status, warnings(&read).len()),
            (200, told),
            "{read:?}"
        );
    }

    assert_eq!(world.delete(&one("1.0.0")).by(&admin).send().status, 204);
    assert!(!sees(&world, &admin, "1.0.0"));
    let other = post(&world, &admin, &app("1.0.0", &json!({"type": "object"})));
    assert_eq!(other.status, 400, "{other:?}");
    assert!(other.text.contains("COEVAL-2315"), "{other:?}");
    assert_eq!(post(&world, &admin, &app("1.0.0", &schema)).status, 201);
    assert!(sees(&world, &admin, "1.0.0"));
}
