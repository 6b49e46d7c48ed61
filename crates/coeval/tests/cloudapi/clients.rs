//! Whole sequences of real clients, as they send them: the paths with their slashes, the versions
//! and headers that they set, and what they demand of each answer.

use crate::world::{Reply, Sending, World};
use serde_json::{Value, json};

/// As the Go SDK sends: all three headers, a trailing slash on collections, its version.
struct Go<'a> {
    world: &'a World,
    token: String,
}

impl<'a> Go<'a> {
    fn of(world: &'a World, user: &str) -> Self {
        let token = world.login(user);
        Self { world, token }
    }

    fn dress<'s>(&self, sending: Sending<'s>, version: &str) -> Sending<'s> {
        sending
            .header("x-vmware-vcloud-access-token", &self.token)
            .header("authorization", &format!("bearer {}", self.token))
            .header("x-vmware-vcloud-token-type", "Bearer")
            .version(version)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let version = if path.starts_with("entityTypes") {
            "37.1"
        } else {
            "37.0"
        };
        let path = format!("/cloudapi/1.0.0/{path}");
        let sending = self.dress(self.world.sending(method, &path), version);
        match body {
            Some(body) => sending.json(body).send(),
            None => sending.send(),
        }
    }

    /// All values, along the links.
    fn all(&self, path: &str) -> Vec<Value> {
        let mut found = Vec::new();
        let mut next = format!("/cloudapi/1.0.0/{path}");
        loop {
            let page = self.dress(self.world.get(&next), "37.1").send();
            assert_eq!(page.status, 200, "{page:?}");
            found.extend(page.json["values"].as_array().unwrap().clone());
            let links = page.header("link").to_owned();
            let Some(link) = links.split(",<").find(|link| link.contains("nextPage")) else {
                return found;
            };
            let url = link.trim_start_matches('<').split('>').next().unwrap();
            next = url.to_owned();
        }
    }

    /// What a task says, as XML.
    fn task(&self, location: &str) -> String {
        let reply = self
            .world
            .get(location)
            .by(&self.token)
            .header("accept", "application/*+xml;version=37.0")
            .send();
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.text
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "definitions": {"foo": {"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}},
        "required": ["foo"],
        "properties": {
            "bar": {"type": "string"},
            "prop2": {"type": "object", "properties": {"subprop1": {"type": "string"}, "subprop2": {"type": "array", "items": {"type": "string"}}}},
            "foo": {"$ref": "#/definitions/foo"},
        },
    })
}

/// The attribute of an element in a task.
fn attribute<'t>(xml: &'t str, element: &str, name: &str) -> &'t str {
    let start = xml
        .find(&format!("<{element} "))
        .unwrap_or_else(|| panic!("{element}: {xml}"));
    let tag = xml[start..].split('>').next().unwrap();
    let value = tag.split(&format!(" {name}=\"")).nth(1).unwrap();
    value.split('"').next().unwrap()
}

