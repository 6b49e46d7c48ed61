//! Two engines on one store, eight writers each.

use crate::world::{World, admin, app, app_1_0, app_1_1, v};
use coeval_codes::Coded;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, Settings, Target};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

const RESOURCES: usize = 4;

/// Adds one to a counter, at one of two versions, until it is done.
async fn add_one(engine: &Engine, id: &Target, old: bool) {
    let at = if old { v("1.0.0") } else { v("1.1.0") };
    let caller = admin().at(at);
    loop {
        let read = engine.get(&caller, &app(), id).await.unwrap();
        let mut content: Value = serde_json::from_slice(&read.content).unwrap();
        content["replicas"] = json!(content["replicas"].as_i64().unwrap() + 1);
        let update = Update::new(at, content).on(read.revision);
        match engine.update(&caller, &app(), id, &update).await {
            Ok(_) => return,
            Err(error) => assert_eq!(error.code(), coeval_codes::RESOURCE_CONFLICT, "{error}"),
        }
    }
}

pub(crate) async fn no_update_is_lost_between_two_engines(mut world: World) {
    let engines = [
        Arc::clone(&world.engine),
        world.another(Settings::default()).await,
    ];
    for file in [app_1_0(), app_1_1()] {
        engines[0]
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    let mut ids = Vec::new();
    for n in 0..RESOURCES {
        let body = json!({"image": "a", "replicas": 0, "region": "eu"});
        let create = Create::new(v("1.1.0"), format!("r{n}"), body);
        let made = engines[n % 2]
            .create(&admin(), &app(), create)
            .await
            .unwrap();
        ids.push(made.resource.id);
    }
    // 20 s for the three stores together; ten minutes with ./test --long.
    let time = if coeval_storage_suite::scale() > 1.0 {
        200
    } else {
        6
    };
    let until = Instant::now() + Duration::from_secs(time);
    let mut writers = Vec::new();
    for writer in 0..16 {
        let engine = Arc::clone(&engines[writer % 2]);
        let other = Arc::clone(&engines[(writer + 1) % 2]);
        let ids = ids.clone();
        writers.push(tokio::spawn(async move {
            let mut added = [0_i64; RESOURCES];
            for n in 0.. {
                if Instant::now() > until {
                    break;
                }
                let which = (writer + n) % RESOURCES;
                let id = Target::Id(ids[which]);
                add_one(&engine, &id, writer % 4 < 2).await;
                added[which] += 1;
                if n % 5 == 0 {
                    read_your_write(&engine, &other, &id).await;
                }
            }
            added
        }));
    }
    let mut expected = [0; RESOURCES];
    for writer in writers {
        for (sum, added) in expected.iter_mut().zip(writer.await.unwrap()) {
            *sum += added;
        }
    }
    println!("{expected:?} increments");
    for (id, expected) in ids.iter().zip(expected) {
        let read = engines[0]
            .get(&admin(), &app(), &Target::Id(*id))
            .await
            .unwrap();
        let content: Value = serde_json::from_slice(&read.content).unwrap();
        assert_eq!(
            content,
            json!({"image": "a", "replicas": expected, "region": "eu"})
        );
    }
}

/// A write on one is read on the other at once, by its sequence.
async fn read_your_write(one: &Engine, other: &Engine, id: &Target) {
    let update = Update {
        content: None,
        ..Update::new(v("1.1.0"), Value::Null)
    };
    let Ok(written) = one.update(&admin(), &app(), id, &update).await else {
        return;
    };
    let written = written.done().unwrap();
    let mut caller = admin();
    caller.at_least = Some(written.resource.token);
    let read = other.get(&caller, &app(), id).await.unwrap();
    assert!(read.header.generation >= written.resource.header.generation);
}
