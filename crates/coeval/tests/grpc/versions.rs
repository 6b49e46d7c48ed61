//! Clients and servers of different releases at the same resource.

use crate::calls::{app, meta, names, refused, spec};
use crate::stage::{app_files, type_file};
use crate::world::World;
use coeval_grpc::proto::access::v1 as access;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::{Value, json};
use tonic::Code;

fn stored(resource: &pb::Resource) -> String {
    let status = resource.status.as_ref();
    status.unwrap().stored_version.clone()
}

pub(crate) async fn an_old_body_keeps_what_it_can_t_say(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "region": "eu"});
    by.create("v1.1", "web", content).await.unwrap();
    let mut old = by.get_at("web", "v1").await.unwrap();
    assert_eq!(spec(&old), json!({"image": "a"}));
    assert_eq!(old.status.as_ref().unwrap().stored_version, "v1.1");
    old.version = "v1".into();
    old.spec = json!({"image": "b"}).to_string().into();
    let done = by.update(old).await.unwrap();
    assert_eq!(
        (done.kept, done.dropped.len()),
        (vec!["/region".to_owned()], 0)
    );
    let now = by.get("web").await.unwrap();
    assert_eq!(now.version, "v1.1");
    assert_eq!(spec(&now), json!({"image": "b", "region": "eu"}));
}