pub(crate) fn the_go_sdk_s_test_of_types_and_entities(world: World) {
    let (admin, tenant) = (
        Go::of(&world, "administrator@System"),
        Go::of(&world, "alice@acme"),
    );
    let there = admin.all("entityTypes/?pageSize=128").len();
    let seen = tenant.all("entityTypes/?pageSize=128").len();
    assert!(seen > 0, "a server of 39.1 shows built-in types to tenants");
    let interface = "urn:vcloud:interface:vmware:k8s:1.0.0";
    let new = json!({
        "name": "Test.Rde", "nss": "TestRde_name", "version": "1.2.3", "description": "About it",
        "schema": schema(), "vendor": "vmware", "interfaces": [interface],
    });
    let made = admin.send("POST", "entityTypes/", Some(&new));
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json["schema"]["definitions"], schema()["definitions"]);
    let id = made.json["id"].as_str().unwrap().to_owned();
    let refused = tenant.send("POST", "entityTypes/", Some(&new));
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.json["minorErrorCode"],
        "ACCESS_TO_RESOURCE_IS_FORBIDDEN"
    );

    // The bundle is published to all, and its rights are given to the administrators' role.
    let role = admin.all("globalRoles/?filter=name==Organization+Administrator");
    let bundle = admin.all("rightsBundles/?filter=name%3D%3Dvmware%3ATestRde_name+Entitlement");
    let (role, bundle) = (
        role[0]["id"].as_str().unwrap(),
        bundle[0]["id"].as_str().unwrap(),
    );
    let published = admin.send(
        "POST",
        &format!("rightsBundles/{bundle}/tenants/publishAll"),
        None,
    );
    assert_eq!(
        (published.status, published.json.is_object()),
        (200, true),
        "{published:?}"
    );
    let rights = admin.all(&format!("rightsBundles/{bundle}/rights"));
    assert_eq!(rights.len(), 5);
    let named = rights
        .iter()
        .map(|one| json!({"name": one["name"], "id": one["id"]}));
    let body = json!({"values": named.collect::<Vec<_>>()});
    let added = admin.send("POST", &format!("globalRoles/{role}/rights"), Some(&body));
    assert_eq!(added.status, 200, "{added:?}");
    assert_eq!(admin.all("entityTypes/?pageSize=128").len(), there + 1);
    assert_eq!(tenant.all("entityTypes/?pageSize=128").len(), seen + 1);
    let found =
        "entityTypes/?filter=vendor%3D%3Dvmware%3Bnss%3D%3DTestRde_name%3Bversion%3D%3D1.2.3";
    assert_eq!(tenant.all(found), std::slice::from_ref(&made.json));
    let update = json!({"name": "Test.Rde", "description": "Updated", "schema": schema(),
        "nss": "TestRde_name", "version": "1.2.3", "vendor": "vmware"});
    let updated = admin.send("PUT", &format!("entityTypes/{id}"), Some(&update));
    assert_eq!(updated.json["description"], "Updated", "{updated:?}");

    for (by, context) in [(&admin, None), (&tenant, None), (&admin, Some("acme"))] {
        entity_s_life(by, &tenant, &id, context);
    }
    let deleted = admin.send("DELETE", &format!("entityTypes/{id}"), None);
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(
        admin.send("GET", &format!("entityTypes/{id}"), None).status,
        403
    );
}

/// Made without what its schema demands, amended, resolved, deleted; by a provider in a tenant's
/// context all but the first without that context.
fn entity_s_life(go: &Go<'_>, tenant: &Go<'_>, of: &str, context: Option<&str>) {
    let world = go.world;
    let mut content = json!({"bar": "1", "prop2": {"subprop1": "2", "subprop2": ["3", "4"]}});
    let new = json!({"entityType": of, "name": "e 1", "externalId": "123", "entity": content});
    let mut post = go.dress(
        world.post(&format!("/cloudapi/1.0.0/entityTypes/{of}")),
        "37.1",
    );
    if let Some(org) = context {
        let org = tenant.all(&format!("orgs/?filter=name=={org}"));
        let uuid = org[0]["id"]
            .as_str()
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap()
            .to_owned();
        post = post
            .header("x-vmware-vcloud-tenant-context", &uuid)
            .header("x-vmware-vcloud-auth-context", "acme");
    }
    let accepted = post.json(&new).send();
    assert_eq!(
        (accepted.status, accepted.text.as_str()),
        (202, ""),
        "{accepted:?}"
    );
    let location = accepted.header("location").to_owned();
    let task = go.task(&location);
    assert_eq!(
        attribute(&task, "Task", "status"),
        "running",
        "until it is resolved"
    );
    let id = attribute(&task, "Owner", "id").to_owned();
    let path = format!("entities/{id}");
    let read = go.send("GET", &path, None);
    assert_eq!(read.json["state"], "PRE_CREATED", "{read:?}");
    assert_eq!(read.json["name"], "e 1");
    let refused = go.send("DELETE", &path, None);
    assert_eq!(refused.json["minorErrorCode"], "RDE_ENTITY_NOT_RESOLVED");
    let resolved = go.send("POST", &format!("{path}/resolve"), None);
    assert_eq!(resolved.json["state"], "RESOLUTION_ERROR", "{resolved:?}");
    assert!(resolved.json.get("message").is_some() && resolved.json.get("entityType").is_none());
    let first = resolved.header("etag").to_owned();
    assert_eq!(attribute(&go.task(&location), "Task", "status"), "error");
    content["foo"] = json!({"key": "5"});
    let mut body = read.json.clone();
    body["entity"] = content;
    let url = format!("/cloudapi/1.0.0/{path}");
    let put = go
        .dress(world.put(&url), "37.0")
        .header("if-match", &first)
        .json(&body);
    let put = put.send();
    assert_eq!(
        (put.status, &put.json["state"]),
        (200, &json!("RESOLUTION_ERROR")),
        "{put:?}"
    );
    let second = put.header("etag").to_owned();
    assert_ne!(first, second);
    let stale = go
        .dress(world.put(&url), "37.0")
        .header("if-match", &first)
        .json(&body);
    assert_eq!(stale.send().status, 412);
    let resolved = go.send("POST", &format!("{path}/resolve"), None);
    assert_eq!(resolved.json["state"], "RESOLVED", "{resolved:?}");
    assert_ne!(resolved.header("etag"), second);
    // In use, its type neither changes nor goes.
    let admin = Go::of(world, "administrator@System");
    let in_use = admin.send("DELETE", &format!("entityTypes/{of}"), None);
    assert_eq!(
        (in_use.status, &in_use.json["code"]),
        (400, &json!("COEVAL-2304")),
        "{in_use:?}"
    );
    assert_eq!(go.send("DELETE", &path, None).status, 204);
    assert_eq!(go.send("GET", &path, None).status, 403);
}

