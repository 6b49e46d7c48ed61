//! Types, interfaces, behaviors and migrations.

use crate::stage::{app_files, type_file};
use crate::visit::{code, names};
use crate::world::{Reply, World};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn a_type_is_checked_registered_explained_and_deleted(world: World) {
    let admin = world.enter("administrator@System");
    let files = app_files();
    let file = |number: usize| json!({"file": files[number]});
    // Checking it makes nothing, and says the same as registering it.
    let checked = world.tell(&admin, "POST", "/types?dryRun=true", &file(0));
    assert_eq!(checked.status, 200, "{checked:?}");
    let none = world.ask(&admin, "GET", "/types/acme:app").send();
    assert_eq!(none.status, 404, "{none:?}");
    for number in 0..2 {
        let made = world.tell(&admin, "POST", "/types", &file(number));
        assert_eq!(made.status, 201, "{made:?}");
        assert_eq!(made.json["unproven"], false);
    }
    assert_eq!(checked.json["id"], "acme:app:1.0.0");
    for path in ["/types", "/types?dryRun=true"] {
        let again = world.tell(&admin, "POST", path, &file(0));
        assert_eq!(again.status, 409, "{path}: {again:?}");
    }
    let listed = world.look(&admin, "/types?filter=vendor==acme");
    assert_eq!(listed["items"][0]["id"], "acme:app", "{listed}");
    let app = world.look(&admin, "/types/acme:app");
    assert_eq!(app["kind"], "app");
    assert_eq!(app["versions"].as_array().unwrap().len(), 2);
    assert_eq!(app["conversions"]["1.0.0"], Value::Null);
    let conversion = &app["conversions"]["1.1.0"];
    assert_eq!(conversion["from"], "1.0.0");
    assert_eq!(conversion["forward"]["class"], "exact", "{conversion}");
    assert_eq!(conversion["backward"]["class"], "keeps something");
    let loss = &conversion["backward"]["losses"][0];
    assert!(loss["path"].as_str().unwrap().contains("region"), "{loss}");
    let version = world.look(&admin, "/types/acme:app/versions/1.1.0");
    assert_eq!(version["file"], files[1].as_str());
    assert_eq!(version["schema"]["properties"]["region"]["type"], "string");
    assert_eq!(version["skew"], "merge");
    assert_eq!(world.look(&admin, "/types/acme:app/versions/v1.1"), version);
    // What has no resources is changed and deleted; what has some is not.
    world.app(&admin, "v1", "web", &json!({"image": "a"}));
    let counts = world.look(&admin, "/types/acme:app/counts");
    assert_eq!(
        counts["items"],
        json!([{"version": "1.0.0", "resources": 1}, {"version": "1.1.0", "resources": 0}])
    );
    let edited = json!({"file": files[1].replace("spec:\n", "spec:\n  title: Apps\n")});
    let path = "/types/acme:app/versions/1.1.0";
    let edited = world.tell(&admin, "PUT", path, &edited);
    assert_eq!(edited.status, 200, "{edited:?}");
    assert_eq!(world.look(&admin, path)["title"], "Apps");
    let used = world
        .ask(&admin, "DELETE", "/types/acme:app/versions/1.0.0")
        .send();
    assert_eq!(used.status, 409, "{used:?}");
    assert_eq!(world.ask(&admin, "DELETE", path).send().status, 204);
    assert_eq!(world.ask(&admin, "GET", path).send().status, 404);
    // A tenant to whom nothing is published sees nothing.
    let alice = world.enter("alice@acme");
    for path in [
        "/types/acme:app",
        "/types/acme:app/versions/1.0.0",
        "/types/acme:app/counts",
    ] {
        let hidden = world.ask(&alice, "GET", path).send();
        assert_eq!(hidden.status, 404, "{path}: {hidden:?}");
    }
}

