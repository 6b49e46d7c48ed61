//! Random types, versions, callers and edits against a model that is a map.
//!
//! A type has a random history: each version adds a field, or renames one and begins a new major.
//! So a resource is a set of fields and a stored version: a body at a version replaces the fields
//! that the version has, whatever they are called there, and nothing else, whatever is stored.

use crate::world::{OTHER, TENANT, World, admin, app, app_file, tenant};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::decide::StoreAt;
use coeval_core::version::{Uuid, Version, WriteVersion};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, FieldMask, Update};
use coeval_engine::{Caller, EngineError, Target};
use coeval_storage::Revision;
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A version of the type: what its fields are called.
#[derive(Clone, Debug)]
struct Shape {
    version: Version,
    names: BTreeMap<u32, String>,
    file: String,
}

/// A random history of a type.
fn history(random: &mut Rng) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut names: BTreeMap<u32, String> = [(0, "f0".to_owned()), (1, "f1".to_owned())].into();
    let mut version = Version::new(1, 0, 0);
    for n in 0..random.u32(2..6) {
        let mut conversion = String::new();
        if let Some(before) = shapes.last() {
            let step = if random.bool() {
                let field = u32::try_from(names.len()).unwrap();
                names.insert(field, format!("f{field}"));
                version = Version::new(version.major, version.minor + 1, 0);
                format!("add: {{path: /f{field}}}")
            } else {
                let field = random.u32(..u32::try_from(names.len()).unwrap());
                let (old, new) = (names[&field].clone(), format!("g{field}v{n}"));
                names.insert(field, new.clone());
                version = Version::new(version.major + 1, 0, 0);
                format!("rename: {{path: /{old}, to: {new}}}")
            };
            let from = before.version;
            conversion = format!("  conversion: {{from: {from}, steps: [{{{step}}}]}}\n");
        }
        let fields: Vec<String> = names
            .values()
            .map(|name| format!("{name}: {{type: integer}}"))
            .collect();
        let spec = format!(
            "  schema: {{type: object, properties: {{{}}}}}\n  indexes: {{first: /{}}}\n{conversion}",
            fields.join(", "),
            names[&0]
        );
        shapes.push(Shape {
            version,
            names: names.clone(),
            file: app_file(&version.to_string(), &spec),
        });
    }
    shapes
}

/// One resource.
#[derive(Clone, Debug)]
struct Modelled {
    name: String,
    /// The number of the stored version.
    stored: usize,
    fields: BTreeMap<u32, i64>,
    revision: Revision,
    /// One that it had.
    stale: Option<Revision>,
}

fn shown(fields: &BTreeMap<u32, i64>, at: &Shape) -> Value {
    let named = at
        .names
        .iter()
        .filter_map(|(n, name)| Some((name.clone(), json!(fields.get(n)?))));
    Value::Object(named.collect())
}

fn random_body(random: &mut Rng, at: &Shape) -> (Value, BTreeMap<u32, i64>) {
    let mut fields = BTreeMap::new();
    for n in at.names.keys() {
        if random.bool() {
            fields.insert(*n, random.i64(0..5));
        }
    }
    (shown(&fields, at), fields)
}

struct Callers {
    shapes: Vec<Shape>,
    owner: Caller,
    reader: Caller,
    stranger: Caller,
}

async fn callers(world: &World, shapes: Vec<Shape>) -> Callers {
    let all = ["acme:app: Full Access"];
    let versions: Vec<String> = shapes.iter().map(|one| one.version.to_string()).collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    world.open_to_tenants(&versions).await;
    Callers {
        shapes,
        owner: tenant("owner", TENANT, &all),
        reader: tenant("reader", TENANT, &all),
        stranger: tenant("stranger", OTHER, &all),
    }
}

