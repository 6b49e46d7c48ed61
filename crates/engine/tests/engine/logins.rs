//! Logins, sessions and API tokens, and how soon a change is seen everywhere.

use crate::identity::{code, org, user};
use crate::publishing::Dying;
use crate::world::{World, admin, app, app_1_0, settings, v};
use coeval_access::{GeneralRight, ORGANIZATION_ADMINISTRATOR, SYSTEM_ADMINISTRATOR};
use coeval_engine::identity::{
    IdentityError, LoggedIn, Login, NewRole, NewToken, OrgEdit, Password, PasswordGiven, RoleEdit,
    SessionKind, UserEdit,
};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{AuditQuery, Engine, EngineError, Target, WantedVersions, What};
use coeval_storage::layers::{FaultPlan, FaultyStore, InjectedFault};
use coeval_storage::{KeySpan, ReadRange, SkewedClock, StoredValue, UnixMillis};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const PASSWORD: &str = "correct horse battery staple";

fn attempt(org: &str, user: &str, password: &str) -> Login {
    Login {
        org: org.to_owned(),
        user: user.to_owned(),
        password: Password::new(password),
        source: None,
    }
}

async fn with_alice(engine: &Engine, roles: &[&str]) -> String {
    org(engine, "acme").await;
    let alice = user(engine, "acme", "alice", roles).await;
    let password = PasswordGiven::Clear(Password::new(PASSWORD));
    let set = engine.set_password(&admin(), &alice.id, &password).await;
    set.unwrap();
    alice.id
}

async fn login(engine: &Engine) -> LoggedIn {
    let login = attempt("acme", "alice", PASSWORD);
    engine.login(&login).await.unwrap()
}

pub(crate) async fn whatever_is_wrong_with_a_login_the_answer_is_the_same(world: World) {
    let engine = &world.engine;
    with_alice(engine, &[]).await;
    user(engine, "acme", "nopass", &[]).await;
    for (org, user, password) in [
        ("acme", "alice", "wrong"),
        ("acme", "alice", ""),
        ("acme", "Alice", PASSWORD),
        ("acme", "nobody", PASSWORD),
        ("nowhere", "alice", PASSWORD),
        ("acme", "nopass", ""),
        ("", "", ""),
    ] {
        let refused = engine.login(&attempt(org, user, password)).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused, EngineError::Identity(IdentityError::LoginFailed));
    }
    let logged_in = login(engine).await;
    assert!(logged_in.token.reveal().starts_with("cvs_"));
    let token = logged_in.token.reveal();
    let subject = engine.authenticate(token).await.unwrap();
    assert_eq!(subject.user(), logged_in.session.user);
    assert_eq!(subject.org(), logged_in.org);
    for bad in [
        "",
        "cvs_",
        "x",
        &token[..20],
        &token.replace("cvs_", "cvt_"),
    ] {
        let refused = engine.authenticate(bad).await;
        assert_eq!(code(refused), coeval_codes::TOKEN_INVALID, "{bad}");
    }
    let query = AuditQuery {
        of: Some("coeval:user".to_owned()),
        ..AuditQuery::default()
    };
    let audit = engine.audit(&admin(), &query, None, 100).await.unwrap();
    let did = |what| audit.iter().filter(|one| one.deed.what == what).count();
    assert_eq!((did(What::Login), did(What::LoginFailed)), (1, 7));
}

