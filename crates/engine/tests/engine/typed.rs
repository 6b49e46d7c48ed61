//! How types are said in protobuf: numbers that are given once, and packages.

use crate::world::{World, admin, app, app_1_0, app_file, settings, v};
use coeval_engine::types::Registration;
use coeval_engine::{Engine, TypeKey};
use coeval_storage::{AtomicWrite, Key, ReadRange, ReadRequest};
use coeval_typed::PackageLayout;

fn schema(version: &str, properties: &str) -> String {
    app_file(
        version,
        &format!("  schema: {{type: object, properties: {{{properties}}}}}\n"),
    )
}

async fn register(engine: &Engine, file: String) -> Vec<(String, String)> {
    let done = engine
        .register(&admin(), Registration::of(file).warn())
        .await
        .unwrap();
    let typed = done
        .findings
        .into_iter()
        .filter(|finding| finding.rule.starts_with("COEVAL-207"));
    typed.map(|finding| (finding.rule, finding.path)).collect()
}

fn numbers(layout: &PackageLayout) -> Vec<(String, u32)> {
    let fields = layout.spec.fields.iter();
    fields
        .map(|field| (field.name.clone(), field.number))
        .collect()
}

async fn package(engine: &Engine, name: &str) -> Option<(TypeKey, Vec<(String, u32)>, String)> {
    let found = engine.typed_package(&admin(), name).await.unwrap();
    found.map(|(of, layout)| (of, numbers(&layout), layout.version.to_string()))
}

fn fields(all: &[(&str, u32)]) -> Vec<(String, u32)> {
    all.iter()
        .map(|(name, number)| ((*name).to_owned(), *number))
        .collect()
}

pub(crate) async fn a_registered_type_has_a_package_at_once_on_every_server(mut world: World) {
    let other = world.another(settings()).await;
    assert_eq!(package(&other, "acme.app.v1").await, None);
    assert_eq!(register(&world.engine, app_1_0()).await, []);
    let expected = Some((
        app(),
        fields(&[("image", 1), ("replicas", 2)]),
        "1.0.0".to_owned(),
    ));
    assert_eq!(package(&world.engine, "acme.app.v1").await, expected);
    // It had just heard that nobody has that name.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    assert_eq!(package(&other, "acme.app.v1").await, expected);
    let file = schema(
        "1.1.0",
        "zone: {type: string}, image: {type: string}, replicas: {type: integer, minimum: 0}",
    );
    register(&world.engine, file).await;
    let expected = fields(&[("image", 1), ("replicas", 2), ("zone", 3)]);
    assert_eq!(
        package(&other, "acme.app.v1").await,
        Some((app(), expected, "1.1.0".to_owned()))
    );
    for name in [
        "acme.app.v2",
        "acme.app",
        "",
        "acme.other.v1",
        &"a.".repeat(3_000),
    ] {
        assert_eq!(package(&other, name).await, None, "{name}");
    }
}

