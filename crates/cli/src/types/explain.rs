//! `coeval type explain`

use super::explanation::{TypeExplanation, explain};
use super::read::read_files;
use super::text::render;
use crate::failure::Failure;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(files: &[PathBuf], json: bool) -> Result<(), Failure> {
    let versions: Vec<_> = read_files(files)?.into_iter().map(Arc::new).collect();
    let explained = explain(&versions);
    let text = if json {
        as_json(&explained)?
    } else {
        render(&explained, terminal_width())
    };
    print(&text)
}

pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        // A reader that closed the pipe has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let failure = Failure::internal(format!("can't write to stdout: {error}"));
            Err(failure.with_advice("Check the free space where stdout leads to."))
        }
        _ => Ok(()),
    }
}

fn as_json(explained: &[TypeExplanation<'_>]) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(explained)
        .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
    Ok(text + "\n")
}

/// `None` if stdout is no terminal: then nothing is cut.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map(|(width, _)| usize::from(width.0))
}
