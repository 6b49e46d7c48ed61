//! `coeval store new-key` and `coeval store rotate-keys`

use super::progress::ProgressLine;
use super::to_change;
use crate::keyring;
use coeval_cli::Failure;
use coeval_engine::seal::{KeyId, Keyring};
use coeval_engine::{Engine, Settings};
use std::path::Path;
use std::sync::Arc;

/// The keyring, which must be there.
fn needed(file: Option<&Path>) -> Result<Keyring, Failure> {
    let missing = || {
        Failure::config(
            "no keyring is given",
            format!(
                "Name its file with --secret-keys, or set {}.",
                keyring::VARIABLE
            ),
        )
    };
    keyring::read(file)?.ok_or_else(missing)
}

pub(super) fn new_key(id: &str) -> Result<(), Failure> {
    let Some(id) = KeyId::new(id) else {
        return Err(Failure::usage(
            format!("{id:?} is no id of a key"),
            "Use letters, digits, `-` and `_`, for example a date.",
        ));
    };
    let line = Keyring::generate_line(&id)?;
    println!("{}", &*line);
    Ok(())
}

pub(super) async fn rotate(url: &str, file: Option<&Path>) -> Result<(), Failure> {
    let settings = Settings {
        keyring: Some(Arc::new(needed(file)?)),
        ..Settings::default()
    };
    let opened = to_change(url).await?;
    let bar = ProgressLine::counting("looked at");
    let engine = Engine::new(Arc::clone(&opened.store), settings);
    let rotated = engine.rotate_secrets(&|done| bar.at(done, 0)).await;
    drop(bar);
    opened.store.close().await;
    let rotated = rotated?;
    println!(
        "{} sealed anew, {} had the current key, {} could not be opened",
        rotated.sealed, rotated.current, rotated.failed
    );
    if rotated.failed > 0 {
        return Err(Failure::refused(
            format!("{} secrets could not be opened", rotated.failed),
            "Put the line of the key that sealed them into the keyring and run it again.",
        ));
    }
    Ok(())
}
