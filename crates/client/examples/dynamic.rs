//! Resources with JSON as their content: make, read, change, find, go back, delete.
//!
//! ```text
//! COEVAL_PASSWORD=… cargo run -p coeval-client --example dynamic -- http://127.0.0.1:8080 alice acme
//! ```
#![allow(
    clippy::indexing_slicing,
    reason = "of JSON: what is not there is made"
)]

use coeval_client::{Client, ClientError, ClientErrorKind, ListItem, Resource, ResourceQuery};
use futures::StreamExt;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut said = std::env::args().skip(1);
    let mut next = |or: &str| said.next().unwrap_or_else(|| or.to_owned());
    let client = Client::builder(next("http://127.0.0.1:8080")).build()?;
    let password = std::env::var("COEVAL_PASSWORD")?;
    let (user, namespace) = (next("alice"), next("acme"));
    client.log_in(&user, &namespace, &password).await?;
    Ok(run(&client).await?)
}

/// What the example shows.
pub async fn run(client: &Client) -> Result<(), ClientError> {
    let apps = client.resources("app");
    let new = Resource::new(
        "app",
        "v1.1",
        "hello",
        json!({"image": "web:1", "region": "eu"}),
    );
    match apps.create(&new).await {
        Ok(made) => println!("made {}", made.resource.metadata.id),
        Err(error) if error.kind() == ClientErrorKind::Exists => println!("it is there already"),
        Err(error) => return Err(error),
    }

    // Read, changed, saved; and again on what is there then, if somebody else was faster.
    let written = apps
        .update_with("hello", |app| app.spec["replicas"] = 3.into())
        .await?;
    println!("now {}", written.resource.spec);

    // The same as a client of an older release sees it. What it can't see stays.
    let old = client.resources("app").understanding("1.0");
    let written = old
        .update_with("hello", |app| app.spec["image"] = "web:2".into())
        .await?;
    println!("{} left alone {:?}", written.resource.version, written.kept);

    // Pages are fetched as they are read; what can't be shown is told and hides nothing.
    let query = ResourceQuery {
        filter: "spec.region==eu".to_owned(),
        ..ResourceQuery::default()
    };
    let mut listed = apps.list(&query);
    while let Some(one) = listed.next().await {
        match one? {
            ListItem::Resource(app) => println!("{} {}", app.metadata.name, app.spec),
            ListItem::Quarantined { id, code, reason } => eprintln!("{id}: {code} {reason}"),
        }
    }

    // Back to what it was at first.
    let kept = apps.revisions("hello").await?.revisions;
    if let (Some(now), Some(first)) = (kept.first(), kept.last()) {
        let (present, revision) = (
            &now.resource.metadata.revision,
            &first.resource.metadata.revision,
        );
        if present != revision {
            let restored = apps.restore("hello", revision, present).await?;
            println!("again {}", restored.resource.spec);
        }
    }
    let there = apps.get("hello").await?;
    apps.delete("hello", &there.metadata.revision).await?;
    Ok(())
}
