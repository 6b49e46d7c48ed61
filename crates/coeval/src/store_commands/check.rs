//! `coeval store check`

use super::progress::ProgressLine;
use super::to_look;
use coeval_cli::Failure;
use coeval_engine::inspect::Repair;
use coeval_engine::{Engine, Settings};
use coeval_storage::StorageError;
use coeval_stores::{StoreKind, check, check_file};
use std::sync::Arc;

pub(super) async fn run(url: &str) -> Result<(), Failure> {
    let opened = to_look(url).await?;
    let bar = ProgressLine::counting("checked");
    let mut summary = check(&opened.store, &|records, bytes| bar.at(records, bytes)).await?;
    drop(bar);
    if let StoreKind::Sqlite(path) = StoreKind::of(url)? {
        for finding in check_file(&path).await? {
            summary.wrong(format!("the file: {finding}"));
        }
    }
    let looking = ProgressLine::counting("compared");
    let engine = Engine::new(Arc::clone(&opened.store), Settings::default());
    let inspected = engine
        .inspect(Repair::No, &|done| looking.at(done, 0), &mut |problem| {
            // Damaged records were told above.
            if problem.code != coeval_codes::DAMAGED {
                summary.wrong(super::quarantine::sentence(problem));
            }
        })
        .await?;
    drop(looking);
    let status = opened.store.status().await?;
    opened.store.close().await;
    for finding in &summary.findings {
        println!("{finding}");
    }
    if summary.wrong > summary.findings.len() as u64 {
        let more = summary.wrong - summary.findings.len() as u64;
        println!("… and {more} more");
    }
    println!(
        "{} records and {} events checked, {} resources compared with their indexes, {} wrong; {} store at sequence {}",
        summary.records,
        summary.events,
        inspected.resources,
        summary.wrong,
        status.kind,
        status.head
    );
    if summary.wrong > 0 {
        return Err(Failure::from(StorageError::Failed {
            reason: format!("{} things are wrong", summary.wrong),
        })
        .with_advice(
            "Indexes and counts are repaired by `coeval store quarantine --repair`. A damaged record can be \
             written again or restored from a backup; everything else can still be read and exported.",
        ));
    }
    Ok(())
}
