//! The keys for secure fields: of a file, or of the environment.

use crate::text_file;
use coeval_cli::Failure;
use coeval_engine::seal::Keyring;
use std::path::Path;

/// Where a keyring can be given without a file.
pub(crate) const VARIABLE: &str = "COEVAL_SECRET_KEYRING";
/// More than any keyring needs.
const LONGEST: u64 = 64 * 1024;

/// The keyring of the file, or else of the environment, if there is one in either.
pub(crate) fn read(file: Option<&Path>) -> Result<Option<Keyring>, Failure> {
    let text = match file {
        Some(path) => text_file::read(path, LONGEST, "Give the file that has the keyring.")?,
        None => match std::env::var(VARIABLE) {
            Ok(text) => text,
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(Failure::config(
                    format!("{VARIABLE} is no text"),
                    "Put the lines of a keyring into it.",
                ));
            }
        },
    };
    Ok(Some(Keyring::parse(&text)?))
}
