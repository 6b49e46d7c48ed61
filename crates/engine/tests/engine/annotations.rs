//! Deprecation and columns of type versions.

use crate::world::{TENANT, World, admin, app, app_file, tenant, v};
use coeval_codes::Coded;
use coeval_core::types::{ColumnType, ListColumn, VersionDeprecation};
use coeval_engine::types::{AnnotationChange, CatalogEntry, Registration};
use coeval_engine::write::Create;
use coeval_engine::{Engine, EngineError};
use coeval_storage::{Key, ReadRequest};
use serde_json::json;

const SCHEMA: &str =
    "  schema: {type: object, properties: {image: {type: string}, size: {type: integer}}}\n";

fn image() -> ListColumn {
    ListColumn {
        name: "Image".to_owned(),
        path: "/image".to_owned(),
        kind: ColumnType::String,
    }
}

fn from_today(message: &str) -> VersionDeprecation {
    VersionDeprecation {
        since: Some("2026-11-18".to_owned()),
        sunset: None,
        message: Some(message.to_owned()),
    }
}

async fn shown(engine: &Engine) -> CatalogEntry {
    let found = engine.visible_type(&admin(), &app(), v("1.0.0")).await;
    found.unwrap()
}

async fn annotate(engine: &Engine, change: AnnotationChange) -> Result<(), EngineError> {
    let (who, of) = (admin(), app());
    engine.annotate_type(&who, &of, v("1.0.0"), &change).await
}

/// The definition as it is stored, and as 0.1.0 reads it.
async fn stored_file(engine: &Engine) -> String {
    let key = Key::new(b"t/acme/app/1.0.0".to_vec()).unwrap();
    let read = engine.store().read(ReadRequest::keys([key])).await.unwrap();
    let entry = read.keys.into_iter().next().flatten().unwrap();
    let record = entry.into_record().unwrap();
    String::from_utf8(record.content.body.to_vec()).unwrap()
}

pub(crate) async fn annotations_change_while_there_are_resources(mut world: World) {
    let other = world.another(crate::world::settings()).await;
    let engine = &world.engine;
    let said = "  columns: [{name: Image, path: /image}]\n";
    let file = app_file("1.0.0", &format!("{SCHEMA}{said}"));
    let registered = engine.register(&admin(), Registration::of(file)).await;
    registered.unwrap();
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    engine.create(&admin(), &app(), create).await.unwrap();
    assert_eq!(shown(&other).await.columns, [image()]);
    // What is stored with the definition is what 0.1.0 understands.
    let bare = stored_file(engine).await;
    assert!(!bare.contains("columns"), "{bare}");

    let change = AnnotationChange {
        deprecated: Some(Some(from_today("Use 2.0.0."))),
        columns: None,
    };
    annotate(engine, change).await.unwrap();
    let entry = shown(&other).await;
    assert_eq!(entry.deprecated, Some(from_today("Use 2.0.0.")));
    assert_eq!(entry.columns, [image()], "what is not named stays");
    assert_eq!(
        stored_file(engine).await,
        bare,
        "the definition is as it was"
    );

    // A file that differs in nothing else changes them; one without them changes nothing.
    let said = "  deprecated: {sunset: 2027-01-01}\n  columns: []\n";
    let again = app_file("1.0.0", &format!("{SCHEMA}{said}"));
    let done = other.register(&admin(), Registration::of(again)).await;
    assert_eq!(done.unwrap().inherits, None);
    let entry = shown(engine).await;
    let sunset = entry.deprecated.and_then(|one| one.sunset);
    assert_eq!(
        (sunset.as_deref(), entry.columns.len()),
        (Some("2027-01-01"), 0)
    );
    let plain = || app_file("1.0.0", SCHEMA);
    let refused = engine.register(&admin(), Registration::of(plain())).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::TYPE_EXISTS);
    assert!(shown(engine).await.deprecated.is_some());
    let wider = app_file("1.0.0", "  schema: {type: object}\n  deprecated: {}\n");
    let refused = engine.register(&admin(), Registration::of(wider)).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::TYPE_EXISTS);

    let change = AnnotationChange {
        deprecated: Some(None),
        columns: None,
    };
    annotate(engine, change).await.unwrap();
    assert_eq!(shown(&other).await.deprecated, None);
}

