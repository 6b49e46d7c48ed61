//! Invoking behaviors: who may, on what, what comes of it, and what a server that dies leaves.

use crate::jobs::{ended, quick, runner};
use crate::world::{TENANT, World, admin, app, app_file, settings, tenant, v};
use async_trait::async_trait;
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::types::InterfaceId;
use coeval_core::version::Uuid;
use coeval_engine::behaviors::{Behavior, BehaviorAccess};
use coeval_engine::lifecycle::{ExecutionError, Executor, Hooks, Invocation};
use coeval_engine::tasks::Status;
use coeval_engine::types::{Interface, Registration};
use coeval_engine::write::{Checking, Create};
use coeval_engine::{Engine, EngineError, Settings, State, Target};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Answers as it was told, and remembers what it was asked.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    pub(crate) asked: Mutex<Vec<Invocation>>,
    answers: Mutex<VecDeque<Result<Value, ExecutionError>>>,
    /// Every answer takes so long.
    slow: Mutex<Duration>,
    /// And from the nth on, so long.
    slow_from: Mutex<Option<(usize, Duration)>>,
}

impl Fake {
    pub(crate) fn then(&self, answer: Result<Value, &str>) {
        let answer = answer.map_err(|message| ExecutionError::Failed {
            message: message.to_owned(),
        });
        self.answers.lock().unwrap().push_back(answer);
    }

    pub(crate) fn take(&self, time: Duration) {
        *self.slow.lock().unwrap() = time;
        *self.slow_from.lock().unwrap() = None;
    }

    /// From the nth invocation on.
    pub(crate) fn take_from(&self, nth: usize, time: Duration) {
        *self.slow_from.lock().unwrap() = Some((nth, time));
    }

    pub(crate) fn asked(&self) -> Vec<Invocation> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) async fn was_asked(&self, times: usize) {
        while self.asked().len() < times {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[async_trait]
impl Executor for Fake {
    fn kind(&self) -> &'static str {
        "WebHook"
    }

    fn check(&self, execution: &Value) -> Result<(), ExecutionError> {
        match execution.get("href") {
            Some(_) => Ok(()),
            None => Err(ExecutionError::Definition {
                reason: "there is no href".to_owned(),
            }),
        }
    }

    async fn execute(&self, invocation: &Invocation) -> Result<Value, ExecutionError> {
        let nth = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(invocation.clone());
            asked.len()
        };
        let slow = match *self.slow_from.lock().unwrap() {
            Some((from, time)) if nth >= from => time,
            _ => *self.slow.lock().unwrap(),
        };
        tokio::time::sleep(slow).await;
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or_else(|| Ok(json!("done")))
    }
}

/// An engine on the same store, with that executor.
pub(crate) async fn with(world: &mut World, fake: &Arc<Fake>) -> Arc<Engine> {
    let executors: Vec<Arc<dyn Executor>> = vec![Arc::clone(fake) as Arc<dyn Executor>];
    let settings = Settings {
        executors,
        ..settings()
    };
    world.another(settings).await
}

pub(crate) fn interface() -> InterfaceId {
    InterfaceId {
        vendor: "acme".into(),
        nss: "doing".into(),
        version: v("1.0.0"),
    }
}

/// The id of a behavior at the interface.
pub(crate) fn at_interface(name: &str) -> String {
    format!("urn:vcloud:behavior-interface:{name}:acme:doing:1.0.0")
}

/// And at the type.
fn at_type(name: &str) -> String {
    format!("urn:vcloud:behavior-type:{name}:acme:app:1.0.0:acme:doing:1.0.0")
}

