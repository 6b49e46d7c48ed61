//! Rights bundles, and what publishing them does.

use crate::identity::{BUNDLE, code, org, register, sees, someone, to};
use crate::world::{World, admin, app, app_1_0, app_1_1, app_file, settings, v};
use coeval_access::BundleAudience;
use coeval_engine::identity::{BundleEdit, NewBundle, PublishTo};
use coeval_engine::{AuditQuery, Engine, What};
use coeval_storage::layers::{FaultPlan, FaultyStore, InjectedFault};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) async fn a_types_bundle_comes_with_its_first_version_and_goes_with_its_last(
    world: World,
) {
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    register(engine, app_1_1()).await;
    let bundle = engine.get_bundle(&admin(), BUNDLE).await.unwrap();
    assert_eq!(bundle.rights.len(), 5);
    assert!(
        bundle
            .rights
            .contains(&"acme:app: Administrator Full access".to_owned())
    );
    assert_eq!(bundle.published, BundleAudience::To([].into()));
    let deleted = engine.delete_bundle(&admin(), BUNDLE).await;
    assert_eq!(code(deleted), coeval_codes::PREDEFINED);
    engine
        .delete_type(&admin(), &app(), v("1.1.0"))
        .await
        .unwrap();
    assert!(engine.get_bundle(&admin(), BUNDLE).await.is_ok());
    engine
        .delete_type(&admin(), &app(), v("1.0.0"))
        .await
        .unwrap();
    let gone = engine.get_bundle(&admin(), BUNDLE).await;
    assert_eq!(code(gone), coeval_codes::BUNDLE_UNKNOWN);
    register(engine, app_1_0()).await;
    assert!(engine.get_bundle(&admin(), BUNDLE).await.is_ok());
}

pub(crate) async fn publishing_shows_every_version_and_unpublishing_hides_what_nobody_else_brings(
    world: World,
) {
    let engine = &world.engine;
    let (acme, bolt) = (org(engine, "acme").await, org(engine, "bolt").await);
    register(engine, app_1_0()).await;
    register(engine, app_1_1()).await;
    let (a, b) = (someone(&acme), someone(&bolt));
    assert!(!sees(engine, &a, "1.0.0").await);
    let published = engine.publish_bundle(&admin(), BUNDLE, &to(&[&acme])).await;
    assert!(published.unwrap().published.includes(&acme.id));
    for version in ["1.0.0", "1.1.0"] {
        assert!(sees(engine, &a, version).await);
        assert!(!sees(engine, &b, version).await);
    }
    // An older version that is defined later is seen once the bundle is published again.
    let older = app_file("0.9.0", "  schema: {type: object}\n");
    register(engine, older).await;
    assert!(!sees(engine, &a, "0.9.0").await);
    engine
        .publish_bundle(&admin(), BUNDLE, &to(&[&acme]))
        .await
        .unwrap();
    assert!(sees(engine, &a, "0.9.0").await);
    let own = NewBundle {
        name: "own".to_owned(),
        description: None,
        rights: vec!["acme:app: View".to_owned()],
    };
    engine.create_bundle(&admin(), &own).await.unwrap();
    engine
        .publish_bundle(&admin(), "own", &PublishTo::All)
        .await
        .unwrap();
    assert!(sees(engine, &b, "1.0.0").await);
    let later = org(engine, "later").await;
    assert!(
        sees(engine, &someone(&later), "1.1.0").await,
        "made after publishing to all"
    );
    engine
        .unpublish_bundle(&admin(), BUNDLE, &to(&[&acme]))
        .await
        .unwrap();
    assert!(
        sees(engine, &a, "1.0.0").await,
        "the other bundle brings it"
    );
    let one = engine
        .unpublish_bundle(&admin(), "own", &to(&[&acme]))
        .await;
    assert_eq!(code(one), coeval_codes::PUBLISHED_TO_ALL);
    let edit = BundleEdit {
        rights: Some(vec!["acme:db: View".to_owned()]),
        ..BundleEdit::default()
    };
    engine.update_bundle(&admin(), "own", &edit).await.unwrap();
    for caller in [&a, &b, &someone(&later)] {
        assert!(!sees(engine, caller, "1.0.0").await);
    }
    let query = AuditQuery {
        of: Some("coeval:bundle".to_owned()),
        ..AuditQuery::default()
    };
    let audit = engine.audit(&admin(), &query, None, 100).await.unwrap();
    let did = |what| audit.iter().filter(|one| one.deed.what == what).count();
    assert_eq!((did(What::Publish), did(What::Unpublish)), (3, 1));
}

/// Lets so many writes through, and then none.
#[derive(Debug)]
pub(crate) struct Dying(pub(crate) AtomicUsize);

impl FaultPlan for Dying {
    fn write(&self) -> Option<InjectedFault> {
        let left = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| {
                left.checked_sub(1)
            });
        left.is_err().then_some(InjectedFault::ErrorBefore)
    }
}

pub(crate) async fn a_publication_that_was_cut_short_is_finished_by_whoever_opens_next(
    mut world: World,
) {
    let acme = org(&world.engine, "acme").await;
    for file in [app_1_0(), app_1_1()] {
        register(&world.engine, file).await;
    }
    let store = world.engine.store().clone();
    // The bundle's own write, that of the ACLs, the removal of the note.
    for survives in [1, 2] {
        for publish in [true, false] {
            let plan = Arc::new(Dying(AtomicUsize::new(survives)));
            let dying = Engine::new(Arc::new(FaultyStore::new(store.clone(), plan)), settings());
            let cut = if publish {
                dying.publish_bundle(&admin(), BUNDLE, &to(&[&acme])).await
            } else {
                dying
                    .unpublish_bundle(&admin(), BUNDLE, &to(&[&acme]))
                    .await
            };
            assert_eq!(code(cut), coeval_codes::UNAVAILABLE);
            let bundle = world.engine.get_bundle(&admin(), BUNDLE).await.unwrap();
            assert_eq!(bundle.published.includes(&acme.id), publish);
            if survives == 1 {
                assert_eq!(
                    sees(&world.engine, &someone(&acme), "1.1.0").await,
                    !publish
                );
            }
            let next = world.another(settings()).await;
            for version in ["1.0.0", "1.1.0"] {
                assert_eq!(sees(&next, &someone(&acme), version).await, publish);
            }
            let notes = coeval_storage::Key::try_from("o/unsettled").unwrap();
            let notes = coeval_storage::ReadRange::below(&notes);
            let (_, page) = store.range(notes).await.unwrap();
            assert!(page.entries.is_empty());
        }
    }
}
