//! Behaviors of interfaces and types, as go-vcloud-director and Container Service Extension walk
//! through them.

use crate::world::{Reply, World};
use serde_json::{Value, json};

const INTERFACES: &str = "/cloudapi/1.0.0/interfaces";
const TYPES: &str = "/cloudapi/1.0.0/entityTypes";
const KUBE_CONFIG: &str = "urn:vcloud:behavior-interface:createKubeConfig:vmware:k8s:1.0.0";

fn interface(world: &World, admin: &str, nss: &str) -> String {
    let body = json!({ "name": nss, "nss": nss, "version": "1.0.0", "vendor": "vmware" });
    let made = world.post(INTERFACES).by(admin).json(&body).send();
    assert_eq!(made.status, 201, "{made:?}");
    format!(
        "{INTERFACES}/{}/behaviors",
        made.json["id"].as_str().unwrap()
    )
}

fn of_type(world: &World, admin: &str, version: &str, interfaces: &Value) -> String {
    let body = json!({
        "name": "t", "description": "d", "nss": "nss", "version": version, "vendor": "vmware",
        "schema": { "type": "object" }, "interfaces": interfaces,
    });
    let made = world
        .post(TYPES)
        .by(admin)
        .version("37.1")
        .json(&body)
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    format!("{TYPES}/{}", made.json["id"].as_str().unwrap())
}

fn values(reply: &Reply) -> &Vec<Value> {
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json["values"].as_array().unwrap()
}

pub(crate) fn behaviors_of_an_interface_are_made_changed_and_removed(world: World) {
    let admin = world.admin();
    let all = interface(&world, &admin, "nss");
    let body = json!({
        "name": "TestBehavior", "description": "d", "execution": { "id": "TestActivity", "type": "Activity" },
    });
    let made = world.post(&all).by(&admin).json(&body).send();
    assert_eq!(made.status, 200, "not 201: {made:?}");
    let id = "urn:vcloud:behavior-interface:TestBehavior:vmware:nss:1.0.0";
    let shown = json!({
        "name": "TestBehavior", "id": id, "ref": id, "description": "d",
        "execution": { "id": "TestActivity", "type": "Activity" },
    });
    assert_eq!(made.json, shown);
    let again = world.post(&all).by(&admin).json(&body).send();
    assert_eq!(again.status, 400);
    assert_eq!(again.json["minorErrorCode"], "RDE_BEHAVIOR_ALREADY_EXISTS");
    assert_eq!(
        values(&world.get(&all).by(&admin).send()),
        std::slice::from_ref(&shown)
    );
    for which in [id, "TestBehavior"] {
        let got = world.get(&format!("{all}/{which}")).by(&admin).send();
        assert_eq!((got.status, &got.json), (200, &shown), "{which}");
    }
    let foreign = "urn:vcloud:behavior-interface:notexist:notexist:notexist:9.9.9";
    for which in [foreign, KUBE_CONFIG, "DoesNotExist"] {
        let absent = world.get(&format!("{all}/{which}")).by(&admin).send();
        assert_eq!(absent.status, 403, "{which}");
        assert_eq!(
            absent.json["minorErrorCode"],
            "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
        );
    }
    let update = json!({
        "id": id, "ref": "notGoingToUpdate1", "name": "notGoingToUpdate2", "description": "new",
        "execution": { "id": "Updated", "type": "Activity" },
    });
    let put = world
        .put(&format!("{all}/{id}"))
        .by(&admin)
        .json(&update)
        .send();
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(
        put.json,
        json!({
            "name": "TestBehavior", "id": id, "ref": id, "description": "new",
            "execution": { "id": "Updated", "type": "Activity" },
        })
    );
    let alice = world.login("alice@acme");
    for (method, path) in [
        ("POST", all.clone()),
        ("PUT", format!("{all}/{id}")),
        ("DELETE", format!("{all}/{id}")),
    ] {
        let refused = world.sending(method, &path).by(&alice).json(&body).send();
        assert_eq!(refused.status, 403, "{method}");
    }
    assert_eq!(
        world
            .delete(&format!("{all}/{id}"))
            .by(&admin)
            .send()
            .status,
        204
    );
    assert!(values(&world.get(&all).by(&admin).send()).is_empty());
}