pub(crate) async fn a_downgraded_body_is_the_edit_of_a_view(mut world: World) {
    let strict = app_files().into_iter().map(|file| {
        let file = file.replace("acme:app", "acme:strict");
        format!(
            "{}  skew: strict\n",
            file.replace("nss: app", "nss: strict")
        )
    });
    let files: Vec<String> = app_files().into_iter().chain(strict).collect();
    world.add_types(&["acme:app", "acme:strict"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice).saying("coeval-accept", "app=1.0");
    let content = json!({"image": "a", "region": "eu"});
    by.create("v1.1", "web", content.clone()).await.unwrap();
    // As it was read, with its mark and its revision.
    let mut view = by.get("web").await.unwrap();
    assert_eq!(view.version, "v1+downgraded");
    view.spec = json!({"image": "b"}).to_string().into();
    let done = by.update(view.clone()).await.unwrap();
    assert_eq!(done.kept, ["/region"]);
    // Without its revision nobody knows of which view it is the edit.
    let mut loose = app("v1+downgraded", "web", json!({"image": "c"}));
    let told = by.upsert(loose.clone()).await;
    refused(told, Code::FailedPrecondition, 1105);
    loose.metadata.as_mut().unwrap().revision = meta(&view).revision.clone();
    refused(by.update(loose).await, Code::Aborted, 6004);
    let now = world.by(&alice).get("web").await.unwrap();
    assert_eq!(spec(&now), json!({"image": "b", "region": "eu"}));
    // A type that says so takes no edit of another version.
    let mut new = app("v1.1", "web", content);
    new.kind = "strict".into();
    let mut old = by.upsert(new).await.unwrap().resource.unwrap();
    old.version = "v1".into();
    old.spec = json!({"image": "b"}).to_string().into();
    refused(by.update(old).await, Code::FailedPrecondition, 1107);
}

pub(crate) async fn a_server_that_knows_less_shows_less_and_overwrites_nothing(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let content = json!({"image": "a", "region": "eu"});
    let made = world.by(&alice).create("v1.1", "web", content).await;
    made.unwrap();
    world.restart_with(&["--emulate", "acme:app=1.0.0"]);
    let by = world.by(&alice);
    let view = by.get("web").await.unwrap();
    assert_eq!(view.version, "v1+downgraded");
    assert_eq!(spec(&view), json!({"image": "a"}));
    for version in ["v1+downgraded", "v1"] {
        let mut edit = view.clone();
        edit.version = version.into();
        edit.spec = json!({"image": "b"}).to_string().into();
        let told = by.update(edit).await.unwrap_err();
        assert_eq!(told.code(), Code::FailedPrecondition, "{told:?}");
        crate::calls::detail(&told);
    }
    // Force is told; what it replaced is kept whole.
    let mut edit = view;
    edit.version = "v1".into();
    edit.spec = json!({"image": "b"}).to_string().into();
    let asked = pb::UpdateResourceRequest {
        resource: Some(edit),
        ..Default::default()
    };
    let forced = world.by(&alice).saying("coeval-force", "true");
    let done = forced.resources().update_resource(asked).await.unwrap();
    let warning = done.metadata().get("coeval-warning").unwrap();
    let warning = warning.to_str().unwrap();
    assert!(warning.starts_with("forced:"), "{warning}");
    world.restart_with(&[]);
    let now = world.by(&alice).get("web").await.unwrap();
    assert_eq!(spec(&now)["image"], "b");
}

pub(crate) async fn a_higher_minor_is_stored_with_full_control_alone(mut world: World) {
    world.add_app();
    world.add_workers();
    let (alice, wanda) = (world.login("alice@acme"), world.login("wanda@acme"));
    let (full, some) = (world.by(&alice), world.by(&wanda));
    let made = full
        .create("v1", "web", json!({"image": "a"}))
        .await
        .unwrap();
    let grant = access::GrantAccessRequest {
        kind: "app".into(),
        name: "web".into(),
        member: world.user_id(&wanda),
        level: access::AccessLevel::ReadWrite.into(),
        ..Default::default()
    };
    full.access().grant_access(grant).await.unwrap();
    // Carried onto the stored version where it fits there.
    let mut fits = made;
    fits.version = "v1.1".into();
    fits.spec = json!({"image": "b"}).to_string().into();
    let done = some.update(fits).await.unwrap().resource.unwrap();
    let stored = |one: &pb::Resource| one.status.clone().unwrap().stored_version;
    assert_eq!(stored(&done), "v1");
    let mut more = done;
    more.version = "v1.1".into();
    more.spec = json!({"image": "b", "region": "eu"}).to_string().into();
    let done = some.update(more).await.unwrap().resource.unwrap();
    assert_eq!(
        stored(&done),
        "v1",
        "what does not fit there is kept beside it"
    );
    assert_eq!(spec(&full.get("web").await.unwrap()), json!({"image": "b"}));
    let mut more = full.get_at("web", "v1.1").await.unwrap();
    assert_eq!(spec(&more), json!({"image": "b", "region": "eu"}));
    more.version = "v1.1".into();
    let done = full.update(more).await.unwrap().resource.unwrap();
    assert_eq!((stored(&done), &*done.version), ("v1.1".into(), "v1.1"));
    assert_eq!(spec(&done), json!({"image": "b", "region": "eu"}));
}

/// Three clients that each read, change one field and save, in every order, with the resource stored at
/// each of their versions. `tag` is of 1.0, `region` of 1.1, `tier` of 2.0 alone; all know the image, which
/// 2.0 calls picture.
pub(crate) async fn three_clients_of_three_versions_save_in_every_order(mut world: World) {
    let text = "{type: string}";
    let one = format!("image: {text}, tag: {text}");
    let files = [
        ("1.0.0", format!("properties: {{{one}}}}}\n")),
        (
            "1.1.0",
            format!("properties: {{{one}, region: {text}}}}}\n"),
        ),
        (
            "2.0.0",
            format!(
                "properties: {{picture: {text}, region: {text}, tier: {text}}}}}\n  conversion: {{from: 1.1.0, steps: [{{rename: {{path: /image, to: picture}}}}, {{remove: {{path: /tag}}}}, {{add: {{path: /tier}}}}]}}\n"
            ),
        ),
    ];
    let files: Vec<String> = files
        .iter()
        .map(|(version, schema)| {
            type_file(
                "acme:app",
                version,
                &format!("  schema: {{type: object, {schema}"),
            )
        })
        .collect();
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let clients = [("v1", "tag"), ("v1.1", "region"), ("v2", "tier")];
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for (home, _) in clients {
        for order in orders {
            let name = format!("{}-{order:?}", home.replace('.', "-"));
            let name = name.replace(['[', ']', ',', ' '], "");
            let image = if home == "v2" { "picture" } else { "image" };
            by.create(home, &name, json!({image: "a"})).await.unwrap();
            let mut last = String::new();
            for (turn, who) in order.into_iter().chain(order).enumerate() {
                let (version, own) = clients[who];
                let mut read = by.get_at(&name, version).await.unwrap();
                let mut content = spec(&read);
                last = format!("{version} {turn}");
                let image = if version == "v2" { "picture" } else { "image" };
                content[image] = json!(last);
                content[own] = json!(last);
                read.spec = content.to_string().into();
                let done = by.update(read).await;
                let done = done.unwrap_or_else(|error| panic!("{name}, {last}: {error}"));
                assert_eq!(spec(&done.resource.unwrap()), content, "{name}, {last}");
            }
            // Everybody sees the last image, and the last of each field that it can say.
            let said = |who: usize| {
                let turn = 3 + order.iter().position(|one| *one == who).unwrap();
                format!("{} {turn}", clients[who].0)
            };
            let expected = [
                json!({"image": last, "tag": said(0)}),
                json!({"image": last, "tag": said(0), "region": said(1)}),
                json!({"picture": last, "region": said(1), "tier": said(2)}),
            ];
            for ((version, _), expected) in clients.iter().zip(expected) {
                let seen = spec(&by.get_at(&name, version).await.unwrap());
                assert_eq!(seen, expected, "{name} at {version}");
            }
        }
    }
}

/// What a client of the newer major does first: it reads, changes and saves.
pub(crate) async fn a_body_of_a_higher_major_is_put_onto_what_is_stored(mut world: World) {
    let mut files = app_files();
    files.push(type_file(
        "acme:app",
        "2.0.0",
        "  schema: {type: object, required: [picture], properties: {picture: {type: string}, sizing_class: {type: string}, replicas: {type: integer}, region: {type: string}, tier: {enum: [gold, tin]}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: picture}}, {add: {path: /tier}}]}\n",
    ));
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let mut higher = by.get_at("web", "v2").await.unwrap();
    higher.spec = json!({"picture": "b", "tier": "gold"}).to_string().into();
    let done = by.update(higher.clone()).await.unwrap();
    assert_eq!(done.kept, Vec::<String>::new(), "the body set it itself");
    let done = done.resource.unwrap();
    assert_eq!(spec(&done), json!({"picture": "b", "tier": "gold"}));
    assert_eq!(stored(&done), "v1", "a save is no upgrade");
    assert_eq!(
        spec(&by.get_at("web", "v1").await.unwrap()),
        json!({"image": "b"})
    );
    // The old client saves, and the tier stays.
    let mut old = by.get_at("web", "v1").await.unwrap();
    old.version = "v1".into();
    old.spec = json!({"image": "c"}).to_string().into();
    let kept = by.update(old).await.unwrap().kept;
    assert_eq!(kept, ["/tier"]);
    let view = by.get_at("web", "v2").await.unwrap();
    assert_eq!(spec(&view), json!({"picture": "c", "tier": "gold"}));
    // What the stored version has no word for is held to the body's own schema.
    let mut wrong = view.clone();
    wrong.spec = json!({"picture": "c", "tier": "lead"}).to_string().into();
    let told = refused(by.update(wrong).await, Code::InvalidArgument, 2207);
    assert!(!told.advice.contains("coeval upgrade"), "{told:?}");
    let mut upserted = view;
    upserted.metadata.as_mut().unwrap().revision.clear();
    upserted.metadata.as_mut().unwrap().id.clear();
    upserted.spec = json!({"picture": "d"}).to_string().into();
    let done = by.upsert(upserted).await.unwrap().resource.unwrap();
    assert_eq!(spec(&done), json!({"picture": "d"}));
    refused(by.get_at("web", "v9").await, Code::FailedPrecondition, 1101);
}

pub(crate) async fn what_no_save_does_an_upgrade_does(mut world: World) {
    let mut files = app_files();
    files.push(type_file(
        "acme:app",
        "2.0.0",
        "  schema: {type: object, required: [picture], properties: {picture: {type: string}, sizing_class: {type: string}, replicas: {type: integer}, region: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: picture}}]}\n  meaningChanged: [/picture]\n",
    ));
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let higher = by.get_at("web", "v2").await.unwrap();
    let told = refused(
        by.update(higher.clone()).await,
        Code::FailedPrecondition,
        1112,
    );
    let next = "coeval upgrade acme:app web --to 2.0.0";
    assert!(told.advice.contains(next), "{told:?}");
    let asked = |version: &str, dry_run| pb::UpgradeResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        version: version.into(),
        dry_run,
        ..Default::default()
    };
    // Not by itself: that it means something else somebody has to say.
    let unnamed = by.resources().upgrade_resource(asked("", false)).await;
    refused(unnamed, Code::FailedPrecondition, 1112);
    for form in ["2", "2.0", "v2", "2.0.0"] {
        let tried = by.resources().upgrade_resource(asked(form, true)).await;
        let tried = tried.unwrap().into_inner().resource.unwrap();
        assert_eq!(
            (spec(&tried), stored(&tried)),
            (json!({"picture": "a"}), "v1".into())
        );
    }
    let done = by.resources().upgrade_resource(asked("2", false)).await;
    let done = done.unwrap().into_inner().resource.unwrap();
    assert_eq!(
        (spec(&done), stored(&done)),
        (json!({"picture": "a"}), "v2".into())
    );
    let again = by.resources().upgrade_resource(asked("2", false)).await;
    let again = again.unwrap().into_inner().resource.unwrap();
    assert_eq!(meta(&again).revision, meta(&done).revision, "nothing to do");
    let mut saved = again;
    saved.spec = json!({"picture": "b"}).to_string().into();
    by.update(saved).await.unwrap();
    // And back, exactly.
    let back = by.resources().upgrade_resource(asked("1", false)).await;
    let back = back.unwrap().into_inner().resource.unwrap();
    assert_eq!(
        (spec(&back), stored(&back)),
        (json!({"image": "b"}), "v1".into())
    );
    let unknown = by.resources().upgrade_resource(asked("7", false)).await;
    refused(unknown, Code::FailedPrecondition, 1101);
}

