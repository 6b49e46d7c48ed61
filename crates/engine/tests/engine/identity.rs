//! Organizations, users and roles, and what a new installation begins with.

use crate::world::{World, admin, app, app_1_0, app_1_1, settings, tenant, v};
use coeval_access::{GeneralRight, ORGANIZATION_ADMINISTRATOR, SYSTEM_ADMINISTRATOR};
use coeval_codes::{Code, Coded};
use coeval_engine::identity::{
    Bootstrap, NewOrg, NewRole, NewUser, OrgEdit, Organization, PublishTo, RoleEdit, User, UserEdit,
};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{AuditQuery, Caller, Engine, EngineError, SYSTEM_ORG, Target, TypeKey};
use serde_json::json;
use std::sync::Arc;

pub(crate) async fn org(engine: &Engine, name: &str) -> Organization {
    let new = NewOrg {
        name: name.to_owned(),
        ..NewOrg::default()
    };
    engine.create_org(&admin(), &new).await.unwrap()
}

pub(crate) async fn user(engine: &Engine, org: &str, name: &str, roles: &[&str]) -> User {
    let new = NewUser {
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        ..NewUser::new(org, name)
    };
    engine.create_user(&admin(), &new).await.unwrap()
}

pub(crate) fn code<T: std::fmt::Debug>(result: Result<T, EngineError>) -> Code {
    result.unwrap_err().code()
}

pub(crate) async fn register(engine: &Engine, file: String) {
    let registered = engine.register(&admin(), Registration::of(file)).await;
    registered.unwrap();
}

pub(crate) fn someone(of: &Organization) -> Caller {
    tenant("someone", &of.id, &["acme:app: Full Access"])
}

pub(crate) async fn sees(engine: &Engine, caller: &Caller, version: &str) -> bool {
    let name = format!("r{version}-{}", caller.org());
    let create = Create::new(v(version), name, json!({"image": "a"}));
    let made = match engine.create(caller, &app(), create).await {
        Ok(made) => made,
        Err(error) => {
            let unknown = [
                coeval_codes::TYPE_VERSION_UNKNOWN,
                coeval_codes::TYPE_UNKNOWN,
            ];
            assert!(unknown.contains(&error.code()), "{error}");
            return false;
        }
    };
    let id = Target::Id(made.resource.id);
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    true
}

pub(crate) fn to(orgs: &[&Organization]) -> PublishTo {
    PublishTo::Orgs(orgs.iter().map(|org| org.name.clone()).collect())
}

pub(crate) const BUNDLE: &str = "acme:app Entitlement";

pub(crate) async fn several_servers_open_one_store_and_nothing_is_there_twice(world: World) {
    let store = world.engine.store().clone();
    let before = world.engine.list_bundles(&admin()).await.unwrap();
    let opening = (0..4).map(|_| tokio::spawn(Engine::open(store.clone(), settings())));
    for opened in opening.collect::<Vec<_>>() {
        let engine = opened.await.unwrap().unwrap();
        assert_eq!(engine.list_bundles(&admin()).await.unwrap(), before);
        let orgs = engine.list_orgs(&admin(), None, 10).await.unwrap();
        let ids: Vec<_> = orgs.iter().map(|org| org.id.as_str()).collect();
        assert_eq!(ids, [SYSTEM_ORG]);
        let roles = engine.list_roles(&admin(), "System").await.unwrap();
        let mut names: Vec<_> = roles.into_iter().map(|role| role.name).collect();
        names.sort();
        assert_eq!(names, [ORGANIZATION_ADMINISTRATOR, SYSTEM_ADMINISTRATOR]);
    }
}