pub(crate) async fn numbers_outlive_edits_versions_and_the_type(world: World) {
    let engine = &world.engine;
    register(
        engine,
        schema("1.0.0", "a: {type: string}, b: {type: string}"),
    )
    .await;
    let edited = Registration::of(schema("1.0.0", "b: {type: string}, c: {type: string}"));
    engine
        .edit_type(&admin(), &app(), v("1.0.0"), edited)
        .await
        .unwrap();
    let found = engine
        .typed_package(&admin(), "acme.app.v1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(numbers(&found.1), fields(&[("b", 2), ("c", 3)]));
    assert_eq!(found.1.spec.reserved[0].name, "a");
    engine
        .delete_type(&admin(), &app(), v("1.0.0"))
        .await
        .unwrap();
    assert_eq!(package(engine, "acme.app.v1").await, None);
    register(
        engine,
        schema("1.0.0", "d: {type: string}, c: {type: string}"),
    )
    .await;
    let expected = fields(&[("c", 3), ("d", 4)]);
    assert_eq!(
        package(engine, "acme.app.v1").await,
        Some((app(), expected, "1.0.0".to_owned()))
    );
}

pub(crate) async fn a_package_belongs_to_the_type_that_was_first(world: World) {
    let engine = &world.engine;
    let file = |nss: &str| {
        app_1_0()
            .replace("acme:app:", &format!("acme:{nss}:"))
            .replace("nss: app", &format!("nss: {nss}"))
    };
    assert_eq!(register(engine, file("my-app")).await, []);
    assert_eq!(
        register(engine, file("my_app")).await,
        [("COEVAL-2074".to_owned(), String::new())]
    );
    let (of, ..) = package(engine, "acme.my_app.v1").await.unwrap();
    assert_eq!(of, TypeKey::new("acme", "my-app"));
    assert!(
        engine
            .typed_layouts(&TypeKey::new("acme", "my_app"))
            .await
            .unwrap()
            .is_empty()
    );
    // Nobody else gets it when it is gone: its clients would read another's fields.
    engine.delete_type(&admin(), &of, v("1.0.0")).await.unwrap();
    assert_eq!(
        register(engine, file("myApp")).await,
        [("COEVAL-2074".to_owned(), String::new())]
    );
    assert_eq!(
        register(engine, file("3d")).await,
        [("COEVAL-2073".to_owned(), String::new())]
    );
}

pub(crate) async fn what_a_package_cant_say_is_found_at_registration(world: World) {
    let engine = &world.engine;
    let found = register(
        engine,
        schema("1.0.0", "\"$x\": {type: string}, a: {type: string}"),
    )
    .await;
    assert_eq!(found, [("COEVAL-2070".to_owned(), "/$x".to_owned())]);
    // Breaking, and so unproven: the package stays.
    let found = register(engine, schema("1.1.0", "a: {type: integer}")).await;
    assert!(
        found.contains(&("COEVAL-2075".to_owned(), String::new())),
        "{found:?}"
    );
    let (_, _, version) = package(engine, "acme.app.v1").await.unwrap();
    assert_eq!(version, "1.0.0");
    register(engine, schema("2.0.0", "a: {type: integer}")).await;
    assert_eq!(
        package(engine, "acme.app.v2").await,
        Some((app(), fields(&[("a", 1)]), "2.0.0".to_owned()))
    );
}

/// As a release leaves it that knows nothing of packages.
async fn forget_numbers(engine: &Engine) {
    let mut write = AtomicWrite::new();
    for first in ["f", "v"] {
        let range = ReadRange::below(&Key::new(first.as_bytes().to_vec()).unwrap());
        let (_, page) = engine.store().range(range).await.unwrap();
        for entry in page.entries {
            write = write.delete(&entry.key);
        }
    }
    // The type is loaded anew.
    let phase = Key::new(b"p/acme/app".to_vec()).unwrap();
    let read = engine
        .store()
        .read(ReadRequest::keys([phase.clone()]))
        .await
        .unwrap();
    let record = read
        .keys
        .into_iter()
        .next()
        .flatten()
        .unwrap()
        .into_record()
        .unwrap();
    engine
        .store()
        .atomic_write(write.put(&phase, record.content))
        .await
        .unwrap();
}

pub(crate) async fn a_type_of_an_earlier_release_gets_its_numbers_when_it_is_asked_for(
    mut world: World,
) {
    register(&world.engine, app_1_0()).await;
    forget_numbers(&world.engine).await;
    let other = world.another(settings()).await;
    let expected = Some((
        app(),
        fields(&[("image", 1), ("replicas", 2)]),
        "1.0.0".to_owned(),
    ));
    assert_eq!(package(&other, "acme.app.v1").await, expected);
    // They are in the store now.
    let (one, same) = tokio::join!(
        package(&world.engine, "acme.app.v1"),
        package(&other, "acme.app.v1")
    );
    assert_eq!((one, same), (expected.clone(), expected));
}

pub(crate) async fn versions_registered_at_once_share_no_number(world: World) {
    register(&world.engine, schema("1.0.0", "a: {type: string}")).await;
    let registering = (1..8).map(|minor| {
        let engine = std::sync::Arc::clone(&world.engine);
        tokio::spawn(async move {
            let file = schema(
                &format!("1.{minor}.0"),
                &format!("a: {{type: string}}, f{minor}: {{type: string}}"),
            );
            register(&engine, file).await
        })
    });
    for one in registering.collect::<Vec<_>>() {
        one.await.unwrap();
    }
    let (_, layout) = world
        .engine
        .typed_package(&admin(), "acme.app.v1")
        .await
        .unwrap()
        .unwrap();
    let fields = layout.spec.fields.iter().map(|field| field.number);
    let mut all: Vec<u32> = fields
        .chain(layout.spec.reserved.iter().map(|one| one.number))
        .collect();
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
}

pub(crate) async fn numbers_that_cant_be_read_are_told_and_never_made_anew(mut world: World) {
    register(&world.engine, app_1_0()).await;
    let key = Key::new(b"f/acme/app/v1".to_vec()).unwrap();
    let spoil = AtomicWrite::new().put(&key, b"{".to_vec());
    world.engine.store().atomic_write(spoil).await.unwrap();
    let other = world.another(settings()).await;
    assert_eq!(package(&other, "acme.app.v1").await, None);
    let file = schema(
        "1.1.0",
        "image: {type: string}, replicas: {type: integer, minimum: 0}",
    );
    let refused = other
        .register(&admin(), Registration::of(file).warn())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("numbers"), "{refused}");
    let mut problems = Vec::new();
    let mut told = |problem: &coeval_engine::inspect::Problem| problems.push(problem.code.number());
    let repair = coeval_engine::inspect::Repair::Yes;
    other.inspect(repair, &|_| (), &mut told).await.unwrap();
    assert_eq!(problems, [2077]);
}
