//! A view fits the version that it claims, and a body the version that it is written at.

use crate::world::{World, admin, app, app_file, v};
use coeval_codes::Coded;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Undeclared, Update};
use coeval_engine::{EngineError, ListQuery, Target};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

async fn registered(world: &World, files: &[(&str, &str)]) {
    for (version, rest) in files {
        let registration = Registration::of(app_file(version, rest)).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
}

const TIERS: [(&str, &str); 2] = [
    (
        "1.0.0",
        "  schema: {type: object, properties: {name: {type: string}, tier: {enum: [a, b]}}}\n",
    ),
    (
        "1.1.0",
        "  schema: {type: object, properties: {name: {type: string}, tier: {enum: [a, b, c]}}}\n",
    ),
];

async fn made(world: &World, at: &str, name: &str, content: Value) -> Target {
    let create = Create::new(v(at), name, content);
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

async fn read(world: &World, at: &str, target: &Target) -> Result<Value, EngineError> {
    let caller = admin().at(v(at));
    let read = world.engine.get(&caller, &app(), target).await?;
    Ok(serde_json::from_slice(&read.content).unwrap())
}

/// Whether there is a proof is found out when a view is wanted first, beside the readers.
pub(crate) async fn what_is_not_proven_is_looked_at_before_and_after_that_is_found_out(
    world: World,
) {
    // Several rounds, each with versions that nobody asked for yet: the first readers come while the
    // proof is sought.
    for round in 1..6_u32 {
        let (old, new) = (format!("{round}.0.0"), format!("{round}.1.0"));
        let [(_, narrow), (_, wide)] = TIERS;
        registered(&world, &[(&old, narrow), (&new, wide)]).await;
        let mut unfit = Vec::new();
        for n in 0..20 {
            let name = format!("r{round}-{n}");
            unfit.push(made(&world, &new, &name, json!({"tier": "c"})).await);
        }
        let reads = unfit.into_iter().map(|target| {
            let (engine, caller) = (Arc::clone(&world.engine), admin().at(v(&old)));
            tokio::spawn(async move { engine.get(&caller, &app(), &target).await })
        });
        for read in reads.collect::<Vec<_>>() {
            let refused = read.await.unwrap().unwrap_err();
            assert_eq!(refused.code(), coeval_codes::VIEW_UNFIT, "{refused}");
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let later = made(&world, "1.1.0", "later", json!({"tier": "c"})).await;
    let refused = read(&world, "1.0.0", &later).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::VIEW_UNFIT, "{refused}");
}

pub(crate) async fn what_does_not_fit_is_refused_or_quarantined(world: World) {
    registered(&world, &TIERS).await;
    let fits = made(&world, "1.1.0", "fits", json!({"tier": "b"})).await;
    let new = made(&world, "1.1.0", "new", json!({"tier": "c"})).await;
    // Twice: the second answer comes from the cache of views.
    for _ in 0..2 {
        assert_eq!(read(&world, "1.0.0", &fits).await.unwrap()["tier"], "b");
        assert_eq!(read(&world, "1.1.0", &new).await.unwrap()["tier"], "c");
        let refused = read(&world, "1.0.0", &new).await.unwrap_err();
        assert_eq!(refused.code(), coeval_codes::VIEW_UNFIT);
        let content = refused.content().unwrap();
        assert_eq!(content.violations()[0].pointer, "/tier");
        assert!(refused.to_string().contains("/tier"), "{refused}");
    }
    let old = admin().at(v("1.0.0"));
    let page = world
        .engine
        .list(&old, &ListQuery::of(app()))
        .await
        .unwrap();
    let names = page.items.iter().map(|one| one.header.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["fits"]);
    let [quarantined] = page.quarantined.as_slice() else {
        panic!("{:?}", page.quarantined);
    };
    assert_eq!(quarantined.code, coeval_codes::VIEW_UNFIT);
    // A mask is about what the caller is shown, and that is nothing.
    let mask = coeval_engine::write::FieldMask::parse(["/name"]).unwrap();
    let update = Update {
        mask: Some(mask),
        ..Update::new(v("1.0.0"), json!({"name": "x"}))
    };
    let refused = world.engine.update(&old, &app(), &new, &update).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::VIEW_UNFIT);
}

pub(crate) async fn readers_who_tolerate_values_are_shown_and_may_return_them(world: World) {
    let tolerant = "  schema: {type: object, properties: {name: {type: string}, tier: {enum: [a, b], x-extensible-enum: true}}}\n";
    registered(&world, &[("1.0.0", tolerant), TIERS[1]]).await;
    let new = made(&world, "1.1.0", "new", json!({"tier": "c"})).await;
    let seen = read(&world, "1.0.0", &new).await.unwrap();
    assert_eq!(seen, json!({"tier": "c"}));
    let echoed = Update::new(v("1.0.0"), json!({"tier": "c", "name": "n"}));
    let caller = admin().at(v("1.0.0"));
    let written = world.engine.update(&caller, &app(), &new, &echoed).await;
    assert_eq!(
        written
            .unwrap()
            .done()
            .unwrap()
            .resource
            .version
            .to_string(),
        "v1+downgraded"
    );
    let whole = read(&world, "1.1.0", &new).await.unwrap();
    assert_eq!(whole, json!({"tier": "c", "name": "n"}));
    // What is stored at the version is held to its list.
    let create = Create::new(v("1.0.0"), "old", json!({"tier": "c"}));
    let refused = world.engine.create(&admin(), &app(), create).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::CONTENT_INVALID);
}

pub(crate) async fn a_save_that_returns_a_tolerated_value_moves_nothing(world: World) {
    let plain = "  schema: {type: object, properties: {name: {type: string}}}\n";
    let tolerant = "  schema: {type: object, properties: {name: {type: string}, tier: {enum: [a, b], x-extensible-enum: true}}}\n";
    let files = [("1.0.0", plain), ("1.1.0", tolerant), ("2.0.0", TIERS[1].1)];
    registered(&world, &files).await;
    let it = made(&world, "1.0.0", "it", json!({"name": "n"})).await;
    let newest = Update::new(v("2.0.0"), json!({"name": "n", "tier": "c"}));
    let written = world.engine.update(&admin(), &app(), &it, &newest).await;
    assert_eq!(
        written.unwrap().done().unwrap().resource.header.version,
        v("1.0.0")
    );
    // The caller has full control, so a save at 1.1.0 would store it there, where `c` can't be.
    let echoed = read(&world, "1.1.0", &it).await.unwrap();
    assert_eq!(echoed["tier"], "c");
    let update = Update::new(v("1.1.0"), json!({"name": "changed", "tier": "c"}));
    let written = world.engine.update(&admin(), &app(), &it, &update).await;
    assert_eq!(
        written.unwrap().done().unwrap().resource.header.version,
        v("1.0.0")
    );
    let seen = read(&world, "2.0.0", &it).await.unwrap();
    assert_eq!(seen, json!({"name": "changed", "tier": "c"}));
    // With a value that it stores, it does.
    let update = Update::new(v("2.0.0"), json!({"name": "n", "tier": "a"}));
    let written = world.engine.update(&admin(), &app(), &it, &update).await;
    written.unwrap();
    let update = Update::new(v("1.1.0"), json!({"name": "n", "tier": "b"}));
    let written = world.engine.update(&admin(), &app(), &it, &update).await;
    assert_eq!(
        written.unwrap().done().unwrap().resource.header.version,
        v("1.1.0")
    );
}

pub(crate) async fn a_body_is_held_to_its_own_version(world: World) {
    registered(&world, &TIERS).await;
    let it = made(&world, "1.1.0", "it", json!({"tier": "a"})).await;
    let caller = admin().at(v("1.0.0"));
    let update = Update::new(v("1.0.0"), json!({"tier": "c"}));
    let refused = world.engine.update(&caller, &app(), &it, &update).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::CONTENT_INVALID);
    let update = Update::new(v("1.0.0"), json!({"tier": "b"}));
    let written = world.engine.update(&caller, &app(), &it, &update).await;
    assert!(written.is_ok(), "{written:?}");
}

