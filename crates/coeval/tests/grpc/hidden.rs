//! What is hidden from a caller answers as what there is not: every method of every service, the
//! typed services, and reflection.

use crate::calls::{app, spec};
use crate::dynamic::reason;
use crate::hidden_types::{ABSENT, HIDDEN};
use crate::walk_table::{Things, mask, row, rows};
use crate::world::World;
use bytes::Bytes;
use coeval_grpc::proto::resources::v1 as pb;
use coeval_grpc::proto::tasks::v1 as tasks;
use serde_json::json;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

/// What takes the place of what, each as long as the other: the lengths in a message stay right.
type Swap = [&'static [(&'static str, &'static str)]; 2];

const TYPE: Swap = [
    &[("app", HIDDEN), ("App", "Qqh"), ("hidden", "hidden")],
    &[("app", ABSENT), ("App", "Qqa"), ("hidden", "absent")],
];
const VERSION: Swap = [
    &[
        ("1.0.0", "8.0.0"),
        ("\x02v1", "\x02v8"),
        ("v1.1", "v8.0"),
        (".v1.A", ".v8.A"),
    ],
    &[
        ("1.0.0", "9.0.0"),
        ("\x02v1", "\x02v9"),
        ("v1.1", "v9.0"),
        (".v1.A", ".v9.A"),
    ],
];

fn swapped(message: &[u8], with: &[(&str, &str)]) -> Bytes {
    let mut bytes = message.to_vec();
    for (from, to) in with {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        let mut at = 0;
        while at + from.len() <= bytes.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
            at += 1;
        }
    }
    bytes.into()
}

/// What an answer says, with what is absent called as what is hidden.
fn told(outcome: &Result<Bytes, Status>) -> String {
    let text = match outcome {
        Ok(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Err(status) => {
            let details = String::from_utf8_lossy(status.details()).into_owned();
            format!("{:?} {} {details:?}", status.code(), status.message())
        }
    };
    text.replace(ABSENT, HIDDEN)
        .replace("Qqa", "Qqh")
        .replace("absent", "hidden")
        .replace("9.0.0", "8.0.0")
        .replace("v9", "v8")
}

/// The same message twice, and what differs.
async fn differing(
    world: &World,
    token: &str,
    (method, message): (&str, &Bytes),
    swap: Swap,
) -> Option<String> {
    let mut answers = Vec::new();
    for with in swap {
        let swapped_method = String::from_utf8(swapped(method.as_bytes(), with).to_vec()).unwrap();
        let sent = world.send(token, &swapped_method, swapped(message, with));
        // A watch that is let in tells nothing by itself.
        let outcome = match tokio::time::timeout(Duration::from_secs(5), sent).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Status::new(Code::DeadlineExceeded, "it was let in")),
        };
        answers.push(told(&outcome));
    }
    let same = answers[0] == answers[1] && !answers[0].contains("not visible");
    (!same).then(|| format!("{method}:\n  {}\n  {}", answers[0], answers[1]))
}