pub(crate) async fn annotations_are_of_one_registration(world: World) {
    let engine = &world.engine;
    let said = "  deprecated: {message: Use 2.0.0.}\n";
    let annotated = app_file("1.0.0", &format!("{SCHEMA}{said}"));
    let plain = app_file("1.0.0", SCHEMA);
    let caller = admin();
    let register = |file: String| engine.register(&caller, Registration::of(file));
    register(annotated.clone()).await.unwrap();
    // They outlive an edit that does not name them, and go with the version.
    let edited = app_file("1.0.0", &format!("  title: App\n{SCHEMA}"));
    let (of, edited) = (app(), Registration::of(edited));
    let edit = engine.edit_type(&caller, &of, v("1.0.0"), edited);
    edit.await.unwrap();
    assert!(shown(engine).await.deprecated.is_some());
    engine
        .delete_type(&caller, &app(), v("1.0.0"))
        .await
        .unwrap();
    register(plain.clone()).await.unwrap();
    assert_eq!(shown(engine).await.deprecated, None);

    // What a release that knows none leaves behind is about nothing.
    engine
        .delete_type(&caller, &app(), v("1.0.0"))
        .await
        .unwrap();
    register(annotated).await.unwrap();
    let keys =
        ["t/acme/app/1.0.0", "p/acme/app"].map(|key| Key::new(key.as_bytes().to_vec()).unwrap());
    let write = keys.iter().fold(
        coeval_storage::AtomicWrite::new(),
        coeval_storage::AtomicWrite::delete,
    );
    engine.store().atomic_write(write).await.unwrap();
    let bundle = engine.register(&caller, Registration::of(plain)).await;
    bundle.unwrap();
    assert_eq!(shown(engine).await.deprecated, None);
}

pub(crate) async fn who_may_not_edit_a_version_may_not_annotate_it(world: World) {
    let engine = &world.engine;
    let file = app_file("1.0.0", SCHEMA);
    engine
        .register(&admin(), Registration::of(file))
        .await
        .unwrap();
    let change = AnnotationChange {
        deprecated: Some(Some(from_today("no"))),
        columns: None,
    };
    let caller = tenant("t", TENANT, &["acme:app: View"]);
    let hidden = engine
        .annotate_type(&caller, &app(), v("1.0.0"), &change)
        .await;
    // Of a type that nobody shows it, the caller does not learn that it exists.
    assert_eq!(hidden.unwrap_err().code(), coeval_codes::TYPE_UNKNOWN);
    world.open_to_tenants(&["1.0.0"]).await;
    let denied = engine
        .annotate_type(&caller, &app(), v("1.0.0"), &change)
        .await;
    assert!(matches!(denied, Err(EngineError::Denied(_))), "{denied:?}");
    let unknown = engine
        .annotate_type(&admin(), &app(), v("9.0.0"), &change)
        .await;
    assert_eq!(
        unknown.unwrap_err().code(),
        coeval_codes::TYPE_VERSION_UNKNOWN
    );
    let columns = Some(vec![ListColumn {
        path: "/img".to_owned(),
        ..image()
    }]);
    let wrong = AnnotationChange {
        deprecated: None,
        columns,
    };
    let refused = annotate(engine, wrong).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::ANNOTATION_INVALID);
    let backwards = VersionDeprecation {
        sunset: Some("2020-01-01".to_owned()),
        ..from_today("no")
    };
    let wrong = AnnotationChange {
        deprecated: Some(Some(backwards)),
        columns: None,
    };
    let refused = annotate(engine, wrong).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::ANNOTATION_INVALID);
    assert_eq!(shown(engine).await.deprecated, None);
}
