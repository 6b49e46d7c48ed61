//! A stream of server-sent events, read as a browser reads it.

use crate::visit::V1;
use crate::world::World;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longer than anything should take.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Events {
    reader: BufReader<TcpStream>,
    pub(crate) status: u16,
    pub(crate) head: String,
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Events {
    /// Opens a stream at a server. HTTP/1.0, so that the body comes as it is.
    pub(crate) fn open(
        world: &World,
        server: usize,
        token: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Self {
        let mut stream = TcpStream::connect(world.address_of(server)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request =
            format!("GET {V1}{path} HTTP/1.0\r\nhost: test\r\nauthorization: Bearer {token}\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream
            .write_all(format!("{request}\r\n").as_bytes())
            .unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            reader,
            status,
            head,
        }
    }

    /// The next event; nothing at the end.
    pub(crate) fn next(&mut self) -> Option<Event> {
        let (mut name, mut id, mut data) = (String::new(), String::new(), String::new());
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let line = line.trim_end_matches('\n');
            match line.split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("data", value)) => data.push_str(value),
                _ if line.is_empty() && !name.is_empty() => {
                    let data = serde_json::from_str(&data).unwrap();
                    return Some(Event { name, id, data });
                }
                // A comment and its empty line.
                _ => {}
            }
        }
    }

    /// The next one that tells of changes.
    pub(crate) fn changes(&mut self) -> Event {
        loop {
            let event = self.next().unwrap();
            match event.name.as_str() {
                "changes" => return event,
                "live" | "bookmark" => {}
                _ => panic!("{event:?}"),
            }
        }
    }

    /// All that is left.
    pub(crate) fn rest(mut self) -> String {
        let mut text = String::new();
        let _ = self.reader.read_to_string(&mut text);
        text
    }
}
