//! A server that knows only the old major: it reads on up to soak, and does nothing else.

use crate::migrations::{
    app_2_0, back, content, drive, forward, forward_to, made, patiently, read, registered, started,
    status,
};
use crate::world::{TENANT, World, admin, app, app_1_0, app_file, settings, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::{Code, Coded};
use coeval_core::phases::Phase;
use coeval_engine::migrations::Advance;
use coeval_engine::types::{Policy, Registration};
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    Engine, EngineError, InOrg, ListQuery, Settings, Target, WatchQuery, WatchStream, Watched,
    WatchedChange,
};
use coeval_storage::UnixMillis;
use futures::StreamExt;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Another server on the same store, that knows nothing of the second major.
async fn old_server(world: &mut World) -> Arc<Engine> {
    let emulate = [(app(), v("1.9.9"))].into();
    let settings = Settings {
        emulate,
        ..settings()
    };
    world.another(settings).await
}

/// Advances to mirror; fences the old server once the status names it as what blocks the step.
async fn fenced_to_mirror(new: &Engine) {
    let (who, of) = (admin(), app());
    new.advance_migration(&who, &of, Advance::default())
        .await
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !status(new).await.why.contains("waiting for old") {
        assert!(Instant::now() < until, "{}", status(new).await.why);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let fence = Advance {
        fence: true,
        ..Advance::default()
    };
    let at = new.advance_migration(&who, &of, fence).await.unwrap();
    assert_eq!(at.live, Some((Phase::Mirror, Phase::Mirror)));
}

/// What a read at the old server answers: the version and the content.
async fn shown(old: &Engine, id: &Target) -> (String, Value) {
    let read = old.get(&admin(), &app(), id).await.unwrap();
    (read.version.to_string(), content(&read))
}

fn every_app() -> ListQuery {
    let mut query = ListQuery::of(app());
    query.org = InOrg::All;
    query
}

async fn listed(old: &Engine) -> (Vec<(String, Value)>, Vec<Code>) {
    let query = every_app();
    let page = old.list(&admin(), &query).await.unwrap();
    let told = page.items.iter();
    let told = told.map(|one| (one.version.to_string(), content(one)));
    let quarantined = page.quarantined.iter().map(|one| one.code);
    (told.collect(), quarantined.collect())
}

fn says_upgrade<T: std::fmt::Debug>(refused: Result<T, EngineError>) {
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE, "{refused}");
    assert!(refused.to_string().contains("only reads"), "{refused}");
    let advice = refused.advice();
    assert!(advice.contains("Upgrade this server"), "{advice}");
}

async fn writes_nothing(old: &Engine, id: &Target) {
    let (who, of) = (admin(), app());
    let update = Update::new(v("1.0.0"), json!({"image": "late"}));
    says_upgrade(old.update(&who, &of, id, &update).await);
    let create = Create::new(v("1.0.0"), "more", json!({"image": "a"}));
    says_upgrade(old.create(&who, &of, create).await);
    says_upgrade(old.delete(&who, &of, id, None).await);
    says_upgrade(
        old.keep_alive(&who, &of, id, Some(UnixMillis(i64::MAX)))
            .await,
    );
    let grant = Grant {
        member: AclMember::User("somebody".to_owned()),
        level: AccessLevel::ReadOnly,
    };
    says_upgrade(old.grant(&who, &of, id, &grant).await);
}

async fn next(stream: &mut WatchStream) -> Result<Watched, EngineError> {
    let waited = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
    waited.expect("something within 20 s").expect("no end")
}

async fn next_told(stream: &mut WatchStream) -> (String, Value) {
    // Bookmarks come all the time.
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        if let Watched::Changes(_, changes) = next(stream).await.unwrap() {
            let [WatchedChange::Put(resource)] = changes.as_slice() else {
                panic!("{changes:?}");
            };
            return (resource.version.to_string(), content(resource));
        }
    }
    panic!("nothing within 20 s");
}

/// The code that a watch ends with.
async fn end(stream: &mut WatchStream) -> Code {
    loop {
        match next(stream).await {
            Ok(Watched::Changes(_, changes)) => panic!("{changes:?}"),
            Ok(_) => {}
            Err(error) => return error.code(),
        }
    }
}