pub(crate) async fn after_some_failures_the_next_login_waits_on_every_server(mut world: World) {
    let clock = Arc::new(SkewedClock::new(0));
    let mut skewed = settings();
    skewed.clock = Arc::<SkewedClock>::clone(&clock);
    let engines = [
        world.another(skewed.clone()).await,
        world.another(skewed).await,
    ];
    with_alice(&engines[0], &[]).await;
    let attempt_from = |source: &str, user: &str, password: &str| Login {
        source: Some(source.to_owned()),
        ..attempt("acme", user, password)
    };
    for n in 0..5 {
        let wrong = attempt_from(&format!("10.0.0.{n}"), "alice", "wrong");
        let refused = engines[n % 2].login(&wrong).await;
        assert_eq!(code(refused), coeval_codes::LOGIN_FAILED, "{n}");
    }
    let right = attempt_from("10.0.0.9", "alice", PASSWORD);
    for engine in &engines {
        for _ in 0..3 {
            let EngineError::Identity(IdentityError::LoginBlocked { retry_after_ms }) =
                engine.login(&right).await.unwrap_err()
            else {
                panic!("not blocked");
            };
            assert!((1..=1_000).contains(&retry_after_ms));
        }
    }
    let query = AuditQuery::default();
    let audit = engines[0].audit(&admin(), &query, None, 100).await.unwrap();
    let failed = audit
        .iter()
        .filter(|one| one.deed.what == What::LoginFailed);
    assert_eq!(failed.count(), 5, "blocked ones are not recorded");
    clock.set(1_500);
    engines[1].login(&right).await.unwrap();
    // From one source, whoever it tries to be.
    for n in 0..50 {
        let wrong = attempt_from("10.6.6.6", &format!("user{n}"), "wrong");
        let refused = engines[n % 2].login(&wrong).await;
        assert_eq!(code(refused), coeval_codes::LOGIN_FAILED, "{n}");
    }
    let blocked = attempt_from("10.6.6.6", "alice", PASSWORD);
    let blocked = engines[0].login(&blocked).await;
    assert_eq!(code(blocked), coeval_codes::LOGIN_BLOCKED);
    engines[0].login(&right).await.unwrap();
}

pub(crate) async fn a_change_on_one_server_is_seen_by_the_next_request_on_another(
    mut world: World,
) {
    let one = Arc::clone(&world.engine);
    let other = world.another(settings()).await;
    let role = NewRole {
        name: "Watcher".to_owned(),
        org: None,
        description: None,
        rights: vec![GeneralRight::ViewUsers.name().to_owned()],
    };
    let role = one.create_role(&admin(), &role).await.unwrap();
    let alice = with_alice(&one, &["Watcher"]).await;
    let token = login(&one).await.token;
    let token = token.reveal();
    let may = async |right| {
        let subject = other.authenticate(token).await.unwrap();
        subject.rights().has(right)
    };
    assert!(may(GeneralRight::ViewUsers).await);
    assert!(!may(GeneralRight::ViewTasks).await);
    let edit = RoleEdit {
        rights: Some(vec![GeneralRight::ViewTasks.name().to_owned()]),
        ..RoleEdit::default()
    };
    one.update_role(&admin(), &role.id, &edit).await.unwrap();
    assert!(!may(GeneralRight::ViewUsers).await);
    assert!(may(GeneralRight::ViewTasks).await);
    let edit = UserEdit {
        roles: Some(vec![ORGANIZATION_ADMINISTRATOR.to_owned()]),
        ..UserEdit::default()
    };
    one.update_user(&admin(), &alice, &edit).await.unwrap();
    assert!(may(GeneralRight::ManageRoles).await);
    let enabled = |enabled| UserEdit {
        enabled: Some(enabled),
        ..UserEdit::default()
    };
    one.update_user(&admin(), &alice, &enabled(false))
        .await
        .unwrap();
    assert_eq!(
        code(other.authenticate(token).await),
        coeval_codes::TOKEN_INVALID
    );
    let refused = other.login(&attempt("acme", "alice", PASSWORD)).await;
    assert_eq!(code(refused), coeval_codes::LOGIN_FAILED);
    one.update_user(&admin(), &alice, &enabled(true))
        .await
        .unwrap();
    assert!(other.authenticate(token).await.is_ok());
    let disabled = OrgEdit {
        enabled: Some(false),
        ..OrgEdit::default()
    };
    one.update_org(&admin(), "acme", &disabled).await.unwrap();
    assert_eq!(
        code(other.authenticate(token).await),
        coeval_codes::TOKEN_INVALID
    );
    one.delete_user(&admin(), &alice).await.unwrap();
    assert_eq!(
        code(other.authenticate(token).await),
        coeval_codes::TOKEN_INVALID
    );
}