/// What a body breaks of its own version is told by the names of that version, above and below the
/// stored one; only what an upgrade would do away with names the upgrade.
pub(crate) async fn a_body_that_breaks_its_own_version_is_told_so_in_its_terms(world: World) {
    let old = "  schema: {type: object, required: [replicas], properties: {replicas: {type: integer}, tier: {enum: [a, b]}}}\n";
    let new = "  schema: {type: object, required: [count], properties: {count: {type: integer}, tier: {enum: [a, b, c]}}}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /replicas, to: count}}]}\n";
    registered(&world, &[("1.0.0", old), ("2.0.0", new)]).await;
    let low = made(&world, "1.0.0", "low", json!({"replicas": 1})).await;
    let high = made(&world, "2.0.0", "high", json!({"count": 1})).await;
    for (target, at, body, told) in [
        (&low, "2.0.0", json!({"count": "x"}), "/count: must be"),
        (&low, "2.0.0", json!({}), "/count: is required"),
        (
            &high,
            "1.0.0",
            json!({"replicas": "x"}),
            "/replicas: must be",
        ),
        (&high, "1.0.0", json!({}), "/replicas: is required"),
    ] {
        let update = Update::new(v(at), body);
        let refused = world.engine.update(&admin(), &app(), target, &update).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), coeval_codes::CONTENT_INVALID);
        assert!(refused.to_string().contains(told), "{refused}");
        assert!(!refused.advice().contains("coeval upgrade"), "{refused}");
    }
    let wider = Update::new(v("2.0.0"), json!({"count": 1, "tier": "c"}));
    let refused = world.engine.update(&admin(), &app(), &low, &wider).await;
    let advice = refused.unwrap_err().advice();
    assert!(
        advice.contains("`coeval upgrade acme:app low --to 2.0.0`"),
        "{advice}"
    );
}

