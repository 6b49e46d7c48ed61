//! A plain HTTP/1.1 client that keeps its connection, and tells what became of each request.

use std::net::SocketAddr;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What became of a request that was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unanswered {
    /// The connection was closed before a byte of the answer: a GET may be sent again (RFC 9110,
    /// 9.2.2).
    BeforeAnswer,
    /// In the midst of the answer.
    WithinAnswer,
}

/// GETs of one path.
pub(crate) struct KeepAlive {
    address: SocketAddr,
    request: String,
    stream: Option<TcpStream>,
    /// Requests on a used connection that was closed meanwhile, which were sent again.
    pub(crate) repeated: Vec<Instant>,
}

impl KeepAlive {
    pub(crate) fn new(address: SocketAddr, path: &str, token: &str) -> Self {
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {token}\r\n\r\n");
        Self {
            address,
            request,
            stream: None,
            repeated: Vec::new(),
        }
    }

    /// One request; the status, or why there is none.
    pub(crate) async fn get(&mut self) -> Result<u16, String> {
        let was_used = self.stream.is_some();
        match self.once().await {
            Ok(status) => Ok(status),
            Err(Unanswered::BeforeAnswer) if was_used => {
                self.repeated.push(Instant::now());
                self.once().await.map_err(|why| format!("again: {why:?}"))
            }
            Err(why) => Err(format!("on a new connection: {why:?}")),
        }
    }

    async fn once(&mut self) -> Result<u16, Unanswered> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address).await;
                stream.map_err(|_| Unanswered::BeforeAnswer)?
            }
        };
        let sent = stream.write_all(self.request.as_bytes()).await;
        sent.map_err(|_| Unanswered::BeforeAnswer)?;
        let mut answer = Vec::new();
        let (head, length) = loop {
            let read = stream.read_buf(&mut answer).await.unwrap_or(0);
            match (read, answer.is_empty()) {
                (0, true) => return Err(Unanswered::BeforeAnswer),
                (0, false) => return Err(Unanswered::WithinAnswer),
                _ => {}
            }
            if let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.unwrap_or("0").parse().unwrap();
                break (head, end + 4 + length);
            }
        };
        while answer.len() < length {
            if stream.read_buf(&mut answer).await.unwrap_or(0) == 0 {
                return Err(Unanswered::WithinAnswer);
            }
        }
        if !head.contains("connection: close") {
            self.stream = Some(stream);
        }
        Ok(head.split(' ').nth(1).unwrap().parse().unwrap())
    }
}
