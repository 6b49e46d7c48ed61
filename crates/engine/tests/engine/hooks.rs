//! Hooks: what becomes of a resource before and after them, well or not, and across the death of a
//! server.

use crate::invocations::{Fake, at_interface, define, make, state_of, with};
use crate::jobs::{ended, quick, runner};
use crate::world::{TENANT, World, admin, app, tenant, v};
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_engine::lifecycle::Hooks;
use coeval_engine::tasks::{Status, Task};
use coeval_engine::write::{Checking, Create, Delete, Deleted, MetaEdit, Update, Updated};
use coeval_engine::{Caller, Engine, State, Target};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ALL: &str =
    r#"{PostCreate: "CALL", PostUpdate: "CALL", PreDelete: "CALL", PostDelete: "CALL"}"#;

pub(crate) fn hook() -> (&'static str, Value) {
    (
        "call",
        json!({"type": "WebHook", "href": "https://example.com"}),
    )
}

pub(crate) fn named(hooks: &str) -> String {
    hooks.replace("CALL", &at_interface("call"))
}

pub(crate) async fn world_with(world: &mut World, hooks: &str) -> (Arc<Engine>, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let engine = with(world, &fake).await;
    define(&engine, &[hook()], &named(hooks)).await;
    (engine, fake)
}

async fn create(
    engine: &Engine,
    caller: &Caller,
    content: Value,
    hooks: Hooks,
) -> (Uuid, Option<Task>) {
    let mut create = Create::new(v("1.0.0"), "one", content);
    create.checking = Checking::Resolve;
    create.unique = false;
    create.announced = true;
    create.hooks = hooks;
    let made = engine.create(caller, &app(), create).await.unwrap();
    (made.resource.id, made.task)
}

fn begin_deletion(content: Option<Value>) -> Update {
    Update {
        content,
        checking: Checking::Later,
        meta: MetaEdit {
            state: Some(State::InDeletion),
            ..MetaEdit::default()
        },
        ..Update::new(v("1.0.0"), Value::Null)
    }
}

