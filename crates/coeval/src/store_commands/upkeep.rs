//! `coeval store adopt` and `compact`

use super::to_change;
use coeval_cli::Failure;
use coeval_storage::{AdoptionStep, EventRetention, Store};

pub(super) async fn adopt(url: &str) -> Result<(), Failure> {
    let opened = to_change(url).await?;
    let result = opened.store.adopt(AdoptionStep::Now).await;
    opened.store.close().await;
    let token = result?;
    println!(
        "a new history begins at sequence {}: {}",
        token.sequence, token.incarnation
    );
    Ok(())
}

pub(super) async fn compact(url: &str, keep: EventRetention) -> Result<(), Failure> {
    let opened = to_change(url).await?;
    let before = opened.store.status().await?.floor;
    let result = opened.store.compact(keep).await;
    opened.store.close().await;
    let floor = result?;
    println!("events up to sequence {floor} are gone (before: {before})");
    Ok(())
}
