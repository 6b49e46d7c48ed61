//! Contexts that another command than `coeval login` makes: in the config folder, `config.yaml` with
//! the servers and `credentials.yaml` with the tokens, both for their owner alone.

use crate::failure::Failure;
use etcetera::BaseStrategy as _;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_norway::Mapping;
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

const CONFIG: &str = "config.yaml";
const CREDENTIALS: &str = "credentials.yaml";

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<String>,
    contexts: Vec<Context>,
    #[serde(flatten)]
    rest: Mapping,
}

#[derive(Default, Serialize, Deserialize)]
struct Context {
    name: String,
    server: String,
    #[serde(flatten)]
    rest: Mapping,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Credentials {
    contexts: BTreeMap<String, Mapping>,
    #[serde(flatten)]
    rest: Mapping,
}

/// Remembers a server and who is logged in there, and leaves the current context as it is, unless
/// there is none. Whether it is the current one.
///
/// # Errors
/// If the config folder can't be read or written.
pub fn remember_aside(
    name: &str,
    url: &str,
    user: &str,
    token: &str,
    expires: Option<Timestamp>,
) -> Result<bool, Failure> {
    let folder = folder()?;
    let mut credentials: Credentials = read(&folder, CREDENTIALS)?;
    let mut credential = Mapping::new();
    credential.insert("server".into(), url.into());
    credential.insert("token".into(), token.into());
    if let Some(expires) = expires {
        credential.insert("expires".into(), expires.to_string().into());
    }
    credentials.contexts.insert(name.to_owned(), credential);
    write(&folder, CREDENTIALS, &credentials)?;
    let mut config: Config = read(&folder, CONFIG)?;
    config.contexts.retain(|known| known.name != name);
    config.contexts.push(Context {
        name: name.to_owned(),
        server: url.to_owned(),
        rest: Mapping::from_iter([("user".into(), user.into())]),
    });
    let current = config.current.get_or_insert_with(|| name.to_owned()) == name;
    write(&folder, CONFIG, &config)?;
    Ok(current)
}

/// Forgets a context and its token. One that is not there is no error.
///
/// # Errors
/// If the config folder can't be read or written.
pub fn forget(name: &str) -> Result<(), Failure> {
    let folder = folder()?;
    let mut config: Config = read(&folder, CONFIG)?;
    config.contexts.retain(|known| known.name != name);
    config.current = config.current.filter(|current| current != name);
    write(&folder, CONFIG, &config)?;
    let mut credentials: Credentials = read(&folder, CREDENTIALS)?;
    credentials.contexts.remove(name);
    write(&folder, CREDENTIALS, &credentials)
}

fn folder() -> Result<PathBuf, Failure> {
    if let Some(said) = std::env::var_os("COEVAL_CONFIG_DIR").filter(|said| !said.is_empty()) {
        return Ok(said.into());
    }
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Failure::config(
            format!("there is no config folder: {error}"),
            "Name one with COEVAL_CONFIG_DIR.",
        )
    })?;
    Ok(strategy.config_dir().join("coeval"))
}

fn read<T: DeserializeOwned + Default>(folder: &Path, file: &str) -> Result<T, Failure> {
    let path = folder.join(file);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(wrong(&path, &error)),
    };
    // What a parser says would quote the file.
    let read: Option<T> =
        serde_norway::from_str(&text).map_err(|_| wrong(&path, &"it is not as expected"))?;
    Ok(read.unwrap_or_default())
}

/// Whole or not at all, and never readable by others.
fn write(folder: &Path, file: &str, content: &impl Serialize) -> Result<(), Failure> {
    let path = folder.join(file);
    let text = serde_norway::to_string(content).map_err(|error| wrong(&path, &error))?;
    let new = folder.join(format!("{file}.{}", std::process::id()));
    let written = || {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut written = options.open(&new)?;
        written.write_all(text.as_bytes())?;
        written.sync_all()?;
        fs::rename(&new, &path)
    };
    written().map_err(|error: std::io::Error| wrong(&path, &error))
}

fn wrong(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::config(
        format!("{} can't be used: {error}", path.display()),
        "Check the file, or name another folder with COEVAL_CONFIG_DIR.",
    )
}
