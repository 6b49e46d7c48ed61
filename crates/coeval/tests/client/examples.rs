//! The examples of the library, run against a server.

use crate::{client, stage};
use coeval_client::Resource;
use serde_json::json;
use std::time::Duration;
use tokio::task::block_in_place;

#[allow(dead_code, unreachable_pub, reason = "it is an example, with a main")]
#[path = "../../../client/examples/dynamic.rs"]
mod dynamic;
#[allow(dead_code, unreachable_pub, reason = "it is an example, with a main")]
#[path = "../../../client/examples/typed.rs"]
mod typed;
#[allow(dead_code, unreachable_pub, reason = "it is an example, with a main")]
#[path = "../../../client/examples/watch.rs"]
mod watch;

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_run() {
    let (world, token) = block_in_place(stage);
    let client = client(world.address(), &token);
    dynamic::run(&client).await.unwrap();
    typed::run(&client).await.unwrap();
    let left = client.resources("app").list_all(&Default::default()).await;
    assert_eq!(left.unwrap().resources, []);
    let watching = client.clone();
    let told = tokio::spawn(async move { watch::run(&watching, 2).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    for name in ["a", "b", "c"] {
        let new = Resource::new("app", "v1", name, json!({"image": "a"}));
        client.resources("app").create(&new).await.unwrap();
    }
    let told = tokio::time::timeout(Duration::from_secs(10), told);
    assert_eq!(told.await.unwrap().unwrap().unwrap().len(), 2);
}