pub(crate) async fn own_kinds_are_read_like_others_and_written_only_by_their_methods(world: World) {
    let engine = &world.engine;
    let acme = org(engine, "acme").await;
    let alice = user(engine, "acme", "alice", &[]).await;
    let of = TypeKey::new("coeval", "user");
    let target = Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: "acme/alice".to_owned(),
    };
    let read = engine.get(&admin(), &of, &target).await.unwrap();
    let content: serde_json::Value = serde_json::from_slice(&read.content).unwrap();
    assert_eq!(content["org"], json!(acme.id));
    assert!(alice.id.ends_with(&read.id.to_string()));
    let update = Update::new(v("1.0.0"), content.clone());
    let create = Create::new(v("1.0.0"), "acme/bob", content);
    let refused = [
        code(engine.create(&admin(), &of, create).await),
        code(engine.update(&admin(), &of, &target, &update).await),
        code(engine.delete(&admin(), &of, &target, None).await),
        code(engine.resolve(&admin(), &of, &target).await),
        code(engine.keep_alive(&admin(), &of, &target, None).await),
    ];
    assert_eq!(refused, [coeval_codes::BUILT_IN; 5]);
    let advice = engine.delete(&admin(), &of, &target, None).await;
    assert!(advice.unwrap_err().advice().contains("users"));
    let query = AuditQuery {
        id: Some(read.id.to_string()),
        ..AuditQuery::default()
    };
    let audit = engine.audit(&admin(), &query, None, 10).await.unwrap();
    assert_eq!(audit.len(), 1);
    assert_eq!(audit[0].deed.user, "admin");
}