/// Counts reads.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl FaultPlan for Counting {
    fn read(&self) -> Option<InjectedFault> {
        self.0.fetch_add(1, Ordering::AcqRel);
        None
    }
}

pub(crate) async fn an_authenticated_request_costs_one_read(world: World) {
    with_alice(&world.engine, &[]).await;
    let token = login(&world.engine).await.token;
    let plan = Arc::new(Counting::default());
    let counted = FaultyStore::new(
        world.engine.store().clone(),
        Arc::<Counting>::clone(&plan) as Arc<dyn FaultPlan>,
    );
    let engine = Engine::new(Arc::new(counted), settings());
    engine.authenticate(token.reveal()).await.unwrap();
    let before = plan.0.load(Ordering::Acquire);
    for _ in 0..10 {
        engine.authenticate(token.reveal()).await.unwrap();
    }
    assert_eq!(plan.0.load(Ordering::Acquire) - before, 10);
}

pub(crate) async fn a_request_for_one_resource_costs_one_read_and_writes_what_is_there_now(
    world: World,
) {
    let (admin, of) = (admin(), app());
    world
        .engine
        .register(&admin, Registration::of(app_1_0()))
        .await
        .unwrap();
    let boss = user(&world.engine, "System", "boss", &[SYSTEM_ADMINISTRATOR]).await;
    let password = PasswordGiven::Clear(Password::new(PASSWORD));
    let set = world.engine.set_password(&admin, &boss.id, &password).await;
    set.unwrap();
    let boss = attempt("System", "boss", PASSWORD);
    let token = world.engine.login(&boss).await.unwrap().token;
    let plan = Arc::new(Counting::default());
    let counted = FaultyStore::new(
        world.engine.store().clone(),
        Arc::<Counting>::clone(&plan) as Arc<dyn FaultPlan>,
    );
    let engine = Engine::new(Arc::new(counted), settings());
    let create = Create::new(v("1.0.0"), "web", json!({"image": "web:1"}));
    let made = engine.create(&admin, &of, create).await.unwrap().resource;
    let target = Target::Id(made.id);
    let ahead = async || {
        let wanted = WantedVersions::default();
        let about = (&of, made.id);
        let caller = engine.caller_for(token.reveal(), None, wanted, None, about);
        caller.await.unwrap()
    };
    engine.get(&ahead().await, &of, &target).await.unwrap();
    let before = plan.0.load(Ordering::Acquire);
    let read = engine.get(&ahead().await, &of, &target).await.unwrap();
    assert_eq!(plan.0.load(Ordering::Acquire) - before, 1);
    assert_eq!(read.revision, made.revision);

    // Written by another after it was read ahead: the condition on what was read still holds.
    let late = ahead().await;
    let update = |image: &str| Update::new(v("1.0.0"), json!({"image": image}));
    let by_another = engine.update(&admin, &of, &target, &update("web:2")).await;
    let by_another = by_another.unwrap().done().unwrap().resource.revision;
    let stale = update("web:3").on(made.revision);
    let refused = engine.update(&late, &of, &target, &stale).await;
    match refused.unwrap_err() {
        EngineError::Conflict { current, .. } => assert_eq!(current, by_another),
        other => panic!("{other:?}"),
    }
    let late = ahead().await;
    engine.delete(&admin, &of, &target, None).await.unwrap();
    let refused = engine.update(&late, &of, &target, &update("web:4")).await;
    assert!(matches!(refused, Err(EngineError::NotFound { .. })));
}

