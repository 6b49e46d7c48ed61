//! Everything that there is, and then what changes, over broken connections and restarts.
//!
//! ```text
//! COEVAL_PASSWORD=… cargo run -p coeval-client --example watch -- http://127.0.0.1:8080 alice acme
//! ```

use coeval_client::{ChangedResource, Client, ClientError, FollowEvent, ResourceQuery};
use futures::StreamExt;
use std::collections::BTreeMap;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut said = std::env::args().skip(1);
    let mut next = |or: &str| said.next().unwrap_or_else(|| or.to_owned());
    let client = Client::builder(next("http://127.0.0.1:8080")).build()?;
    let password = std::env::var("COEVAL_PASSWORD")?;
    let (user, namespace) = (next("alice"), next("acme"));
    client.log_in(&user, &namespace, &password).await?;
    run(&client, usize::MAX).await?;
    Ok(())
}

/// What the example shows, until so many changes were told: the names that there are then.
pub async fn run(client: &Client, until: usize) -> Result<Vec<String>, ClientError> {
    let mut there = BTreeMap::new();
    let mut told = 0;
    let mut followed = client.resources("app").follow(&ResourceQuery::default());
    while told < until
        && let Some(next) = followed.next().await
    {
        match next? {
            FollowEvent::Reset { resources, .. } => {
                let named = resources.into_iter();
                there = named
                    .map(|app| (app.metadata.id, app.metadata.name))
                    .collect();
                println!("there are {}", there.len());
            }
            FollowEvent::Changes { changes, .. } => {
                for change in changes {
                    told += 1;
                    match change {
                        ChangedResource::Put(app) => {
                            println!("{} {}", app.metadata.name, app.spec);
                            there.insert(app.metadata.id, app.metadata.name);
                        }
                        ChangedResource::Deleted { id, .. } | ChangedResource::Left { id } => {
                            println!("{:?} is gone", there.remove(&id));
                        }
                        ChangedResource::Quarantined(one) => {
                            eprintln!("{}: {}", one.id, one.reason);
                        }
                    }
                }
            }
            FollowEvent::Bookmark { .. } => {}
        }
    }
    Ok(there.into_values().collect())
}