pub(crate) async fn what_went_with_a_deleted_item_is_told(mut world: World) {
    let item = |more: &str| {
        format!(
            "  schema: {{type: object, properties: {{nodes: {{type: array, items: {{type: object, properties: {{name: {{type: string}}{more}}}}}}}}}}}\n"
        )
    };
    let step = "  conversion: {from: 1.0.0, steps: [{each: {path: /nodes, key: name, steps: [{add: {path: /gpu}}]}}]}\n";
    let newer = format!("{}{step}", item(", gpu: {type: integer}"));
    let files = [
        type_file("acme:app", "1.0.0", &item("")),
        type_file("acme:app", "1.1.0", &newer),
    ];
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let nodes = json!({"nodes": [{"name": "a", "gpu": 1}, {"name": "b", "gpu": 2}]});
    by.create("v1.1", "web", nodes).await.unwrap();
    let mut old = by.get_at("web", "v1").await.unwrap();
    old.spec = json!({"nodes": [{"name": "b"}]}).to_string().into();
    let done = by.update(old).await.unwrap();
    assert_eq!((done.kept.len(), done.dropped.len()), (1, 1), "{done:?}");
    let now = by.get("web").await.unwrap();
    assert_eq!(spec(&now), json!({"nodes": [{"name": "b", "gpu": 2}]}));
}