pub(crate) fn all_behaviors_are_replaced_at_once(world: World) {
    let admin = world.admin();
    let all = interface(&world, &admin, "all");
    let behavior =
        |name: &str, id: &str| json!({ "name": name, "execution": { "type": "noop", "id": id } });
    let put = |list: Value| {
        world
            .put(&all)
            .by(&admin)
            .json(&json!({ "values": list }))
            .send()
    };
    let done = put(json!([behavior("a", "1"), behavior("b", "2")]));
    assert_eq!(values(&done).len(), 2);
    let done = put(json!([behavior("c", "4"), behavior("b", "3")]));
    let names: Vec<_> = values(&done)
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names, ["b", "c"]);
    assert_eq!(values(&done)[0]["execution"]["id"], "3");
    let twice = put(json!([behavior("a", "1"), behavior("a", "2")]));
    assert_eq!(twice.status, 400);
    for bad in [
        json!([{ "name": "a:b", "execution": { "type": "noop" } }]),
        json!([{ "name": "a", "execution": {} }]),
        json!([{ "name": "a" }]),
        json!([7]),
    ] {
        assert_eq!(put(bad.clone()).status, 400, "{bad}");
    }
    assert_eq!(values(&put(json!([]))).len(), 0);
}

pub(crate) fn what_is_only_written_is_never_answered_and_is_kept(world: World) {
    let admin = world.admin();
    let all = interface(&world, &admin, "secretive");
    let body = json!({
        "name": "hook",
        "execution": {
            "type": "WebHook", "id": "x", "href": "https://example.com",
            "execution_properties": { "_secure_token": "s3cret", "template": "t" },
            "_internal_key": "hmac-key",
        },
    });
    let made = world.post(&all).by(&admin).json(&body).send();
    assert_eq!(made.status, 200, "{made:?}");
    assert_eq!(
        made.json["execution"]["execution_properties"],
        json!({ "template": "t" })
    );
    let (path, mut sent) = (format!("{all}/hook"), made.json.clone());
    sent["description"] = json!("changed");
    let replies = [
        world.get(&path).by(&admin).send(),
        world.get(&all).by(&admin).send(),
        world.put(&path).by(&admin).json(&sent).send(),
        world
            .put(&all)
            .by(&admin)
            .json(&json!({ "values": [sent] }))
            .send(),
    ];
    for reply in &replies {
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(!reply.text.contains("s3cret"), "{}", reply.text);
        assert!(!reply.text.contains("hmac-key"), "{}", reply.text);
    }
}

