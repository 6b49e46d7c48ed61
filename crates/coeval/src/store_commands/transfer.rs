//! `coeval store export` and `import`

use super::backup::warn_of_damaged;
use super::progress::ProgressLine;
use super::{to_change, to_look};
use coeval_cli::Failure;
use coeval_storage::Store;
use coeval_stores::{LoadTarget, StoresError};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

pub(super) async fn export(url: &str, file: &Path) -> Result<(), Failure> {
    let opened = to_look(url).await?;
    let bar = ProgressLine::counting("exported");
    let show = |records, bytes| bar.at(records, bytes);
    let mut out: Box<dyn Write + Send> = if is_dash(file) {
        Box::new(BufWriter::new(std::io::stdout()))
    } else {
        let made = File::create_new(file).map_err(|e| unusable(file, &e))?;
        Box::new(BufWriter::new(made))
    };
    let result = coeval_stores::export(&opened.store, &mut out, file, &show).await;
    drop(bar);
    opened.store.close().await;
    let summary = result?;
    if summary.damaged > 0 {
        eprintln!(
            "warning: {} records are damaged and marked as such",
            summary.damaged
        );
    }
    eprintln!(
        "{} records at sequence {}",
        summary.lines, summary.token.sequence
    );
    Ok(())
}

pub(super) async fn import(url: &str, file: &Path, target: LoadTarget) -> Result<(), Failure> {
    let (source, bar): (Box<dyn Read + Send>, _) = if is_dash(file) {
        (
            Box::new(std::io::stdin()),
            ProgressLine::counting("imported"),
        )
    } else {
        let opened = File::open(file).map_err(|e| unusable(file, &e))?;
        let size = opened.metadata().map_or(0, |meta| meta.len());
        let bar = ProgressLine::of_bytes("imported", size);
        (Box::new(bar.inner().wrap_read(opened)), bar)
    };
    let counts = is_dash(file);
    let show = |records, bytes| {
        if counts {
            bar.at(records, bytes);
        }
    };
    let opened = to_change(url).await?;
    let mut source = BufReader::new(source);
    let result = coeval_stores::import(&opened.store, &mut source, target, &show).await;
    opened.store.close().await;
    let summary = result?;
    drop(bar);
    warn_of_damaged(&summary.damaged, "was left out");
    println!("{} lines imported; a new history begins", summary.lines);
    Ok(())
}

fn is_dash(file: &Path) -> bool {
    file == Path::new("-")
}

fn unusable(file: &Path, error: &std::io::Error) -> StoresError {
    StoresError::File {
        path: file.to_owned(),
        reason: error.to_string(),
    }
}
