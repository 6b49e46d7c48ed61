//! Types: registering, changing and deleting versions, and the races with those who use them.

use crate::world::{World, admin, app, app_1_0, app_file, v};
use coeval_engine::EngineError;
use coeval_engine::types::Registration;
use coeval_engine::write::Create;
use serde_json::json;
use std::sync::Arc;

pub(crate) async fn a_bump_that_is_too_small_is_refused_with_a_witness(world: World) {
    let engine = &world.engine;
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    let narrower = app_file(
        "1.0.1",
        "  schema: {type: object, required: [image, size], properties: {image: {type: string}, size: {type: integer}}}\n",
    );
    let refused = engine
        .register(&admin(), Registration::of(narrower.clone()))
        .await;
    let EngineError::Incompatible { findings, .. } = refused.unwrap_err() else {
        panic!("refused for another reason");
    };
    assert!(
        findings.iter().any(|finding| finding.witness.is_some()),
        "{findings:?}"
    );
    let warned = engine
        .register(&admin(), Registration::of(narrower).warn())
        .await
        .unwrap();
    assert!(warned.unproven);
}

/// 100 creators against an editor: never both.
pub(crate) async fn creators_and_an_editor_never_both_succeed(world: World) {
    for round in 0..4 {
        let version = format!("1.{round}.0");
        let file = app_file(&version, "  schema: {type: object}\n");
        let edited = app_file(
            &version,
            "  description: edited\n  schema: {type: object}\n",
        );
        let engine = Arc::clone(&world.engine);
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
        let creators: Vec<_> = (0..25)
            .map(|n| {
                let (engine, version) = (Arc::clone(&engine), v(&version));
                tokio::spawn(async move {
                    let create = Create::new(version, format!("r{round}-{n}"), json!({}));
                    engine.create(&admin(), &app(), create).await
                })
            })
            .collect();
        let editing = {
            let engine = Arc::clone(&engine);
            let version = v(&version);
            tokio::spawn(async move {
                engine
                    .edit_type(&admin(), &app(), version, Registration::of(edited))
                    .await
            })
        };
        let mut first_made_before = false;
        for creator in creators {
            let made = creator.await.unwrap().unwrap();
            first_made_before |= made.created;
        }
        assert!(first_made_before);
        let state = engine.type_state(&app()).await.unwrap();
        let definition = state.version(v(&version)).unwrap();
        match editing.await.unwrap() {
            Ok(_) => assert_eq!(definition.description.as_deref(), Some("edited")),
            Err(error) => {
                assert!(matches!(error, EngineError::TypeInUse { .. }), "{error}");
                assert_eq!(definition.description, None);
            }
        }
    }
}