pub(crate) async fn sessions_and_tokens_are_listed_without_secrets_and_revoked(world: World) {
    let engine = &world.engine;
    let alice = with_alice(engine, &[]).await;
    let [first, second] = [login(engine).await, login(engine).await];
    let caller = async |sent: &str| engine.caller(sent, None, WantedVersions::default()).await;
    let own = caller(first.token.reveal()).await.unwrap();
    let new = NewToken {
        name: "ci".to_owned(),
        expires: None,
    };
    let (token, made) = engine.create_token(&own, &new).await.unwrap();
    assert!(token.reveal().starts_with("cvt_"));
    let past = NewToken {
        expires: Some(UnixMillis(1)),
        ..new.clone()
    };
    assert!(engine.create_token(&own, &past).await.is_err());
    let listed = engine.list_sessions(&own, &alice).await.unwrap();
    assert_eq!(listed.len(), 3);
    assert!(listed.contains(&made));
    let printed = format!("{listed:?} {first:?} {token:?}");
    assert!(!printed.contains(first.token.reveal()) && !printed.contains(token.reveal()));
    user(engine, "acme", "bob", &[]).await;
    let stranger = crate::world::tenant("bob", own.org(), &[]);
    let refused = engine.revoke_session(&stranger, &made.id).await;
    assert_eq!(code(refused), coeval_codes::SESSION_UNKNOWN);
    engine
        .revoke_session(&own, &second.session.id)
        .await
        .unwrap();
    assert_eq!(
        code(caller(second.token.reveal()).await),
        coeval_codes::TOKEN_INVALID
    );
    assert!(caller(token.reveal()).await.is_ok());
    let new = Password::new("another one");
    let old = Password::new("wrong");
    let refused = engine.change_password(&own, &old, &new, None).await;
    assert_eq!(code(refused), coeval_codes::LOGIN_FAILED);
    let old = Password::new(PASSWORD);
    engine
        .change_password(&own, &old, &new, None)
        .await
        .unwrap();
    assert_eq!(
        code(caller(first.token.reveal()).await),
        coeval_codes::TOKEN_INVALID
    );
    assert!(caller(token.reveal()).await.is_ok(), "API tokens stay");
    let refused = engine.login(&attempt("acme", "alice", PASSWORD)).await;
    assert_eq!(code(refused), coeval_codes::LOGIN_FAILED);
    let again = engine.login(&attempt("acme", "alice", "another one")).await;
    let again = again.unwrap();
    engine.revoke_sessions(&admin(), &alice).await.unwrap();
    for dead in [again.token.reveal(), token.reveal()] {
        assert_eq!(code(caller(dead).await), coeval_codes::TOKEN_INVALID);
    }
    assert_eq!(engine.list_sessions(&admin(), &alice).await.unwrap(), []);
    let last = engine.login(&attempt("acme", "alice", "another one")).await;
    let last = last.unwrap();
    assert_eq!(last.session.kind, SessionKind::Session);
    engine.logout(last.token.reveal()).await.unwrap();
    let refused = engine.logout(last.token.reveal()).await;
    assert_eq!(code(refused), coeval_codes::TOKEN_INVALID);
}

pub(crate) async fn a_new_password_ends_sessions_even_if_the_server_dies_right_after(world: World) {
    let engine = &world.engine;
    let alice = with_alice(engine, &[]).await;
    let token = login(engine).await.token;
    let plan = Arc::new(Dying(AtomicUsize::new(1)));
    let store = FaultyStore::new(engine.store().clone(), plan as Arc<dyn FaultPlan>);
    let dying = Engine::new(Arc::new(store), settings());
    let password = PasswordGiven::Clear(Password::new("new"));
    let cut = dying.set_password(&admin(), &alice, &password).await;
    assert_eq!(code(cut), coeval_codes::UNAVAILABLE);
    let over = engine.authenticate(token.reveal()).await;
    assert_eq!(code(over), coeval_codes::TOKEN_INVALID);
    engine
        .login(&attempt("acme", "alice", "new"))
        .await
        .unwrap();
}

pub(crate) async fn a_session_ends_by_itself(mut world: World) {
    let mut short = settings();
    short.identity.session = Duration::from_millis(300);
    let engine = world.another(short).await;
    with_alice(&engine, &[]).await;
    let token = login(&engine).await.token;
    assert!(engine.authenticate(token.reveal()).await.is_ok());
    tokio::time::sleep(Duration::from_millis(600)).await;
    let over = engine.authenticate(token.reveal()).await;
    assert_eq!(code(over), coeval_codes::TOKEN_INVALID);
}

