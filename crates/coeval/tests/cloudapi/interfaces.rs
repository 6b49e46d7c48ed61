//! Interfaces, as go-vcloud-director and others walk through them.

use crate::world::World;
use serde_json::{Value, json};

const ALL: &str = "/cloudapi/1.0.0/interfaces";
const K8S: &str = "urn:vcloud:interface:vmware:k8s:1.0.0";

fn one(id: &str) -> String {
    format!("{ALL}/{id}")
}

fn ids(world: &World, token: &str, query: &str) -> Vec<String> {
    let reply = world.get(&format!("{ALL}{query}")).by(token).send();
    assert_eq!(reply.status, 200, "{reply:?}");
    let values = reply.json["values"].as_array().unwrap();
    let ids = values
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned());
    ids.collect()
}

pub(crate) fn an_interface_goes_through_its_whole_life(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let before = ids(&world, &admin, "/");
    assert!(before.contains(&K8S.to_owned()));
    assert_eq!(ids(&world, &alice, ""), before, "tenants see all of them");

    let body = json!({
        "name": "One", "nss": "Test_DefinedInterface_nss", "version": "1.2.3", "vendor": "vmware",
        "readonly": true,
    });
    let made = world.post(&one("")).by(&admin).json(&body).send();
    assert_eq!(made.status, 201, "{made:?}");
    let id = "urn:vcloud:interface:vmware:Test_DefinedInterface_nss:1.2.3";
    let shown = json!({
        "name": "One", "id": id, "version": "1.2.3", "vendor": "vmware",
        "nss": "Test_DefinedInterface_nss", "readonly": false,
    });
    assert_eq!(made.json, shown);
    let again = world.post(ALL).by(&admin).json(&body).send();
    assert_eq!(again.status, 400, "{again:?}");
    let refused = world.post(ALL).by(&alice).json(&json!({
        "name": "Two", "nss": "two", "version": "4.5.6", "vendor": "vmware",
    }));
    let refused = refused.send();
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.json["minorErrorCode"],
        "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
    );

    assert_eq!(ids(&world, &alice, "").len(), before.len() + 1);
    for token in [&admin, &alice] {
        let got = world.get(&one(id)).by(token).send();
        assert_eq!((got.status, &got.json), (200, &shown));
        let filter =
            "?filter=vendor%3D%3Dvmware%3Bnss%3D%3DTest_DefinedInterface_nss%3Bversion%3D%3D1.2.3";
        assert_eq!(ids(&world, token, filter), [id]);
    }

    let renamed =
        json!({ "name": "Three", "id": id, "version": "9.9.9", "vendor": "x", "nss": "y" });
    for method in ["PUT", "DELETE"] {
        let refused = world
            .sending(method, &one(id))
            .by(&alice)
            .json(&renamed)
            .send();
        assert_eq!(refused.status, 403, "{method}");
    }
    let put = world.put(&one(id)).by(&admin).json(&renamed).send();
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.json["name"], "Three");
    assert_eq!(put.json["version"], "1.2.3", "only the name changes");

    let gone = world.delete(&one(id)).by(&admin).send();
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    let absent = world.get(&one(id)).by(&admin).send();
    assert_eq!(absent.status, 403, "never 404");
    assert_eq!(
        absent.json["minorErrorCode"],
        "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
    );
    assert_eq!(ids(&world, &admin, ""), before);
}

pub(crate) fn a_built_in_interface_never_changes(world: World) {
    let admin = world.admin();
    let shown = world.get(&one(K8S)).by(&admin).send().json;
    assert_eq!(shown["readonly"], true);
    let behaviors = format!("{}/behaviors", one(K8S));
    let behavior = json!({ "name": "x", "execution": { "type": "noop", "id": "x" } });
    for (method, path, body) in [
        ("PUT", one(K8S), json!({ "name": "Mine" })),
        ("DELETE", one(K8S), json!({})),
        ("POST", behaviors.clone(), behavior.clone()),
        ("PUT", behaviors.clone(), json!({ "values": [behavior] })),
        (
            "PUT",
            format!("{behaviors}/createKubeConfig"),
            behavior.clone(),
        ),
        ("DELETE", format!("{behaviors}/createKubeConfig"), json!({})),
    ] {
        let refused = world.sending(method, &path).by(&admin).json(&body).send();
        assert_eq!(refused.status, 400, "{method} {path}: {refused:?}");
        assert_eq!(refused.json["code"], "COEVAL-2306", "{method} {path}");
    }
    assert_eq!(world.get(&one(K8S)).by(&admin).send().json, shown);
}

pub(crate) fn interfaces_come_in_pages_in_the_order_asked_for(world: World) {
    let admin = world.admin();
    for nss in ["b", "a", "c"] {
        let body = json!({ "name": nss, "nss": nss, "version": "1.0.0", "vendor": "acme" });
        assert_eq!(world.post(ALL).by(&admin).json(&body).send().status, 201);
    }
    let of = |query: &str| {
        let all = ids(&world, &admin, query);
        let nss = all
            .iter()
            .map(|id| id.split(':').nth(4).unwrap().to_owned());
        nss.collect::<Vec<_>>()
    };
    assert_eq!(of("?filter=vendor==acme&sortAsc=name"), ["a", "b", "c"]);
    assert_eq!(
        of("?filter=vendor==acme&sortDesc=name&pageSize=2"),
        ["c", "b"]
    );
    assert_eq!(
        of("?filter=vendor==acme&sortDesc=name&pageSize=2&page=2"),
        ["a"]
    );
    assert!(
        of("?filter=vendor==acme&page=9").is_empty(),
        "past the end there is nothing"
    );
}

pub(crate) fn what_can_be_no_interface_is_refused_with_a_reason(world: World) {
    let admin = world.admin();
    let good = json!({ "name": "n", "nss": "s", "version": "1.0.0", "vendor": "v" });
    for (key, value) in [
        ("nss", json!("dots.are.bad")),
        ("nss", json!("")),
        ("vendor", json!("a:b")),
        ("vendor", Value::Null),
        ("version", json!("1.0.0-alpha")),
        ("version", json!("1.0")),
        ("name", Value::Null),
        ("name", json!(7)),
    ] {
        let mut body = good.clone();
        body[key] = value.clone();
        let refused = world.post(ALL).by(&admin).json(&body).send();
        assert_eq!(refused.status, 400, "{key}: {value}: {refused:?}");
    }
    for (id, status) in [
        ("x", 400),
        ("urn:vcloud:interface:a:b", 400),
        ("urn:vcloud:type:a:b:1.0.0", 400),
        ("urn:vcloud:interface:a:b:1.0.0", 403),
    ] {
        assert_eq!(world.get(&one(id)).by(&admin).send().status, status, "{id}");
    }
    assert_eq!(world.post(ALL).by(&admin).bytes(b"{").send().status, 400);
    assert_eq!(world.get(ALL).send().status, 401);
}