pub(crate) async fn metadata_says_which_versions_are_understood(mut world: World) {
    let files = app_files().into_iter().zip([">=1.0.0", ">=14.0.0"]);
    let files = files.map(|(file, clients)| format!("{file}  clients: '{clients}'\n"));
    let files: Vec<String> = files.collect();
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "region": "eu"});
    by.create("v1.1", "new", content).await.unwrap();
    by.create("v1", "old", json!({"image": "a"})).await.unwrap();
    for (name, value, new) in [
        ("coeval-accept", "app=1.0", "v1+downgraded"),
        ("coeval-accept", "acme:app=1, job=7", "v1+downgraded"),
        ("coeval-accept", "app=1.1", "v1.1"),
        ("coeval-accept", "other=1.0", "v1.1"),
        ("version", "13.2.0", "v1+downgraded"),
        ("version", "14.2.0", "v1.1"),
    ] {
        let by = world.by(&alice).saying(name, value);
        assert_eq!(by.get("new").await.unwrap().version, new, "{name}: {value}");
        let old = by.get("old").await.unwrap();
        assert_eq!(old.version, "v1", "never up: {value}");
        let page = by.list(Default::default()).await.unwrap();
        assert_eq!(page.resources.len(), 2);
        // What the message says is stronger.
        let up = by.get_at("old", "v1.1").await.unwrap();
        assert_eq!(up.version, "v1.1");
    }
    for (name, value) in [
        ("coeval-accept", "app"),
        ("version", "fourteen"),
        ("coeval-force", "maybe"),
        ("coeval-at-least", "nonsense"),
    ] {
        let by = world.by(&alice).saying(name, value);
        refused(by.get("new").await, Code::InvalidArgument, 8010);
    }
}

