//! Phased migrations: forward, back, undone, and what holds them.

use crate::calls::{By, detail, refused};
use crate::stage::type_file;
use crate::world::World;
use coeval_grpc::proto::migrations::v1 as pb;
use coeval_grpc::proto::types::v1 as types;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tonic::{Code, Status};

/// `acme:app` in two majors: the second has the image elsewhere.
fn app_files(image: &str) -> [String; 2] {
    let first =
        "  schema: {type: object, required: [image], properties: {image: {type: string}}}\n";
    let second = format!(
        "  schema: {{type: object, required: [container], properties: {{container: {{type: object, required: [image], properties: {{image: {image}}}}}}}}}\n  conversion: {{from: 1.0.0, steps: [{{nest: {{paths: [/image], under: /container}}}}]}}\n"
    );
    [
        type_file("acme:app", "1.0.0", first),
        type_file("acme:app", "2.0.0", &second),
    ]
}

const KIND: &str = "acme:app";

fn kind() -> String {
    KIND.to_owned()
}

impl By<'_> {
    async fn migration(&self) -> pb::Migration {
        let asked = pb::GetMigrationRequest { kind: kind() };
        let found = self.migrations().get_migration(asked).await.unwrap();
        found.into_inner().migration.unwrap()
    }

    async fn start(&self) -> Result<pb::Migration, Status> {
        let asked = pb::StartMigrationRequest {
            kind: kind(),
            ..Default::default()
        };
        let begun = self.migrations().start_migration(asked).await?;
        Ok(begun.into_inner().migration.unwrap())
    }

    async fn advance(&self, phase: &str) -> Result<pb::Migration, Status> {
        let asked = pb::AdvanceMigrationRequest {
            kind: kind(),
            phase: phase.to_owned(),
            ..Default::default()
        };
        let moved = self.migrations().advance_migration(asked).await?;
        Ok(moved.into_inner().migration.unwrap())
    }

    /// A whole step forward, once servers and the work in the background let it.
    async fn forward(&self) -> pb::Migration {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match self.advance("").await {
                Ok(moved) if moved.low == moved.high => return moved,
                Ok(_) => {}
                Err(status) => {
                    let held = ["COEVAL-7007", "COEVAL-7009", "COEVAL-7013", "COEVAL-6005"];
                    let told = detail(&status);
                    assert!(held.contains(&&*told.code), "{status:?}");
                    assert!(Instant::now() < until, "{status:?}");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }

    async fn forward_to(&self, phase: &str) {
        while self.migration().await.low != phase {
            self.forward().await;
        }
    }
}

/// A world with resources of the first major.
async fn with_apps(world: &mut World, image: &str) -> (String, String) {
    world.add_types(&["acme:app"], &app_files(image)[..1]);
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let register = types::RegisterTypeVersionRequest {
        file: app_files(image)[1].clone(),
        policy: types::Policy::Warn.into(),
        ..Default::default()
    };
    let mut types = world.by(&admin).types();
    types.register_type_version(register).await.unwrap();
    let by = world.by(&alice);
    for number in 0..4 {
        let name = format!("a{number}");
        by.create("v1", &name, json!({"image": name}))
            .await
            .unwrap();
    }
    (admin, alice)
}

fn spec(resource: &coeval_grpc::proto::resources::v1::Resource) -> Value {
    serde_json::from_slice(&resource.spec).unwrap()
}

pub(crate) async fn a_type_moves_through_all_phases_while_it_is_used(mut world: World) {
    let (admin, alice) = with_apps(&mut world, "{type: string}").await;
    let (by, user) = (world.by(&admin), world.by(&alice));
    let asked = pb::PlanMigrationRequest {
        kind: "app".into(),
        ..Default::default()
    };
    let plan = by.migrations().plan_migration(asked).await.unwrap();
    let plan = plan.into_inner().plan.unwrap();
    assert_eq!((&*plan.r#type, plan.from_major), (KIND, 1));
    assert_eq!((&*plan.to_version, &*plan.held), ("2.0.0", ""));
    assert_eq!((plan.tried, plan.exact, plan.refused), (4, 4, 0));
    assert_eq!(plan.versions[0].version, "1.0.0");
    assert_eq!(plan.versions[0].count, 4);

    let begun = by.start().await.unwrap();
    assert_eq!((&*begun.name, &*begun.until), ("acme:app-1-2", "soak"));
    assert_eq!((&*begun.low, &*begun.high), ("old", "old"));
    assert_eq!(begun.state(), pb::MigrationState::Running);
    assert_eq!((begun.old_resources, begun.new_resources), (4, 0));

    let half = by.advance("mirror").await.unwrap();
    assert_eq!((&*half.low, &*half.high), ("old", "mirror"));
    by.forward_to("mirror").await;
    let asked = pb::ListServersRequest::default();
    let servers = by.migrations().list_servers(asked).await.unwrap();
    // Those that were killed before it began are listed until their lease ends, and say nothing of it.
    let mut servers = servers.into_inner().servers;
    servers.retain(|server| server.phases.contains_key(KIND));
    assert_eq!(servers.len(), world.servers());
    for server in &servers {
        assert!(server.started.is_some() && !server.release.is_empty());
        assert_eq!(server.phases[KIND], "mirror");
        assert_eq!(server.known[KIND], "2.0.0");
    }

    for phase in ["read-new", "backfill", "soak", "cutover", "cleanup"] {
        by.forward_to(phase).await;
        let image = format!("at {phase}");
        let written = crate::calls::app("v1", "a0", json!({"image": image}));
        user.patch(written, &["spec.image"]).await.unwrap();
        let seen = user.get_at("a0", "v2").await.unwrap();
        assert_eq!(spec(&seen)["container"]["image"], image, "{phase}");
        if phase == "backfill" {
            let until = Instant::now() + Duration::from_secs(60);
            while !by.migration().await.forward_done {
                assert!(Instant::now() < until, "{:?}", by.migration().await);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let progress = by.migration().await.progress.unwrap();
            assert_eq!(progress.work(), pb::Work::Backfill);
            assert!(progress.done && progress.visited >= 4, "{progress:?}");
            let asked = pb::VerifyMigrationRequest { kind: kind() };
            let found = by.migrations().verify_migration(asked).await.unwrap();
            let found = found.into_inner();
            assert!(found.clean && found.same == 4, "{found:?}");
        }
        if phase == "cutover" {
            let asked = pb::ReportLossRequest { kind: kind() };
            let loss = by.migrations().report_loss(asked).await.unwrap();
            let loss = loss.into_inner();
            assert_eq!((&*loss.phase, loss.possible), ("cutover", true));
            assert!(loss.copy_back && loss.lost == 0, "{loss:?}");
        }
    }
    let back = pb::BackMigrationRequest {
        kind: kind(),
        fence: false,
    };
    let told = by.migrations().back_migration(back).await;
    refused(told, Code::FailedPrecondition, 7011);
    by.forward().await;
    let ended = by.migration().await;
    assert_eq!(ended.state(), pb::MigrationState::Finished, "{ended:?}");
    assert_eq!((&*ended.low, &*ended.high), ("", ""));
    assert_eq!((ended.old_resources, ended.new_resources), (0, 4));
    let all = pb::ListMigrationsRequest::default();
    let all = by.migrations().list_migrations(all).await.unwrap();
    assert_eq!(all.into_inner().migrations, [ended]);
    refused(by.advance("").await, Code::FailedPrecondition, 7004);
}

pub(crate) async fn a_migration_that_is_undone_leaves_nothing(mut world: World) {
    let (admin, _) = with_apps(&mut world, "{type: string}").await;
    let by = world.by(&admin);
    by.start().await.unwrap();
    by.forward_to("backfill").await;
    let back = pb::BackMigrationRequest {
        kind: kind(),
        fence: true,
    };
    let moved = by.migrations().back_migration(back).await.unwrap();
    let moved = moved.into_inner().migration.unwrap();
    assert_eq!((&*moved.low, &*moved.high), ("read-new", "backfill"));
    let update = pb::UpdateMigrationRequest {
        kind: kind(),
        rate: Some(1_000),
        paused: Some(true),
        until: Some("mirror".into()),
        auto: Some(false),
    };
    let changed = by.migrations().update_migration(update).await.unwrap();
    let changed = changed.into_inner().migration.unwrap();
    assert!(changed.paused && changed.rate == 1_000);
    assert_eq!((&*changed.until, changed.auto), ("mirror", false));
    let update = pb::UpdateMigrationRequest {
        kind: kind(),
        paused: Some(false),
        ..Default::default()
    };
    by.migrations().update_migration(update).await.unwrap();
    let undo = pb::UndoMigrationRequest { kind: kind() };
    let undone = by.migrations().undo_migration(undo).await.unwrap();
    let undone = undone.into_inner().migration.unwrap();
    assert_eq!(undone.state(), pb::MigrationState::Undoing);
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let now = by.migration().await;
        if now.state() == pb::MigrationState::Undone {
            assert_eq!((now.old_resources, now.new_resources), (4, 0));
            break;
        }
        assert!(Instant::now() < until, "{now:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // It can be begun again.
    by.start().await.unwrap();
}

pub(crate) async fn what_holds_a_migration_is_told_with_its_code(mut world: World) {
    let (admin, alice) = with_apps(&mut world, "{type: string, maxLength: 9}").await;
    let (by, user) = (world.by(&admin), world.by(&alice));
    for name in ["wide", "wider"] {
        let long = json!({"image": "x".repeat(20)});
        user.create("v1", name, long).await.unwrap();
    }
    refused(by.advance("").await, Code::FailedPrecondition, 7004);
    let asked = pb::GetMigrationRequest { kind: kind() };
    let none = by.migrations().get_migration(asked).await;
    assert_eq!(detail(&none.unwrap_err()).code, "COEVAL-7019");
    let asked = pb::PlanMigrationRequest {
        kind: kind(),
        from_major: Some(1),
        to_major: Some(7),
    };
    let none = by.migrations().plan_migration(asked).await;
    assert_eq!(none.unwrap_err().code(), Code::NotFound);
    let asked = pb::PlanMigrationRequest {
        kind: kind(),
        ..Default::default()
    };
    let plan = by.migrations().plan_migration(asked).await.unwrap();
    let plan = plan.into_inner().plan.unwrap();
    assert_eq!((plan.tried, plan.refused), (6, 2));
    assert!(plan.examples[0].name.starts_with("wide"), "{plan:?}");
    assert!(plan.examples[0].code.starts_with("COEVAL-"), "{plan:?}");
    assert!(!plan.examples[0].reason.is_empty(), "{plan:?}");

    let wrong = pb::StartMigrationRequest {
        kind: kind(),
        until: "nowhere".into(),
        ..Default::default()
    };
    let told = by.migrations().start_migration(wrong).await;
    assert_eq!(detail(&told.unwrap_err()).code, "COEVAL-7020");
    by.start().await.unwrap();
    refused(by.start().await, Code::FailedPrecondition, 7005);
    refused(by.advance("soak").await, Code::FailedPrecondition, 7015);
    refused(by.advance("Soak").await, Code::InvalidArgument, 7001);
    let alice_s = user.advance("mirror").await;
    assert_eq!(alice_s.unwrap_err().code(), Code::PermissionDenied);

    by.forward_to("backfill").await;
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let now = by.migration().await;
        if now.failed == 2 && now.progress.as_ref().is_some_and(|one| one.done) {
            assert!(now.why.contains("can't be converted"), "{now:?}");
            break;
        }
        assert!(Instant::now() < until, "{now:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    refused(by.advance("soak").await, Code::FailedPrecondition, 7008);

    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = pb::ListFailedResourcesRequest {
            kind: kind(),
            page_size: 1,
            page_token,
        };
        let page = by.migrations().list_failed_resources(asked).await.unwrap();
        let page = page.into_inner();
        found.extend(page.resources);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let mut names: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["wide", "wider"]);
    let retry = |id: &str| pb::RetryFailedResourceRequest {
        kind: kind(),
        id: id.to_owned(),
    };
    let asked = retry(&found[0].id);
    let again = by.migrations().retry_failed_resource(asked).await;
    assert!(!again.unwrap().into_inner().converted);
    let told = by.migrations().retry_failed_resource(retry("x")).await;
    refused(told, Code::InvalidArgument, 8006);
    for one in &found {
        let short = crate::calls::app("v1", &one.name, json!({"image": "short"}));
        user.patch(short, &["spec.image"]).await.unwrap();
    }
    let asked = retry(&found[0].id);
    let again = by.migrations().retry_failed_resource(asked).await;
    assert!(again.unwrap().into_inner().converted);
    by.forward_to("soak").await;
}
