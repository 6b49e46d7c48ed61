//! What is shown to whom, at which version, and what is quarantined.

use super::all;
use super::every_id;
use super::ids;
use super::make;
use super::numbered;
use super::pages;
use super::with_types;
use crate::world::{OTHER, TENANT, World, admin, app, app_file, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::types::InterfaceId;
use coeval_core::version::{Classification, Uuid};
use coeval_engine::types::{Interface, Registration};
use coeval_engine::write::Create;
use coeval_engine::{InOrg, ListOf, Settings, Target, TypeKey};
use coeval_filter::{FieldComparison, Filter, FilterField, Operand, SortDirection, SortOrder};
use coeval_storage::{Key, RecordContent, RecordPut};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Overwrites the records of these with bytes that are no resources, each in another way.
async fn spoil(world: &World, spoiled: &[Uuid]) {
    for (n, id) in spoiled.iter().enumerate() {
        let key = Key::try_from(format!("e/acme/app/v1/{id}").as_str()).unwrap();
        let store = world.engine.store();
        let content = match n % 3 {
            0 => RecordContent::of("no record at all"),
            1 => RecordContent {
                flags: 0,
                fields: vec![(1, "{\"v\": 5}".into())],
                body: "{}".into(),
                packed: false,
            },
            // A header, and a content that is cut short.
            _ => {
                let mut content = store.get(&key).await.unwrap().content;
                content.body = content.body.slice(..content.body.len() / 2);
                content
            }
        };
        store.put(&key, RecordPut::of(content)).await.unwrap();
    }
}

pub(crate) async fn one_bad_object_never_hides_another(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let mut own = make(engine, &admin(), (0..40).map(numbered).collect()).await;
    own.sort_unstable();
    // The first ten: whole pages of nothing else.
    let (bad, good) = own.split_at(10);
    spoil(&world, bad).await;
    let expected: BTreeSet<String> = bad
        .iter()
        .map(|id| format!("urn:vcloud:entity:acme:app:{id}"))
        .collect();
    let field = FilterField::Content(coeval_filter::ContentPath::from_dotted("image").unwrap());
    let orders = [
        vec![],
        vec![(FilterField::Name, SortDirection::Descending)],
        vec![(field, SortDirection::Descending)],
    ];
    for order in orders {
        for org in [InOrg::Own, InOrg::All] {
            let mut query = all().sized(4);
            query.order = Some(SortOrder::new(order.clone()).unwrap());
            query.org = org.clone();
            query.count = true;
            let found = pages(engine, &admin(), &query).await;
            let mut listed: Vec<Uuid> = found.iter().flat_map(ids).collect();
            listed.sort_unstable();
            assert_eq!(listed, good, "{order:?}");
            let named: Vec<String> = found
                .iter()
                .flat_map(|page| &page.quarantined)
                .map(|one| one.id.clone())
                .collect();
            assert_eq!(named.len(), bad.len(), "{order:?} {org:?}");
            assert_eq!(named.into_iter().collect::<BTreeSet<_>>(), expected);
            assert_eq!(found[0].total, Some(40), "{order:?} {org:?}");
            let full = found.iter().rev().skip(1);
            assert!(
                full.into_iter()
                    .all(|page| page.items.len() + page.quarantined.len() == 4)
            );
        }
    }
    let codes: BTreeSet<_> = {
        let page = engine.list(&admin(), &all()).await.unwrap();
        page.quarantined.iter().map(|one| one.code).collect()
    };
    assert_eq!(codes, [coeval_codes::RESOURCE_UNREADABLE].into());
}

pub(crate) async fn who_may_not_see_an_object_is_not_told_that_it_is_bad(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let creates = (0..6).map(|n| {
        let mut create = numbered(n);
        create.org = Some(OTHER.to_owned());
        if n < 2 {
            create.owner = Some("bob".to_owned());
        }
        create
    });
    let creates: Vec<Create> = creates.collect();
    let mut made = Vec::new();
    for create in creates {
        made.extend(make(engine, &admin(), vec![create]).await);
    }
    spoil(&world, &made).await;
    let mut of_other = all();
    of_other.org = InOrg::One(OTHER.to_owned());
    let table = [
        (admin(), of_other, 6),
        (
            tenant("ada", OTHER, &["acme:app: Administrator View"]),
            all(),
            6,
        ),
        // Owns two of them.
        (tenant("bob", OTHER, &["acme:app: Full Access"]), all(), 2),
        (tenant("eve", OTHER, &["acme:app: Full Access"]), all(), 0),
        (tenant("eve", OTHER, &[]), all(), 0),
    ];
    for (caller, mut query, expected) in table {
        query.count = true;
        let page = engine.list(&caller, &query).await.unwrap();
        assert_eq!(page.items.len(), 0);
        assert_eq!(page.quarantined.len(), expected, "{}", caller.user());
        assert_eq!(page.total, Some(expected as u64), "{}", caller.user());
    }
    // Who sees no version of the type is not even told that there is one.
    let kim = tenant("kim", TENANT, &["acme:app: Administrator View"]);
    let refused = engine.list(&kim, &all()).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_UNKNOWN);
}

