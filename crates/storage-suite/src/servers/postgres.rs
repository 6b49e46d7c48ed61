//! A private PostgreSQL server.

use super::free_port;
use super::process::{ChildProcess, SystemUser, directory, dying_with_parent, find, tail};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

const MISSING: &str = "PostgreSQL's programs (initdb, postgres, pg_isready) are missing: install \
                       PostgreSQL's server (Debian: `apt install postgresql`)";
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A private PostgreSQL server with a cluster of its own.
#[derive(Debug)]
pub struct PostgresServer {
    directory: TempDir,
    programs: PathBuf,
    user: Option<SystemUser>,
    port: u16,
    settings: Vec<String>,
    process: Option<ChildProcess>,
}

impl PostgresServer {
    /// Starts one, as durable as in production.
    ///
    /// # Errors
    /// What is missing, or the end of the server's log.
    pub fn start() -> Result<Self, String> {
        Self::start_with(&[])
    }

    /// Starts one that trusts the machine not to lose power: what is shared by tests that are
    /// not about durability.
    ///
    /// # Errors
    /// What is missing, or the end of the server's log.
    pub fn start_without_sync() -> Result<Self, String> {
        Self::start_with(&["fsync=off", "full_page_writes=off"])
    }

    /// Starts one with further settings, as `name=value`.
    ///
    /// # Errors
    /// What is missing, or the end of the server's log.
    pub fn start_with(settings: &[&str]) -> Result<Self, String> {
        let programs = programs().ok_or(MISSING)?;
        let user = user()?;
        let directory = directory("postgres")?;
        // Another user runs the server, and must be able to write there.
        if let Some(user) = user {
            chown(directory.path(), Some(user.uid), Some(user.gid)).map_err(|e| e.to_string())?;
        }
        let mut server = Self {
            directory,
            programs,
            user,
            port: 0,
            settings: settings.iter().map(|&s| s.to_owned()).collect(),
            process: None,
        };
        server.init()?;
        let mut failure = String::new();
        for _ in 0..5 {
            // Another process may take the port first.
            server.port = free_port().map_err(|e| e.to_string())?;
            match server.run() {
                Ok(()) => return Ok(server),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Where it is reached, as the user and database that it was made with.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://coeval@127.0.0.1:{}/postgres", self.port)
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The cluster's directory.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// The server's log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// Stops it as a crash would (`pg_ctl stop -m immediate`) and starts it again on the same
    /// port.
    ///
    /// # Panics
    /// If it does not come back.
    pub fn restart_immediate(&mut self) {
        self.stop_immediate();
        self.run_again();
    }

    /// Stops it as a crash would.
    pub fn stop_immediate(&mut self) {
        self.stop_with("QUIT");
    }

    /// Stops it; sessions are ended and rolled back.
    pub fn stop(&mut self) {
        self.stop_with("INT");
    }

    /// Starts it again after a stop, on the same port.
    ///
    /// # Panics
    /// If it does not come back.
    pub fn run_again(&mut self) {
        self.run().unwrap_or_else(|e| panic!("{e}"));
    }

    fn stop_with(&mut self, signal: &str) {
        if let Some(process) = self.process.take() {
            process.signal(signal);
            process.wait(Duration::from_secs(20));
        }
    }

    fn init(&self) -> Result<(), String> {
        let mut command = dying_with_parent(&self.programs.join("initdb"), self.user)?;
        let output = command
            .args(["--auth=trust", "--username=coeval", "--encoding=UTF8"])
            .args(["--locale=C.UTF-8", "--no-sync", "--pgdata"])
            .arg(self.data_dir())
            .current_dir(self.directory.path())
            .output()
            .map_err(|e| format!("initdb can't be started: {e}"))?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("initdb failed: {errors}"))
    }

    fn run(&mut self) -> Result<(), String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut arguments = vec!["-D".to_owned(), path(&self.data_dir())];
        let port = format!("port={}", self.port);
        let sockets = format!("unix_socket_directories={}", path(self.directory.path()));
        let fixed = ["listen_addresses=127.0.0.1", "max_connections=400"];
        let settings = self.settings.iter().map(String::as_str);
        for setting in [&*port, &*sockets].into_iter().chain(fixed).chain(settings) {
            arguments.extend(["-c".to_owned(), setting.to_owned()]);
        }
        let postgres = self.programs.join("postgres");
        let process = ChildProcess::start(&postgres, &arguments, self.user, &self.log())?;
        let begun = Instant::now();
        while process.runs() && begun.elapsed() < READY_WITHIN {
            if self.answers() {
                self.process = Some(process);
                return Ok(());
            }
            thread::sleep(Duration::from_millis(30));
        }
        // Ended before its log is read, so that all of it is there.
        drop(process);
        Err(format!("PostgreSQL did not start:\n{}", tail(&self.log())))
    }

    /// Over the socket in its own directory: on the port might be somebody else's server.
    fn answers(&self) -> bool {
        Command::new(self.programs.join("pg_isready"))
            .args(["--quiet", "--port", &self.port.to_string(), "--host"])
            .arg(self.directory.path())
            .status()
            .is_ok_and(|status| status.success())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop_immediate();
    }
}

/// The newest version's programs.
fn programs() -> Option<PathBuf> {
    let mut places: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    let version = |place: &PathBuf| {
        let name = place.parent()?.file_name()?.to_str()?;
        name.parse::<u32>().ok()
    };
    places.sort_by_key(|place| std::cmp::Reverse(version(place)));
    let initdb = find("initdb", &places)?;
    // Along PATH it may be a link, and the others are beside what it points to.
    let programs = fs::canonicalize(initdb).ok()?.parent()?.to_owned();
    ["postgres", "pg_isready"]
        .iter()
        .all(|name| programs.join(name).is_file())
        .then_some(programs)
}

/// PostgreSQL refuses to run as root: then it runs as `postgres`.
fn user() -> Result<Option<SystemUser>, String> {
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    let missing = |_| "PostgreSQL does not run as root, and there is no user `postgres`".to_owned();
    Ok(Some(SystemUser {
        uid: id(&["-u", "postgres"]).map_err(missing)?,
        gid: id(&["-g", "postgres"]).map_err(missing)?,
    }))
}

fn id(arguments: &[&str]) -> Result<u32, String> {
    let output = Command::new("id").args(arguments).output();
    let output = output.map_err(|e| format!("id can't be started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    text.parse()
        .map_err(|_| format!("id {arguments:?}: {text}"))
}