pub(crate) async fn after_post_create_it_is_resolved_or_not(mut world: World) {
    let (engine, fake) = world_with(&mut world, r#"{PostCreate: "CALL"}"#).await;
    let _runner = runner(&engine, "one", quick());
    for (content, answer, state, status, message) in [
        (
            json!({"image": "web"}),
            Ok(json!(1)),
            State::Resolved,
            Status::Success,
            None,
        ),
        (
            json!({"image": "web"}),
            Err("no room"),
            State::ResolutionError,
            Status::Error,
            Some("no room"),
        ),
        // The hook went well, the content does not fit.
        (
            json!({}),
            Ok(json!(1)),
            State::ResolutionError,
            Status::Error,
            Some("image"),
        ),
        (
            json!({}),
            Err("no room"),
            State::ResolutionError,
            Status::Error,
            Some("no room"),
        ),
    ] {
        fake.take(Duration::from_millis(150));
        fake.then(answer);
        let (id, task) = create(&engine, &admin(), content.clone(), Hooks::Run).await;
        let about = format!("{content} {status}");
        // Resolving was asked for, and waits for the hook.
        assert_eq!(
            state_of(&engine, id).await,
            Some(State::PreCreated),
            "{about}"
        );
        let task = ended(&engine, &task.unwrap()).await;
        assert_eq!(task.operation, "createDefinedEntity");
        assert_eq!(task.status, status, "{about}: {task:?}");
        let read = engine.get(&admin(), &app(), &Target::Id(id)).await.unwrap();
        assert_eq!(read.header.state, state, "{about}");
        let told = read.header.message.clone().unwrap_or_default();
        match message {
            None => assert_eq!(told, ""),
            Some(message) => {
                assert!(told.contains(message), "{about}: {told}");
                assert!(task.error.unwrap().message.contains(message), "{about}");
            }
        }
        let asked = fake.asked().pop().unwrap();
        assert_eq!(
            (asked.hook, asked.entity),
            (Some("PostCreate"), content),
            "{about}"
        );
    }
}

pub(crate) async fn without_hooks_all_is_as_ever(mut world: World) {
    let (engine, fake) = world_with(&mut world, "{}").await;
    let (id, task) = create(&engine, &admin(), json!({"image": "web"}), Hooks::Run).await;
    assert_eq!(task.unwrap().status, Status::Success);
    assert_eq!(state_of(&engine, id).await, Some(State::Resolved));
    let target = Target::Id(id);
    let update = Update::new(v("1.0.0"), json!({"image": "db"}));
    let done = engine.update(&admin(), &app(), &target, &update).await;
    assert!(matches!(done, Ok(Updated::Done(_, None))), "{done:?}");
    let marked = begin_deletion(None);
    let done = engine.update(&admin(), &app(), &target, &marked).await;
    assert!(matches!(done, Ok(Updated::Done(_, None))), "{done:?}");
    assert_eq!(state_of(&engine, id).await, Some(State::InDeletion));
    let done = engine.delete(&admin(), &app(), &target, None).await;
    assert!(matches!(done, Ok(Deleted::Done(_))), "{done:?}");
    assert_eq!(state_of(&engine, id).await, None);
    assert_eq!(fake.asked().len(), 0);
}

pub(crate) async fn post_update_runs_after_the_change_and_leaves_it(mut world: World) {
    let (engine, fake) = world_with(&mut world, r#"{PostUpdate: "CALL"}"#).await;
    let _runner = runner(&engine, "one", quick());
    let id = make(&engine, "one", json!({"image": "web"})).await;
    for (n, answer) in [Ok(json!(1)), Err("too late")].into_iter().enumerate() {
        let status = if answer.is_ok() {
            Status::Success
        } else {
            Status::Error
        };
        fake.then(answer);
        let image = format!("web:{n}");
        let update = Update::new(v("1.0.0"), json!({"image": image}));
        let target = Target::Id(id);
        let done = engine.update(&admin(), &app(), &target, &update).await;
        let Ok(Updated::Done(changed, Some(task))) = done else {
            panic!("{done:?}")
        };
        assert_eq!(task.operation, "updateDefinedEntity");
        assert_eq!(ended(&engine, &task).await.status, status);
        let read = engine.get(&admin(), &app(), &target).await.unwrap();
        assert_eq!(
            read.revision, changed.resource.revision,
            "the hook changed it"
        );
        assert_eq!(read.header.state, State::Resolved);
        assert_eq!(fake.asked().pop().unwrap().entity, json!({"image": image}));
    }
}

pub(crate) async fn a_restore_is_an_update_and_runs_post_update(mut world: World) {
    let (engine, fake) = world_with(&mut world, r#"{PostUpdate: "CALL"}"#).await;
    let _runner = runner(&engine, "one", quick());
    let id = make(&engine, "one", json!({"image": "web"})).await;
    let target = Target::Id(id);
    let first = engine.get(&admin(), &app(), &target).await.unwrap();
    let mut update = Update::new(v("1.0.0"), json!({"image": "db"}));
    update.hooks = Hooks::Skip;
    engine
        .update(&admin(), &app(), &target, &update)
        .await
        .unwrap();
    assert_eq!(fake.asked().len(), 0);
    let done = engine
        .restore(&admin(), &app(), &target, first.revision, None)
        .await;
    let Ok(Updated::Done(changed, Some(task))) = done else {
        panic!("{done:?}")
    };
    assert_eq!(&changed.resource.content[..], br#"{"image":"web"}"#);
    assert_eq!(ended(&engine, &task).await.status, Status::Success);
    let asked = fake.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].hook, Some("PostUpdate"));
    assert_eq!(asked[0].entity, json!({"image": "web"}));
}

pub(crate) async fn pre_delete_comes_before_the_mark(mut world: World) {
    let (engine, fake) = world_with(&mut world, ALL).await;
    let _runner = runner(&engine, "one", quick());
    let id = make(&engine, "one", json!({"image": "web"})).await;
    let target = Target::Id(id);
    let before = engine.get(&admin(), &app(), &target).await.unwrap();
    let update = begin_deletion(Some(json!({"image": "gone"})));
    fake.then(Err("it is in use"));
    let done = engine.update(&admin(), &app(), &target, &update).await;
    let Ok(Updated::Accepted(task)) = done else {
        panic!("{done:?}")
    };
    let task = ended(&engine, &task).await;
    assert_eq!(
        (task.operation.as_str(), task.status),
        ("updateDefinedEntity", Status::Error)
    );
    let read = engine.get(&admin(), &app(), &target).await.unwrap();
    assert_eq!(read.revision, before.revision, "nothing has changed");
    // A revision that is not the current one is refused before anything runs.
    let stale = begin_deletion(None).on(coeval_storage::Revision::from_bytes([1; 16]));
    let refused = engine.update(&admin(), &app(), &target, &stale).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::RESOURCE_CONFLICT);
    assert_eq!(fake.asked().len(), 1);
    let update = update.on(before.revision);
    let done = engine.update(&admin(), &app(), &target, &update).await;
    let Ok(Updated::Accepted(task)) = done else {
        panic!("{done:?}")
    };
    assert_eq!(ended(&engine, &task).await.status, Status::Success);
    let read = engine.get(&admin(), &app(), &target).await.unwrap();
    assert_eq!(read.header.state, State::InDeletion);
    assert_eq!(
        &read.content[..],
        br#"{"image":"gone"}"#,
        "the whole change is made"
    );
    assert_eq!(fake.asked().len(), 2, "PostUpdate is not for this");
}

pub(crate) async fn a_change_during_a_hook_is_a_conflict_if_a_revision_was_named(mut world: World) {
    let (engine, fake) = world_with(&mut world, ALL).await;
    let _runner = runner(&engine, "one", quick());
    for deletes in [false, true] {
        let id = make(&engine, &format!("{deletes}"), json!({"image": "web"})).await;
        let target = Target::Id(id);
        let read = engine.get(&admin(), &app(), &target).await.unwrap();
        fake.take(Duration::from_millis(400));
        let asked = fake.asked().len();
        let task = if deletes {
            let revision = Some(read.revision);
            match engine.delete(&admin(), &app(), &target, revision).await {
                Ok(Deleted::Accepted(task)) => *task,
                other => panic!("{other:?}"),
            }
        } else {
            let update = begin_deletion(None).on(read.revision);
            match engine.update(&admin(), &app(), &target, &update).await {
                Ok(Updated::Accepted(task)) => task,
                other => panic!("{other:?}"),
            }
        };
        fake.was_asked(asked + 1).await;
        let mut update = Update::new(v("1.0.0"), json!({"image": "newer"}));
        update.hooks = Hooks::Skip;
        engine
            .update(&admin(), &app(), &target, &update)
            .await
            .unwrap();
        let task = ended(&engine, &task).await;
        assert_eq!(task.status, Status::Error, "{task:?}");
        let code = task.error.unwrap().code;
        assert_eq!(code, coeval_codes::RESOURCE_CONFLICT.to_string());
        assert_eq!(state_of(&engine, id).await, Some(State::Resolved));
        let read = engine.get(&admin(), &app(), &target).await.unwrap();
        assert_eq!(&read.content[..], br#"{"image":"newer"}"#);
    }
}

pub(crate) async fn a_deletion_goes_as_far_as_its_hooks_let_it(mut world: World) {
    let mut number = 0;
    let pre = r#"{PreDelete: "CALL"}"#;
    let post = r#"{PostDelete: "CALL"}"#;
    let (ok, no) = (Ok(json!(1)), Err("no"));
    // hooks, already in deletion, what the hooks answer, which ran, what is left
    let table = [
        (pre, false, vec![ok.clone()], vec!["PreDelete"], None),
        (
            pre,
            false,
            vec![no.clone()],
            vec!["PreDelete"],
            Some(State::Resolved),
        ),
        (post, false, vec![ok.clone()], vec!["PostDelete"], None),
        (
            post,
            false,
            vec![no.clone()],
            vec!["PostDelete"],
            Some(State::InDeletion),
        ),
        (post, true, vec![ok.clone()], vec!["PostDelete"], None),
        (
            post,
            true,
            vec![no.clone()],
            vec!["PostDelete"],
            Some(State::InDeletion),
        ),
        (
            ALL,
            false,
            vec![ok.clone(), ok.clone()],
            vec!["PreDelete", "PostDelete"],
            None,
        ),
        (
            ALL,
            false,
            vec![no.clone()],
            vec!["PreDelete"],
            Some(State::Resolved),
        ),
        (
            ALL,
            false,
            vec![ok.clone(), no.clone()],
            vec!["PreDelete", "PostDelete"],
            Some(State::InDeletion),
        ),
        (ALL, true, vec![ok.clone()], vec!["PostDelete"], None),
        (
            ALL,
            true,
            vec![no],
            vec!["PostDelete"],
            Some(State::InDeletion),
        ),
        // Nothing is left to run: gone at once.
        (pre, true, vec![], vec![], None),
    ];
    let fake = Arc::new(Fake::default());
    let engine = with(&mut world, &fake).await;
    define(&engine, &[hook()], "{}").await;
    let _runner = runner(&engine, "one", quick());
    for (hooks, begun, answers, ran, left) in table {
        number += 1;
        let version = v(&format!("1.0.{number}"));
        let spec = format!(
            "  interfaces: [\"acme:doing:1.0.0\"]\n  schema: {{type: object, properties: {{image: {{type: string}}}}}}\n  hooks: {}\n",
            named(hooks)
        );
        let file = crate::world::app_file(&version.to_string(), &spec);
        let file = coeval_engine::types::Registration::of(file).warn();
        engine.register(&admin(), file).await.unwrap();
        let about = format!("{number}: {hooks} {begun} {answers:?}");
        let mut made = Create::new(version, format!("r{number}"), json!({"image": "web"}));
        made.hooks = Hooks::Skip;
        let made = engine.create(&admin(), &app(), made).await.unwrap();
        let id = made.resource.id;
        let target = Target::Id(id);
        if begun {
            let mut update = begin_deletion(None);
            update.hooks = Hooks::Skip;
            engine
                .update(&admin(), &app(), &target, &update)
                .await
                .unwrap();
        }
        let read = engine.get(&admin(), &app(), &target).await.unwrap();
        let asked = fake.asked().len();
        let fails = answers.iter().any(Result::is_err);
        answers.into_iter().for_each(|answer| fake.then(answer));
        // The revision is the current one all the way, whatever the hooks' own marks do to it.
        let revision = Some(read.revision);
        let done = engine.delete(&admin(), &app(), &target, revision).await;
        match done.unwrap() {
            Deleted::Done(_) => assert!(ran.is_empty(), "{about}"),
            Deleted::Accepted(task) => {
                let task = ended(&engine, &task).await;
                assert_eq!(task.operation, "deleteDefinedEntity");
                let expected = if fails {
                    Status::Error
                } else {
                    Status::Success
                };
                assert_eq!(task.status, expected, "{about}: {task:?}");
            }
        }
        let all = fake.asked();
        let hooks: Vec<_> = all[asked..].iter().filter_map(|one| one.hook).collect();
        assert_eq!(hooks, ran, "{about}");
        assert_eq!(state_of(&engine, id).await, left, "{about}");
    }
}

pub(crate) async fn leaving_hooks_out_takes_full_control_of_the_type(mut world: World) {
    let (engine, fake) = world_with(&mut world, ALL).await;
    world.open_to_tenants(&["1.0.0"]).await;
    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let owner = tenant("owner", TENANT, &rights);
    let content = json!({"image": "web"});
    let mut made = Create::new(v("1.0.0"), "own", content.clone());
    made.hooks = Hooks::Skip;
    let refused = engine.create(&owner, &app(), made.clone()).await;
    assert_eq!(
        refused.unwrap_err().code(),
        coeval_codes::TYPE_LEVEL_TOO_LOW
    );
    // The provider has it.
    made.org = Some(owner.org().to_owned());
    made.owner = Some(owner.user().to_owned());
    let made = engine.create(&admin(), &app(), made).await.unwrap();
    let target = Target::Id(made.resource.id);
    let mut update = Update::new(v("1.0.0"), json!({"image": "db"}));
    update.hooks = Hooks::Skip;
    let refused = engine.update(&owner, &app(), &target, &update).await;
    assert_eq!(
        refused.unwrap_err().code(),
        coeval_codes::TYPE_LEVEL_TOO_LOW
    );
    let skipping = Delete {
        hooks: Hooks::Skip,
        ..Delete::default()
    };
    let refused = engine.delete(&owner, &app(), &target, skipping).await;
    assert_eq!(
        refused.unwrap_err().code(),
        coeval_codes::TYPE_LEVEL_TOO_LOW
    );
    let (id, _) = create(&engine, &admin(), content, Hooks::Skip).await;
    assert_eq!(state_of(&engine, id).await, Some(State::Resolved));
    let done = engine.update(&admin(), &app(), &target, &update).await;
    assert!(matches!(done, Ok(Updated::Done(_, None))), "{done:?}");
    let done = engine.delete(&admin(), &app(), &target, skipping).await;
    assert!(matches!(done, Ok(Deleted::Done(_))), "{done:?}");
    assert_eq!(fake.asked().len(), 0);
}

pub(crate) async fn a_hook_that_can_not_run_is_refused_before_anything_is_done(world: World) {
    let engine = &world.engine;
    let all = [("mqtt", json!({"type": "MQTT"}))];
    let hooks = format!(
        r#"{{PostCreate: "{0}", PostUpdate: "{0}", PreDelete: "{0}"}}"#,
        at_interface("mqtt")
    );
    define(engine, &all, &hooks).await;
    let code = coeval_codes::HOOK_NOT_RUN;
    let mut made = Create::new(v("1.0.0"), "one", json!({"image": "web"}));
    let refused = engine.create(&admin(), &app(), made.clone()).await;
    assert_eq!(refused.unwrap_err().code(), code);
    made.hooks = Hooks::Skip;
    let made = engine.create(&admin(), &app(), made).await.unwrap();
    let target = Target::Id(made.resource.id);
    let update = Update::new(v("1.0.0"), json!({"image": "db"}));
    let refused = engine.update(&admin(), &app(), &target, &update).await;
    assert_eq!(refused.unwrap_err().code(), code);
    let refused = engine.delete(&admin(), &app(), &target, None).await;
    assert_eq!(refused.unwrap_err().code(), code);
    let read = engine.get(&admin(), &app(), &target).await.unwrap();
    assert_eq!(read.revision, made.resource.revision);
}

pub(crate) async fn noop_hooks_succeed_and_fail_as_they_are_told(world: World) {
    let engine = &world.engine;
    let tired = json!({"type": "noop", "execution_properties": {"returnError": "tired"}});
    let all = [("well", json!({"type": "noop"})), ("tired", tired)];
    let hooks = format!(
        r#"{{PostCreate: "{}", PreDelete: "{}"}}"#,
        at_interface("well"),
        at_interface("tired")
    );
    define(engine, &all, &hooks).await;
    let _runner = runner(engine, "one", quick());
    let (id, task) = create(engine, &admin(), json!({"image": "web"}), Hooks::Run).await;
    assert_eq!(ended(engine, &task.unwrap()).await.status, Status::Success);
    assert_eq!(state_of(engine, id).await, Some(State::Resolved));
    let done = engine.delete(&admin(), &app(), &Target::Id(id), None).await;
    let Ok(Deleted::Accepted(task)) = done else {
        panic!("{done:?}")
    };
    let task = ended(engine, &task).await;
    assert!(task.error.unwrap().message.contains("tired"));
    assert_eq!(state_of(engine, id).await, Some(State::Resolved));
}

pub(crate) async fn resolving_by_hand_does_not_end_the_hook(mut world: World) {
    let (engine, fake) = world_with(&mut world, r#"{PostCreate: "CALL"}"#).await;
    fake.take(Duration::from_millis(400));
    fake.then(Err("no room"));
    let (id, task) = create(&engine, &admin(), json!({"image": "web"}), Hooks::Run).await;
    let _runner = runner(&engine, "one", quick());
    fake.was_asked(1).await;
    let target = Target::Id(id);
    let resolved = engine.resolve(&admin(), &app(), &target).await.unwrap();
    assert_eq!(resolved.header.state, State::Resolved);
    let task = ended(&engine, &task.unwrap()).await;
    assert_eq!(task.status, Status::Error);
    assert_eq!(state_of(&engine, id).await, Some(State::ResolutionError));
}
