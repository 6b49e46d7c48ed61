//! API tokens that open sessions, tokens that are announced first, and which rights there are.

use crate::identity::{code, org, register, sees, someone, to, user};
use crate::world::{World, admin, app_1_0};
use coeval_access::{ORGANIZATION_ADMINISTRATOR, SYSTEM_ADMINISTRATOR};
use coeval_engine::identity::{
    IdentityError, NewRole, NewToken, SessionKind, TokenSecret, TokenShown, User,
};
use coeval_engine::{Caller, Engine, EngineError, WantedVersions};
use std::sync::Arc;

fn shown(token: &str, org: &str) -> TokenShown {
    TokenShown {
        token: token.to_owned(),
        org: org.to_owned(),
        source: None,
    }
}

async fn alice(engine: &Engine) -> User {
    org(engine, "acme").await;
    user(engine, "acme", "alice", &[ORGANIZATION_ADMINISTRATOR]).await
}

/// A caller who is that user. Nobody needs a password for it: one is made for its token.
async fn token_of(engine: &Engine, user: &User) -> (TokenSecret, Caller) {
    let subject = coeval_access::AccessSubject::tenant(
        &user.id,
        &user.org,
        user.roles.clone(),
        coeval_access::Rights::none(),
    );
    let caller = Caller::new(Arc::new(subject));
    let new = NewToken {
        name: "first".to_owned(),
        expires: None,
    };
    let (secret, _) = engine.create_token(&caller, &new).await.unwrap();
    let wanted = WantedVersions::default();
    let caller = engine.caller(secret.reveal(), None, wanted).await.unwrap();
    (secret, caller)
}

pub(crate) async fn an_announced_token_gets_its_secret_once(world: World) {
    let engine = &world.engine;
    let (_, caller) = token_of(engine, &alice(engine).await).await;
    let announced = engine.announce_token(&caller, "ci").await.unwrap();
    assert!(announced.announced);
    let listed = engine.list_sessions(&caller, caller.user()).await.unwrap();
    assert!(listed.contains(&announced));
    let ask = || engine.issue_token(&caller, announced.short);
    let (one, other, third) = tokio::join!(ask(), ask(), ask());
    let mut given = Vec::new();
    for answer in [one, other, third] {
        match answer {
            Ok(pair) => given.push(pair),
            Err(error) => assert_eq!(error, IdentityError::SessionUnknown.into()),
        }
    }
    assert_eq!(given.len(), 1, "two who ask at once don't both get one");
    let (secret, session) = given.remove(0);
    assert_eq!(session.short, announced.short, "its id stays");
    assert_eq!((session.announced, session.expires), (false, None));
    assert_eq!(session.name.as_deref(), Some("ci"));
    let subject = engine.authenticate(secret.reveal()).await.unwrap();
    assert_eq!(subject.user(), caller.user());
    let again = engine.issue_token(&caller, announced.short).await;
    assert_eq!(code(again), coeval_codes::SESSION_UNKNOWN);
    // Nor does anybody else get it.
    let announced = engine.announce_token(&caller, "ci").await.unwrap();
    let bob = user(engine, "acme", "bob", &[]).await;
    let (_, bob) = token_of(engine, &bob).await;
    let taken = engine.issue_token(&bob, announced.short).await;
    assert_eq!(code(taken), coeval_codes::SESSION_UNKNOWN);
}