pub(crate) async fn a_server_without_the_new_major_reads_on_up_to_soak(mut world: World) {
    let new = Arc::clone(&world.engine);
    let old = old_server(&mut world).await;
    let _drivers = (drive(&new, "new"), drive(&old, "old"));
    registered(&new).await;
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    fenced_to_mirror(&new).await;
    let mut watch = old.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    let phases = [Phase::Mirror, Phase::ReadNew, Phase::Backfill, Phase::Soak];
    for (n, phase) in (1..).zip(phases) {
        // Nobody waits for the old server any more.
        forward_to(&new, phase).await;
        let version = match phase {
            Phase::Soak => "v1+downgraded",
            _ => "v1",
        };
        for (at, body) in [
            ("1.0.0", json!({"image": "b", "replicas": n})),
            (
                "2.0.0",
                json!({"container": {"image": "c"}, "replicas": n, "tier": "gold"}),
            ),
        ] {
            let update = Update::new(v(at), body);
            new.update(&admin(), &app(), &web, &update).await.unwrap();
            let image = if at == "1.0.0" { "b" } else { "c" };
            let expected = json!({"image": image, "replicas": n});
            let expected = (version.to_owned(), expected);
            assert_eq!(shown(&old, &web).await, expected, "{phase}");
            let all = (vec![expected.clone()], vec![]);
            assert_eq!(listed(&old).await, all, "{phase}");
            assert_eq!(next_told(&mut watch).await, expected, "{phase}");
        }
        writes_nothing(&old, &web).await;
        // The same edit at the new server still works, from what the old one showed.
        let now = status(&new).await;
        let seen = now.servers.iter().find(|one| one.name == "old").unwrap();
        let why = &seen.refused["acme:app"];
        assert!(why.contains("only reads"), "{why}");
    }
    // What is at home in the new major is there, and is not taken for absent.
    let create = Create::new(v("2.0.0"), "alone", json!({"container": {"image": "n"}}));
    let alone = new.create(&admin(), &app(), create).await.unwrap();
    let alone = Target::Id(alone.resource.id);
    let refused = old.get(&admin(), &app(), &alone).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MAJOR_UNKNOWN);
    let (there, quarantined) = listed(&old).await;
    assert_eq!(there.len(), 1);
    assert_eq!(quarantined, [coeval_codes::MAJOR_UNKNOWN]);
    new.delete(&admin(), &app(), &alone, None).await.unwrap();
    let mut watch = old.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    // Cutover is admitted: from here on old records are left behind.
    let advance = || async {
        let advance = Advance::default();
        new.advance_migration(&admin(), &app(), advance).await
    };
    let half = patiently(advance).await;
    assert_eq!(half.live, Some((Phase::Soak, Phase::Cutover)));
    assert_eq!(end(&mut watch).await, coeval_codes::PHASE_NOT_LIVE);
    let refused = old.get(&admin(), &app(), &web).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE);
    assert!(refused.advice().contains("Upgrade this server"));
    let query = every_app();
    let refused = old.list(&admin(), &query).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE);
}