pub(crate) fn the_go_sdk_s_test_of_behaviors(world: World) {
    let go = Go::of(&world, "administrator@System");
    let new = json!({
        "name": "B", "nss": "nss", "version": "1.0.0", "vendor": "vmware", "schema": schema(),
        "interfaces": ["urn:vcloud:interface:vmware:k8s:1.0.0"],
    });
    let id = go.send("POST", "entityTypes/", Some(&new)).json["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let behaviors = go.all(&format!("entityTypes/{id}/behaviors/"));
    let original = "urn:vcloud:behavior-interface:createKubeConfig:vmware:k8s:1.0.0";
    assert_eq!(behaviors.len(), 1);
    assert_eq!(
        behaviors[0]["description"],
        "Creates and returns a kubeconfig"
    );
    let expected = json!({"id": "CreateKubeConfigActivity", "type": "Activity"});
    assert_eq!(behaviors[0]["execution"], expected);
    let foreign = "urn:vcloud:behavior-type:notexist:notexist:notexist:9.9.9";
    let refused = go.send(
        "GET",
        &format!("entityTypes/{id}/behaviors/{foreign}"),
        None,
    );
    assert_eq!(refused.json["minorErrorCode"], "RDE_INVALID_BEHAVIOR_SCOPE");
    let body = json!({"id": original, "name": "WillNotBeOverridden", "description": "Overridden",
        "execution": {"id": "x", "type": "noop"}});
    let path = format!("entityTypes/{id}/behaviors/{original}");
    let overridden = go.send("PUT", &path, Some(&body));
    assert_eq!(overridden.json["ref"], original, "{overridden:?}");
    assert_eq!(overridden.json["name"], "createKubeConfig");
    let own = overridden.json["id"].as_str().unwrap();
    assert_ne!(own, original);
    for either in [own, original] {
        let read = go.send("GET", &format!("entityTypes/{id}/behaviors/{either}"), None);
        assert_eq!(read.json, overridden.json);
    }
    let controls = format!("entityTypes/{id}/behaviorAccessControls");
    let full =
        json!({"accessLevelId": "urn:vcloud:accessLevel:FullControl", "behaviorId": original});
    for values in [json!([full]), json!([]), Value::Null, json!([full])] {
        let set = go.send("PUT", &controls, Some(&json!({"values": values})));
        assert_eq!(set.status, 200, "{set:?}");
        let expected = values.as_array().cloned().unwrap_or_default();
        assert_eq!(go.all(&controls), expected);
    }
    let content = json!({"foo": {"key": "5"}});
    let new = json!({"name": "e", "entity": content});
    let made = go.send(
        "POST",
        &format!("entityTypes/{id}?resolveEntity=true"),
        Some(&new),
    );
    let task = go.task(made.header("location"));
    assert_eq!(attribute(&task, "Task", "status"), "success");
    let entity = attribute(&task, "Owner", "id").to_owned();
    let invocation = format!("entities/{entity}/behaviors/{own}/invocations");
    let invoked = go.send(
        "POST",
        &invocation,
        Some(&json!({"arguments": {}, "metadata": {}})),
    );
    assert_eq!(invoked.status, 202, "{invoked:?}");
    let task = go.task(invoked.header("location"));
    assert_eq!(
        attribute(&task, "Task", "status"),
        "success",
        "at the first look"
    );
    let result = task.split("ResultContent").nth(1).unwrap();
    let result = result.split('>').nth(1).unwrap().split('<').next().unwrap();
    let result = result.replace("&quot;", "\"").replace("&amp;", "&");
    let result: Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["entityId"], entity.as_str(), "{task}");
    assert_eq!(
        go.send("DELETE", &format!("entities/{entity}"), None)
            .status,
        204
    );
    assert_eq!(go.send("DELETE", &path, None).status, 204);
    assert_eq!(
        go.all(&format!("entityTypes/{id}/behaviors/"))[0]["id"],
        original
    );
    assert_eq!(
        go.send("DELETE", &format!("entityTypes/{id}"), None).status,
        204
    );
}

