//! `coeval errors`: the codes and their pages, the same text as in `docs/errors/`.

use clap::Args;
use coeval_cli::Failure;
use coeval_codes::Code;
use std::io::Write as _;

/// By code, as `build.rs` found them.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval errors
  coeval errors COEVAL-4001
  coeval errors 4001")]
pub(crate) struct ErrorsOptions {
    /// The code to explain, as COEVAL-4001 or 4001
    code: Option<String>,
}

pub(crate) fn run(options: &ErrorsOptions) -> Result<(), Failure> {
    let text = match &options.code {
        None => list(),
        Some(asked) => page(asked)?,
    };
    // A reader that closed the pipe has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

fn list() -> String {
    let line = |code: &Code| format!("{code}  {}\n", code.title());
    coeval_codes::ALL.iter().map(line).collect()
}

fn page(asked: &str) -> Result<String, Failure> {
    let digits = asked.trim_start_matches("COEVAL-");
    let name = format!("COEVAL-{digits}");
    let found = PAGES.iter().find(|(code, _)| *code == name);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| {
        Failure::usage(
            format!("{asked} is not an error code of this release"),
            "`coeval errors` lists them all.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_page_under_both_spellings() {
        for code in coeval_codes::ALL {
            let heading = format!("# {code}: {}\n", code.title());
            assert!(page(&code.to_string()).unwrap().starts_with(&heading));
            assert!(page(&format!("{:04}", code.number())).is_ok());
        }
    }

    #[test]
    fn an_unknown_code_is_wrong_usage() {
        let failure = page("COEVAL-0000").unwrap_err().to_string();
        assert!(failure.contains("not an error code"), "{failure}");
    }
}