pub(crate) async fn a_restricted_user_is_shown_what_it_owns_and_what_is_granted(world: World) {
    with_types(&world).await;
    let engine = &world.engine;
    let creates = (0..200).map(|n| {
        let mut create = numbered(n);
        create.org = Some(OTHER.to_owned());
        if n % 50 == 7 {
            create.owner = Some("bob".to_owned());
        }
        create
    });
    let mut all_made = make(engine, &admin(), creates.collect()).await;
    all_made.sort_unstable();
    let grant = Grant {
        member: AclMember::User("bob".to_owned()),
        level: AccessLevel::ReadOnly,
    };
    for id in all_made.iter().step_by(40) {
        engine
            .grant(&admin(), &app(), &Target::Id(*id), &grant)
            .await
            .unwrap();
    }
    let bob = tenant("bob", OTHER, &["acme:app: View"]);
    let mut expected = Vec::new();
    for id in &all_made {
        if engine.get(&bob, &app(), &Target::Id(*id)).await.is_ok() {
            expected.push(*id);
        }
    }
    assert!((8..=9).contains(&expected.len()), "{}", expected.len());
    let mut query = all().sized(3);
    query.count = true;
    let found = pages(engine, &bob, &query).await;
    let listed: Vec<Uuid> = found.iter().flat_map(ids).collect();
    assert_eq!(listed, expected);
    assert_eq!(found[0].total, Some(expected.len() as u64));
    let second = engine.list(&bob, &query.clone().number(2)).await.unwrap();
    assert_eq!(ids(&second), &expected[3..6]);
    // Another organization's are not for a tenant, whatever it asks.
    for org in [InOrg::One(TENANT.to_owned()), InOrg::All] {
        query.org = org;
        let refused = engine.list(&bob, &query).await.unwrap_err();
        assert!(
            matches!(refused, coeval_engine::EngineError::Denied(_)),
            "{refused}"
        );
    }
}