pub(crate) async fn a_reader_sees_its_own_writes(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let mut last = String::new();
    for number in 0..5 {
        let image = format!("i{number}");
        let asked = pb::UpsertResourceRequest {
            resource: Some(app("v1", "web", json!({"image": image}))),
            ..Default::default()
        };
        let done = world.by(&alice).resources().upsert_resource(asked).await;
        let done = done.unwrap();
        let sequence = done.metadata().get("coeval-sequence").unwrap();
        last = sequence.to_str().unwrap().to_owned();
        let by = world.by(&alice).saying("coeval-at-least", &last);
        assert_eq!(spec(&by.get("web").await.unwrap())["image"], image);
    }
    let by = world.by(&alice).saying("coeval-at-least", &last);
    let page = by.list(Default::default()).await.unwrap();
    assert_eq!(names(&page), ["web"]);
    assert!(!page.sequence.is_empty());
}

pub(crate) async fn a_view_says_what_it_leaves_out(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let content = json!({"image": "a", "region": "eu"});
    by.create("v1.1", "web", content).await.unwrap();
    by.create("v1.1", "plain", json!({"image": "a"}))
        .await
        .unwrap();
    for (name, version, left) in [
        ("web", "", &[][..]),
        ("web", "v1.1", &[]),
        ("web", "1.0.0", &["/region"]),
        ("plain", "1.0.0", &[]),
    ] {
        let found = by.found(name, version).await.unwrap();
        assert_eq!(found.left_out, left, "{name} at {version}");
    }
    let old = world.by(&alice).saying("coeval-accept", "app=1.0");
    assert_eq!(old.found("web", "").await.unwrap().left_out, ["/region"]);
    // Stored at the version that is shown, and yet not whole: the rest is kept.
    let lower = pb::UpgradeResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        version: "1.0".into(),
        ..Default::default()
    };
    by.resources().upgrade_resource(lower).await.unwrap();
    let found = by.found("web", "").await.unwrap();
    assert_eq!(found.left_out, ["/region"]);
    let mut view = found.resource.unwrap();
    assert_eq!(
        (view.version.as_str(), stored(&view)),
        ("v1+downgraded", "v1".into())
    );
    view.spec = json!({"image": "b"}).to_string().into();
    by.update(view).await.unwrap();
    let whole = by.get_at("web", "v1.1").await.unwrap();
    assert_eq!(spec(&whole), json!({"image": "b", "region": "eu"}));
}

pub(crate) async fn resources_that_a_filter_matches_are_upgraded_by_a_task(mut world: World) {
    world.add_app();
    let (alice, bob) = (world.login("alice@acme"), world.login("bob@acme"));
    let by = world.by(&alice);
    for (name, image) in [("web", "a"), ("api", "a"), ("db", "b")] {
        by.create("v1", name, json!({"image": image}))
            .await
            .unwrap();
    }
    let asked = |filter: &str, version: &str| pb::UpgradeResourcesRequest {
        kind: "app".into(),
        filter: filter.into(),
        version: version.into(),
        ..Default::default()
    };
    let done = async |by: &crate::calls::By<'_>, asked| {
        let started = by.resources().upgrade_resources(asked).await.unwrap();
        let id = started.into_inner().task.unwrap().id;
        let watching = coeval_grpc::proto::tasks::v1::WatchTaskRequest { id: id.clone() };
        let mut stream = by.tasks().watch_task(watching).await.unwrap().into_inner();
        while stream.message().await.unwrap().is_some() {}
        let got = coeval_grpc::proto::tasks::v1::GetTaskRequest { id };
        let task = by.tasks().get_task(got).await.unwrap().into_inner();
        serde_json::from_str::<Value>(&task.task.unwrap().result).unwrap()
    };
    let result = done(&by, asked("spec.image==a", "")).await;
    assert_eq!(
        (&result["upgraded"], &result["version"]),
        (&json!(2), &json!("1.1.0"))
    );
    for (name, version) in [("web", "v1.1"), ("api", "v1.1"), ("db", "v1")] {
        assert_eq!(stored(&by.get(name).await.unwrap()), version, "{name}");
    }
    // Of what another one has he is told nothing.
    let others = done(&world.by(&bob), asked("name==*", "")).await;
    assert_eq!(others["upgraded"], 0, "{others}");
    assert_eq!(others["refused"], 0, "{others}");
    let none = by.resources().upgrade_resources(asked("", "")).await;
    assert_eq!(none.unwrap_err().code(), Code::InvalidArgument);
    let slip = asked("spec.imgae==a", "");
    let slip = by.resources().upgrade_resources(slip).await;
    refused(slip, Code::InvalidArgument, 6104);
}