pub(crate) async fn after_a_return_from_cutover_it_reads_once_all_is_copied_back(mut world: World) {
    let new = Arc::clone(&world.engine);
    let old = old_server(&mut world).await;
    let _drivers = (drive(&new, "new"), drive(&old, "old"));
    registered(&new).await;
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    fenced_to_mirror(&new).await;
    forward_to(&new, Phase::Cutover).await;
    let update = Update::new(v("1.0.0"), json!({"image": "at cutover"}));
    new.update(&admin(), &app(), &web, &update).await.unwrap();
    back(&new).await;
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let done = status(&new).await.back_done;
        match old.get(&admin(), &app(), &web).await {
            Ok(read) => {
                let expected = json!({"image": "at cutover"});
                assert_eq!(content(&read), expected);
                assert!(status(&new).await.back_done);
                break;
            }
            Err(refused) => {
                assert_eq!(refused.code(), coeval_codes::PHASE_NOT_LIVE);
                assert!(!done, "all is copied back, and it is refused: {refused}");
            }
        }
        assert!(Instant::now() < until, "never copied back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // All the way back it works again as if nothing had been.
    while status(&new).await.live != Some((Phase::Old, Phase::Old)) {
        back(&new).await;
    }
    let update = Update::new(v("1.0.0"), json!({"image": "again"}));
    old.update(&admin(), &app(), &web, &update).await.unwrap();
    assert_eq!(read(&new, &web, "1.0.0").await, json!({"image": "again"}));
}

pub(crate) async fn a_watch_that_missed_a_write_at_cutover_ends_though_all_is_copied_back(
    mut world: World,
) {
    let new = Arc::clone(&world.engine);
    let old = old_server(&mut world).await;
    let driver = drive(&new, "new");
    let reader = drive(&old, "old");
    registered(&new).await;
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    fenced_to_mirror(&new).await;
    forward_to(&new, Phase::Soak).await;
    let mut first = old.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    let Watched::Live(from) = next(&mut first).await.unwrap() else {
        panic!("the first says that it is live");
    };
    forward(&new).await;
    let update = Update::new(v("1.0.0"), json!({"image": "at cutover"}));
    new.update(&admin(), &app(), &web, &update).await.unwrap();
    back(&new).await;
    let until = Instant::now() + Duration::from_secs(20);
    while !status(&new).await.back_done {
        assert!(Instant::now() < until, "never copied back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Resumed from before cutover, now that reading is allowed again: the copy back is silent, so
    // going on would hide the write for ever.
    let query = WatchQuery {
        from: Some(from),
        ..WatchQuery::of(app())
    };
    let mut resumed = old.watch(&admin(), query).await.unwrap();
    assert_eq!(end(&mut resumed).await, coeval_codes::PHASE_NOT_LIVE);
    let mut anew = old.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    let update = Update::new(v("1.0.0"), json!({"image": "later"}));
    new.update(&admin(), &app(), &web, &update).await.unwrap();
    let told = next_told(&mut anew).await;
    assert_eq!(
        told,
        ("v1+downgraded".to_owned(), json!({"image": "later"}))
    );
    drop((driver, reader));
}

pub(crate) async fn an_acl_change_at_soak_is_told_through_a_server_that_only_reads(
    mut world: World,
) {
    let new = Arc::clone(&world.engine);
    let old = old_server(&mut world).await;
    let _drivers = (drive(&new, "new"), drive(&old, "old"));
    registered(&new).await;
    // bob sees the old major only, and nothing of the resource yet.
    let member = AclMember::User("bob".to_owned());
    let grant = |level| Grant {
        member: member.clone(),
        level,
    };
    new.set_type_acl(&admin(), &app(), v("1.0.0"), |acl| {
        acl.set(grant(AccessLevel::ReadWrite), AccessLevel::FullControl)?;
        Ok(())
    })
    .await
    .unwrap();
    let bob = tenant("bob", TENANT, &["acme:app: Full Access"]).at(v("1.0.0"));
    let create = Create {
        org: Some(TENANT.to_owned()),
        ..Create::new(v("1.0.0"), "web", json!({"image": "a"}))
    };
    let web = new.create(&admin(), &app(), create).await.unwrap();
    let web = Target::Id(web.resource.id);
    started(&new).await;
    fenced_to_mirror(&new).await;
    forward_to(&new, Phase::Soak).await;
    let mut watches = Vec::new();
    for server in [&new, &old] {
        watches.push(server.watch(&bob, WatchQuery::of(app())).await.unwrap());
    }
    let given = grant(AccessLevel::ReadOnly);
    new.grant(&admin(), &app(), &web, &given).await.unwrap();
    for watch in &mut watches {
        assert_eq!(next_told(watch).await.1, json!({"image": "a"}));
    }
    new.revoke(&admin(), &app(), &web, &member).await.unwrap();
    for watch in &mut watches {
        let left = loop {
            if let Watched::Changes(_, changes) = next(watch).await.unwrap() {
                break changes;
            }
        };
        assert!(matches!(left[..], [WatchedChange::Left { .. }]), "{left:?}");
    }
}

pub(crate) async fn a_body_of_the_new_major_is_carried_in_every_phase_or_refused(world: World) {
    let new = Arc::clone(&world.engine);
    let _driver = drive(&new, "one");
    let narrow = format!(
        "  schema: {{type: object, required: [container], properties: {{container: {{type: object, required: [image], properties: {{image: {}}}}}, replicas: {{type: integer, minimum: 0}}, tier: {{type: string}}}}}}\n  conversion: {{from: 2.0.0, steps: []}}\n",
        "{type: string, maxLength: 40}"
    );
    let narrow = Registration {
        policy: Policy::Warn,
        ..Registration::of(app_file("2.1.0", &narrow))
    };
    for file in [app_1_0(), app_2_0()] {
        new.register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    new.register(&admin(), narrow).await.unwrap();
    let web = made(&new, "web", json!({"image": "a"})).await;
    started(&new).await;
    for phase in Phase::ALL {
        forward_to(&new, phase).await;
        let body = json!({"container": {"image": phase.name()}, "tier": phase.name()});
        let update = Update::new(v("2.0.0"), body.clone());
        new.update(&admin(), &app(), &web, &update).await.unwrap();
        assert_eq!(read(&new, &web, "2.0.0").await, body, "{phase}");
        let old = json!({"image": phase.name()});
        assert_eq!(read(&new, &web, "1.0.0").await, old, "{phase}");
        // Too long for the version of mirrors, though not for its own. At old there is no mirror; up
        // to backfill one of the old major would be listed as failed; at soak that version is what
        // is stored.
        let long = json!({"container": {"image": "x".repeat(60)}});
        let unfit = Update::new(v("2.0.0"), long.clone());
        let written = new.update(&admin(), &app(), &web, &unfit).await;
        if phase == Phase::Old {
            written.unwrap();
            assert_eq!(read(&new, &web, "2.0.0").await, long);
            continue;
        }
        let refusal = if phase < Phase::Soak {
            coeval_codes::MIRROR_UNFIT
        } else {
            coeval_codes::CONTENT_INVALID
        };
        assert_eq!(written.unwrap_err().code(), refusal, "{phase}");
        assert_eq!(status(&new).await.failed, 0, "{phase}");
        assert_eq!(read(&new, &web, "2.0.0").await, body, "{phase}");
    }
}
