//! Running a binary with a limit of time and in an environment of its own: no variable, no
//! configuration and no session of whoever runs the check has a part in what is found.

use super::CommandFailure;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(20);

/// A folder that is the home of what runs in it.
pub(super) struct ProcessHome {
    folder: tempfile::TempDir,
}

/// What a process printed.
pub(super) struct ProcessOutput {
    pub(super) success: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A process that ends with its owner.
pub(super) struct OwnedProcess {
    child: Child,
    pub(super) stdout: PathBuf,
    pub(super) stderr: PathBuf,
}

impl ProcessHome {
    pub(super) fn new() -> Result<Self, CommandFailure> {
        let folder = tempfile::Builder::new()
            .prefix("coeval-release-check-")
            .tempdir()?;
        Ok(Self { folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its output goes to files: a pipe that nobody reads would stop it.
    pub(super) fn start(
        &self,
        binary: &Path,
        arguments: &[&str],
        name: &str,
    ) -> Result<OwnedProcess, CommandFailure> {
        let home = self.path();
        let (stdout, stderr) = (
            home.join(format!("{name}.out")),
            home.join(format!("{name}.err")),
        );
        let spawned = Command::new(binary)
            .args(arguments)
            .current_dir(home)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("TMPDIR", home)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .spawn();
        let child = spawned.map_err(|error| {
            CommandFailure::new(format!("can't run {}: {error}", binary.display()))
        })?;
        Ok(OwnedProcess {
            child,
            stdout,
            stderr,
        })
    }

    /// Runs it to its end, or stops it when the time is over.
    pub(super) fn run(
        &self,
        binary: &Path,
        arguments: &[&str],
        limit: Duration,
    ) -> Result<ProcessOutput, CommandFailure> {
        let mut process = self.start(binary, arguments, "command")?;
        let ended = wait_for(limit, || process.child.try_wait().transpose())?;
        let Some(status) = ended else {
            let said = format!("{} {}", binary.display(), arguments.join(" "));
            let seconds = limit.as_secs();
            return Err(CommandFailure::new(format!(
                "{said}: not done after {seconds} s"
            )));
        };
        Ok(ProcessOutput {
            success: status.success(),
            stdout: text_of(&process.stdout)?,
            stderr: text_of(&process.stderr)?,
        })
    }
}

impl OwnedProcess {
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for OwnedProcess {
    fn drop(&mut self) {
        // If it has ended already there is nothing to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again and again, until there is an answer or the time is over.
pub(super) fn wait_for<T>(
    limit: Duration,
    mut ask: impl FnMut() -> Option<Result<T, std::io::Error>>,
) -> Result<Option<T>, CommandFailure> {
    let begun = Instant::now();
    loop {
        // Asked before the time is looked at, so that also a slow machine gets an answer.
        if let Some(answer) = ask() {
            return Ok(Some(answer?));
        }
        if begun.elapsed() >= limit {
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

pub(super) fn text_of(file: &Path) -> Result<String, std::io::Error> {
    Ok(String::from_utf8_lossy(&std::fs::read(file)?).into_owned())
}
