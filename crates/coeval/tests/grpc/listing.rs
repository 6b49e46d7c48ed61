//! List: pages, tokens, filters, orders, and what can't be shown.

use crate::calls::{app, detail, names, refused, spec};
use crate::stage::type_file;
use crate::world::World;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use tonic::Code;

fn page(size: i32, token: &str) -> pb::ListResourcesRequest {
    pb::ListResourcesRequest {
        page_size: size,
        page_token: token.into(),
        order_by: "name".into(),
        ..Default::default()
    }
}

pub(crate) async fn pages_lead_through_all_and_their_tokens_are_bound(mut world: World) {
    type Change = fn(&mut pb::ListResourcesRequest);
    const CHANGES: [Change; 5] = [
        |asked| asked.filter = "name==a*".into(),
        |asked| asked.order_by = "name desc".into(),
        |asked| asked.order_by.clear(),
        |asked| asked.version = "v1.1".into(),
        |asked| asked.stored_version = "1.1".into(),
    ];
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let by = world.by(&alice);
    let wanted: Vec<String> = (0..7).map(|number| format!("a{number}")).collect();
    for name in &wanted {
        by.create("v1", name, json!({"image": name})).await.unwrap();
    }
    let (mut found, mut token, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let one = by.list(page(3, &token)).await.unwrap();
        assert!(one.resources.len() <= 3 && one.quarantined.is_empty());
        found.extend(names(&one).into_iter().map(str::to_owned));
        pages += 1;
        token = one.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!((found, pages), (wanted, 3));
    let token = by.list(page(3, "")).await.unwrap().next_page_token;
    // Another size is no other listing.
    assert_eq!(names(&by.list(page(1, &token)).await.unwrap()), ["a3"]);
    for change in CHANGES {
        let mut asked = page(3, &token);
        change(&mut asked);
        refused(by.list(asked).await, Code::InvalidArgument, 6122);
    }
    let mut others = page(3, &token);
    let told = world.by(&admin).list(others.clone()).await;
    refused(told, Code::InvalidArgument, 6122);
    others.namespace = "acme".into();
    let told = world.by(&admin).list(others).await;
    refused(told, Code::InvalidArgument, 6122);
    for bad in ["x", "!", &"A".repeat(10_000), &token[1..]] {
        let told = by.list(page(3, bad)).await.unwrap_err();
        assert_eq!(told.code(), Code::InvalidArgument, "{bad}: {told:?}");
        detail(&told);
    }
    refused(by.list(page(-1, "")).await, Code::InvalidArgument, 8006);
}

pub(crate) async fn a_page_is_cut_by_count_and_by_bytes(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    let big = "x".repeat(380_000);
    for number in 0..14 {
        let name = format!("b{number:02}");
        by.create("v1", &name, json!({"image": big})).await.unwrap();
    }
    let one = by.list(page(1_000, "")).await.unwrap();
    let cut = one.resources.len();
    assert!((1..14).contains(&cut), "{cut}");
    let two = by.list(page(1_000, &one.next_page_token)).await.unwrap();
    assert_eq!(cut + two.resources.len(), 14);
    assert_eq!(two.next_page_token, "");
    let (world, alice) = (&world, alice.as_str());
    for chunk in (0..1_030).collect::<Vec<_>>().chunks(103) {
        let making = chunk.iter().map(async |number| {
            let name = format!("s{number:04}");
            let made = world
                .by(alice)
                .create("v1", &name, json!({"image": "a"}))
                .await;
            made.unwrap();
        });
        futures::future::join_all(making).await;
    }
    let small = |size| pb::ListResourcesRequest {
        filter: "name==s*".into(),
        ..page(size, "")
    };
    let many = by.list(small(5_000)).await.unwrap();
    assert_eq!(many.resources.len(), 1_000, "the server's own limit");
    assert!(!many.next_page_token.is_empty());
    let usual = by.list(small(0)).await.unwrap();
    assert!((1..1_000).contains(&usual.resources.len()));
}

pub(crate) async fn a_page_of_bad_objects_alone_still_moves_on(mut world: World) {
    let old = "  schema: {type: object, properties: {size: {type: string}}}\n";
    let new = "  schema: {type: object, properties: {size: {type: integer}}}\n  conversion: {from: 1.0.0, steps: [{convert: {path: /size, to: integer}}]}\n";
    let files = [
        type_file("acme:app", "1.0.0", old),
        type_file("acme:app", "2.0.0", new),
    ];
    world.add_types(&["acme:app"], &files);
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    for number in 0..5 {
        let name = format!("bad{number}");
        by.create("v1", &name, json!({"size": "large"}))
            .await
            .unwrap();
    }
    by.create("v1", "good", json!({"size": "7"})).await.unwrap();
    let (mut shown, mut bad, mut token) = (Vec::new(), Vec::new(), String::new());
    for number in 0.. {
        assert!(number < 10, "it does not end");
        let asked = pb::ListResourcesRequest {
            version: "v2".into(),
            ..page(2, &token)
        };
        let one = by.list(asked).await.unwrap();
        shown.extend(one.resources.iter().map(spec));
        bad.extend(one.quarantined);
        token = one.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(shown, [json!({"size": 7})]);
    assert_eq!(bad.len(), 5);
    for one in &bad {
        assert!(one.id.starts_with("urn:vcloud:entity:acme:app:"), "{one:?}");
        assert!(one.code.starts_with("COEVAL-3"), "{one:?}");
        assert!(one.reason.contains("size"), "{one:?}");
        // By its id it says the same; as it is stored it can be read.
        let told = by.get_at(&one.id, "v2").await.unwrap_err();
        assert_eq!(detail(&told).code, one.code);
        assert!(by.get(&one.id).await.is_ok());
    }
}

pub(crate) async fn filters_and_orders_find_sort_and_tell_where_they_are_wrong(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    for (name, image, tier) in [
        ("web", "x", "gold"),
        ("db", "y", "gold"),
        ("job", "x", "iron"),
    ] {
        let content = json!({"image": image, "replicas": name.len()});
        let mut new = app("v1", name, content);
        new.sub_kind = tier.into();
        let labels = &mut new.metadata.as_mut().unwrap().labels;
        labels.insert("tier".into(), tier.into());
        by.upsert(new).await.unwrap();
    }
    let content = json!({"image": "z", "region": "eu"});
    by.create("v1.1", "new", content).await.unwrap();
    let find = async |filter: &str, order: &str| {
        let asked = pb::ListResourcesRequest {
            filter: filter.into(),
            order_by: order.into(),
            ..Default::default()
        };
        by.list(asked).await.map(|page| names(&page).join(" "))
    };
    for (filter, order, expected) in [
        ("", "name", "db job new web"),
        ("", "name desc", "web new job db"),
        ("spec.image==x", "metadata.name", "job web"),
        ("spec.image!=x;labels.tier==gold", "name", "db"),
        ("metadata.labels.tier==gold", "spec.image desc", "db web"),
        ("sub_kind==iron", "name", "job"),
        ("name==*b", "name", "db job web"),
        ("spec.replicas=gt=2", "spec.replicas desc, name", "job web"),
        ("status.state==RESOLVED", "name", "db job new web"),
        ("name==db,name==web", "name", "db web"),
        ("namespace==acme;spec.image==z", "name", "new"),
    ] {
        let found = find(filter, order).await.unwrap();
        assert_eq!(found, expected, "{filter} {order}");
    }
    let asked = pb::ListResourcesRequest {
        stored_version: "v1.1".into(),
        ..Default::default()
    };
    assert_eq!(names(&by.list(asked).await.unwrap()), ["new"]);
    let many = ["name"; 40].join(",");
    for (filter, order) in [
        ("==a", ""),
        ("name", ""),
        ("(name==a", ""),
        ("name==a;;name==b", ""),
        ("colour==red", ""),
        ("", "colour"),
        ("", "name sideways"),
        ("", many.as_str()),
    ] {
        let status = find(filter, order).await.expect_err(filter);
        let code = status.code();
        assert_eq!(code, Code::InvalidArgument, "{filter} {order}: {status:?}");
        detail(&status);
    }
    let told = detail(&find("name==a;(size", "").await.unwrap_err());
    let place = told.message.chars().any(|c| c.is_ascii_digit());
    assert!(place, "it has a place: {told:?}");
}

/// What an answer warns of.
fn warnings<T>(response: &tonic::Response<T>) -> Vec<String> {
    let all = response.metadata().get_all("coeval-warning").iter();
    all.map(|one| one.to_str().unwrap().to_owned()).collect()
}

pub(crate) async fn a_filter_names_what_some_version_declares(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let by = world.by(&alice);
    by.create("v1", "old", json!({"image": "x"})).await.unwrap();
    let content = json!({"image": "z", "region": "eu"});
    by.create("v1.1", "new", content).await.unwrap();
    let asked = |filter: &str, order: &str, version: &str| pb::ListResourcesRequest {
        kind: "app".into(),
        filter: filter.into(),
        order_by: order.into(),
        version: version.into(),
        ..Default::default()
    };
    for (filter, order) in [
        ("spec.nonsense==3", ""),
        ("spec.nonsense!=3", ""),
        ("name==old;(spec.image==x,spec.image.deeper==x)", ""),
        ("", "spec.nonsense desc"),
    ] {
        let found = by.list(asked(filter, order, "")).await;
        refused(found, Code::InvalidArgument, 6104);
        if !filter.is_empty() {
            let watch = pb::WatchResourcesRequest {
                kind: "app".into(),
                filter: filter.into(),
                ..Default::default()
            };
            let watch = by.resources().watch_resources(watch).await;
            let status = watch.map(|_| ()).unwrap_err();
            assert_eq!(detail(&status).code, "COEVAL-6104");
        }
    }
    let slip = by.list(asked("spec.Region==eu", "", "")).await.unwrap_err();
    let told = detail(&slip).message;
    assert!(told.contains("spec.Region; similar: spec.region"), "{told}");
    let list = async |filter: &str, order: &str, version: &str| {
        let asked = asked(filter, order, version);
        by.resources().list_resources(asked).await.unwrap()
    };
    let all = list("spec.image==x", "spec.image", "").await;
    assert_eq!(warnings(&all), [""; 0], "both declare it");
    let some = list("spec.region==eu", "", "").await;
    assert_eq!(
        warnings(&some),
        [
            "spec.region is declared by v1.1 only: resources stored at v1 are compared at their own version; use --version v1.1 to compare all"
        ]
    );
    assert_eq!(names(some.get_ref()), ["new"]);
    let said = list("spec.region==eu", "", "v1.1").await;
    assert_eq!(warnings(&said), [""; 0]);
    let lacking = list("spec.region==eu", "", "v1").await;
    let told = warnings(&lacking).concat();
    assert!(told.contains("what is shown at v1 lacks it"), "{told}");
    let watch = pb::WatchResourcesRequest {
        kind: "app".into(),
        filter: "spec.region==eu".into(),
        ..Default::default()
    };
    let watch = by.resources().watch_resources(watch).await.unwrap();
    assert_eq!(warnings(&watch), warnings(&some));
}

pub(crate) async fn a_filter_knows_nothing_of_a_hidden_version(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    world.add_hidden(&admin);
    let asked = |filter: &str| pb::ListResourcesRequest {
        filter: filter.into(),
        ..Default::default()
    };
    let (by, provider) = (world.by(&alice), world.by(&admin));
    for field in ["secretMode", "noSuchMode"] {
        let found = by.list(asked(&format!("spec.{field}==x"))).await;
        let told = detail(&found.unwrap_err()).message;
        assert_eq!(
            told,
            format!("no version of the type declares spec.{field}")
        );
    }
    let seen = provider.list(asked("spec.secretMode==x")).await;
    assert_eq!(names(&seen.unwrap()), [""; 0]);
}