pub(crate) async fn each_is_shown_at_the_wanted_version_or_quarantined(mut world: World) {
    with_types(&world).await;
    // Only some texts are numbers: the rest can't be shown at the second major.
    let spec = "  schema: {type: object, required: [image], properties: {image: {type: integer}}}\n  conversion: {from: 1.1.0, steps: [{convert: {path: /image, to: integer}}]}\n";
    let registration = Registration::of(app_file("2.0.0", spec)).warn();
    world.engine.register(&admin(), registration).await.unwrap();
    let engine = &world.engine;
    let mut creates: Vec<Create> = (0..9).map(numbered).collect();
    creates.push(Create::new(v("1.0.0"), "twelve", json!({"image": "12"})));
    creates.push(Create::new(v("2.0.0"), "second", json!({"image": 5})));
    make(engine, &admin(), creates).await;
    for (version, shown, refused) in [("1.0.0", 11, 0), ("2.0.0", 2, 9), ("3.0.0", 0, 11)] {
        let page = engine.list(&admin().at(v(version)), &all()).await.unwrap();
        assert_eq!(page.items.len(), shown, "{version} {:?}", page.quarantined);
        assert_eq!(page.quarantined.len(), refused, "{version}");
        for item in &page.items {
            assert_eq!(item.version.version, v(version));
            let content: Value = serde_json::from_slice(&item.content).unwrap();
            assert_eq!(content["image"].is_string(), version == "1.0.0");
        }
    }
    let stored = engine.list(&admin(), &all()).await.unwrap();
    assert_eq!(stored.items.len(), 11);
    // A server that does not know the second major names its resources.
    let mut settings = Settings::default();
    settings.emulate.insert(app(), v("1.0.0"));
    let old = world.another(settings).await;
    let page = old.list(&admin(), &all()).await.unwrap();
    assert_eq!(page.items.len(), 10);
    assert_eq!(page.quarantined.len(), 1);
    assert!(
        page.items
            .iter()
            .all(|item| item.version.version == v("1.0.0"))
    );
    // What the filter says of its name still counts.
    let mut query = all();
    query.filter = Some(Filter::test(
        FilterField::Name,
        FieldComparison::NotEqual(Operand::Text("second".to_owned())),
    ));
    assert_eq!(
        old.list(&admin(), &query).await.unwrap().quarantined.len(),
        0
    );
}

pub(crate) async fn an_interface_lists_all_types_that_implement_it(world: World) {
    let engine = &world.engine;
    let id = InterfaceId {
        vendor: "acme".to_owned(),
        nss: "runs".to_owned(),
        version: v("1.0.0"),
    };
    engine
        .define_interface(&admin(), &Interface::new(&id, "Runs"))
        .await
        .unwrap();
    let implements = "  interfaces: [\"acme:runs:1.0.0\"]\n  schema: {type: object}\n";
    for (nss, spec) in [
        ("app", implements),
        ("app-2", implements),
        ("db", "  schema: {type: object}\n"),
        ("job", implements),
    ] {
        let file = app_file("1.0.0", spec);
        let file = file.replace("acme:app:1.0.0", &format!("acme:{nss}:1.0.0"));
        let file = file.replace("nss: app\n", &format!("nss: {nss}\n"));
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
        for n in 0..5 {
            let create = Create::new(v("1.0.0"), format!("{nss}-{}", 9 - n), json!({}));
            engine
                .create(&admin(), &TypeKey::new("acme", nss), create)
                .await
                .unwrap();
        }
    }
    for versions in [
        None,
        Some(Classification::Major(1)),
        Some(Classification::Exact(v("1.0.0"))),
    ] {
        for order in [
            None,
            Some(SortOrder::new(vec![(FilterField::Name, SortDirection::Descending)]).unwrap()),
        ] {
            let mut query = all().sized(4);
            let of = TypeKey::new("acme", "runs");
            query.of = ListOf::Interface { of, versions };
            query.order = order.clone();
            query.count = true;
            let found = pages(engine, &admin(), &query).await;
            assert_eq!(found[0].total, Some(15));
            let items: Vec<_> = found.iter().flat_map(|page| &page.items).collect();
            assert_eq!(items.len(), 15);
            match order {
                None => assert!(items.is_sorted_by_key(|item| item.urn())),
                Some(_) => assert!(items.is_sorted_by(|a, b| a.header.name >= b.header.name)),
            }
            assert!(items.iter().all(|item| &*item.of.nss != "db"));
        }
    }
    let mut query = all();
    query.of = ListOf::Interface {
        of: TypeKey::new("acme", "runs"),
        versions: Some(Classification::Major(2)),
    };
    let refused = engine.list(&admin(), &query).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::INTERFACE_UNKNOWN);
    let unknown = coeval_engine::ListQuery::of(TypeKey::new("acme", "none"));
    let refused = engine.list(&admin(), &unknown).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TYPE_UNKNOWN);
    assert_eq!(every_id(engine, &admin(), &all()).await.len(), 5);
}
