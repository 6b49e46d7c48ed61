//! Deadlines, limits and health, on real servers.

use crate::dynamic::{reason, refused};
use crate::world::World;
use coeval_grpc::proto::header::v1::Metadata;
use coeval_grpc::proto::resources::v1 as pb;
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tonic::Code;

const RESOURCES: &str = "coeval.resources.v1.ResourceService";

fn path(method: &str) -> String {
    format!("/{RESOURCES}/{method}")
}

pub(crate) async fn a_deadline_holds_on_the_server_too(mut world: World) {
    world.add_app();
    let token = world.login("alice@acme");
    let watching = world
        .client_of(&token, RESOURCES)
        .await
        .saying("grpc-timeout", "700m");
    let began = Instant::now();
    let asked = json!({"kind": "app"});
    let mut watch = watching
        .stream(&format!("{RESOURCES}/WatchResources"), asked)
        .await
        .unwrap();
    let status = loop {
        match watch.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended without a status"),
            Err(status) => break status,
        }
    };
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::DeadlineExceeded, "COEVAL-8023")
    );
    assert!(
        began.elapsed() >= Duration::from_millis(600),
        "{:?}",
        began.elapsed()
    );

    // Clients end such calls by themselves, so this one is sent by hand.
    let create = path("CreateResource");
    let say = |timeout: &str| {
        let sending = world
            .post(&create)
            .by(&token)
            .header("content-type", "application/grpc");
        sending
            .header("grpc-timeout", timeout)
            .bytes(&framed(&late()))
            .send()
    };
    let refused_with = |reply: crate::world::Reply, status: &str| {
        assert_eq!(reply.header("grpc-status"), status, "{reply:?}");
        assert!(
            !reply.header("grpc-status-details-bin").is_empty(),
            "{reply:?}"
        );
    };
    refused_with(say("0n"), "4");
    refused_with(say("soon"), "3");
    let client = world.client_of(&token, RESOURCES).await;
    let (get, asked) = (
        format!("{RESOURCES}/GetResource"),
        json!({"kind": "app", "name": "late"}),
    );
    refused(client.call(&get, asked.clone()).await, Code::NotFound, 6001);
    // With time enough it is done.
    let in_time = world.client(&token).saying("grpc-timeout", "30S");
    in_time.send(&create, late()).await.unwrap();
    client.call(&get, asked).await.unwrap();
}

/// A message that makes an app called late.
fn late() -> Vec<u8> {
    use prost::Message as _;
    let resource = pb::Resource {
        kind: "app".into(),
        version: "v1".into(),
        metadata: Some(Metadata {
            name: "late".into(),
            ..Default::default()
        }),
        spec: r#"{"image": "x"}"#.into(),
        ..Default::default()
    };
    let asked = pb::CreateResourceRequest {
        resource: Some(resource),
        ..Default::default()
    };
    asked.encode_to_vec()
}

/// With its length before it.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0], length.as_slice(), message].concat()
}

pub(crate) async fn what_can_t_be_read_is_refused_with_a_code(mut world: World) {
    world.add_app();
    let token = world.login("alice@acme");
    let client = world.client(&token);
    let typed = "/acme.app.v1.AppService/CreateApp";
    for path in [path("CreateResource").as_str(), typed] {
        let large = client.send(path, vec![0x12; 40 * 1024 * 1024]).await;
        let status = refused(large, Code::ResourceExhausted, 8020);
        assert!(status.message().contains(" bytes"), "{status:?}");
        for bytes in [
            &b"\xff\xff\xff"[..],
            b"\x0a\x05abc",
            b"\x0a\x03\x0a\x01\xff",
        ] {
            refused(
                client.send(path, bytes.to_vec()).await,
                Code::InvalidArgument,
                8021,
            );
        }
        let packed = world.client(&token).saying("grpc-encoding", "br");
        refused(
            packed.send(path, Vec::new()).await,
            Code::Unimplemented,
            8022,
        );
    }
    // Bytes that are the content's: a length beyond its end, a wire type that there is none of.
    for spec in [&b"\x0a\x05x"[..], b"\x0f"] {
        let mut bytes = vec![
            0x0a,
            u8::try_from(spec.len()).unwrap() + 2,
            0x2a,
            spec.len() as u8,
        ];
        bytes.extend_from_slice(spec);
        refused(client.send(typed, bytes).await, Code::InvalidArgument, 8021);
    }
    // Levels without end.
    let mut deep = Vec::new();
    for _ in 0..3_000 {
        let mut around = vec![0x0a];
        prost::encoding::encode_varint(deep.len() as u64, &mut around);
        around.extend_from_slice(&deep);
        deep = around;
    }
    let outcome = client.send(typed, deep).await;
    assert_eq!(outcome.unwrap_err().code(), Code::InvalidArgument);
    for kind in ["application/json", "application/grpc-web+proto"] {
        let reply = world
            .post(&path("GetResource"))
            .header("content-type", kind)
            .bytes(b"{}")
            .send();
        assert_eq!(
            (reply.status, &reply.json["code"]),
            (415, &json!("COEVAL-8028")),
            "{kind}"
        );
    }
}

pub(crate) async fn health_says_what_readyz_says(world: World) {
    let check = "grpc.health.v1.Health/Check";
    let health = world.client_of("", "grpc.health.v1.Health").await;
    for service in ["", RESOURCES] {
        let answer = health
            .call(check, json!({"service": service}))
            .await
            .unwrap();
        assert_eq!(answer["status"], "SERVING", "{service}");
    }
    refused(
        health.call(check, json!({"service": "none"})).await,
        Code::NotFound,
        8001,
    );
    let mut unknown = health
        .stream("grpc.health.v1.Health/Watch", json!({"service": "none"}))
        .await
        .unwrap();
    assert_eq!(
        unknown.next().await.unwrap().unwrap()["status"],
        "SERVICE_UNKNOWN"
    );

    let (mut child, url) = draining_slowly(&world);
    let health = world.client_at(&url, "grpc.health.v1.Health").await;
    let watch = "grpc.health.v1.Health/Watch";
    let mut watch = health.stream(watch, json!({})).await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap()["status"], "SERVING");
    let told = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(told.unwrap().success());
    assert_eq!(
        watch.next().await.unwrap().unwrap()["status"],
        "NOT_SERVING"
    );
    let answer = health.call(check, json!({})).await.unwrap();
    assert_eq!(answer["status"], "NOT_SERVING");
    assert_eq!(watch.next().await.unwrap(), None);
    drop((health, watch));
    assert!(child.wait().unwrap().success());
}

/// A server on a store of its own that says for a while that it is about to stop.
fn draining_slowly(world: &World) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--drain-delay-seconds",
        "2",
        "--data",
    ]);
    command.arg(world.folder().join("drained"));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    (
        child,
        line.trim_end().rsplit(' ').next().unwrap().to_owned(),
    )
}