pub(crate) fn a_type_does_a_behavior_otherwise_and_says_who_may_invoke_it(world: World) {
    let admin = world.admin();
    let path = of_type(
        &world,
        &admin,
        "1.0.0",
        &json!(["urn:vcloud:interface:vmware:k8s:1.0.0"]),
    );
    let all = format!("{path}/behaviors");
    let reply = world.get(&all).by(&admin).send();
    let original = json!({
        "name": "createKubeConfig", "id": KUBE_CONFIG, "ref": KUBE_CONFIG,
        "description": "Creates and returns a kubeconfig",
        "execution": { "id": "CreateKubeConfigActivity", "type": "Activity" },
    });
    assert_eq!(values(&reply), std::slice::from_ref(&original));
    let foreign = "urn:vcloud:behavior-type:notexist:notexist:notexist:9.9.9";
    for method in ["GET", "PUT", "DELETE"] {
        let request = world
            .sending(method, &format!("{all}/{foreign}"))
            .by(&admin);
        let refused = request
            .json(&json!({ "execution": { "type": "noop" } }))
            .send();
        assert_eq!(refused.status, 400, "{method}");
        assert_eq!(refused.json["minorErrorCode"], "RDE_INVALID_BEHAVIOR_SCOPE");
    }
    let body = json!({
        "id": KUBE_CONFIG, "description": "Overridden", "name": "WillNotBeOverridden",
        "execution": { "id": "Overridden", "type": "noop" },
    });
    let put = world
        .put(&format!("{all}/{KUBE_CONFIG}"))
        .by(&admin)
        .json(&body)
        .send();
    assert_eq!(put.status, 200, "{put:?}");
    let own = "urn:vcloud:behavior-type:createKubeConfig:vmware:nss:1.0.0:vmware:k8s:1.0.0";
    let overridden = json!({
        "name": "createKubeConfig", "id": own, "ref": KUBE_CONFIG, "description": "Overridden",
        "execution": { "id": "Overridden", "type": "noop" },
    });
    assert_eq!(put.json, overridden);
    for which in [own, KUBE_CONFIG] {
        let got = world.get(&format!("{all}/{which}")).by(&admin).send();
        assert_eq!(got.json, overridden, "{which}");
    }

    let access = format!("{path}/behaviorAccessControls");
    let one = |id: &str, level: &str| json!({ "behaviorId": id, "accessLevelId": format!("urn:vcloud:accessLevel:{level}") });
    let set = |body: Value| world.put(&access).by(&admin).json(&body).send();
    assert!(values(&world.get(&access).by(&admin).send()).is_empty());
    for level in ["ReadOnly", "ReadWrite"] {
        let wanted = one(own, level);
        assert_eq!(
            values(&set(json!({ "values": [wanted.clone()] }))),
            std::slice::from_ref(&wanted)
        );
        let got = world.get(&access).by(&admin).send();
        assert_eq!(values(&got), &[wanted], "exactly as given");
    }
    assert!(values(&set(json!({ "values": [] }))).is_empty());
    assert!(values(&set(json!({ "values": null }))).is_empty());
    let added = world
        .post(&access)
        .by(&admin)
        .json(&one(KUBE_CONFIG, "ReadOnly"))
        .send();
    assert_eq!(
        (added.status, added.json),
        (200, one(KUBE_CONFIG, "ReadOnly"))
    );
    // Both ids name one behavior, of which one thing is said.
    world
        .post(&access)
        .by(&admin)
        .json(&one(own, "FullControl"))
        .send();
    let got = world.get(&access).by(&admin).send();
    assert_eq!(values(&got), &[one(own, "FullControl")]);
    let refused = set(json!({ "values": [one(foreign, "ReadOnly")] }));
    assert_eq!(refused.json["minorErrorCode"], "RDE_INVALID_BEHAVIOR_SCOPE");
    assert_eq!(set(json!({ "values": [one(own, "Owner")] })).status, 400);

    // A newer version inherits who may invoke what, by the id that both have.
    let newer = of_type(
        &world,
        &admin,
        "1.1.0",
        &json!(["urn:vcloud:interface:vmware:k8s:1.0.0"]),
    );
    let got = world
        .get(&format!("{newer}/behaviorAccessControls"))
        .by(&admin)
        .send();
    assert_eq!(values(&got), &[one(KUBE_CONFIG, "FullControl")]);

    assert_eq!(
        world
            .delete(&format!("{all}/{KUBE_CONFIG}"))
            .by(&admin)
            .send()
            .status,
        204
    );
    assert_eq!(values(&world.get(&all).by(&admin).send()), &[original]);
    let alice = world.login("alice@acme");
    for (method, path) in [("GET", &all), ("GET", &access), ("PUT", &access)] {
        let hidden = world
            .sending(method, path)
            .by(&alice)
            .json(&json!({}))
            .send();
        assert_eq!(
            hidden.status, 403,
            "{method} {path}: a type that she does not see"
        );
    }
}

