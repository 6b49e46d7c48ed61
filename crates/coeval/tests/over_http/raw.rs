//! Bytes on a socket, for what no client library sends.

use crate::world::World;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Longer than any answer should take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to the first server.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) fn to(world: &World) -> Self {
        let stream = TcpStream::connect(world.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    /// Sends it; a server that has heard enough may have closed already.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).is_ok()
    }

    pub(crate) fn end_sending(&self) {
        let _ = self.0.shutdown(Shutdown::Write);
    }

    /// All that comes until the server closes. It must close in time.
    pub(crate) fn rest(mut self) -> String {
        let mut got = Vec::new();
        let mut buffer = [0; 8192];
        loop {
            match self.0.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => got.extend_from_slice(&buffer[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("no end after {}", String::from_utf8_lossy(&got))
                }
                Err(_) => break,
            }
        }
        String::from_utf8_lossy(&got).into_owned()
    }
}

/// One request on a connection of its own.
pub(crate) fn ask(world: &World, head: &str, body: &[u8]) -> String {
    let mut raw = Raw::to(world);
    raw.send(format!("{head}\r\nhost: test\r\nconnection: close\r\n\r\n"));
    raw.send(body);
    raw.rest()
}

/// The status of an answer; 0 if there is none.
pub(crate) fn status(answer: &str) -> u16 {
    let words = answer.split(' ').nth(1);
    words.and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// What must stay the same: the store's sequence, and how often this server wrote. (On etcd the
/// sequence is the cluster's, which other tests move.)
#[derive(Debug, PartialEq)]
pub(crate) struct Mark {
    writes: Option<String>,
    sequence: Option<String>,
}

impl Mark {
    pub(crate) fn of(world: &World) -> Self {
        // Asking whether it is ready reads the sequence.
        assert_eq!(world.get("/readyz").at(0).send().status, 200);
        let metrics = world.get("/metrics").at(0).send().text;
        let value = |name: &str| {
            let line = metrics.lines().find(|line| line.starts_with(name));
            line.map(|line| line.rsplit(' ').next().unwrap().to_owned())
        };
        let sequence = value("coeval_storage_sequence ");
        assert!(sequence.is_some(), "{metrics}");
        Self {
            writes: value(r#"coeval_storage_operations_total{operation="atomic_write"}"#),
            sequence: sequence.filter(|_| !world.is_etcd()),
        }
    }
}

/// An answer that refuses: a status of the caller's fault, with a code.
pub(crate) fn assert_refused(what: &str, answer: &str) {
    assert!((400..500).contains(&status(answer)), "{what}: {answer}");
    assert!(answer.contains("COEVAL-"), "{what}: {answer}");
}