pub(crate) async fn a_random_history_agrees_with_the_model(world: World) {
    let seed = std::env::var("COEVAL_MODEL_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("COEVAL_MODEL_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let shapes = history(&mut random);
    for shape in &shapes {
        println!("{}", shape.file);
        let registration = Registration::of(shape.file.clone());
        world.engine.register(&admin(), registration).await.unwrap();
    }
    let callers = callers(&world, shapes).await;
    let mut model: BTreeMap<Uuid, Modelled> = BTreeMap::new();
    for step in 0..coeval_storage_suite::scaled(250) {
        let done = one(&world, &callers, &mut model, &mut random).await;
        println!("{step}: {done}");
        if step % 25 == 0 {
            compare(&world, &callers, &model).await;
        }
    }
    compare(&world, &callers, &model).await;
    let mut problems = Vec::new();
    let repair = coeval_engine::inspect::Repair::No;
    let told = &mut |problem: &coeval_engine::inspect::Problem| problems.push(problem.clone());
    world.engine.inspect(repair, &|_| {}, told).await.unwrap();
    assert_eq!(problems, []);
}

async fn compare(world: &World, callers: &Callers, model: &BTreeMap<Uuid, Modelled>) {
    for (id, expected) in model {
        for shape in &callers.shapes {
            let caller = callers.owner.clone().at(shape.version);
            let read = world
                .engine
                .get(&caller, &app(), &Target::Id(*id))
                .await
                .unwrap();
            let content: Value = serde_json::from_slice(&read.content).unwrap();
            assert_eq!(
                content,
                shown(&expected.fields, shape),
                "{id} at {}",
                shape.version
            );
            assert_eq!(read.revision, expected.revision);
            assert_eq!(read.header.version, callers.shapes[expected.stored].version);
            assert_eq!(read.header.name, expected.name);
        }
    }
}

fn pick(model: &BTreeMap<Uuid, Modelled>, random: &mut Rng) -> Option<Uuid> {
    let ids: Vec<Uuid> = model.keys().copied().collect();
    random.choice(&ids).copied()
}

async fn one(
    world: &World,
    callers: &Callers,
    model: &mut BTreeMap<Uuid, Modelled>,
    random: &mut Rng,
) -> String {
    let engine = &world.engine;
    let chosen = pick(model, random);
    match (random.u32(0..100), chosen) {
        (0..20, _) | (_, None) => {
            let at = random.usize(..callers.shapes.len());
            let (body, fields) = random_body(random, &callers.shapes[at]);
            let name = format!("n{}", random.u32(0..20));
            let create = Create::new(callers.shapes[at].version, &name, body);
            let taken = model.values().any(|one| one.name == name);
            match engine.create(&callers.owner, &app(), create).await {
                Ok(made) => {
                    assert!(!taken, "{name} was taken");
                    model.insert(
                        made.resource.id,
                        Modelled {
                            name,
                            stored: at,
                            fields,
                            revision: made.resource.revision,
                            stale: None,
                        },
                    );
                    format!("created {} at {at}", made.resource.id)
                }
                Err(error) => {
                    assert!(taken, "{error}");
                    assert_eq!(error.code(), coeval_codes::RESOURCE_EXISTS);
                    "name taken".to_owned()
                }
            }
        }
        (20..30, Some(id)) => delete(world, callers, model, random, id).await,
        (30..40, Some(id)) => {
            let target = Target::Id(id);
            let hidden = engine
                .get(&callers.stranger, &app(), &target)
                .await
                .unwrap_err();
            assert_eq!(hidden.code(), coeval_codes::RESOURCE_NOT_FOUND);
            let (body, _) = random_body(random, &callers.shapes[0]);
            let update = Update::new(callers.shapes[0].version, body);
            let refused = engine
                .update(&callers.reader, &app(), &target, &update)
                .await;
            assert!(refused.is_err(), "no grant yet");
            let grant = Grant {
                member: AclMember::User("reader".to_owned()),
                level: AccessLevel::ReadOnly,
            };
            engine
                .grant(&callers.owner, &app(), &target, &grant)
                .await
                .unwrap();
            engine.get(&callers.reader, &app(), &target).await.unwrap();
            let refused = engine
                .update(&callers.reader, &app(), &target, &update)
                .await;
            assert!(
                matches!(refused, Err(EngineError::Denied(_))),
                "{refused:?}"
            );
            let member = AclMember::User("reader".to_owned());
            engine
                .revoke(&callers.owner, &app(), &target, &member)
                .await
                .unwrap();
            format!("shared {id}")
        }
        (_, Some(id)) => update(world, callers, model, random, id).await,
    }
}

async fn delete(
    world: &World,
    callers: &Callers,
    model: &mut BTreeMap<Uuid, Modelled>,
    random: &mut Rng,
    id: Uuid,
) -> String {
    let modelled = model.get(&id).unwrap();
    let stale = modelled.stale.filter(|_| random.bool());
    let revision = stale.or_else(|| random.bool().then_some(modelled.revision));
    let deleted = world
        .engine
        .delete(&callers.owner, &app(), &Target::Id(id), revision)
        .await;
    match (deleted, stale) {
        (Ok(_), None) => {
            model.remove(&id);
            format!("deleted {id}")
        }
        (Err(error), Some(_)) => {
            assert_eq!(error.code(), coeval_codes::RESOURCE_CONFLICT);
            format!("stale delete of {id}")
        }
        (other, stale) => panic!("{other:?} with {stale:?}"),
    }
}

async fn update(
    world: &World,
    callers: &Callers,
    model: &mut BTreeMap<Uuid, Modelled>,
    random: &mut Rng,
    id: Uuid,
) -> String {
    let modelled = model.get_mut(&id).unwrap();
    let at = random.usize(..callers.shapes.len());
    let (shape, stored) = (&callers.shapes[at], &callers.shapes[modelled.stored]);
    let (body, fields) = random_body(random, shape);
    let mut update = Update::new(shape.version, body.clone());
    update.store_at = *random
        .choice(&[StoreAt::Unsaid, StoreAt::Unchanged, StoreAt::Set])
        .unwrap();
    let stale = modelled.stale.filter(|_| random.u32(0..5) == 0);
    let given = stale.or_else(|| random.bool().then_some(modelled.revision));
    update.revision = given;
    let masked = random.u32(0..4) == 0;
    let mut expected = modelled.fields.clone();
    if masked {
        let n = random.u32(..u32::try_from(shape.names.len()).unwrap());
        let pointer = format!("/{}", shape.names[&n]);
        update.mask = Some(FieldMask::parse([pointer.as_str()]).unwrap());
        match fields.get(&n) {
            Some(value) => expected.insert(n, *value),
            None => expected.remove(&n),
        };
    } else {
        // A body that changes the version was read at the stored one: what that could not hold is not
        // missing on purpose.
        let moves = update.store_at == StoreAt::Set && at != modelled.stored;
        let unseen = |n: &u32| moves && !stored.names.contains_key(n);
        expected.retain(|n, _| !shape.names.contains_key(n) || unseen(n));
        expected.extend(fields);
    }
    if at < modelled.stored && update.store_at != StoreAt::Set && given.is_some() && random.bool() {
        let text = format!("{}+downgraded", shape.version);
        update.at = WriteVersion::parse(&text).unwrap();
    }
    // A save is no upgrade to another major.
    let higher_major = shape.version.major > stored.version.major;
    let to = match update.store_at {
        StoreAt::Set => at,
        StoreAt::Unchanged => modelled.stored,
        StoreAt::Unsaid if higher_major => modelled.stored,
        StoreAt::Unsaid => modelled.stored.max(at),
    };
    let said = format!("{id} at {at}, {:?}, masked: {masked}", update.store_at);
    let target = Target::Id(id);
    match world
        .engine
        .update(&callers.owner, &app(), &target, &update)
        .await
    {
        Ok(updated) => {
            assert_eq!(stale, None, "a stale write went through");
            let changed = updated.done().unwrap();
            modelled.stale = Some(modelled.revision);
            modelled.revision = changed.resource.revision;
            modelled.stored = to;
            modelled.fields = expected;
            format!("updated {said}")
        }
        Err(error) if stale.is_some() => {
            assert_eq!(error.code(), coeval_codes::RESOURCE_CONFLICT);
            format!("stale update of {said}")
        }
        Err(error) => panic!("{said}: {error}"),
    }
}