pub(crate) async fn a_session_ends_with_the_token_that_opened_it(world: World) {
    let engine = &world.engine;
    let (secret, caller) = token_of(engine, &alice(engine).await).await;
    let (other, _) = token_of(
        engine,
        &engine.get_user(&admin(), caller.user()).await.unwrap(),
    )
    .await;
    let begin = async |token: &TokenSecret| {
        let shown = shown(token.reveal(), "acme");
        engine.begin_session(&shown).await
    };
    let begun = begin(&secret).await.unwrap();
    assert_eq!(begun.session.kind, SessionKind::Session);
    let kept = begin(&other).await.unwrap();
    // A session opens no further one.
    let refused = begin(&begun.token).await;
    assert_eq!(code(refused), coeval_codes::TOKEN_INVALID);
    engine.logout(secret.reveal()).await.unwrap();
    let over = engine.authenticate(begun.token.reveal()).await;
    assert_eq!(code(over), coeval_codes::TOKEN_INVALID);
    engine.authenticate(kept.token.reveal()).await.unwrap();
    let sessions = engine.list_sessions(&admin(), caller.user()).await.unwrap();
    let token = sessions
        .iter()
        .find(|one| one.kind == SessionKind::ApiToken);
    let token = token.unwrap().id.clone();
    engine.revoke_session(&admin(), &token).await.unwrap();
    let over = engine.authenticate(kept.token.reveal()).await;
    assert_eq!(code(over), coeval_codes::TOKEN_INVALID);
}

pub(crate) async fn a_token_is_refused_at_another_s_door_and_that_is_not_counted(world: World) {
    let engine = &world.engine;
    let (secret, caller) = token_of(engine, &alice(engine).await).await;
    org(engine, "other").await;
    for _ in 0..8 {
        for door in ["System", "other", "nowhere", "Acme", ""] {
            let refused = engine.begin_session(&shown(secret.reveal(), door)).await;
            assert_eq!(code(refused), coeval_codes::TOKEN_AT_OTHER_DOOR, "{door}");
        }
    }
    engine
        .begin_session(&shown(secret.reveal(), "acme"))
        .await
        .unwrap();
    engine.at_own_door(&caller, "acme").await.unwrap();
    let refused = engine.at_own_door(&caller, "System").await;
    assert_eq!(code(refused), coeval_codes::TOKEN_AT_OTHER_DOOR);
}

pub(crate) async fn a_wrong_token_waits_and_holds_nobody_else_up(world: World) {
    let engine = &world.engine;
    let (secret, _) = token_of(engine, &alice(engine).await).await;
    let wrong = shown(&format!("cvt_{}", "A".repeat(43)), "acme");
    for _ in 0..5 {
        let refused = engine.begin_session(&wrong).await;
        assert_eq!(code(refused), coeval_codes::TOKEN_INVALID);
    }
    let blocked = engine.begin_session(&wrong).await.unwrap_err();
    let EngineError::Identity(IdentityError::LoginBlocked { .. }) = blocked else {
        panic!("{blocked:?}");
    };
    engine
        .begin_session(&shown(secret.reveal(), "acme"))
        .await
        .unwrap();
}

pub(crate) async fn an_announced_token_waits_an_hour_for_somebody_to_ask(world: World) {
    let engine = &world.engine;
    let (_, caller) = token_of(engine, &alice(engine).await).await;
    let announced = engine.announce_token(&caller, "ci").await.unwrap();
    let lasts = announced.expires.unwrap() - announced.created;
    assert_eq!(lasts, 60 * 60 * 1_000);
    for bad in ["", " x", "a\nb"] {
        let refused = engine.announce_token(&caller, bad).await;
        assert_eq!(code(refused), coeval_codes::IDENTITY_NAME_INVALID);
    }
}

