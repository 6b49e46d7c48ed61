//! What a watcher may see, and how it is told when that changes.

use crate::identity::{BUNDLE, org, register, to, user};
use crate::migrations_hurt::{Before, Deed};
use crate::world::{World, admin, app, app_1_0, app_1_1, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::{Code, Coded};
use coeval_core::version::{Classification, Uuid};
use coeval_engine::identity::{
    Login, NewRole, NewToken, Organization, Password, PasswordGiven, RoleEdit, UserEdit,
};
use coeval_engine::write::{Create, MetaEdit, Update};
use coeval_engine::{
    Caller, Engine, InOrg, Settings, Target, WantedVersions, WatchQuery, WatchStream, Watched,
    WatchedChange,
};
use coeval_filter::{ContentPath, FieldComparison, Filter, FilterField, Operand};
use coeval_storage::layers::FaultyStore;
use coeval_storage::{
    AtomicWrite, Clock, EventRetention, Incarnation, Key, KeySpan, ReadRange, RecordPut,
    SystemClock, Token, UnixMillis, WriteAction, WriteCondition,
};
use futures::StreamExt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const PASSWORD: &str = "correct horse battery staple";
const VIEW: &str = "acme:app: View";

/// An organization with the type, somebody who owns resources, and Alice, who may look at them.
pub(crate) struct Scene {
    pub(crate) acme: Organization,
    pub(crate) owner: Caller,
    pub(crate) alice: String,
}

pub(crate) async fn set_out(engine: &Engine) -> Scene {
    let acme = org(engine, "acme").await;
    register(engine, app_1_0()).await;
    publish(engine, &acme, true).await;
    let new = NewRole {
        name: "viewer".to_owned(),
        org: Some("acme".to_owned()),
        description: None,
        rights: vec![VIEW.to_owned()],
    };
    engine.create_role(&admin(), &new).await.unwrap();
    let alice = user(engine, "acme", "alice", &["viewer"]).await;
    let password = PasswordGiven::Clear(Password::new(PASSWORD));
    let set = engine.set_password(&admin(), &alice.id, &password).await;
    set.unwrap();
    Scene {
        owner: tenant("owner", &acme.id, &["acme:app: Full Access"]),
        acme,
        alice: alice.id,
    }
}

pub(crate) async fn publish(engine: &Engine, org: &Organization, yes: bool) {
    let to = to(&[org]);
    let done = if yes {
        engine.publish_bundle(&admin(), BUNDLE, &to).await
    } else {
        engine.unpublish_bundle(&admin(), BUNDLE, &to).await
    };
    done.unwrap();
}

pub(crate) async fn log_in(engine: &Engine) -> String {
    let login = Login {
        org: "acme".to_owned(),
        user: "alice".to_owned(),
        password: Password::new(PASSWORD),
        source: None,
    };
    engine
        .login(&login)
        .await
        .unwrap()
        .token
        .reveal()
        .to_owned()
}

pub(crate) async fn caller(engine: &Engine, token: &str) -> Caller {
    let wanted = WantedVersions::default();
    engine.caller(token, None, wanted).await.unwrap()
}

async fn make(engine: &Engine, owner: &Caller, name: &str) -> Uuid {
    let create = Create::new(v("1.0.0"), name, json!({"image": "a"}));
    let made = engine.create(owner, &app(), create).await.unwrap();
    made.resource.id
}

async fn change(engine: &Engine, owner: &Caller, id: Uuid, image: &str) {
    let update = Update::new(v("1.0.0"), json!({"image": image}));
    let done = engine.update(owner, &app(), &Target::Id(id), &update).await;
    done.unwrap();
}

async fn set_roles(engine: &Engine, user: &str, roles: &[&str]) {
    let edit = UserEdit {
        roles: Some(roles.iter().map(|role| (*role).to_owned()).collect()),
        ..UserEdit::default()
    };
    engine.update_user(&admin(), user, &edit).await.unwrap();
}

impl Scene {
    async fn grant(&self, engine: &Engine, id: Uuid) {
        let member = AclMember::User(self.alice.clone());
        let level = AccessLevel::ReadOnly;
        let grant = Grant { member, level };
        let id = Target::Id(id);
        engine
            .grant(&self.owner, &app(), &id, &grant)
            .await
            .unwrap();
    }

    async fn revoke(&self, engine: &Engine, id: Uuid) {
        let member = AclMember::User(self.alice.clone());
        let id = Target::Id(id);
        engine
            .revoke(&self.owner, &app(), &id, &member)
            .await
            .unwrap();
    }
}

/// All that a watcher is told up to a point, in short.
async fn told_up_to(stream: &mut WatchStream, token: Token) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
        let next = next.expect("something within 20 s").expect("no end");
        let at = match next.unwrap() {
            Watched::Live(at) | Watched::Bookmark(at) => at,
            Watched::Changes(at, changes) => {
                told.extend(changes.iter().map(short));
                at
            }
        };
        if at.sequence >= token.sequence {
            return told;
        }
    }
}

