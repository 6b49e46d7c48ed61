//! Random callers and edits against a model that is a map.
//!
//! Version `1.n.0` of the type has the fields `f0` to `fn`; each but the first was added by a
//! conversion. So a resource is a set of fields and a stored version: a body at a version replaces
//! the fields that the version has and nothing else, whatever is stored.

use crate::world::{OTHER, TENANT, World, admin, app, app_file, tenant};
use coeval_access::{Grant, Level, Member};
use coeval_codes::Coded;
use coeval_core::version::{Uuid, Version, WriteVersion};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, FieldMask, Update};
use coeval_engine::{Caller, EngineError, Target};
use coeval_storage::Revision;
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const VERSIONS: u32 = 4;

fn version(n: u32) -> Version {
    Version::new(1, n, 0)
}

fn file(n: u32) -> String {
    let fields: Vec<String> = (0..=n)
        .map(|i| format!("f{i}: {{type: integer}}"))
        .collect();
    let conversion = match n {
        0 => String::new(),
        n => format!(
            "  conversion: {{from: 1.{}.0, steps: [{{add: {{path: /f{n}}}}}]}}\n",
            n - 1
        ),
    };
    let schema = format!(
        "  schema: {{type: object, properties: {{{}}}}}\n  indexes: {{first: /f0}}\n",
        fields.join(", ")
    );
    app_file(&version(n).to_string(), &format!("{schema}{conversion}"))
}

/// One resource.
#[derive(Clone, Debug)]
struct Modelled {
    name: String,
    stored: u32,
    fields: BTreeMap<u32, i64>,
    revision: Revision,
    /// One that it had.
    stale: Option<Revision>,
}

fn shown(fields: &BTreeMap<u32, i64>, at: u32) -> Value {
    let seen = fields.range(..=at);
    Value::Object(
        seen.map(|(n, value)| (format!("f{n}"), json!(value)))
            .collect(),
    )
}

fn random_body(random: &mut Rng, at: u32) -> (Value, BTreeMap<u32, i64>) {
    let mut fields = BTreeMap::new();
    for n in 0..=at {
        if random.bool() {
            fields.insert(n, random.i64(0..5));
        }
    }
    (shown(&fields, at), fields)
}

struct Callers {
    owner: Caller,
    reader: Caller,
    stranger: Caller,
}

async fn callers(world: &World) -> Callers {
    let all = ["acme:app: Full Access"];
    let versions: Vec<String> = (0..VERSIONS).map(|n| version(n).to_string()).collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    world.open_to_tenants(&versions).await;
    Callers {
        owner: tenant("owner", TENANT, &all),
        reader: tenant("reader", TENANT, &all),
        stranger: tenant("stranger", OTHER, &all),
    }
}

pub(crate) async fn a_random_history_agrees_with_the_model(world: World) {
    for n in 0..VERSIONS {
        let registration = Registration::of(file(n));
        world.engine.register(&admin(), registration).await.unwrap();
    }
    let seed = std::env::var("COEVAL_MODEL_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("COEVAL_MODEL_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let callers = callers(&world).await;
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
        for n in 0..VERSIONS {
            let caller = callers.owner.clone().at(version(n));
            let read = world
                .engine
                .get(&caller, &app(), &Target::Id(*id))
                .await
                .unwrap();
            let content: Value = serde_json::from_slice(&read.content).unwrap();
            assert_eq!(content, shown(&expected.fields, n), "{id} at {n}");
            assert_eq!(read.revision, expected.revision);
            assert_eq!(read.header.version, version(expected.stored));
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
            let at = random.u32(0..VERSIONS);
            let (body, fields) = random_body(random, at);
            let name = format!("n{}", random.u32(0..20));
            let create = Create::new(version(at), &name, body);
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
            let (body, _) = random_body(random, 0);
            let update = Update::new(version(0), body);
            let refused = engine
                .update(&callers.reader, &app(), &target, &update)
                .await;
            assert!(refused.is_err(), "no grant yet");
            let grant = Grant {
                member: Member::User("reader".to_owned()),
                level: Level::ReadOnly,
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
            let member = Member::User("reader".to_owned());
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
    let at = random.u32(0..VERSIONS);
    let (body, fields) = random_body(random, at);
    let mut update = Update::new(version(at), body.clone());
    let stale = modelled.stale.filter(|_| random.u32(0..5) == 0);
    let given = stale.or_else(|| random.bool().then_some(modelled.revision));
    update.revision = given;
    let masked = random.u32(0..4) == 0;
    let mut expected = modelled.fields.clone();
    if masked {
        let n = random.u32(0..=at);
        let pointer = format!("/f{n}");
        update.mask = Some(FieldMask::parse([pointer.as_str()]).unwrap());
        match fields.get(&n) {
            Some(value) => expected.insert(n, *value),
            None => expected.remove(&n),
        };
    } else {
        expected.retain(|n, _| *n > at);
        expected.extend(fields);
    }
    if at < modelled.stored && given.is_some() && random.bool() {
        let text = format!("{}+downgraded", version(at));
        update.at = WriteVersion::parse(&text).unwrap();
    }
    let target = Target::Id(id);
    match world
        .engine
        .update(&callers.owner, &app(), &target, &update)
        .await
    {
        Ok(changed) => {
            assert_eq!(stale, None, "a stale write went through");
            modelled.stale = Some(modelled.revision);
            modelled.revision = changed.resource.revision;
            modelled.stored = modelled.stored.max(at);
            modelled.fields = expected;
            format!("updated {id} at {at} (masked: {masked})")
        }
        Err(error) => {
            assert!(stale.is_some(), "{error}");
            assert_eq!(error.code(), coeval_codes::RESOURCE_CONFLICT);
            format!("stale update of {id}")
        }
    }
}