pub(crate) fn hooks_run_around_the_life_of_an_entity(world: World) {
    let go = Go::of(&world, "administrator@System");
    let interface = json!({"name": "I", "vendor": "acme", "nss": "hooked", "version": "1.0.0"});
    assert_eq!(go.send("POST", "interfaces/", Some(&interface)).status, 201);
    let at = "interfaces/urn:vcloud:interface:acme:hooked:1.0.0/behaviors";
    let well = json!({"name": "well", "execution": {"type": "noop", "id": "well"}});
    let badly = json!({"name": "badly", "execution": {"type": "noop", "id": "badly",
        "execution_properties": {"returnError": "tired"}}});
    for behavior in [&well, &badly] {
        assert_eq!(go.send("POST", at, Some(behavior)).status, 200);
    }
    let behavior = |name: &str| format!("urn:vcloud:behavior-interface:{name}:acme:hooked:1.0.0");
    let of = |nss: &str, hooks: Value| {
        let new = json!({"name": nss, "vendor": "acme", "nss": nss, "version": "1.0.0",
            "schema": {"type": "object"}, "hooks": hooks,
            "interfaces": ["urn:vcloud:interface:acme:hooked:1.0.0"]});
        let made = go.send("POST", "entityTypes", Some(&new));
        assert_eq!(made.status, 201, "{made:?}");
        assert_eq!(made.json["hooks"], new["hooks"]);
        made.json["id"].as_str().unwrap().to_owned()
    };
    let ended = |location: &str| loop {
        let task = go.task(location);
        if !["queued", "running"].contains(&attribute(&task, "Task", "status")) {
            return task;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let make = |of: &str, query: &str| {
        let new = json!({"name": "e", "entity": {}});
        let made = go.send("POST", &format!("entityTypes/{of}{query}"), Some(&new));
        assert_eq!(made.status, 202, "{made:?}");
        let task = ended(made.header("location"));
        (
            attribute(&task, "Owner", "id").to_owned(),
            attribute(&task, "Task", "status").to_owned(),
        )
    };
    let good = of(
        "good",
        json!({"PostCreate": behavior("well"), "PostUpdate": behavior("badly"),
        "PreDelete": behavior("well"), "PostDelete": behavior("well")}),
    );
    let (entity, status) = make(&good, "");
    assert_eq!(status, "success");
    let path = format!("entities/{entity}");
    let read = go.send("GET", &path, None);
    assert_eq!(read.json["state"], "RESOLVED", "its hook resolves it");
    let put = go.send("PUT", &path, Some(&json!({"entity": {"a": 1}})));
    assert_eq!((put.status, &put.json["state"]), (200, &json!("RESOLVED")));
    let after = ended(put.header("x-vmware-vcloud-task-location"));
    assert_eq!(
        attribute(&after, "Task", "status"),
        "error",
        "and the entity stays as written"
    );
    let deleted = go.send("DELETE", &path, None);
    assert_eq!(deleted.status, 202, "{deleted:?}");
    assert_eq!(
        attribute(&ended(deleted.header("location")), "Task", "status"),
        "success"
    );
    assert_eq!(go.send("GET", &path, None).status, 403);

    let bad = of(
        "bad",
        json!({"PostCreate": behavior("badly"), "PreDelete": behavior("badly")}),
    );
    let (entity, status) = make(&bad, "");
    assert_eq!(status, "error");
    let path = format!("entities/{entity}");
    let read = go.send("GET", &path, None);
    assert_eq!(read.json["state"], "RESOLUTION_ERROR", "{read:?}");
    let deleted = go.send("DELETE", &path, None);
    let task = ended(deleted.header("location"));
    assert_eq!(attribute(&task, "Task", "status"), "error");
    assert_eq!(go.send("GET", &path, None).json, read.json, "unchanged");
    assert_eq!(
        go.send("DELETE", &format!("{path}?invokeHooks=false"), None)
            .status,
        204
    );
}