pub(crate) fn container_service_extension_registers_what_it_needs(world: World) {
    let admin = world.admin();
    let get = |path: &str| world.get(path).by(&admin).version("36.0").send();
    // The built-in interface must be there; its own is made.
    assert_eq!(
        get(&format!(
            "{INTERFACES}/urn:vcloud:interface:vmware:k8s:1.0.0"
        ))
        .status,
        200
    );
    let own = "urn:vcloud:interface:cse:k8s:1.0.0";
    assert_eq!(get(&format!("{INTERFACES}/{own}")).status, 403);
    let body = json!({ "name": "CSE Kubernetes", "id": own, "readonly": false, "vendor": "cse", "nss": "k8s", "version": "1.0.0" });
    let made = world
        .post(INTERFACES)
        .by(&admin)
        .version("36.0")
        .json(&body)
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    let behavior = |name: &str| format!("urn:vcloud:behavior-interface:{name}:cse:k8s:1.0.0");
    for name in ["createCluster", "updateCluster", "deleteCluster"] {
        assert_eq!(
            get(&format!("{INTERFACES}/{own}/behaviors/{}", behavior(name))).status,
            403
        );
        let body = json!({
            "name": name, "description": null, "id": behavior(name), "ref": null,
            "execution": {
                "id": name, "type": "MQTT",
                "execution_properties": { "serviceId": "urn:vcloud:extension-api:VMWareEng:cse:1.0.0", "invocation_timeout": 86400, "actAsToken": true },
            },
        });
        let path = format!("{INTERFACES}/{own}/behaviors");
        let made = world
            .post(&path)
            .by(&admin)
            .version("36.0")
            .json(&body)
            .send();
        assert_eq!(made.status, 200, "{made:?}");
        assert_eq!(made.json["execution"], body["execution"]);
    }
    let id = "urn:vcloud:type:cse:nativeCluster:2.0.0";
    assert_eq!(get(&format!("{TYPES}/{id}")).status, 403);
    let hooks =
        json!({ "PostCreate": behavior("createCluster"), "PreDelete": behavior("deleteCluster") });
    let mut body = json!({
        "name": "nativeClusterEntityType", "description": null, "id": id, "externalId": null,
        "readonly": false, "vendor": "cse", "nss": "nativeCluster", "version": "2.0.0",
        "interfaces": ["urn:vcloud:interface:vmware:k8s:1.0.0", own],
        "schema": { "type": "object", "additionalproperties": false, "properties": { "kind": { "type": "string", "class": "x" } } },
        "hooks": hooks,
    });
    let made = world
        .post(TYPES)
        .by(&admin)
        .version("36.0")
        .json(&body)
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json["hooks"], hooks);
    assert_eq!(made.json["schema"], body["schema"]);
    // An update at 35.0, which knows nothing of hooks, leaves them alone.
    body.as_object_mut().unwrap().remove("hooks");
    body["schema"]["properties"]["spec"] = json!({ "type": "object" });
    let put = world
        .put(&format!("{TYPES}/{id}"))
        .by(&admin)
        .version("35.0")
        .json(&body)
        .send();
    assert_eq!(put.status, 200, "{put:?}");
    let got = get(&format!("{TYPES}/{id}")).json;
    assert_eq!(got["hooks"], hooks);
    assert_eq!(got["schema"], body["schema"]);
    // The version of the kubeconfig behavior is its own, and who may invoke what is said at once.
    let all = format!("{TYPES}/{id}/behaviors");
    let body = json!({ "name": "createKubeConfig", "ref": KUBE_CONFIG, "execution": { "id": "createKubeConfig", "type": "MQTT", "execution_properties": {} } });
    let put = world
        .put(&format!("{all}/{KUBE_CONFIG}"))
        .by(&admin)
        .version("36.0")
        .json(&body)
        .send();
    assert_eq!(put.status, 200, "{put:?}");
    let one = |id: &str, level: &str| json!({ "behaviorId": id, "accessLevelId": format!("urn:vcloud:accessLevel:{level}") });
    let wanted = json!([
        one(&behavior("createCluster"), "ReadWrite"),
        one(&behavior("deleteCluster"), "FullControl"),
        one(KUBE_CONFIG, "ReadOnly"),
    ]);
    let path = format!("{TYPES}/{id}/behaviorAccessControls");
    let put = world
        .put(&path)
        .by(&admin)
        .version("36.0")
        .json(&json!({ "values": wanted }))
        .send();
    assert_eq!(&json!(values(&put)), &wanted);
    // It lists until it meets an empty page.
    let first = get(&format!("{TYPES}?filter=nss==nativeCluster&page=1"));
    assert_eq!(values(&first).len(), 1);
    assert!(values(&get(&format!("{TYPES}?filter=nss==nativeCluster&page=2"))).is_empty());
    assert_eq!(values(&get(&format!("{all}?page=1"))).len(), 4);
    assert!(values(&get(&format!("{all}?page=2"))).is_empty());
    // A hook of another interface is refused.
    let refused = world.post(TYPES).by(&admin).version("36.0").json(&json!({
        "name": "x", "vendor": "cse", "nss": "x", "version": "1.0.0", "interfaces": [own],
        "schema": {}, "hooks": { "PostCreate": KUBE_CONFIG },
    }));
    assert_eq!(refused.send().status, 400);
    // The interface is used now, by a type without entities: it is not deleted.
    let refused = world
        .delete(&format!("{INTERFACES}/{own}"))
        .by(&admin)
        .send();
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(refused.json["code"], "COEVAL-2311");
}