pub(crate) async fn a_name_is_unique_within_its_organization_and_keeps_its_case(world: World) {
    let engine = &world.engine;
    for name in ["acme", "bolt"] {
        org(engine, name).await;
        user(engine, name, "alice", &[]).await;
    }
    user(engine, "acme", "Alice", &[]).await;
    let again = NewUser::new("acme", "alice");
    let again = engine.create_user(&admin(), &again).await;
    assert_eq!(code(again), coeval_codes::RESOURCE_EXISTS);
    let again = NewOrg {
        name: "acme".to_owned(),
        ..NewOrg::default()
    };
    let again = engine.create_org(&admin(), &again).await;
    assert_eq!(code(again), coeval_codes::RESOURCE_EXISTS);
    let users = engine.list_users(&admin(), "acme", None, 10).await.unwrap();
    let mut names: Vec<_> = users.iter().map(|user| user.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Alice", "alice"]);
    let rename = UserEdit {
        name: Some("Alice".to_owned()),
        ..UserEdit::default()
    };
    let taken = engine.update_user(&admin(), "acme/alice", &rename).await;
    assert_eq!(code(taken), coeval_codes::RESOURCE_EXISTS);
    let rename = UserEdit {
        name: Some("Alicia".to_owned()),
        revision: Some(users[0].revision),
        ..UserEdit::default()
    };
    let renamed = engine.update_user(&admin(), &users[0].id, &rename).await;
    assert_eq!(renamed.unwrap().name, "Alicia");
    let stale = engine.update_user(&admin(), &users[0].id, &rename).await;
    assert_eq!(code(stale), coeval_codes::RESOURCE_CONFLICT);
    let found = engine.get_user(&admin(), "acme/Alicia").await.unwrap();
    assert_eq!(found.id, users[0].id);
}

pub(crate) async fn an_organization_is_deleted_only_when_it_is_empty(world: World) {
    let engine = &world.engine;
    let acme = org(engine, "acme").await;
    let bolt = org(engine, "bolt").await;
    user(engine, "acme", "alice", &[]).await;
    let delete = async |org: &str| engine.delete_org(&admin(), org).await;
    assert_eq!(
        code(delete("acme").await),
        coeval_codes::ORGANIZATION_IN_USE
    );
    engine.delete_user(&admin(), "acme/alice").await.unwrap();
    register(engine, app_1_0()).await;
    let mut create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    create.org = Some(acme.id.clone());
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    assert_eq!(
        code(delete("acme").await),
        coeval_codes::ORGANIZATION_IN_USE
    );
    let id = Target::Id(made.resource.id);
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    delete("acme").await.unwrap();
    assert_eq!(
        code(delete("acme").await),
        coeval_codes::ORGANIZATION_UNKNOWN
    );
    assert_eq!(code(delete("System").await), coeval_codes::PREDEFINED);
    let own = tenant("t", &bolt.id, &[GeneralRight::ViewOrganizations.name()]);
    assert_eq!(engine.get_org(&own, "bolt").await.unwrap(), bolt);
    let other = engine.get_org(&own, "System").await;
    assert_eq!(code(other), coeval_codes::ORGANIZATION_UNKNOWN);
    assert_eq!(engine.list_orgs(&own, None, 9).await.unwrap(), [bolt]);
    let edit = OrgEdit {
        vdcs: Some(vec!["vdc1".to_owned()]),
        ..OrgEdit::default()
    };
    let changed = engine.update_org(&admin(), "bolt", &edit).await.unwrap();
    assert_eq!(changed.vdcs, ["vdc1"]);
}

pub(crate) async fn predefined_roles_never_change_and_one_in_use_stays(world: World) {
    let engine = &world.engine;
    org(engine, "acme").await;
    for role in engine.list_roles(&admin(), "System").await.unwrap() {
        let edit = RoleEdit::default();
        let changed = engine.update_role(&admin(), &role.id, &edit).await;
        assert_eq!(code(changed), coeval_codes::PREDEFINED);
        let deleted = engine.delete_role(&admin(), &role.id).await;
        assert_eq!(code(deleted), coeval_codes::PREDEFINED);
    }
    let new = |rights: &[&str]| NewRole {
        name: "Author".to_owned(),
        org: Some("acme".to_owned()),
        description: None,
        rights: rights.iter().map(|right| (*right).to_owned()).collect(),
    };
    let unknown = engine.create_role(&admin(), &new(&["fly"])).await;
    assert_eq!(code(unknown), coeval_codes::RIGHT_UNKNOWN);
    let role = engine
        .create_role(&admin(), &new(&["acme:app: Modify"]))
        .await;
    let role = role.unwrap();
    let alice = user(engine, "acme", "alice", &["Author"]).await;
    assert_eq!(alice.roles, [role.id.as_str()]);
    let deleted = engine.delete_role(&admin(), &role.id).await;
    assert_eq!(code(deleted), coeval_codes::ROLE_IN_USE);
    let elsewhere = NewUser {
        roles: vec![role.id.clone()],
        ..NewUser::new("System", "bob")
    };
    let elsewhere = engine.create_user(&admin(), &elsewhere).await;
    assert_eq!(code(elsewhere), coeval_codes::ROLE_UNKNOWN);
    engine.delete_user(&admin(), &alice.id).await.unwrap();
    engine.delete_role(&admin(), &role.id).await.unwrap();
    let gone = engine.get_role(&admin(), "acme", "Author").await;
    assert_eq!(code(gone), coeval_codes::ROLE_UNKNOWN);
}

/// Whoever comes second is refused.
pub(crate) async fn a_role_is_never_deleted_while_somebody_gets_it(mut world: World) {
    let engines = [Arc::clone(&world.engine), world.another(settings()).await];
    for round in 0..10 {
        let new = NewRole {
            name: format!("role{round}"),
            ..NewRole::default()
        };
        let role = engines[0].create_role(&admin(), &new).await.unwrap();
        let giving = NewUser {
            roles: vec![role.id.clone()],
            ..NewUser::new("System", format!("user{round}"))
        };
        let caller = admin();
        let (given, deleted) = tokio::join!(
            engines[0].create_user(&caller, &giving),
            engines[1].delete_role(&caller, &role.id),
        );
        match (given, deleted) {
            (Ok(_), Err(error)) => assert_eq!(error.code(), coeval_codes::ROLE_IN_USE),
            (Err(error), Ok(())) => assert_eq!(error.code(), coeval_codes::ROLE_UNKNOWN),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) async fn nobody_gives_or_takes_hold_of_more_than_one_has(world: World) {
    let engine = &world.engine;
    let acme = org(engine, "acme").await;
    let boss = user(engine, "acme", "boss", &[ORGANIZATION_ADMINISTRATOR]).await;
    user(engine, "acme", "clerk", &[]).await;
    let rights = [
        GeneralRight::ManageUsers.name(),
        GeneralRight::ManageRoles.name(),
    ];
    let helper = tenant("helper", &acme.id, &rights);
    let promote = UserEdit {
        roles: Some(vec![ORGANIZATION_ADMINISTRATOR.to_owned()]),
        ..UserEdit::default()
    };
    let password = coeval_engine::identity::Password::new("x");
    let password = coeval_engine::identity::PasswordGiven::Clear(password);
    let refused = [
        code(engine.update_user(&helper, "acme/clerk", &promote).await),
        code(engine.delete_user(&helper, &boss.id).await),
        code(engine.set_password(&helper, &boss.id, &password).await),
        code(
            engine
                .create_role(
                    &helper,
                    &NewRole {
                        name: "more".to_owned(),
                        org: Some("acme".to_owned()),
                        rights: vec![GeneralRight::ViewAudit.name().to_owned()],
                        ..NewRole::default()
                    },
                )
                .await,
        ),
    ];
    assert_eq!(refused, [coeval_codes::ABOVE_OWN_RIGHTS; 4]);
    engine
        .set_password(&helper, "acme/clerk", &password)
        .await
        .unwrap();
    let global = NewRole {
        name: "global".to_owned(),
        ..NewRole::default()
    };
    let global = engine.create_role(&helper, &global).await;
    assert_eq!(code(global), coeval_codes::PROVIDER_ONLY);
    let other = tenant(
        "x",
        "urn:vcloud:org:00000000-0000-0000-0000-000000000009",
        &rights,
    );
    let hidden = engine.delete_user(&other, "acme/clerk").await;
    assert_eq!(code(hidden), coeval_codes::USER_UNKNOWN);
}

fn example() -> Bootstrap {
    let text = json!({
        "orgs": [{"name": "acme", "vdcs": ["vdc1", "vdc2"]}],
        "roles": [{"name": "Author", "rights": ["acme:app: Full Access"]}],
        "types": [app_1_0(), app_1_1()],
        "users": [
            {"name": "admin", "password": "secret", "roles": [SYSTEM_ADMINISTRATOR]},
            {"name": "alice", "org": "acme", "password": "secret", "roles": ["Author"]},
        ],
        "publish": [{"bundle": BUNDLE, "orgs": ["acme"]}],
    });
    serde_json::from_value(text).unwrap()
}

pub(crate) async fn two_bootstraps_at_once_make_everything_once_and_overwrite_nothing(
    mut world: World,
) {
    let engines = [Arc::clone(&world.engine), world.another(settings()).await];
    let running =
        engines.map(|engine| tokio::spawn(async move { engine.bootstrap(&example()).await }));
    let mut made = [0; 7];
    for one in running {
        let did = one.await.unwrap().unwrap();
        assert_eq!(did.len(), made.len());
        for (count, did) in made.iter_mut().zip(&did) {
            *count += usize::from(did.now);
        }
    }
    // Publishing can be done twice; everything else is made by one of the two.
    assert_eq!(made[..6], [1; 6]);
    let engine = &world.engine;
    let acme = engine.get_org(&admin(), "acme").await.unwrap();
    assert_eq!(acme.vdcs, ["vdc1", "vdc2"]);
    assert!(sees(engine, &someone(&acme), "1.1.0").await);
    let edit = UserEdit {
        enabled: Some(false),
        ..UserEdit::default()
    };
    let alice = engine
        .update_user(&admin(), "acme/alice", &edit)
        .await
        .unwrap();
    let again = engine.bootstrap(&example()).await.unwrap();
    assert!(again.iter().all(|did| !did.now), "{again:?}");
    assert_eq!(
        engine.get_user(&admin(), "acme/alice").await.unwrap(),
        alice
    );
    let mut unread = example();
    unread.users[0].password_file = Some("secret.txt".to_owned());
    let unread = engine.bootstrap(&unread).await;
    assert_eq!(code(unread), coeval_codes::BOOTSTRAP_INVALID);
}