/// The interface with these behaviors, and the type with these hooks, `{PostCreate: "…"}`.
pub(crate) async fn define(engine: &Engine, behaviors: &[(&str, Value)], hooks: &str) {
    let mut doing = Interface::new(&interface(), "Doing");
    doing.behaviors = behaviors
        .iter()
        .map(|(name, execution)| Behavior {
            name: (*name).to_owned(),
            description: None,
            execution: execution.clone(),
        })
        .collect();
    engine.define_interface(&admin(), &doing).await.unwrap();
    let spec = format!(
        "  interfaces: [\"acme:doing:1.0.0\"]\n  schema: {{type: object, required: [image], properties: {{image: {{type: string}}, inner: {{type: string, x-vcloud-restricted: private}}}}}}\n  hooks: {hooks}\n"
    );
    let file = Registration::of(app_file("1.0.0", &spec));
    engine.register(&admin(), file).await.unwrap();
}

pub(crate) async fn make(engine: &Engine, name: &str, content: Value) -> Uuid {
    let mut create = Create::new(v("1.0.0"), name, content);
    create.checking = Checking::Resolve;
    // It is there at once, also of a type with hooks.
    create.hooks = Hooks::Skip;
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    made.resource.id
}

async fn allow(engine: &Engine, entries: &[(&str, AccessLevel)]) {
    let entry = |(behavior, level): &(&str, AccessLevel)| BehaviorAccess {
        behavior: (*behavior).to_owned(),
        level: *level,
    };
    let entries = entries.iter().map(entry).collect();
    engine
        .set_behavior_access(&admin(), &app(), v("1.0.0"), entries)
        .await
        .unwrap();
}

pub(crate) async fn noop_has_ended_when_it_is_first_looked_at(world: World) {
    let engine = &world.engine;
    let value = json!({"type": "noop", "execution_properties": {"returnValue": {"a": 1}}});
    let error = json!({"type": "noop", "execution_properties": {"returnError": "it is tired"}});
    let all = [
        ("echo", json!({"type": "noop"})),
        ("value", value),
        ("error", error),
    ];
    define(engine, &all, "{}").await;
    let names = ["echo", "value", "error"].map(at_interface);
    let entries: Vec<_> = names
        .iter()
        .map(|id| (id.as_str(), AccessLevel::ReadOnly))
        .collect();
    allow(engine, &entries).await;
    let id = make(engine, "one", json!({"image": "web"})).await;
    let arguments = json!({"x": 7});
    let invoke = |behavior: String| {
        let arguments = arguments.clone();
        async move {
            let target = Target::Id(id);
            let task = engine
                .invoke(&admin(), &app(), &target, &behavior, arguments, json!({}))
                .await;
            let task = task.unwrap();
            // No runner is there: nobody else has to work on it.
            let seen = engine.task(&admin(), task.id).await.unwrap();
            assert_eq!((&task.result, task.status), (&seen.result, seen.status));
            assert_eq!(seen.operation, "executeBehavior");
            seen
        }
    };
    let urn = format!("urn:vcloud:entity:acme:app:{id}");
    let task = invoke(at_interface("echo")).await;
    assert_eq!(task.status, Status::Success);
    assert_eq!(task.about.resource.as_deref(), Some(urn.as_str()));
    let echo = json!({"entityId": urn, "typeId": "urn:vcloud:type:acme:app:1.0.0", "arguments": arguments, "entity": {"image": "web"}});
    assert_eq!(task.result, Some(echo));
    let task = invoke(at_type("value")).await;
    assert_eq!(task.result, Some(json!({"a": 1})));
    let task = invoke(at_interface("error")).await;
    assert_eq!(task.status, Status::Error);
    let failure = task.error.unwrap();
    assert_eq!(failure.code, coeval_codes::BEHAVIOR_FAILED.to_string());
    assert!(failure.message.contains("it is tired"), "{failure:?}");
}