pub(crate) async fn the_rights_there_are_depend_on_where_one_acts(world: World) {
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    let acme = org(engine, "acme").await;
    let view = "acme:app: View".to_owned();
    let provider = "Rights Bundle: Manage".to_owned();
    let all = engine.rights(&admin()).await.unwrap();
    assert!(all.contains(&view) && all.contains(&provider));
    let own = engine.rights(&someone(&acme)).await.unwrap();
    assert!(!own.contains(&view) && !own.contains(&provider), "{own:?}");
    let bundle = "acme:app Entitlement";
    let published = engine.publish_bundle(&admin(), bundle, &to(&[&acme])).await;
    published.unwrap();
    let own = engine.rights(&someone(&acme)).await.unwrap();
    assert!(own.contains(&view) && !own.contains(&provider), "{own:?}");

    let roles = engine.list_roles(&admin(), "System").await.unwrap();
    let id = |name: &str| {
        roles
            .iter()
            .find(|role| role.name == name)
            .unwrap()
            .id
            .clone()
    };
    let held = engine
        .rights_of_role(&admin(), &id(SYSTEM_ADMINISTRATOR))
        .await;
    assert_eq!(held.unwrap(), all);
    let organizations = id(ORGANIZATION_ADMINISTRATOR);
    let held = engine
        .rights_of_role(&admin(), &organizations)
        .await
        .unwrap();
    assert!(
        held.contains(&view) && !held.contains(&provider),
        "{held:?}"
    );
    // It holds what is published: nothing is added to it.
    let added = [provider.clone()];
    let same = engine
        .add_role_rights(&admin(), &organizations, &added)
        .await;
    assert!(same.unwrap().predefined);
    let after = engine.rights_of_role(&admin(), &organizations).await;
    assert_eq!(after.unwrap(), held);
    let new = NewRole {
        name: "Mine".to_owned(),
        ..NewRole::default()
    };
    let mine = engine.create_role(&admin(), &new).await.unwrap();
    for _ in 0..2 {
        let added = engine.add_role_rights(&admin(), &mine.id, &added).await;
        assert_eq!(added.unwrap().rights, std::slice::from_ref(&provider));
    }
    let tenant = engine
        .add_role_rights(&someone(&acme), &mine.id, &added)
        .await;
    assert!(tenant.is_err());
}

pub(crate) async fn a_bundle_published_to_some_only_is_taken_from_all_others(world: World) {
    let engine = &world.engine;
    register(engine, app_1_0()).await;
    let (acme, other) = (org(engine, "acme").await, org(engine, "other").await);
    let bundle = "acme:app Entitlement";
    let seen = async || {
        (
            sees(engine, &someone(&acme), "1.0.0").await,
            sees(engine, &someone(&other), "1.0.0").await,
        )
    };
    for (names, expected) in [
        (vec!["acme"], (true, false)),
        (vec!["other"], (false, true)),
        (vec!["acme", "other"], (true, true)),
        (vec![], (false, false)),
    ] {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let done = engine
            .publish_bundle_only_to(&admin(), bundle, &names)
            .await;
        done.unwrap();
        assert_eq!(seen().await, expected, "{names:?}");
    }
    let all = coeval_engine::identity::PublishTo::All;
    engine.publish_bundle(&admin(), bundle, &all).await.unwrap();
    let only = ["acme".to_owned()];
    let done = engine.publish_bundle_only_to(&admin(), bundle, &only).await;
    done.unwrap();
    assert_eq!(seen().await, (true, false), "it was published to all");
    let nowhere = ["x".to_owned()];
    let unknown = engine
        .publish_bundle_only_to(&admin(), bundle, &nowhere)
        .await;
    assert_eq!(code(unknown), coeval_codes::ORGANIZATION_UNKNOWN);
}

pub(crate) async fn an_organization_to_act_for_may_be_named(world: World) {
    let engine = &world.engine;
    let (secret, own) = token_of(engine, &alice(engine).await).await;
    let other = org(engine, "other").await;
    let provider = user(engine, "System", "root", &[SYSTEM_ADMINISTRATOR]).await;
    let (root, _) = token_of(engine, &provider).await;
    let caller = async |token: &TokenSecret, context: &str| {
        let wanted = WantedVersions::default();
        engine.caller(token.reveal(), Some(context), wanted).await
    };
    assert_eq!(caller(&root, "other").await.unwrap().org(), other.id);
    assert_eq!(caller(&root, &other.id).await.unwrap().org(), other.id);
    assert_eq!(caller(&secret, "acme").await.unwrap().org(), own.org());
    let refused = code(caller(&secret, "other").await);
    assert_eq!(
        code(caller(&secret, "nowhere").await),
        refused,
        "it tells nothing"
    );
    let unknown = caller(&root, "nowhere").await;
    assert_eq!(code(unknown), coeval_codes::ORGANIZATION_UNKNOWN);
}