pub(crate) fn a_change_that_breaks_is_refused_with_its_findings(world: World) {
    let admin = world.enter("administrator@System");
    let first = "  schema: {type: object, properties: {size: {type: string}}}\n";
    let broken = "  schema: {type: object, properties: {size: {type: integer}}}\n";
    let first = json!({"file": type_file("acme:app", "1.0.0", first)});
    assert_eq!(world.tell(&admin, "POST", "/types", &first).status, 201);
    let broken = type_file("acme:app", "1.1.0", broken);
    for path in ["/types?dryRun=true", "/types"] {
        let refused = world.tell(&admin, "POST", path, &json!({"file": broken}));
        assert_eq!(refused.status, 409, "{path}: {refused:?}");
        let findings = refused.json["details"]["findings"].as_array().unwrap();
        assert!(
            findings.iter().any(|one| one["witness"].is_object()),
            "{findings:?}"
        );
        code(&refused);
    }
    let warned = json!({"file": broken, "policy": "warn"});
    let warned = world.tell(&admin, "POST", "/types", &warned);
    assert_eq!(
        (warned.status, &warned.json["unproven"]),
        (201, &json!(true))
    );
    let shown = world.look(&admin, "/types/acme:app/versions/1.1.0");
    assert!(!shown["findings"].as_array().unwrap().is_empty());
}

pub(crate) fn grants_of_a_type_version_are_made_and_taken(world: World) {
    let (admin, alice) = (
        world.enter("administrator@System"),
        world.enter("alice@acme"),
    );
    let file = json!({"file": app_files()[0]});
    assert_eq!(world.tell(&admin, "POST", "/types", &file).status, 201);
    let acme = world.look(&alice, "/sessions/current")["organization"]["id"].clone();
    let path = "/types/acme:app/versions/1.0.0";
    let sees = || world.ask(&alice, "GET", path).send().status;
    assert_eq!(sees(), 404);
    let grant = json!({"member": acme, "level": "ReadOnly"});
    let granted = world.tell(&admin, "POST", &format!("{path}/acl"), &grant);
    assert_eq!(granted.status, 200, "{granted:?}");
    assert_eq!(sees(), 200);
    let acl = world.look(&admin, &format!("{path}/acl?filter=kind==organization"));
    assert_eq!(acl["items"][0]["name"], "acme", "{acl}");
    let member = acme.as_str().unwrap();
    let taken = world.ask(&admin, "DELETE", &format!("{path}/acl/{member}"));
    assert_eq!(taken.send().status, 204);
    assert_eq!(sees(), 404);
}

pub(crate) fn interfaces_and_behaviors_are_defined_and_invoked(world: World) {
    let admin = world.enter("administrator@System");
    let new = json!({"vendor": "acme", "nss": "deployable", "version": "1.0.0", "name": "D"});
    let made = world.tell(&admin, "POST", "/interfaces", &new);
    assert_eq!(
        (made.status, &made.json["id"]),
        (201, &json!("acme:deployable:1.0.0"))
    );
    let path = "/interfaces/acme:deployable:1.0.0";
    let named = world.tell(&admin, "PATCH", path, &json!({"name": "Deployable"}));
    assert_eq!(named.json["name"], "Deployable", "{named:?}");
    // Behaviors are added by the RDE API.
    let urn = "urn:vcloud:interface:acme:deployable:1.0.0";
    assert_eq!(
        world.look(&admin, &format!("/interfaces/{urn}"))["name"],
        "Deployable"
    );
    let behavior =
        json!({"name": "echo", "execution": {"type": "noop", "id": "echo", "_secure_k": "s"}});
    let base = "/cloudapi/1.0.0";
    let path = format!("{base}/interfaces/{urn}/behaviors");
    let added = world.post(&path).by(&admin).json(&behavior).send();
    assert_eq!(added.status, 200, "{added:?}");
    let shown = world.look(&admin, "/interfaces/acme:deployable:1.0.0/behaviors");
    assert_eq!(shown["items"][0]["name"], "echo");
    assert!(!shown.to_string().contains("_secure_k"), "{shown}");
    let spec = "  interfaces: [\"acme:deployable:1.0.0\"]\n  schema: {type: object, properties: {image: {type: string}}}\n";
    let file = json!({"file": type_file("acme:app", "1.0.0", spec)});
    assert_eq!(world.tell(&admin, "POST", "/types", &file).status, 201);
    let id = added.json["id"].as_str().unwrap();
    let access = json!({"behaviorId": id, "accessLevelId": "urn:vcloud:accessLevel:ReadOnly"});
    let path = format!("{base}/entityTypes/urn:vcloud:type:acme:app:1.0.0/behaviorAccessControls");
    assert!(world.post(&path).by(&admin).json(&access).send().status < 300);
    let behaviors = world.look(&admin, "/types/acme:app/versions/1.0.0/behaviors");
    assert_eq!(behaviors["items"][0]["reference"], id, "{behaviors}");
    world.app(&admin, "v1", "web", &json!({"image": "a"}));
    let path = format!("/resources/app/web/behaviors/{id}/invocations");
    let invoked = world.tell(&admin, "POST", &path, &json!({"arguments": {"x": 1}}));
    assert_eq!(invoked.status, 202, "{invoked:?}");
    let task = ended(&world, &admin, &invoked.json);
    assert_eq!(task["status"], "success", "{task}");
    let unknown = world.tell(
        &admin,
        "POST",
        "/resources/app/web/behaviors/x/invocations",
        &json!({}),
    );
    assert_eq!(unknown.status, 404, "{unknown:?}");
    let used = world
        .ask(&admin, "DELETE", "/interfaces/acme:deployable:1.0.0")
        .send();
    assert_eq!(used.status, 409, "{used:?}");
}