pub(crate) async fn a_write_warns_if_what_is_kept_no_longer_fits(world: World) {
    let old = "  schema: {type: object, properties: {size: {type: integer}}}\n";
    let new = "  schema: {type: object, properties: {size: {type: integer}, limit: {type: integer}}, if: {properties: {size: {minimum: 10}}, required: [size]}, then: {properties: {limit: {minimum: 10}}}}\n  conversion: {from: 1.0.0, steps: []}\n";
    registered(&world, &[("1.0.0", old), ("2.0.0", new)]).await;
    let it = made(&world, "1.0.0", "it", json!({"size": 1})).await;
    let newer = Update::new(v("2.0.0"), json!({"size": 1, "limit": 2}));
    let caller = admin().at(v("2.0.0"));
    let written = world.engine.update(&caller, &app(), &it, &newer).await;
    assert_eq!(
        written.unwrap().done().unwrap().warnings,
        Vec::<String>::new()
    );
    let older = Update::new(v("1.0.0"), json!({"size": 20}));
    let caller = admin().at(v("1.0.0"));
    let written = world.engine.update(&caller, &app(), &it, &older).await;
    let warnings = written.unwrap().done().unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("version 2.0.0"), "{warnings:?}");
    let refused = read(&world, "2.0.0", &it).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::VIEW_UNFIT);
    // Nothing is lost: a size that both take brings it back.
    let older = Update::new(v("1.0.0"), json!({"size": 3}));
    world
        .engine
        .update(&caller, &app(), &it, &older)
        .await
        .unwrap();
    let whole = read(&world, "2.0.0", &it).await.unwrap();
    assert_eq!(whole, json!({"size": 3, "limit": 2}));
}

pub(crate) async fn a_create_is_as_strict_as_an_update(world: World) {
    let old = "  schema: {type: object, properties: {image: {type: string}}}\n";
    let new =
        "  schema: {type: object, properties: {image: {type: string}, region: {type: string}}}\n";
    registered(&world, &[("1.0.0", old), ("1.1.0", new)]).await;
    let too_new = json!({"image": "a", "region": "eu"});
    let create = Create::new(v("1.0.0"), "it", too_new.clone());
    let refused = world.engine.create(&admin(), &app(), create).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::BODY_UNEXPRESSED);
    let it = made(&world, "1.0.0", "it", json!({"image": "a"})).await;
    let update = Update::new(v("1.0.0"), too_new);
    let refused = world.engine.update(&admin(), &app(), &it, &update).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::BODY_UNEXPRESSED);
}

pub(crate) async fn a_field_that_was_stored_before_its_name_was_taken_stays_writable(world: World) {
    let old = "  schema: {type: object, properties: {image: {type: string}}}\n";
    registered(&world, &[("1.0.0", old)]).await;
    let it = made(&world, "1.0.0", "it", json!({"image": "a", "region": 7})).await;
    let new =
        "  schema: {type: object, properties: {image: {type: string}, region: {type: string}}}\n";
    registered(&world, &[("1.1.0", new)]).await;
    let update = Update::new(v("1.0.0"), json!({"image": "b", "region": 8}));
    world
        .engine
        .update(&admin(), &app(), &it, &update)
        .await
        .unwrap();
    let stored = read(&world, "1.0.0", &it).await.unwrap();
    assert_eq!(stored, json!({"image": "b", "region": 8}));
    // At the version that took the name it is no text; also when the schemas alone prove that
    // documents fit.
    for _ in 0..2 {
        let refused = read(&world, "1.1.0", &it).await.unwrap_err();
        assert_eq!(refused.code(), coeval_codes::VIEW_UNFIT);
    }
}

pub(crate) async fn undeclared_fields_are_warned_of_or_refused(world: World) {
    let schema = "  schema: {type: object, properties: {host: {type: string}}}\n";
    registered(&world, &[("1.0.0", schema)]).await;
    let typo = json!({"host": "h", "hots": "typo"});
    let create = Create::new(v("1.0.0"), "it", typo.clone());
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    assert_eq!(made.warnings.len(), 1);
    assert!(made.warnings[0].contains("/hots"), "{:?}", made.warnings);
    let target = Target::Id(made.resource.id);
    let update = Update {
        undeclared: Undeclared::Refuse,
        ..Update::new(v("1.0.0"), typo.clone())
    };
    let refused = world
        .engine
        .update(&admin(), &app(), &target, &update)
        .await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::FIELD_UNDECLARED);
    let create = Create {
        undeclared: Undeclared::Refuse,
        ..Create::new(v("1.0.0"), "other", typo)
    };
    let refused = world.engine.create(&admin(), &app(), create).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::FIELD_UNDECLARED);
    let update = Update::new(v("1.0.0"), json!({"host": "h"}));
    let written = world
        .engine
        .update(&admin(), &app(), &target, &update)
        .await;
    assert_eq!(
        written.unwrap().done().unwrap().warnings,
        Vec::<String>::new()
    );
}
