//! The folder of the data: one that was named and stays, or one that goes with the process.

use coeval_cli::Failure;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the password is, in the folder.
const PASSWORD: &str = "password";

/// Bytes of a password that is drawn.
const DRAWN: usize = 12;

/// A folder for the data.
#[derive(Debug)]
pub(super) enum DevData {
    /// It was named, and stays.
    Named(PathBuf),
    /// It goes when this is dropped.
    Temporary(TempDir),
}

impl DevData {
    /// The named folder, made if it is missing; or a temporary one that nobody else can read.
    pub(super) fn of(named: Option<&str>) -> Result<Self, Failure> {
        let Some(named) = named else {
            let owner_alone = fs::Permissions::from_mode(0o700);
            let mut making = tempfile::Builder::new();
            let made = making
                .prefix("coeval-dev-")
                .permissions(owner_alone)
                .tempdir();
            let made = made.map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
            return Ok(Self::Temporary(made));
        };
        let folder = PathBuf::from(named);
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        Ok(Self::Named(folder))
    }

    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Named(folder) => folder,
            Self::Temporary(made) => made.path(),
        }
    }

    pub(super) const fn is_temporary(&self) -> bool {
        matches!(self, Self::Temporary(_))
    }

    /// Where the password is.
    pub(super) fn password_file(&self) -> PathBuf {
        self.folder().join(PASSWORD)
    }

    /// The password that users of a new store get: that of the file, or one that is drawn now.
    pub(super) fn password(&self) -> Result<String, Failure> {
        let path = self.password_file();
        let kept = match fs::read_to_string(&path) {
            Ok(kept) => kept.trim_end_matches(['\r', '\n']).to_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(unwritable(&path, &error)),
        };
        if !kept.is_empty() {
            return Ok(kept);
        }
        let mut bytes = [0; DRAWN];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure::internal(format!("no random bytes: {error}")))?;
        let drawn: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write_private(&path, &drawn).map_err(|error| unwritable(&path, &error))?;
        Ok(drawn)
    }

    /// A file for people to use; one that is there stays as they have it.
    pub(super) fn offer(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.folder().join(name);
        let new = OpenOptions::new().write(true).create_new(true).open(&path);
        match new.and_then(|mut file| file.write_all(text.as_bytes())) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(unwritable(&path, &error))
            }
            _ => Ok(path),
        }
    }
}

/// Writes a file that nobody else can read, also for a moment.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::config(
        format!("{} can't be used: {error}", path.display()),
        "Name a folder that you may write to with --data.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_drawn_once_and_for_oneself() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new");
        let named = DevData::of(folder.to_str()).unwrap();
        let drawn = named.password().unwrap();
        assert!(drawn.len() >= 24, "{drawn}");
        assert_eq!(named.password().unwrap(), drawn);
        let mode = fs::metadata(named.password_file()).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let other = DevData::of(None).unwrap();
        assert_ne!(other.password().unwrap(), drawn);
    }

    #[test]
    fn a_temporary_folder_goes_and_a_named_one_stays() {
        let temporary = DevData::of(None).unwrap();
        let path = temporary.folder().to_owned();
        let mode = fs::metadata(&path).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o700);
        drop(temporary);
        assert!(!path.exists());
        let parent = tempfile::tempdir().unwrap();
        drop(DevData::of(parent.path().to_str()).unwrap());
        assert!(parent.path().exists());
    }

    #[test]
    fn what_is_offered_is_not_written_over() {
        let data = DevData::of(None).unwrap();
        let path = data.offer("a.yaml", "one").unwrap();
        assert_eq!(data.offer("a.yaml", "two").unwrap(), path);
        assert_eq!(fs::read_to_string(path).unwrap(), "one");
    }
}
