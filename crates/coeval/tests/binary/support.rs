//! Starts the binary with nothing of this shell's environment, and talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The binary in a folder, with no `COEVAL_…` variable of whoever runs the tests.
pub(crate) fn coeval(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coeval"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("COEVAL_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder);
    command
}

/// `coeval serve` on a free port.
pub(crate) fn serve(folder: &Path) -> Command {
    let mut command = coeval(folder);
    command.args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--drain-delay-seconds",
        "0",
    ]);
    command
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command with something on stdin: exit code, stdout, stderr.
pub(crate) fn with_stdin(mut command: Command, stdin: &str) -> (Option<i32>, String, String) {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It need not read it.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code(), out, stderr(&output))
}

/// A server that is killed with the test.
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) ready_line: String,
}

impl Server {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut ready_line = String::new();
        stdout.read_line(&mut ready_line).unwrap();
        if ready_line.is_empty() {
            let output = child.wait_with_output().unwrap();
            panic!("it did not start: {}", stderr(&output));
        }
        Self {
            child,
            stdout,
            ready_line,
        }
    }

    /// `127.0.0.1:PORT`, from the ready line.
    pub(crate) fn address(&self) -> &str {
        let url = self.ready_line.trim_end().rsplit(' ').next().unwrap();
        url.split("//").nth(1).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Exit code, what else was on stdout, and stderr.
    pub(crate) fn ended(mut self) -> (Option<i32>, String, String) {
        let deadline = Instant::now() + Duration::from_secs(30);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > deadline => panic!("it does not stop"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let (mut out, mut err) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).unwrap();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        (status.code(), out, err)
    }

    /// SIGTERM, then as `ended`.
    pub(crate) fn stop(self) -> (Option<i32>, String, String) {
        self.signal("TERM");
        self.ended()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