pub(crate) async fn an_override_runs_whichever_id_is_named(world: World) {
    let engine = &world.engine;
    define(engine, &[("echo", json!({"type": "noop"}))], "{}").await;
    let other = json!({"type": "noop", "execution_properties": {"returnValue": "overridden"}});
    engine
        .override_behavior(
            &admin(),
            &app(),
            v("1.0.0"),
            &at_interface("echo"),
            None,
            &other,
        )
        .await
        .unwrap();
    let id = make(engine, "one", json!({"image": "web"})).await;
    for granted in [at_interface("echo"), at_type("echo")] {
        allow(engine, &[(granted.as_str(), AccessLevel::FullControl)]).await;
        for named in [at_interface("echo"), at_type("echo")] {
            let target = Target::Id(id);
            let task = engine
                .invoke(&admin(), &app(), &target, &named, json!({}), json!({}))
                .await;
            let task = task.unwrap();
            assert_eq!(task.result, Some(json!("overridden")), "{granted} {named}");
        }
    }
}

pub(crate) async fn who_may_invoke_is_decided_by_the_type_and_the_level(world: World) {
    let engine = &world.engine;
    define(engine, &[("echo", json!({"type": "noop"}))], "{}").await;
    world.open_to_tenants(&["1.0.0"]).await;
    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let owner = tenant("owner", TENANT, &rights);
    let other = tenant("other", TENANT, &rights);
    let mut create = Create::new(
        v("1.0.0"),
        "one",
        json!({"image": "web", "inner": "secret"}),
    );
    create.checking = Checking::Resolve;
    let made = engine.create(&owner, &app(), create).await.unwrap();
    let target = Target::Id(made.resource.id);
    let echo = at_interface("echo");
    for (granted, has, expected) in [
        (
            None,
            Some(AccessLevel::FullControl),
            Some(coeval_codes::BEHAVIOR_NOT_GRANTED),
        ),
        (
            Some(AccessLevel::ReadWrite),
            Some(AccessLevel::ReadOnly),
            Some(coeval_codes::BEHAVIOR_LEVEL_TOO_LOW),
        ),
        (
            Some(AccessLevel::ReadWrite),
            Some(AccessLevel::ReadWrite),
            None,
        ),
        (
            Some(AccessLevel::ReadOnly),
            Some(AccessLevel::ReadOnly),
            None,
        ),
        (
            Some(AccessLevel::ReadOnly),
            None,
            Some(coeval_codes::RESOURCE_NOT_FOUND),
        ),
    ] {
        let entries: Vec<_> = granted
            .map(|level| (echo.as_str(), level))
            .into_iter()
            .collect();
        allow(engine, &entries).await;
        let member = AclMember::User("other".into());
        match has {
            Some(level) => {
                let grant = Grant { member, level };
                engine.grant(&owner, &app(), &target, &grant).await.unwrap();
            }
            None => {
                engine
                    .revoke(&owner, &app(), &target, &member)
                    .await
                    .unwrap();
            }
        }
        let about = format!("{granted:?} {has:?}");
        let done = engine
            .invoke(&other, &app(), &target, &echo, json!({}), json!({}))
            .await;
        match (done, expected) {
            (Ok(task), None) => {
                // What the caller may not see is not in the echo either.
                let echo = task.result.unwrap();
                assert_eq!(echo["entity"], json!({"image": "web"}), "{about}");
            }
            (Err(error), Some(code)) => assert_eq!(error.code(), code, "{about}"),
            (done, expected) => panic!("{about}: {done:?}, {expected:?}"),
        }
    }
    // Full control sees what is private, and so does the behavior.
    let task = engine
        .invoke(&owner, &app(), &target, &echo, json!({}), json!({}))
        .await;
    let echo = task.unwrap().result.unwrap();
    assert_eq!(echo["entity"]["inner"], "secret");
}

