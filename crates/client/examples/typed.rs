//! Resources with a type of yours as their content, which is older than the data: it knows nothing
//! of regions, and loses none.
//!
//! ```text
//! COEVAL_PASSWORD=… cargo run -p coeval-client --example typed -- http://127.0.0.1:8080 alice acme
//! ```
#![allow(
    clippy::indexing_slicing,
    reason = "of JSON: what is not there is made"
)]

use coeval_client::{Client, ClientError, Resource, Spec};
use serde::{Deserialize, Serialize};

/// An app, as this program knows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct App {
    image: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replicas: Option<u32>,
}

impl Spec for App {
    const KIND: &'static str = "acme:app";
    const VERSION: &'static str = "v1";
}

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
    let apps = client.typed::<App>();
    let app = App {
        image: "web:1".to_owned(),
        replicas: None,
    };
    apps.upsert(&Resource::of("typed", app)).await?;

    // Somebody who knows more says where it runs.
    let newer = client.resources("acme:app").at("v1.1");
    let region = |app: &mut Resource| app.spec["region"] = "eu".into();
    newer.update_with("typed", region).await?;

    // This program does not see that, and leaves it alone.
    let written = apps
        .update_with("typed", |app| app.spec.replicas = Some(2))
        .await?;
    println!(
        "{:?}, left alone: {:?}",
        written.resource.spec, written.kept
    );
    println!("{}", newer.get("typed").await?.spec);
    let there = apps.get("typed").await?;
    apps.delete("typed", &there.metadata.revision).await?;
    Ok(())
}
