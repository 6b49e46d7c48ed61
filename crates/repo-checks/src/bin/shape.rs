//! Prints the shape of the code: `cargo run -p coeval-repo-checks --bin shape`, or, with a folder as
//! its argument, that of another checkout, for a comparison.

use coeval_repo_checks::shape::{ShapeError, measure, print_figures};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::args_os().nth(1).map_or_else(here, PathBuf::from);
    match measure(&root) {
        Ok(figures) => {
            // A reader that stops reading, as `head` does, is no failure.
            let _ = std::io::stdout().write_all(print_figures(&figures).as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => report(&error),
    }
}

fn report(error: &ShapeError) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}
