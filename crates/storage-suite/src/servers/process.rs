//! Child processes that never outlive their parent.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};
use tempfile::TempDir;

/// A user to run as.
#[derive(Clone, Copy, Debug)]
pub(super) struct SystemUser {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// A running child. Dropping it kills it.
#[derive(Debug)]
pub(super) struct ChildProcess {
    pid: u32,
    orders: Option<Sender<()>>,
    keeper: Option<thread::JoinHandle<()>>,
}

impl ChildProcess {
    /// Starts a program with its output in `log`.
    pub(super) fn start(
        program: &Path,
        arguments: &[String],
        user: Option<SystemUser>,
        log: &Path,
    ) -> Result<Self, String> {
        let mut command = dying_with_parent(program, user)?;
        let output = fs::File::options().create(true).append(true).open(log);
        let output = output.map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = output.try_clone().map_err(|e| e.to_string())?;
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        // The kernel's signal comes when the starting *thread* ends, and a test's thread ends
        // before a shared server should: so a thread of its own starts and keeps the child.
        let (orders, ordered) = channel();
        let (started, starting) = channel();
        let keeper = thread::spawn(move || keep(command, &started, &ordered));
        let pid = starting
            .recv()
            .map_err(|e| e.to_string())?
            .map_err(|e| format!("{} can't be started: {e}", program.display()))?;
        Ok(Self {
            pid,
            orders: Some(orders),
            keeper: Some(keeper),
        })
    }

    /// Sends a signal by its name.
    pub(super) fn signal(&self, name: &str) {
        let _ = Command::new("kill")
            .args(["-s", name, &self.pid.to_string()])
            .status();
    }

    /// Whether it has not ended.
    pub(super) fn runs(&self) -> bool {
        self.keeper.as_ref().is_some_and(|k| !k.is_finished())
    }

    /// Waits for its end; kills it if that takes too long.
    pub(super) fn wait(self, time: Duration) {
        let begun = Instant::now();
        while self.runs() && begun.elapsed() < time {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Without a sender the keeper's wait fails, which is its order to kill the child.
        self.orders.take();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

fn keep(mut command: Command, started: &Sender<io::Result<u32>>, ordered: &Receiver<()>) {
    let mut child: Child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    let _ = started.send(Ok(child.id()));
    loop {
        use std::sync::mpsc::RecvTimeoutError::Timeout;
        let order = ordered.recv_timeout(Duration::from_millis(20));
        if order != Err(Timeout) {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
    }
}

/// A command that runs `program` as `user`, killed by the kernel when this process ends.
pub(super) fn dying_with_parent(
    program: &Path,
    user: Option<SystemUser>,
) -> Result<Command, String> {
    let setpriv = find("setpriv", &[]).ok_or("setpriv is missing: install util-linux")?;
    let mut command = Command::new(setpriv);
    if let Some(user) = user {
        command.arg(format!("--reuid={}", user.uid));
        command.arg(format!("--regid={}", user.gid));
        command.arg("--clear-groups");
    }
    command.args(["--pdeathsig", "KILL"]).arg(program);
    Ok(command)
}

/// Looks for a program in `places`, then along `PATH`.
pub(super) fn find(name: &str, places: &[PathBuf]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    places
        .iter()
        .cloned()
        .chain(env::split_paths(&path))
        .map(|place| place.join(name))
        .find(|program| program.is_file())
}

const DIRECTORY: &str = "coeval-test-";

/// A directory for one server, named after this process so that a later one can clear it away if
/// this one is killed.
pub(super) fn directory(server: &str) -> Result<TempDir, String> {
    clear_leftovers();
    tempfile::Builder::new()
        .prefix(&format!("{DIRECTORY}{}-{server}-", std::process::id()))
        .tempdir()
        .map_err(|e| format!("no directory for {server}: {e}"))
}

/// Removes the directories of processes that are gone.
fn clear_leftovers() {
    let Ok(entries) = fs::read_dir(env::temp_dir()) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(DIRECTORY))
            .and_then(|rest| rest.split('-').next())
            .and_then(|pid| pid.parse::<u32>().ok());
        // A pid that was given away again keeps a directory. Better that than to remove one in use.
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The last lines of a log, for an error.
pub(super) fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}