pub(crate) async fn what_can_not_be_invoked_is_refused_and_leaves_no_task(mut world: World) {
    let fake = Arc::new(Fake::default());
    let engine = with(&mut world, &fake).await;
    let all = [
        ("echo", json!({"type": "noop"})),
        ("mqtt", json!({"type": "MQTT"})),
        ("none", json!({})),
        ("hook", json!({"type": "WebHook"})),
    ];
    define(&engine, &all, "{}").await;
    let names = ["echo", "mqtt", "none", "hook"].map(at_interface);
    let entries: Vec<_> = names
        .iter()
        .map(|id| (id.as_str(), AccessLevel::ReadOnly))
        .collect();
    allow(&engine, &entries).await;
    let ready = make(&engine, "one", json!({"image": "web"})).await;
    let bad = make(&engine, "two", json!({})).await;
    let mut create = Create::new(v("1.0.0"), "three", json!({"image": "web"}));
    create.checking = Checking::Later;
    let new = engine.create(&admin(), &app(), create).await.unwrap();
    let new = new.resource.id;
    let forbidden = coeval_codes::STATE_FORBIDS;
    for (id, behavior, code) in [
        (new, at_interface("echo"), forbidden),
        (bad, at_interface("echo"), forbidden),
        (ready, at_interface("mqtt"), coeval_codes::BEHAVIOR_NOT_RUN),
        (ready, at_interface("none"), coeval_codes::BEHAVIOR_NOT_RUN),
        (ready, at_interface("hook"), coeval_codes::WEBHOOK_INVALID),
        (
            ready,
            at_interface("nothing"),
            coeval_codes::BEHAVIOR_UNKNOWN,
        ),
        (ready, "rubbish".to_owned(), coeval_codes::BEHAVIOR_UNKNOWN),
        (
            ready,
            at_type("echo").replace(":app:", ":other:"),
            coeval_codes::BEHAVIOR_UNKNOWN,
        ),
    ] {
        let target = Target::Id(id);
        let done = engine
            .invoke(&admin(), &app(), &target, &behavior, json!({}), json!({}))
            .await;
        assert_eq!(done.unwrap_err().code(), code, "{behavior}");
    }
    let query = coeval_engine::tasks::TaskQuery::newest(10);
    assert_eq!(engine.tasks(&admin(), &query).await.unwrap().tasks, []);
}

pub(crate) async fn a_behavior_that_takes_time_is_a_task(mut world: World) {
    let fake = Arc::new(Fake::default());
    let engine = with(&mut world, &fake).await;
    let execution =
        json!({"type": "WebHook", "href": "https://example.com", "_internal_key": "hush"});
    define(&engine, &[("call", execution)], "{}").await;
    allow(&engine, &[(&at_interface("call"), AccessLevel::ReadOnly)]).await;
    let id = make(&engine, "one", json!({"image": "web"})).await;
    let _runner = runner(&engine, "one", quick());
    fake.then(Ok(json!({"ip": "10.0.0.1"})));
    fake.then(Err("no more addresses"));
    // More than a task's own record may hold.
    let arguments = json!({"x": "y".repeat(40_000)});
    for (status, result) in [
        (Status::Success, Some(json!({"ip": "10.0.0.1"}))),
        (Status::Error, None),
    ] {
        let target = Target::Id(id);
        let call = at_interface("call");
        let metadata = json!({"m": 1});
        let task = engine
            .invoke(
                &admin(),
                &app(),
                &target,
                &call,
                arguments.clone(),
                metadata,
            )
            .await;
        let task = ended(&engine, &task.unwrap()).await;
        assert_eq!((task.status, task.result.clone()), (status, result));
        assert_eq!(task.attempts(), 1);
        let stored = serde_json::to_string(&task).unwrap();
        assert!(!stored.contains("hush"), "{stored}");
        let asked = fake.asked().pop().unwrap();
        assert_eq!(asked.task, task.id);
        assert_eq!(
            (asked.arguments, asked.metadata),
            (arguments.clone(), json!({"m": 1}))
        );
        assert_eq!(asked.entity, json!({"image": "web"}));
    }
    let too_much = json!("y".repeat(300_000));
    let target = Target::Id(id);
    let refused = engine
        .invoke(
            &admin(),
            &app(),
            &target,
            &at_interface("call"),
            too_much,
            json!({}),
        )
        .await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::TASK_TOO_LARGE);
}

