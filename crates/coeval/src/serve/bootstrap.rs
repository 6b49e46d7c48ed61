//! `--bootstrap FILE`: what a new installation begins with.

use crate::text_file;
use coeval_cli::Failure;
use coeval_engine::Engine;
use coeval_engine::identity::{Bootstrap, Password};
use std::path::Path;

/// More than any bootstrap file needs.
const LONGEST: u64 = 1024 * 1024;

/// Makes what the file names and is absent. Paths in it are relative to its folder.
pub(super) async fn run(engine: &Engine, file: &Path) -> Result<(), Failure> {
    make(engine, &read(file)?).await
}

/// Makes what is absent.
pub(super) async fn make(engine: &Engine, bootstrap: &Bootstrap) -> Result<(), Failure> {
    for did in engine.bootstrap(bootstrap).await? {
        if did.now {
            tracing::info!("bootstrap: {} made", did.what);
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Bootstrap, Failure> {
    let text = text_of(file)?;
    let mut bootstrap: Bootstrap = serde_norway::from_str(&text).map_err(|error| {
        Failure::config(
            format!("{}: {error}", file.display()),
            "Correct the bootstrap file; docs/identity.md shows one.",
        )
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    for type_file in &mut bootstrap.types {
        *type_file = text_of(&folder.join(&*type_file))?;
    }
    for user in &mut bootstrap.users {
        let Some(password_file) = user.password_file.take() else {
            continue;
        };
        if user.password.is_some() || user.password_hash.is_some() {
            return Err(Failure::config(
                format!(
                    "the user {} has a password_file and another password",
                    user.name
                ),
                "Give one of password, password_file and password_hash.",
            ));
        }
        let text = text_of(&folder.join(password_file))?;
        user.password = Some(Password::new(text.trim_end_matches(['\r', '\n'])));
    }
    Ok(bootstrap)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let advice = "Name a file that exists and that the server may read.";
    text_file::read(path, LONGEST, advice)
}
