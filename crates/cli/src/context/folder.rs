//! The config folder. Its files are written whole or not at all, and only their owner reads them.

use super::error::ContextError;
use etcetera::BaseStrategy as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// No file here is ever so large.
const LARGEST: u64 = 1 << 20;
/// How long to wait for a lock that another process holds, and how often to look.
const LOCKED_WITHIN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Debug)]
pub(super) struct ConfigFolder(PathBuf);

impl ConfigFolder {
    /// `$COEVAL_CONFIG_DIR`, else `coeval` in the system's usual place.
    pub(super) fn usual() -> Result<Self, ContextError> {
        if let Some(folder) = std::env::var_os("COEVAL_CONFIG_DIR").filter(|dir| !dir.is_empty()) {
            return Ok(Self(folder.into()));
        }
        let strategy =
            etcetera::choose_base_strategy().map_err(|error| ContextError::NoFolder {
                reason: error.to_string(),
            })?;
        Ok(Self(strategy.config_dir().join("coeval")))
    }

    #[cfg(test)]
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The text of a file; empty if there is none.
    pub(super) fn read(&self, name: &str) -> Result<String, ContextError> {
        match self.open(name)? {
            Some(file) => self.text(name, file),
            None => Ok(String::new()),
        }
    }

    /// The same, of a file that others must not be able to read.
    pub(super) fn read_secret(&self, name: &str) -> Result<String, ContextError> {
        let Some(file) = self.open(name)? else {
            return Ok(String::new());
        };
        // Of the file that was opened, not of one that may be at its place by now.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let metadata = file.metadata().map_err(|error| self.wrong(name, &error))?;
            let mode = metadata.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                let path = self.path(name);
                return Err(ContextError::Exposed { path, mode });
            }
        }
        self.text(name, file)
    }

    fn open(&self, name: &str) -> Result<Option<File>, ContextError> {
        match File::open(self.path(name)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.wrong(name, &error)),
        }
    }

    fn text(&self, name: &str, file: File) -> Result<String, ContextError> {
        let mut text = String::new();
        // One byte more than allowed shows that the file is too large, without reading all of it.
        let read = file.take(LARGEST + 1).read_to_string(&mut text);
        let read = read.map_err(|error| self.wrong(name, &error))?;
        if read as u64 > LARGEST {
            return Err(self.wrong(name, &"it is too large"));
        }
        Ok(text)
    }

    pub(super) fn wrong(&self, name: &str, reason: &dyn std::fmt::Display) -> ContextError {
        ContextError::File {
            path: self.path(name),
            reason: reason.to_string(),
        }
    }

    /// Puts a file with this text in the place of the one that is there.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), ContextError> {
        self.write_beside(name, text)
            .map_err(|error| self.wrong(name, &error))
    }

    fn write_beside(&self, name: &str, text: &str) -> std::io::Result<()> {
        // A link stays a link: people keep such files elsewhere.
        let target = fs::canonicalize(self.path(name)).unwrap_or_else(|_| self.path(name));
        let beside = target.with_file_name(format!(".{name}.new"));
        // Left by a process that was killed between the two steps.
        if let Err(error) = fs::remove_file(&beside)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error);
        }
        // Created with the mode that it keeps: a file made readable and then closed off could be
        // opened in between.
        let mut file = own_file().create_new(true).open(&beside)?;
        file.write_all(text.as_bytes())?;
        // Before the rename, or a crash could leave an empty file under the name.
        file.sync_all()?;
        // Atomic: a reader sees the old file or the new one.
        fs::rename(&beside, &target)
    }

    /// Makes the folder, and does the work while nobody else does such.
    pub(super) fn locked<T>(
        &self,
        work: impl FnOnce() -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        make(&self.0).map_err(|error| self.wrong("", &error))?;
        // A file of its own: those that are replaced by a rename can't be locked.
        let lock = own_file().create(true).open(self.path(".lock"));
        let lock = lock.map_err(|error| self.wrong(".lock", &error))?;
        let until = Instant::now() + LOCKED_WITHIN;
        loop {
            match lock.try_lock() {
                Ok(()) => return work(),
                // Looked at again and again: a blocking lock would wait for ever for a process that hangs.
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(self.wrong(".lock", &"another process holds it"));
                }
                Err(TryLockError::Error(error)) => return Err(self.wrong(".lock", &error)),
            }
        }
    }
}

/// A file that only its owner reads.
fn own_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn only_the_owner_reads_what_is_written_and_nothing_is_left_beside_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(&parent.path().join("a/b"));
        folder.locked(|| folder.write("f", "one")).unwrap();
        folder.locked(|| folder.write("f", "two")).unwrap();
        assert_eq!(folder.read_secret("f").unwrap(), "two");
        assert_eq!((mode(&folder.0), mode(&folder.path("f"))), (0o700, 0o600));
        let mut names: Vec<_> = fs::read_dir(&folder.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, [".lock", "f"]);
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(parent.path());
        folder.write("f", "one").unwrap();
        for open in [0o640, 0o604, 0o620, 0o610] {
            fs::set_permissions(folder.path("f"), PermissionsExt::from_mode(open)).unwrap();
            let refused = folder.read_secret("f").unwrap_err();
            assert!(matches!(refused, ContextError::Exposed { mode, .. } if mode == open));
            assert_eq!(folder.read("f").unwrap(), "one", "no secret is in such");
        }
    }

    #[test]
    fn a_half_written_file_of_one_that_was_killed_is_no_hindrance() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(parent.path());
        fs::write(folder.path(".f.new"), "half").unwrap();
        folder.write("f", "whole").unwrap();
        assert_eq!(folder.read("f").unwrap(), "whole");
    }

    #[test]
    fn a_link_stays_a_link() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(parent.path());
        fs::write(elsewhere.path().join("mine"), "old").unwrap();
        symlink(elsewhere.path().join("mine"), folder.path("f")).unwrap();
        folder.write("f", "new").unwrap();
        assert!(folder.path("f").is_symlink());
        assert_eq!(folder.read("f").unwrap(), "new");
    }

    #[test]
    fn writers_wait_for_each_other_and_a_huge_file_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(parent.path());
        folder.write("n", "0").unwrap();
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..5 {
                        let count = || {
                            let number: u32 = folder.read("n")?.parse().unwrap();
                            folder.write("n", &(number + 1).to_string())
                        };
                        folder.locked(count).unwrap();
                    }
                });
            }
        });
        assert_eq!(folder.read("n").unwrap(), "40");
        fs::write(folder.path("n"), vec![b' '; (LARGEST + 1) as usize]).unwrap();
        assert!(folder.read("n").is_err());
    }
}