pub(crate) async fn only_the_provider_acts_for_another_organization(world: World) {
    let engine = &world.engine;
    with_alice(engine, &[ORGANIZATION_ADMINISTRATOR]).await;
    let bolt = org(engine, "bolt").await;
    let root = user(engine, "System", "root", &[SYSTEM_ADMINISTRATOR]).await;
    let password = PasswordGiven::Clear(Password::new("root"));
    let set = engine.set_password(&admin(), &root.id, &password).await;
    set.unwrap();
    let root = engine
        .login(&attempt("System", "root", "root"))
        .await
        .unwrap();
    let alice = login(engine).await;
    let context = async |of: &LoggedIn, org: &str| {
        let wanted = WantedVersions::default();
        engine.caller(of.token.reveal(), Some(org), wanted).await
    };
    let acting = context(&root, &bolt.id).await.unwrap();
    assert_eq!(acting.org(), bolt.id);
    assert!(acting.subject.rights().is_everything());
    let nowhere = "urn:vcloud:org:00000000-0000-0000-0000-000000000009";
    let refused = context(&root, nowhere).await;
    assert_eq!(code(refused), coeval_codes::ORGANIZATION_UNKNOWN);
    let refused = context(&alice, &bolt.id).await;
    assert_eq!(code(refused), coeval_codes::TENANT_CONTEXT_REFUSED);
    let same = context(&alice, &alice.org).await.unwrap();
    assert_eq!(same.org(), alice.org);
    let noted = engine
        .note_context(root.token.reveal(), Some(&bolt.id))
        .await;
    noted.unwrap();
    let listed = engine.list_sessions(&acting, acting.user()).await.unwrap();
    assert_eq!(listed[0].context.as_ref(), Some(&bolt.id));
}

pub(crate) async fn no_secret_is_stored_where_it_could_be_read(world: World) {
    let engine = &world.engine;
    with_alice(engine, &[]).await;
    let token = login(engine).await.token;
    let (_, page) = engine
        .store()
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let holds = |stored: &StoredValue, text: &str| {
        let record = stored.record().unwrap();
        let parts = record.content.fields.iter().map(|(_, part)| part);
        let mut parts = parts.chain([&record.content.body]);
        parts.any(|part| {
            let mut windows = part.windows(text.len());
            windows.any(|window| window == text.as_bytes())
        })
    };
    let mut hashes = 0;
    for entry in &page.entries {
        assert!(!holds(&entry.stored, PASSWORD), "{}", entry.key);
        assert!(!holds(&entry.stored, &token.reveal()[4..]), "{}", entry.key);
        if holds(&entry.stored, "$argon2id$") {
            hashes += 1;
            assert!(entry.key.to_string().starts_with("w/"), "{}", entry.key);
        }
    }
    assert_eq!(hashes, 1);
}

pub(crate) async fn a_user_whom_somebody_vouches_for_needs_no_session(world: World) {
    let engine = &world.engine;
    let alice = with_alice(engine, &[ORGANIZATION_ADMINISTRATOR]).await;
    let acme = org(engine, "other").await;
    let named = async |org: &str, user: &str, context: Option<&str>| {
        let wanted = WantedVersions::default();
        engine.caller_named(org, user, context, wanted).await
    };
    for _ in 0..2 {
        let caller = named("acme", "alice", None).await.unwrap().unwrap();
        assert_eq!(caller.user(), alice);
    }
    for (org, user) in [
        ("acme", "nobody"),
        ("nowhere", "alice"),
        ("other", "alice"),
        ("", "alice"),
        ("acme", ""),
        ("", "acme/alice"),
        ("acme/alice", ""),
    ] {
        assert!(
            named(org, user, None).await.unwrap().is_none(),
            "{org} {user}"
        );
    }
    let elsewhere = named("acme", "alice", Some(&acme.id)).await;
    assert_eq!(code(elsewhere), coeval_codes::TENANT_CONTEXT_REFUSED);
    let off = UserEdit {
        enabled: Some(false),
        ..UserEdit::default()
    };
    engine.update_user(&admin(), &alice, &off).await.unwrap();
    assert!(
        named("acme", "alice", None).await.unwrap().is_none(),
        "disabled"
    );
}