pub(crate) async fn a_task_left_behind_is_done_again_under_the_same_name(mut world: World) {
    let fake = Arc::new(Fake::default());
    let engine = with(&mut world, &fake).await;
    let execution = json!({"type": "WebHook", "href": "https://example.com"});
    define(&engine, &[("call", execution)], "{}").await;
    allow(&engine, &[(&at_interface("call"), AccessLevel::ReadOnly)]).await;
    let id = make(&engine, "one", json!({"image": "web"})).await;
    fake.take(Duration::from_secs(60));
    let first = runner(&engine, "one", quick());
    let target = Target::Id(id);
    let task = engine
        .invoke(
            &admin(),
            &app(),
            &target,
            &at_interface("call"),
            json!({}),
            json!({}),
        )
        .await;
    let task = task.unwrap();
    fake.was_asked(1).await;
    // As if it were killed: it writes nothing more.
    drop(first);
    fake.take(Duration::ZERO);
    let _second = runner(&engine, "one", quick());
    let task = ended(&engine, &task).await;
    assert_eq!((task.status, task.attempts()), (Status::Success, 2));
    let asked = fake.asked();
    let seen: Vec<_> = asked.iter().map(|one| (one.task, one.attempt)).collect();
    assert_eq!(seen, [(task.id, 1), (task.id, 2)]);
}

pub(crate) async fn a_slow_behavior_can_be_canceled(mut world: World) {
    let fake = Arc::new(Fake::default());
    let engine = with(&mut world, &fake).await;
    let execution = json!({"type": "WebHook", "href": "https://example.com"});
    define(&engine, &[("call", execution)], "{}").await;
    allow(&engine, &[(&at_interface("call"), AccessLevel::ReadOnly)]).await;
    let id = make(&engine, "one", json!({"image": "web"})).await;
    fake.take(Duration::from_secs(600));
    let mut settings = quick();
    settings.abandoned_after = Duration::from_millis(300);
    let _runner = runner(&engine, "one", settings);
    let target = Target::Id(id);
    let task = engine
        .invoke(
            &admin(),
            &app(),
            &target,
            &at_interface("call"),
            json!({}),
            json!({}),
        )
        .await;
    let task = task.unwrap();
    fake.was_asked(1).await;
    engine.cancel_task(&admin(), task.id).await.unwrap();
    assert_eq!(ended(&engine, &task).await.status, Status::Canceled);
}

pub(crate) async fn a_behavior_of_an_interface_alone_is_the_providers(world: World) {
    let engine = &world.engine;
    define(engine, &[("echo", json!({"type": "noop"}))], "{}").await;
    let of = interface();
    let echo = at_interface("echo");
    let arguments = json!({"x": 1});
    let task = engine
        .invoke_static(&admin(), &of, &echo, arguments, json!({}))
        .await;
    assert_eq!(task.unwrap().result, Some(json!({"arguments": {"x": 1}})));
    let somebody = tenant("somebody", TENANT, &[]);
    let refused = engine
        .invoke_static(&somebody, &of, &echo, json!({}), json!({}))
        .await;
    assert!(matches!(refused, Err(EngineError::Denied(_))));
    let unknown = engine
        .invoke_static(&admin(), &of, "rubbish", json!({}), json!({}))
        .await;
    assert_eq!(unknown.unwrap_err().code(), coeval_codes::BEHAVIOR_UNKNOWN);
}

/// The state of a resource, for the tests of hooks.
pub(crate) async fn state_of(engine: &Engine, id: Uuid) -> Option<State> {
    match engine.get(&admin(), &app(), &Target::Id(id)).await {
        Ok(resource) => Some(resource.header.state),
        Err(EngineError::NotFound { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}
