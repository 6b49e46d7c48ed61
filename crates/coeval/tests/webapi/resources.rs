//! Resources.

use crate::stage::type_file;
use crate::visit::{code, names};
use crate::world::World;
use coeval_engine::seal::{KeyId, Keyring};
use serde_json::{Value, json};

pub(crate) fn a_resource_is_made_read_changed_and_deleted(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let body = json!({
        "kind": "app", "version": "v1.1",
        "metadata": {"name": "web", "labels": {"tier": "gold"}},
        "spec": {"image": "a", "region": "eu"},
    });
    let made = world.tell(&alice, "POST", "/resources/app", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let again = world.tell(&alice, "POST", "/resources/app", &body);
    assert_eq!(again.status, 409, "{again:?}");
    let made = &made.json["resource"];
    assert_eq!(
        (&made["kind"], &made["version"]),
        (&json!("app"), &json!("v1.1"))
    );
    assert_eq!(made["spec"], body["spec"]);
    let meta = &made["metadata"];
    assert_eq!(meta["namespace"], "acme");
    assert_eq!(meta["labels"], json!({"tier": "gold"}));
    assert_eq!(meta["owner"]["name"], "alice");
    assert_eq!(meta["access"], "FullControl");
    let created = meta["created"].as_str().unwrap();
    assert!(created.ends_with('Z') && created.len() == 24, "{created}");
    assert_eq!(made["status"]["storedVersion"], "v1.1");
    let reply = world.ask(&alice, "GET", "/resources/app/web").send();
    assert_eq!(reply.json["metadata"], *meta);
    assert!(!reply.header("coeval-sequence").is_empty(), "{reply:?}");
    // What was read is sent back, with one change.
    let mut read = reply.json;
    read["spec"]["image"] = json!("b");
    let saved = world.tell(&alice, "PUT", "/resources/acme:app/web", &read);
    assert_eq!(saved.status, 200, "{saved:?}");
    assert_eq!(saved.json["resource"]["spec"]["image"], "b");
    let told = json!({"message": "starting"});
    let told = world.tell(&alice, "PUT", "/resources/app/web/status", &told);
    assert_eq!(told.json["resource"]["status"]["message"], "starting");
    assert_eq!(told.json["resource"]["spec"]["image"], "b");
    // Nobody of another tenant is told that it is there.
    let oscar = world.enter("oscar@other");
    for path in ["/resources/app/web", "/resources/app/web?namespace=acme"] {
        let hidden = world.ask(&oscar, "GET", path).send();
        assert_eq!(hidden.status, 404, "{path}: {hidden:?}");
    }
    let gone = world.ask(&alice, "DELETE", "/resources/app/web").send();
    assert_eq!(gone.status, 200, "{gone:?}");
    assert_eq!(gone.json["sequence"], gone.header("coeval-sequence"));
    let gone = world.ask(&alice, "GET", "/resources/app/web").send();
    assert_eq!(gone.status, 404, "{gone:?}");
}

pub(crate) fn an_old_client_saves_a_new_object_and_is_told_what_was_kept(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    world.app(
        &alice,
        "v1.1",
        "web",
        &json!({"image": "a", "region": "eu"}),
    );
    let old = || {
        world
            .ask(&alice, "GET", "/resources/app/web")
            .header("coeval-accept", "app=1")
    };
    let mut read = old().send().json;
    assert_eq!(read["version"], "v1+downgraded", "{read}");
    assert_eq!(read["spec"], json!({"image": "a"}));
    assert_eq!(read["leftOut"], json!(["/region"]));
    read["spec"]["image"] = json!("b");
    let sent = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
    let saved = sent.header("coeval-accept", "app=1").send();
    assert_eq!(saved.status, 200, "{saved:?}");
    assert_eq!(saved.json["kept"], json!(["/region"]), "{saved:?}");
    assert_eq!(saved.header("coeval-kept"), "/region");
    assert_eq!(saved.json["dropped"], json!([]));
    let now = world.look(&alice, "/resources/app/web");
    assert_eq!(now["version"], "v1.1");
    assert_eq!(now["spec"], json!({"image": "b", "region": "eu"}));
}

pub(crate) fn pages_are_followed_by_token_and_by_number(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for number in 0..7 {
        let spec = json!({"image": "x", "replicas": number});
        world.app(&alice, "v1", &format!("app-{number}"), &spec);
    }
    let mut all: Vec<String> = Vec::new();
    let mut token = String::new();
    loop {
        let path = format!(
            "/resources/app?pageSize=3&orderBy=spec.replicas%20desc&count=true&pageToken={token}"
        );
        let page = world.look(&alice, &path);
        assert_eq!(
            (&page["total"], &page["quarantined"]),
            (&json!(7), &json!([]))
        );
        all.extend(names(&page).iter().map(|name| (*name).to_owned()));
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    let expected: Vec<_> = (0..7).rev().map(|number| format!("app-{number}")).collect();
    assert_eq!(all, expected);
    let second = world.look(&alice, "/resources/app?pageSize=3&page=2&orderBy=name");
    assert_eq!(names(&second), ["app-3", "app-4", "app-5"]);
    assert!(second.get("total").is_none());
    for (query, found) in [
        ("filter=spec.replicas=gt=4", 2),
        ("filter=name==app-3", 1),
        ("namePrefix=app-", 7),
        ("storedVersion=1.1", 0),
        ("label=tier=gold", 0),
    ] {
        let page = world.look(&alice, &format!("/resources/app?{query}"));
        assert_eq!(names(&page).len(), found, "{query}");
    }
    // A token is of one listing and of one caller.
    let page = world.look(&alice, "/resources/app?pageSize=3");
    let token = page["nextPageToken"].as_str().unwrap();
    let admin = world.enter("administrator@System");
    for (who, query) in [(&alice, "filter=name==a*"), (&admin, "namespace=acme")] {
        let path = format!("/resources/app?pageSize=3&{query}&pageToken={token}");
        let reply = world.ask(who, "GET", &path).send();
        assert_eq!(reply.status, 400, "{query}: {reply:?}");
    }
}

pub(crate) fn what_is_not_said_by_a_mask_stays(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let spec = json!({"image": "a", "replicas": 1, "region": "eu"});
    world.app(&alice, "v1.1", "web", &spec);
    let body = json!({"mask": ["spec.image", "metadata.description"], "spec": {"image": "b", "replicas": 9}, "metadata": {"description": "d"}});
    let done = world.tell(&alice, "PATCH", "/resources/app/web", &body);
    assert_eq!(done.status, 200, "{done:?}");
    let now = &done.json["resource"];
    assert_eq!(
        now["spec"],
        json!({"image": "b", "replicas": 1, "region": "eu"})
    );
    assert_eq!(now["metadata"]["description"], "d");
    let body = json!({"mask": ["spec.region"], "spec": {}});
    let done = world.tell(&alice, "PATCH", "/resources/app/web", &body);
    let now = &done.json["resource"]["spec"];
    assert_eq!(*now, json!({"image": "b", "replicas": 1}), "{done:?}");
    for bad in [
        json!({"spec": {}}),
        json!({"mask": []}),
        json!({"mask": ["nothing"]}),
        json!({"mask": [1]}),
        json!({"mask": ["spec.image"], "spec": {"image": 7}}),
    ] {
        let refused = world.tell(&alice, "PATCH", "/resources/app/web", &bad);
        assert_eq!(refused.status, 400, "{bad}: {refused:?}");
    }
    let stale = json!({"mask": ["spec.image"], "spec": {"image": "c"}, "metadata": {"revision": "0123456789abcdef0123456789abcdef"}});
    let stale = world.tell(&alice, "PATCH", "/resources/app/web", &stale);
    assert_eq!(stale.status, 409, "{stale:?}");
}

pub(crate) fn upsert_makes_what_is_missing_and_changes_what_is_there(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let path = "/resources/app/web?upsert=true";
    for (image, status) in [("a", 201), ("b", 200)] {
        let body = json!({"version": "v1", "spec": {"image": image}});
        let done = world.tell(&alice, "PUT", path, &body);
        assert_eq!(done.status, status, "{done:?}");
        assert_eq!(done.json["resource"]["spec"]["image"], image);
    }
}

/// A type whose 2.0.0 can't show every resource of 1.0.0.
fn strict(world: &mut World) {
    let open = "  schema: {type: object, properties: {size: {type: string}}}\n";
    let strict = "  schema: {type: object, properties: {size: {type: integer}}}\n  conversion: {from: 1.0.0, steps: [{convert: {path: /size, to: integer}}]}\n";
    let files = [
        type_file("acme:app", "1.0.0", open),
        type_file("acme:app", "2.0.0", strict),
    ];
    world.add_types(&["acme:app"], &files);
}

pub(crate) fn a_page_of_only_bad_objects_is_a_page(mut world: World) {
    strict(&mut world);
    let alice = world.enter("alice@acme");
    for name in ["a", "b", "c", "d"] {
        world.app(&alice, "v1", name, &json!({"size": "large"}));
    }
    world.app(&alice, "v1", "e", &json!({"size": "7"}));
    let path = "/resources/app?version=v2&pageSize=2&orderBy=name";
    let (mut pages, mut bad, mut good) = (0, 0, Vec::new());
    let mut token = String::new();
    loop {
        let page = world.look(&alice, &format!("{path}&pageToken={token}"));
        pages += 1;
        for one in page["quarantined"].as_array().unwrap() {
            assert!(one["id"].is_string() && one["reason"].is_string(), "{one}");
            assert!(one["code"].as_str().unwrap().starts_with("COEVAL-"));
            bad += 1;
        }
        good.extend(names(&page).iter().map(|name| (*name).to_owned()));
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => break,
        }
    }
    assert_eq!((bad, good), (4, vec!["e".to_owned()]), "in {pages} pages");
    assert!(pages >= 2);
    let one = world
        .ask(&alice, "GET", "/resources/app/a?version=v2")
        .send();
    assert_eq!(one.status, 409, "{one:?}");
    code(&one);
}

pub(crate) fn a_view_says_what_it_leaves_out(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    world.app(
        &alice,
        "v1.1",
        "web",
        &json!({"image": "a", "region": "eu"}),
    );
    for (version, left) in [
        ("", json!([])),
        ("v1.1", json!([])),
        ("1.0.0", json!(["/region"])),
    ] {
        let read = world.look(&alice, &format!("/resources/app/web?version={version}"));
        assert_eq!(read["leftOut"], left, "{version}: {read}");
        assert_eq!(read["status"]["storedVersion"], "v1.1");
    }
    let unknown = world
        .ask(&alice, "GET", "/resources/app/web?version=v9")
        .send();
    assert!((400..500).contains(&unknown.status), "{unknown:?}");
    code(&unknown);
}

pub(crate) fn a_name_and_an_id_find_the_same_and_a_rename_needs_the_id(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let mut read = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let id = read["metadata"]["id"].as_str().unwrap().to_owned();
    let by_id = format!("/resources/app/{id}");
    assert_eq!(world.look(&alice, &by_id)["metadata"]["name"], "web");
    read["metadata"]["name"] = json!("site");
    let refused = world.tell(&alice, "PUT", "/resources/app/web", &read);
    assert_eq!(refused.status, 400, "{refused:?}");
    let renamed = world.tell(&alice, "PUT", &by_id, &read);
    assert_eq!(renamed.status, 200, "{renamed:?}");
    assert_eq!(
        world.look(&alice, "/resources/app/site")["metadata"]["id"],
        id.as_str()
    );
    // Another id in the body, another kind, another namespace.
    let mut other = renamed.json["resource"].clone();
    other["metadata"]["id"] = json!(id.replace("acme:app", "acme:other"));
    assert_eq!(world.tell(&alice, "PUT", &by_id, &other).status, 400);
    let mut other = renamed.json["resource"].clone();
    other["kind"] = json!("user");
    assert_eq!(world.tell(&alice, "PUT", &by_id, &other).status, 400);
    let path = format!("{by_id}?namespace=other");
    let reply = world.tell(&alice, "PUT", &path, &renamed.json["resource"]);
    assert_eq!(reply.status, 400, "{reply:?}");
    let admin = world.enter("administrator@System");
    let there = world.look(&admin, "/resources/app/site?namespace=acme");
    assert_eq!(there["metadata"]["id"], id.as_str());
    let none = world.ask(&admin, "GET", "/resources/app/site").send();
    assert_eq!(none.status, 404, "{none:?}");
    let unknown = world.ask(&admin, "GET", "/resources/nothing/site").send();
    assert_eq!((unknown.status, code(&unknown)), (404, "COEVAL-8016"));
}

pub(crate) fn grants_let_in_and_out_and_are_explained(mut world: World) {
    world.add_app();
    world.add_workers();
    let (wanda, walter) = (world.enter("wanda@acme"), world.enter("walter@acme"));
    world.app(&wanda, "v1", "web", &json!({"image": "a"}));
    let whoami = world.look(&walter, "/sessions/current");
    let id = whoami["user"]["id"].as_str().unwrap().to_owned();
    let path = "/resources/app/web";
    assert_eq!(world.ask(&walter, "GET", path).send().status, 404);
    let grant = json!({"member": id, "level": "ReadOnly"});
    let granted = world.tell(&wanda, "POST", &format!("{path}/acl"), &grant);
    assert_eq!(granted.status, 200, "{granted:?}");
    assert_eq!(granted.json["name"], "walter");
    let read = world.look(&walter, path);
    assert_eq!(read["metadata"]["access"], "ReadOnly");
    let acl = world.look(&wanda, &format!("{path}/acl?filter=name==walter"));
    assert_eq!(acl["items"][0]["level"], "ReadOnly", "{acl}");
    let explained = world.look(&walter, &format!("{path}/access"));
    assert_eq!(explained["level"], "ReadOnly", "{explained}");
    let actions = explained["actions"].as_array().unwrap();
    let delete = actions
        .iter()
        .find(|one| one["action"] == "delete")
        .unwrap();
    assert_eq!(delete["allowed"], false);
    let unmet = delete["requirements"].as_array().unwrap().iter();
    let unmet: Vec<&Value> = unmet.filter(|one| one["met"] == false).collect();
    assert!(unmet[0]["advice"].is_string(), "{unmet:?}");
    let about = world.look(&wanda, &format!("{path}/access?user={id}"));
    assert_eq!(about["level"], "ReadOnly");
    let denied = world.ask(&walter, "DELETE", path).send();
    assert_eq!(denied.status, 403, "{denied:?}");
    for bad in [
        json!({"member": "walter", "level": "ReadOnly"}),
        json!({"member": "urn:vcloud:user:56bacbaa-8ddc-4bef-b7a5-e8f6758aff25", "level": "ReadOnly"}),
        json!({"member": id, "level": "Owner"}),
    ] {
        let refused = world.tell(&wanda, "POST", &format!("{path}/acl"), &bad);
        assert_eq!(refused.status, 400, "{bad}: {refused:?}");
    }
    let taken = world
        .ask(&wanda, "DELETE", &format!("{path}/acl/{id}"))
        .send();
    assert_eq!(taken.status, 204, "{taken:?}");
    assert_eq!(world.ask(&walter, "GET", path).send().status, 404);
    let secrets = world.tell(&wanda, "POST", &format!("{path}/secrets"), &json!({}));
    assert_eq!(secrets.status, 403, "{secrets:?}");
}

pub(crate) fn labels_description_and_expiry_come_back_as_they_were_sent(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let meta = json!({"name": "web", "description": "d\"é", "labels": {"a.b/c": "x y"}, "expires": "2126-01-31T12:00:00.123Z"});
    let body = json!({"version": "v1", "subKind": "s", "metadata": meta, "spec": {"image": "a"}});
    let made = world.tell(&alice, "POST", "/resources/app", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let read = world.look(&alice, "/resources/app/web");
    assert_eq!(read["subKind"], "s");
    for field in ["description", "labels", "expires"] {
        assert_eq!(read["metadata"][field], meta[field], "{field}");
    }
    let mut bare = read.clone();
    bare["metadata"] = json!({"name": "web", "revision": read["metadata"]["revision"]});
    bare["subKind"] = json!(null);
    let saved = world.tell(&alice, "PUT", "/resources/app/web", &bare);
    let now = &saved.json["resource"];
    assert_eq!(
        (&now["subKind"], &now["metadata"]["expires"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(now["metadata"]["labels"], json!({}));
    for (field, value) in [
        ("expires", json!("tomorrow")),
        ("labels", json!({"a": 1})),
        ("labels", json!({"coeval.internal/x": "y"})),
    ] {
        let mut bad = body.clone();
        bad["metadata"]["name"] = json!("other");
        bad["metadata"][field] = value;
        let refused = world.tell(&alice, "POST", "/resources/app", &bad);
        assert_eq!(refused.status, 400, "{bad}: {refused:?}");
    }
}

pub(crate) fn secrets_are_read_by_name_and_that_is_recorded(mut world: World) {
    let spec = "  schema: {type: object, properties: {image: {type: string}, password: {type: string, x-vcloud-restricted: [private, secure]}}}\n";
    world.add_types(&["acme:app"], &[type_file("acme:app", "1.0.0", spec)]);
    let line = Keyring::generate_line(&KeyId::new("k1").unwrap()).unwrap();
    world.write("keys", &line);
    world.restart_with(&["--secret-keys", "keys"]);
    let admin = world.enter("administrator@System");
    let made = world.app(
        &admin,
        "v1",
        "web",
        &json!({"image": "a", "password": "hush"}),
    );
    assert!(!made.to_string().contains("hush"), "{made}");
    assert_eq!(made["secure"], json!(["/password"]), "{made}");
    let listed = world.look(&admin, "/resources/app");
    assert!(!listed.to_string().contains("hush"), "{listed}");
    // What was read is sent back, and the secret stays.
    let mut read = world.look(&admin, "/resources/app/web");
    read["spec"]["image"] = json!("b");
    let saved = world.tell(&admin, "PUT", "/resources/app/web", &read);
    assert_eq!(saved.status, 200, "{saved:?}");
    let path = "/resources/app/web/secrets";
    for (names, secrets) in [
        (json!({}), json!({"/password": "hush"})),
        (
            json!({"names": ["/password"]}),
            json!({"/password": "hush"}),
        ),
        (json!({"names": ["/other"]}), json!({})),
    ] {
        let told = world.tell(&admin, "POST", path, &names);
        assert_eq!(
            (told.status, &told.json["secrets"]),
            (200, &secrets),
            "{told:?}"
        );
    }
    let audit = world.look(&admin, "/audit?type=acme:app");
    let deeds = audit["items"].as_array().unwrap().iter();
    assert_eq!(
        deeds.filter(|deed| deed["what"] == "readSecrets").count(),
        3
    );
}