/// A task once it has ended.
fn ended(world: &World, token: &str, task: &Value) -> Value {
    let path = format!("/tasks/{}", task["id"].as_str().unwrap());
    for _ in 0..300 {
        let task = world.look(token, &path);
        if !["queued", "running"].contains(&task["status"].as_str().unwrap()) {
            return task;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it does not end: {}", world.look(token, &path));
}

pub(crate) fn resources_migrate_and_the_task_tells(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for name in ["a", "b"] {
        world.app(&alice, "v1", name, &json!({"image": "x"}));
    }
    let path = "/types/acme:app/migrations";
    for (dry_run, stored) in [(true, "v1"), (false, "v1.1")] {
        let body = json!({"from": "1.0.0", "to": "v1.1", "dryRun": dry_run});
        let begun = world.tell(&alice, "POST", path, &body);
        assert_eq!(begun.status, 202, "{begun:?}");
        let task = ended(&world, &alice, &begun.json);
        assert_eq!(task["status"], "success", "{task}");
        assert_eq!(task["progress"]["percent"], 100);
        let page = world.look(&alice, "/resources/app");
        assert_eq!(names(&page).len(), 2);
        assert_eq!(page["items"][0]["status"]["storedVersion"], stored);
    }
    let tasks = world.look(&alice, "/tasks?operation=migrateEntities&status=success");
    assert_eq!(tasks["items"].as_array().unwrap().len(), 2, "{tasks}");
    let first = world.look(&alice, "/tasks?operation=migrateEntities&pageSize=1");
    let next = first["nextPageToken"].as_str().unwrap();
    let second = world.look(
        &alice,
        &format!("/tasks?operation=migrateEntities&pageSize=1&pageToken={next}"),
    );
    assert_ne!(first["items"][0]["id"], second["items"][0]["id"]);
    assert_eq!(second["nextPageToken"], Value::Null, "{second}");
    let id = first["items"][0]["id"].as_str().unwrap();
    let late = world
        .ask(&alice, "POST", &format!("/tasks/{id}/cancel"))
        .send();
    assert_eq!(late.status, 409, "{late:?}");
    let oscar = world.enter("oscar@other");
    assert_eq!(
        world
            .ask(&oscar, "GET", &format!("/tasks/{id}"))
            .send()
            .status,
        404
    );
    let none = json!({"from": "1.0.0", "to": "9.0.0"});
    assert_eq!(world.tell(&alice, "POST", path, &none).status, 404);
}

pub(crate) fn a_version_is_annotated_retired_and_comes_back(world: World) {
    let admin = world.enter("administrator@System");
    let files = app_files();
    for file in &files {
        let made = world.tell(&admin, "POST", "/types", &json!({ "file": file }));
        assert_eq!(made.status, 201, "{made:?}");
    }
    let warning = |version: &str, name: &str, spec: Value| {
        let body = json!({"version": version, "metadata": {"name": name}, "spec": spec});
        let reply = world.tell(&admin, "POST", "/resources/app", &body);
        assert_eq!(reply.status, 201, "{reply:?}");
        let warning = reply.headers.get("coeval-warning");
        warning.map(|text| text.to_str().unwrap().to_owned())
    };
    let web = json!({"image": "a", "region": "eu"});
    assert_eq!(warning("v1.1", "web", web), None);
    let path = "/types/acme:app/versions/1.1.0/annotations";
    let said = json!({
        "deprecated": {"since": "2026-11-18", "message": "Use 2.0.0."},
        "columns": [{"name": "Image", "path": "/image"}, {"name": "Place", "path": "/region", "type": "string"}],
    });
    let done = world.tell(&admin, "PUT", path, &said);
    assert_eq!(done.status, 200, "{done:?}");
    assert_eq!(done.json["deprecated"], said["deprecated"]);
    assert_eq!(
        done.json["columns"][0],
        json!({"name": "Image", "path": "/image", "type": "string"})
    );
    assert_eq!(done.json["file"], files[1].as_str(), "the file stays");
    let shown = world.look(&admin, "/types/acme:app");
    assert_eq!(shown["versions"][1]["deprecated"]["since"], "2026-11-18");
    assert_eq!(shown["versions"][1]["columns"].as_array().unwrap().len(), 2);
    assert_eq!(shown["versions"][0]["deprecated"], Value::Null);
    let told = "acme:app:1.1.0 is deprecated since 2026-11-18: Use 2.0.0.";
    let told = Some(told.to_owned());
    assert_eq!(warning("v1.1", "api", json!({"image": "a"})), told);
    assert_eq!(warning("v1", "old", json!({"image": "a"})), None);
    // Readers at it are told too, once for all that they are shown, and those who restore.
    let warnings = |reply: &Reply| -> Vec<String> {
        let all = reply.headers.get_all("coeval-warning").iter();
        all.map(|text| text.to_str().unwrap().to_owned()).collect()
    };
    let notices: Vec<String> = told.iter().cloned().collect();
    for (path, expected) in [
        ("/resources/app/web", &notices[..]),
        ("/resources/app/old", &[]),
        ("/resources/app/old?version=1.1", &notices),
        ("/resources/app/web?version=1.0", &[]),
        ("/resources/app", &notices),
        ("/resources/app?version=1.0", &[]),
        ("/resources/app/web/history", &notices),
    ] {
        let reply = world.ask(&admin, "GET", path).send();
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(warnings(&reply), expected, "{path}");
    }
    let history = world.look(&admin, "/resources/app/web/history");
    let restore = json!({"revision": history["items"][0]["metadata"]["revision"]});
    let edit = json!({"mask": ["spec.image"], "spec": {"image": "b"}});
    let edited = world.tell(&admin, "PATCH", "/resources/app/web", &edit);
    assert_eq!(edited.status, 200, "{edited:?}");
    let restored = world.tell(&admin, "POST", "/resources/app/web/restore", &restore);
    assert_eq!(warnings(&restored), notices, "{restored:?}");

    let cleared = world.tell(&admin, "PUT", path, &json!({"deprecated": null}));
    assert_eq!(cleared.json["deprecated"], Value::Null);
    assert_eq!(
        cleared.json["columns"].as_array().unwrap().len(),
        2,
        "they stay"
    );
    for wrong in [
        json!({"deprecated": {"since": "soon"}}),
        json!({"deprecated": {"until": "2027-01-01"}}),
        json!({"deprecated": true}),
        json!({"columns": [{"name": "Zone", "path": "/zone"}]}),
        json!({"columns": [{"name": "Zone"}]}),
        json!({"columns": [{"name": "Image", "path": "/image", "type": "text"}]}),
        json!({"columns": {}}),
    ] {
        let refused = world.tell(&admin, "PUT", path, &wrong);
        assert_eq!(refused.status, 400, "{wrong}: {refused:?}");
        code(&refused);
    }

    // A version that another one is converted from goes, and comes back as it was.
    let first = "/types/acme:app/versions/1.0.0";
    let used = world.ask(&admin, "DELETE", first).send();
    assert_eq!(used.status, 409, "{used:?}");
    assert_eq!(
        world
            .ask(&admin, "DELETE", "/resources/app/old")
            .send()
            .status,
        200
    );
    assert_eq!(world.ask(&admin, "DELETE", first).send().status, 204);
    assert_eq!(world.ask(&admin, "GET", first).send().status, 404);
    let shown = world.look(&admin, "/types/acme:app");
    assert_eq!(shown["versions"].as_array().unwrap().len(), 1);
    let other = json!({"file": type_file("acme:app", "1.0.0", "  schema: {type: object}\n")});
    let refused = world.tell(&admin, "POST", "/types", &other);
    assert_eq!((refused.status, code(&refused)), (409, "COEVAL-2315"));
    let back = world.tell(&admin, "POST", "/types", &json!({"file": files[0]}));
    assert_eq!(back.status, 201, "{back:?}");
    let web = world.look(&admin, "/resources/app/web?version=1.0.0");
    assert_eq!(web["spec"], json!({"image": "a"}));
}