pub(crate) async fn what_is_hidden_answers_as_what_there_is_not(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let bob = world.login("bob@acme");
    let things = Things::make(&world, &admin, &alice).await;
    world.add_hidden(&admin);
    let mut resource = app("v1", "web", json!({"image": "b"}));
    resource.metadata.as_mut().unwrap().namespace = "acme".into();
    let resources = "coeval.resources.v1.ResourceService";
    let mut all: Vec<(String, Bytes)> = rows(&things)
        .into_iter()
        .map(|(_, method, message)| (method.to_owned(), message))
        .collect();
    let get = pb::GetResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        version: "1.0.0".into(),
        ..Default::default()
    };
    let list = pb::ListResourcesRequest {
        kind: "acme:app".into(),
        version: "1.0.0".into(),
        ..Default::default()
    };
    let upgrade = pb::UpgradeResourceRequest {
        kind: "app".into(),
        name: "web".into(),
        version: "1.0.0".into(),
        ..Default::default()
    };
    let upsert = pb::UpsertResourceRequest {
        resource: Some(resource.clone()),
        ..Default::default()
    };
    let masked = pb::UpdateResourceRequest {
        resource: Some(resource),
        update_mask: mask("spec.image"),
        ..Default::default()
    };
    let moved = tasks::MigrateResourcesRequest {
        kind: "app".into(),
        from_version: "1.1.0".into(),
        to_version: "1.0.0".into(),
        dry_run: true,
        ..Default::default()
    };
    for (method, message) in [
        ("GetResource", row_bytes(&get)),
        ("ListResources", row_bytes(&list)),
        ("UpgradeResource", row_bytes(&upgrade)),
        ("UpsertResource", row_bytes(&upsert)),
        ("UpdateResource", row_bytes(&masked)),
    ] {
        all.push((format!("{resources}/{method}"), message));
    }
    all.push((
        "coeval.tasks.v1.TaskService/MigrateResources".to_owned(),
        row_bytes(&moved),
    ));
    for method in [
        "CreateApp",
        "GetApp",
        "ListApps",
        "UpdateApp",
        "UpsertApp",
        "DeleteApp",
        "WatchApps",
    ] {
        let nothing = Bytes::new();
        all.push((format!("acme.app.v1.AppService/{method}"), nothing));
    }
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for swap in [TYPE, VERSION] {
        for (method, message) in &all {
            let changes = |bytes: &[u8]| swapped(bytes, swap[1]) != bytes;
            // What everybody may watch has no end.
            let endless = swap == VERSION && method.contains("Watch");
            if endless || !(changes(message) || changes(method.as_bytes())) {
                continue;
            }
            for token in [&alice, &bob] {
                compared += 1;
                wrong.extend(differing(&world, token, (method, message), swap).await);
            }
        }
    }
    assert!(compared > 50, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A watch has no end, so that it is not part of the walk: what it tells of one change is compared.
pub(crate) async fn watches_at_a_hidden_version_tell_nothing_of_it(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    world.add_hidden(&admin);
    let mut open = Vec::new();
    for version in ["8.0.0", "9.0.0"] {
        let asked = pb::WatchResourcesRequest {
            kind: "app".into(),
            version: version.into(),
            ..Default::default()
        };
        let told = world.by(&alice).resources().watch_resources(asked).await;
        open.push(told.unwrap().into_inner());
    }
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let mut told = Vec::new();
    for stream in &mut open {
        let changes = loop {
            let next = tokio::time::timeout(Duration::from_secs(20), stream.message()).await;
            let next = next.unwrap().unwrap().unwrap();
            if !next.changes.is_empty() {
                break next.changes;
            }
        };
        let text = format!("{changes:?}");
        told.push(text.replace("9.0.0", "8.0.0").replace("v9", "v8"));
    }
    assert_eq!(told[0], told[1]);
    assert!(!told[0].contains("secretMode"), "{told:?}");
}

fn row_bytes(message: &impl prost::Message) -> Bytes {
    row(crate::walk_table::For::User, "", message).2
}

/// A minor that is hidden: the package of its major is there, without what only it has.
pub(crate) async fn a_package_describes_the_newest_version_that_is_seen(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    world.add_hidden(&admin);
    world.hide_version(&admin, "acme:app", "1.1.0");
    let by = world.by(&alice);
    by.create("v1", "web", json!({"image": "a"})).await.unwrap();
    let fields = async |token: &str| {
        let client = world.client_of(token, "acme.app.v1.App").await;
        let file = client.file("acme/app/v1/app.proto");
        let mut messages = file.messages();
        let message = messages.find(|one| one.get_field_by_name("image").is_some());
        let message = message.unwrap();
        let names = message.fields().map(|one| one.name().to_owned());
        names.collect::<Vec<_>>()
    };
    assert!(fields(&admin).await.contains(&"region".to_owned()));
    assert!(!fields(&alice).await.contains(&"region".to_owned()));
    let client = world.client_of(&alice, "acme.app.v1.AppService").await;
    let got = client
        .call("acme.app.v1.AppService/GetApp", json!({"name": "web"}))
        .await
        .unwrap();
    assert_eq!(got["app"]["version"], "v1");
    assert_eq!(got["app"]["spec"], json!({"image": "a"}));
    // No more by the generic service.
    let generic = world.by(&alice).get("web").await.unwrap();
    assert_eq!(spec(&generic), json!({"image": "a"}));
    let refused = world.by(&alice).get_at("web", "v1.1").await.unwrap_err();
    assert_eq!(reason(&refused), "COEVAL-1101");
    // A package of which nothing is seen is not there.
    let services = world.client(&alice).services().await;
    assert!(services.contains("acme.app.v1.AppService"), "{services:?}");
    assert!(!services.contains("acme.app.v8.AppService"), "{services:?}");
    for symbol in ["acme.app.v8.App", "acme.app.v9.App"] {
        let asked = MessageRequest::FileContainingSymbol(symbol.into());
        let answer = world.client(&alice).reflect(asked).await.unwrap();
        assert!(
            matches!(answer, MessageResponse::ErrorResponse(_)),
            "{symbol}"
        );
    }
}
