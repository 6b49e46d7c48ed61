//! `coeval store backup` and `restore`

use super::progress::ProgressLine;
use super::{to_change, to_look};
use coeval_cli::Failure;
use coeval_storage::{Key, Store};
use coeval_stores::LoadTarget;
use std::path::Path;

pub(super) async fn backup(url: &str, file: &Path) -> Result<(), Failure> {
    let opened = to_look(url).await?;
    let bar = ProgressLine::counting("copied");
    let result = coeval_stores::backup(&opened.store, file, &|n, bytes| bar.at(n, bytes)).await;
    drop(bar);
    opened.store.close().await;
    let summary = result?;
    warn_of_damaged(&summary.damaged, "is in the backup as it is");
    println!(
        "{} records at sequence {} are in {}",
        summary.written,
        summary.token.sequence,
        file.display()
    );
    Ok(())
}

pub(super) async fn restore(url: &str, file: &Path, target: LoadTarget) -> Result<(), Failure> {
    let opened = to_change(url).await?;
    let bar = ProgressLine::counting("restored");
    let show = |records, bytes| bar.at(records, bytes);
    let result = coeval_stores::restore(&opened.store, file, target, &show).await;
    drop(bar);
    opened.store.close().await;
    let summary = result?;
    warn_of_damaged(&summary.damaged, "was left out");
    println!(
        "{} records restored, as they were at sequence {}; a new history begins",
        summary.records, summary.taken_at.sequence
    );
    Ok(())
}

pub(super) fn warn_of_damaged(keys: &[Key], what: &str) {
    for key in keys {
        eprintln!("warning: the damaged record {key} {what}");
    }
}