fn short(change: &WatchedChange) -> String {
    match change {
        WatchedChange::Put(resource) => {
            let content: Value = serde_json::from_slice(&resource.content).unwrap();
            format!("{} {}", resource.header.name, content["image"])
        }
        WatchedChange::Deleted { id, .. } => format!("deleted {}", id.0 % 1000),
        WatchedChange::Left { id } => format!("left {}", id.0 % 1000),
        WatchedChange::Quarantined(one) => format!("quarantined {}", one.code),
    }
}

fn left(id: Uuid) -> String {
    format!("left {}", id.0 % 1000)
}

async fn head(engine: &Engine) -> Token {
    let (token, _) = engine
        .store()
        .range(ReadRange::of(KeySpan::everything()).limit(1))
        .await
        .unwrap();
    token
}

async fn told(engine: &Engine, stream: &mut WatchStream) -> Vec<String> {
    let head = head(engine).await;
    told_up_to(stream, head).await
}

/// The code of the error that ends a stream.
async fn ends(stream: &mut WatchStream) -> Code {
    let end = async {
        loop {
            match stream.next().await.expect("an error before the end") {
                Ok(_) => {}
                Err(error) => {
                    assert!(stream.next().await.is_none(), "nothing follows an error");
                    return error.code();
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), end)
        .await
        .expect("an end within 20 s")
}

async fn watch(engine: &Arc<Engine>, caller: &Caller) -> WatchStream {
    let query = WatchQuery::of(app());
    engine.watch(caller, query).await.unwrap()
}

pub(crate) async fn what_an_acl_gives_comes_and_what_it_takes_leaves(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let alice = caller(engine, &log_in(engine).await).await;
    let web = make(engine, &scene.owner, "web").await;
    let mut stream = watch(engine, &alice).await;
    make(engine, &scene.owner, "other").await;
    assert_eq!(told(engine, &mut stream).await, [""; 0]);
    scene.grant(engine, web).await;
    assert_eq!(told(engine, &mut stream).await, ["web \"a\""]);
    change(engine, &scene.owner, web, "b").await;
    scene.revoke(engine, web).await;
    change(engine, &scene.owner, web, "c").await;
    assert_eq!(
        told(engine, &mut stream).await,
        ["web \"b\"".into(), left(web)]
    );
    // It comes as it was when it was given, and each revision since on its own.
    scene.grant(engine, web).await;
    change(engine, &scene.owner, web, "d").await;
    let both = ["web \"c\"", "web \"d\""];
    assert_eq!(told(engine, &mut stream).await, both);
}

async fn alice_began(engine: &Arc<Engine>, alice: &Caller) -> Token {
    let mut stream = watch(engine, alice).await;
    match stream.next().await.unwrap().unwrap() {
        Watched::Live(token) => token,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn what_was_given_and_taken_is_told_the_same_when_it_is_resumed(mut world: World) {
    let engine = Arc::clone(&world.engine);
    let scene = set_out(&engine).await;
    let alice = caller(&engine, &log_in(&engine).await).await;
    let from = alice_began(&engine, &alice).await;
    let web = make(&engine, &scene.owner, "web").await;
    scene.grant(&engine, web).await;
    change(&engine, &scene.owner, web, "b").await;
    scene.revoke(&engine, web).await;
    change(&engine, &scene.owner, web, "c").await;
    let another = world.another(crate::world::settings()).await;
    let alice = caller(&another, &log_in(&another).await).await;
    for engine in [&engine, &another] {
        let query = WatchQuery::of(app()).from(from);
        let mut stream = engine.watch(&alice, query).await.unwrap();
        let all = told(engine, &mut stream).await;
        assert_eq!(all, ["web \"a\"".into(), "web \"b\"".into(), left(web)]);
    }
}

pub(crate) async fn with_a_role_all_leaves_and_comes_back(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let alice = caller(engine, &log_in(engine).await).await;
    let ids = [
        make(engine, &scene.owner, "one").await,
        make(engine, &scene.owner, "two").await,
    ];
    make(engine, &scene.owner, "unseen").await;
    for id in ids {
        scene.grant(engine, id).await;
    }
    let mut stream = watch(engine, &alice).await;
    let mut all_left = ids.map(left).to_vec();
    all_left.sort();
    let sorted = |mut told: Vec<String>| {
        told.sort();
        told
    };
    // Three ways to lose everything, and to get it back.
    for way in 0..3 {
        match way {
            0 => set_roles(engine, &scene.alice, &[]).await,
            1 => {
                let edit = RoleEdit {
                    rights: Some(vec![]),
                    ..RoleEdit::default()
                };
                let role = role_id(engine).await;
                engine.update_role(&admin(), &role, &edit).await.unwrap();
            }
            _ => publish(engine, &scene.acme, false).await,
        }
        assert_eq!(sorted(told(engine, &mut stream).await), all_left, "{way}");
        change(engine, &admin(), ids[0], &format!("w{way}")).await;
        assert_eq!(told(engine, &mut stream).await, [""; 0], "{way}");
        match way {
            0 => set_roles(engine, &scene.alice, &["viewer"]).await,
            1 => {
                let edit = RoleEdit {
                    rights: Some(vec![VIEW.to_owned()]),
                    ..RoleEdit::default()
                };
                let role = role_id(engine).await;
                engine.update_role(&admin(), &role, &edit).await.unwrap();
            }
            _ => publish(engine, &scene.acme, true).await,
        }
        let back = sorted(told(engine, &mut stream).await);
        assert_eq!(back, [format!("one \"w{way}\""), "two \"a\"".to_owned()]);
    }
}

pub(crate) async fn what_is_made_after_the_rights_were_lost_is_never_named(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let edit = RoleEdit {
        rights: Some(vec!["acme:app: Administrator View".to_owned()]),
        ..RoleEdit::default()
    };
    let role = role_id(engine).await;
    engine.update_role(&admin(), &role, &edit).await.unwrap();
    let alice = caller(engine, &log_in(engine).await).await;
    let known = make(engine, &scene.owner, "known").await;
    let touched = make(engine, &scene.owner, "touched").await;
    let deleted = make(engine, &scene.owner, "deleted").await;
    let mut stream = watch(engine, &alice).await;
    // Nothing of this is looked at before all of it has happened.
    set_roles(engine, &scene.alice, &[]).await;
    let unknown = make(engine, &scene.owner, "unknown").await;
    change(engine, &scene.owner, unknown, "b").await;
    change(engine, &scene.owner, touched, "b").await;
    change(engine, &scene.owner, touched, "c").await;
    let gone = Target::Id(deleted);
    engine
        .delete(&scene.owner, &app(), &gone, None)
        .await
        .unwrap();
    let mut all = told(engine, &mut stream).await;
    all.sort();
    let mut expected = vec![
        left(known),
        left(touched),
        format!("deleted {}", deleted.0 % 1000),
    ];
    expected.sort();
    assert_eq!(all, expected);
}

/// Somebody is let in just before a deletion is written, by a server that had looked at the ACL
/// already: who has the resource since then is told that it is gone.
pub(crate) async fn a_deletion_is_told_to_whom_was_let_in_at_the_last_moment(world: World) {
    let engine = Arc::clone(&world.engine);
    let scene = Arc::new(set_out(&engine).await);
    let alice = caller(&engine, &log_in(&engine).await).await;
    let web = make(&engine, &scene.owner, "web").await;
    let mut stream = watch(&engine, &alice).await;
    let deed: Deed = {
        let (engine, scene) = (Arc::clone(&engine), Arc::clone(&scene));
        Box::pin(async move { scene.grant(&engine, web).await })
    };
    let plan = Arc::new(Before::write(1, deed));
    let store = FaultyStore::new(Arc::clone(engine.store()), Arc::clone(&plan) as _);
    let meddled = Engine::new(Arc::new(store), crate::world::settings());
    let target = Target::Id(web);
    let deleted = meddled.delete(&scene.owner, &app(), &target, None).await;
    deleted.unwrap();
    assert!(plan.has_struck());
    let all = told(&engine, &mut stream).await;
    // It is gone before the grant is looked at, so nothing of it can be shown any more.
    assert_eq!(all, [format!("deleted {}", web.0 % 1000)]);
}

/// As a deletion is, also to those who are brought up to date later.
pub(crate) async fn an_expiry_is_told_to_whom_an_acl_had_let_in(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let alice = caller(engine, &log_in(engine).await).await;
    let from = alice_began(engine, &alice).await;
    let mut create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    create.expires = Some(soon(60_000));
    let made = engine.create(&scene.owner, &app(), create).await.unwrap();
    let web = made.resource.id;
    scene.grant(engine, web).await;
    let mut stream = watch(engine, &alice).await;
    let target = Target::Id(web);
    let now = Some(soon(1_000));
    let kept = engine.keep_alive(&scene.owner, &app(), &target, now).await;
    kept.unwrap();
    let gone = format!("deleted {}", web.0 % 1000);
    let all = async {
        let mut all = Vec::new();
        while !all.contains(&gone) {
            if let Watched::Changes(_, changes) = stream.next().await.unwrap().unwrap() {
                all.extend(changes.iter().map(short));
            }
        }
        all
    };
    let all = tokio::time::timeout(Duration::from_secs(20), all).await;
    let expected = ["web \"a\"", &gone];
    assert_eq!(all.expect("told within 20 s"), expected);
    let query = WatchQuery::of(app()).from(from);
    let mut resumed = engine.watch(&alice, query).await.unwrap();
    assert_eq!(told(engine, &mut resumed).await, expected);
}

/// An ACL of an earlier release expires with its resource. When that is kept alive, so are its
/// grants.
pub(crate) async fn an_acl_with_an_expiry_loses_it_when_its_resource_is_kept_alive(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let alice = caller(engine, &log_in(engine).await).await;
    let mut create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    create.expires = Some(soon(60_000));
    let made = engine.create(&scene.owner, &app(), create).await.unwrap();
    let web = made.resource.id;
    scene.grant(engine, web).await;
    let acl = Key::new(format!("a/{web}")).unwrap();
    let until = soon(5_000);
    let write = AtomicWrite::new().step(
        &acl,
        WriteCondition::Exists,
        WriteAction::KeepAlive(Some(until)),
    );
    engine.store().atomic_write(write).await.unwrap();
    let target = Target::Id(web);
    let later = Some(soon(90_000));
    let kept = engine
        .keep_alive(&scene.owner, &app(), &target, later)
        .await;
    kept.unwrap();
    while SystemClock::default().now() <= until {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    engine.get(&alice, &app(), &target).await.unwrap();
}

fn soon(milliseconds: i64) -> UnixMillis {
    UnixMillis(SystemClock::default().now().0 + milliseconds)
}

async fn role_id(engine: &Engine) -> String {
    let roles = engine.list_roles(&admin(), "acme").await.unwrap();
    let viewer = roles.into_iter().find(|role| role.name == "viewer");
    viewer.unwrap().id
}

pub(crate) async fn a_watch_ends_with_its_credentials(mut world: World) {
    let engine = Arc::clone(&world.engine);
    let scene = set_out(&engine).await;
    let another = world.another(crate::world::settings()).await;
    let token = log_in(&engine).await;
    let alice = caller(&engine, &token).await;
    let other = caller(&engine, &log_in(&engine).await).await;
    let mut stream = watch(&another, &alice).await;
    let mut goes_on = watch(&another, &other).await;
    engine.logout(&token).await.unwrap();
    assert_eq!(ends(&mut stream).await, coeval_codes::TOKEN_INVALID);
    let refused = engine.watch(&alice, WatchQuery::of(app())).await;
    assert_eq!(refused.err().unwrap().code(), coeval_codes::TOKEN_INVALID);
    let new = NewToken {
        name: "ci".to_owned(),
        expires: None,
    };
    let (secret, session) = engine.create_token(&other, &new).await.unwrap();
    let program = caller(&engine, secret.reveal()).await;
    let mut stream = watch(&another, &program).await;
    engine.revoke_session(&other, &session.id).await.unwrap();
    assert_eq!(ends(&mut stream).await, coeval_codes::TOKEN_INVALID);
    assert_eq!(told(&another, &mut goes_on).await, [""; 0]);
    // Disabled, then deleted.
    let able = |enabled| UserEdit {
        enabled: Some(enabled),
        ..UserEdit::default()
    };
    let user = &scene.alice;
    engine
        .update_user(&admin(), user, &able(false))
        .await
        .unwrap();
    assert_eq!(ends(&mut goes_on).await, coeval_codes::TOKEN_INVALID);
    engine
        .update_user(&admin(), user, &able(true))
        .await
        .unwrap();
    let alice = caller(&engine, &log_in(&engine).await).await;
    let mut stream = watch(&another, &alice).await;
    engine.delete_user(&admin(), user).await.unwrap();
    assert_eq!(ends(&mut stream).await, coeval_codes::TOKEN_INVALID);
}

pub(crate) async fn a_watch_ends_when_its_session_expires(mut world: World) {
    let mut short: Settings = crate::world::settings();
    short.identity.session = Duration::from_secs(2);
    let engine = world.another(short).await;
    set_out(&engine).await;
    let alice = caller(&engine, &log_in(&engine).await).await;
    let mut stream = watch(&engine, &alice).await;
    let began = std::time::Instant::now();
    assert_eq!(ends(&mut stream).await, coeval_codes::TOKEN_INVALID);
    let lasted = began.elapsed();
    assert!(lasted < Duration::from_secs(4), "{lasted:?}");
}

pub(crate) async fn resuming_over_a_change_of_rights_asks_for_a_new_list(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let alice = caller(engine, &log_in(engine).await).await;
    let resumed = |from| {
        let query = WatchQuery::of(app()).from(from);
        let alice = alice.clone();
        async move { engine.watch(&alice, query).await }
    };
    // What concerns others, or is no right, does no harm.
    let from = head(engine).await;
    user(engine, "acme", "bob", &["viewer"]).await;
    org(engine, "bolt").await;
    let edit = UserEdit {
        full_name: Some(Some("Alice".to_owned())),
        ..UserEdit::default()
    };
    engine
        .update_user(&admin(), &scene.alice, &edit)
        .await
        .unwrap();
    register(engine, app_1_1()).await;
    let mut stream = resumed(from).await.unwrap();
    assert_eq!(told(engine, &mut stream).await, [""; 0]);
    // Roles, a role's rights, and what is published.
    let from = head(engine).await;
    set_roles(engine, &scene.alice, &[]).await;
    set_roles(engine, &scene.alice, &["viewer"]).await;
    let refused = resumed(from).await.err().unwrap();
    assert_eq!(refused.code(), coeval_codes::WATCH_RIGHTS_CHANGED);
    let from = head(engine).await;
    let edit = RoleEdit {
        rights: Some(vec!["acme:app: Full Access".to_owned()]),
        ..RoleEdit::default()
    };
    let role = role_id(engine).await;
    engine.update_role(&admin(), &role, &edit).await.unwrap();
    let refused = resumed(from).await.err().unwrap();
    assert_eq!(refused.code(), coeval_codes::WATCH_RIGHTS_CHANGED);
    let from = head(engine).await;
    publish(engine, &scene.acme, false).await;
    publish(engine, &scene.acme, true).await;
    let refused = resumed(from).await.err().unwrap();
    assert_eq!(refused.code(), coeval_codes::WATCH_RIGHTS_CHANGED);
    // Those who see every version whoever it is published to need not list again.
    let mut query = WatchQuery::of(app()).from(from);
    query.org = InOrg::All;
    let mut stream = engine.watch(&admin(), query).await.unwrap();
    assert_eq!(told(engine, &mut stream).await, [""; 0]);
}

pub(crate) async fn a_point_that_is_not_in_the_history_is_refused_with_the_reason(world: World) {
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    let from = head(engine).await;
    for n in 0..3 {
        make(engine, &admin(), &format!("r{n}")).await;
    }
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    make(engine, &admin(), "last").await;
    let none = EventRetention {
        age: Duration::ZERO,
        bytes: 0,
    };
    let floor = engine.store().compact(none).await.unwrap();
    assert!(floor > from.sequence, "{floor}");
    let head = head(engine).await;
    let beyond = Token {
        sequence: head.sequence + 1_000_000,
        ..head
    };
    let elsewhere = Token {
        incarnation: Incarnation::draw().unwrap(),
        ..head
    };
    for (from, code) in [
        (from, coeval_codes::WATCH_COMPACTED),
        (beyond, coeval_codes::WATCH_OTHER_HISTORY),
        (elsewhere, coeval_codes::WATCH_OTHER_HISTORY),
    ] {
        let query = WatchQuery::of(app()).from(from);
        let refused = engine.watch(&admin(), query).await.err().unwrap();
        assert_eq!(refused.code(), code);
        assert!(refused.advice().contains("list"), "{}", refused.advice());
    }
}

pub(crate) async fn what_no_longer_matches_leaves(world: World) {
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    register(engine, app_1_1()).await;
    let equal = FieldComparison::Equal(Operand::Text("a".to_owned()));
    let filter = Filter::test(
        FilterField::Content(ContentPath::from_dotted("image").unwrap()),
        equal,
    );
    let mut queries = vec![WatchQuery::of(app()); 4];
    queries[0].name_prefix = Some("we".to_owned());
    queries[1].labels = BTreeMap::from([("tier".to_owned(), "front".to_owned())]);
    queries[2].filter = Some(Arc::new(filter.compile().unwrap()));
    queries[3].versions = Some(Classification::Exact(v("1.0.0")));
    let mut streams = Vec::new();
    for query in queries {
        streams.push(engine.watch(&admin(), query).await.unwrap());
    }
    let mut create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    create.labels = BTreeMap::from([("tier".to_owned(), "front".to_owned())]);
    let id = engine.create(&admin(), &app(), create).await.unwrap();
    let id = id.resource.id;
    let other = Create::new(v("1.1.0"), "other", json!({"image": "z"}));
    engine.create(&admin(), &app(), other).await.unwrap();
    for (n, stream) in streams.iter_mut().enumerate() {
        assert_eq!(told(engine, stream).await, ["web \"a\""], "{n}");
    }
    let mut update = Update::new(v("1.1.0"), json!({"image": "b"}));
    update.store_at = coeval_core::decide::StoreAt::Set;
    update.meta = MetaEdit {
        name: Some("app".to_owned()),
        labels: Some(BTreeMap::new()),
        ..MetaEdit::default()
    };
    let target = Target::Id(id);
    engine
        .update(&admin(), &app(), &target, &update)
        .await
        .unwrap();
    for (n, stream) in streams.iter_mut().enumerate() {
        assert_eq!(told(engine, stream).await, [left(id)], "{n}");
    }
}

pub(crate) async fn who_gives_a_resource_away_is_told_that_it_left(world: World) {
    let mut settings = crate::world::settings();
    // What it was before is told with the change, whether or not earlier revisions are kept.
    settings.history = 0;
    let engine = Arc::new(
        Engine::open(world.engine.store().clone(), settings)
            .await
            .unwrap(),
    );
    let engine = &engine;
    let scene = set_out(engine).await;
    let heir = tenant("heir", &scene.acme.id, &["acme:app: Full Access"]);
    let stranger = tenant("stranger", &scene.acme.id, &["acme:app: Full Access"]);
    let mut streams = Vec::new();
    for who in [&scene.owner, &heir, &stranger] {
        streams.push(watch(engine, who).await);
    }
    let id = make(engine, &scene.owner, "web").await;
    let mut update = Update::new(v("1.0.0"), json!({"image": "b"}));
    update.meta.owner = Some("heir".to_owned());
    let target = Target::Id(id);
    engine
        .update(&scene.owner, &app(), &target, &update)
        .await
        .unwrap();
    change(engine, &heir, id, "c").await;
    let expected = [
        vec!["web \"a\"".to_owned(), left(id)],
        vec!["web \"b\"".to_owned(), "web \"c\"".to_owned()],
        vec![],
    ];
    for (stream, expected) in streams.iter_mut().zip(expected) {
        assert_eq!(told(engine, stream).await, expected);
    }
}

pub(crate) async fn a_bad_object_is_told_to_those_who_may_see_it(world: World) {
    let engine = &world.engine;
    let scene = set_out(engine).await;
    let stranger = tenant("stranger", &scene.acme.id, &["acme:app: Full Access"]);
    let web = make(engine, &scene.owner, "web").await;
    let mut provider = WatchQuery::of(app());
    provider.org = InOrg::All;
    let mut streams = [
        watch(engine, &scene.owner).await,
        watch(engine, &stranger).await,
        engine.watch(&admin(), provider).await.unwrap(),
    ];
    // Somebody meddles with the store: a content that is no JSON, and a header that is none.
    let key = Key::new(format!("e/acme/app/v1/{web}")).unwrap();
    let mut content = engine.store().get(&key).await.unwrap().content;
    content.body = "no JSON".into();
    engine
        .store()
        .put(&key, RecordPut::of(content))
        .await
        .unwrap();
    let unread = format!("quarantined {}", coeval_codes::RESOURCE_UNREADABLE);
    let expected = [vec![unread.clone()], vec![], vec![unread.clone()]];
    for (stream, expected) in streams.iter_mut().zip(expected) {
        assert_eq!(told(engine, stream).await, expected);
    }
    let write = AtomicWrite::new().step(
        &key,
        WriteCondition::Whatever,
        WriteAction::Put(RecordPut::of(b"nothing".to_vec())),
    );
    engine.store().atomic_write(write).await.unwrap();
    // Nothing says whose it is: the provider alone is told. The stream goes on.
    make(engine, &scene.owner, "next").await;
    let expected = [
        vec!["next \"a\"".to_owned()],
        vec![],
        vec![unread, "next \"a\"".to_owned()],
    ];
    for (stream, expected) in streams.iter_mut().zip(expected) {
        assert_eq!(told(engine, stream).await, expected);
    }
}

#[tokio::test]
async fn who_is_slow_catches_up_from_the_log_or_is_told_how_far_it_came() {
    let world = World::with_small_ring().await;
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    let mut patient = watch(engine, &admin()).await;
    let mut late = watch(engine, &admin()).await;
    // Both are live: they have had something from memory.
    make(engine, &admin(), "first").await;
    assert_eq!(told(engine, &mut patient).await, ["first \"a\""]);
    assert_eq!(told(engine, &mut late).await, ["first \"a\""]);
    let names: Vec<String> = (0..40).map(|n| format!("r{n}")).collect();
    for name in &names {
        make(engine, &admin(), name).await;
    }
    let expected: Vec<String> = names.iter().map(|name| format!("{name} \"a\"")).collect();
    assert_eq!(told(engine, &mut patient).await, expected);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    make(engine, &admin(), "last").await;
    let none = EventRetention {
        age: Duration::ZERO,
        bytes: 0,
    };
    engine.store().compact(none).await.unwrap();
    assert_eq!(ends(&mut late).await, coeval_codes::WATCH_FELL_BEHIND);
}
