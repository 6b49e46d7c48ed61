//! A proxy that breaks connections: at instants drawn from a seed, before or after bytes were passed,
//! and that refuses for a while.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// What it does to connections.
#[derive(Default)]
struct Mood {
    /// Where the server is.
    target: Mutex<String>,
    breaks: AtomicBool,
    refuses: AtomicBool,
    /// How many connections it broke.
    broken: AtomicUsize,
}

#[derive(Clone)]
pub(crate) struct Proxy {
    address: SocketAddr,
    mood: Arc<Mood>,
}

/// When a connection breaks: whatever comes first.
#[derive(Clone, Copy, Default)]
struct Cut {
    /// After so many bytes of the server's; the last ones are passed or not.
    answers: Option<(usize, bool)>,
    /// The same of the client's.
    requests: Option<(usize, bool)>,
    time: Option<Duration>,
}

impl Proxy {
    pub(crate) async fn before(target: &str, seed: u64) -> Self {
        println!("seed {seed}");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            address: listener.local_addr().unwrap(),
            mood: Arc::default(),
        };
        proxy.leads_to(target);
        let mood = Arc::clone(&proxy.mood);
        tokio::spawn(async move {
            let mut drawn = fastrand::Rng::with_seed(seed);
            while let Ok((client, _)) = listener.accept().await {
                let cut = if mood.breaks.load(Ordering::Relaxed) {
                    draw(&mut drawn)
                } else {
                    Cut::default()
                };
                if !mood.refuses.load(Ordering::Relaxed) {
                    tokio::spawn(pass(client, Arc::clone(&mood), cut));
                }
            }
        });
        proxy
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn leads_to(&self, target: &str) {
        target.clone_into(&mut self.mood.target.lock().unwrap());
    }

    pub(crate) fn breaks(&self, breaks: bool) {
        self.mood.breaks.store(breaks, Ordering::Relaxed);
    }

    pub(crate) fn refuses(&self, refuses: bool) {
        self.mood.refuses.store(refuses, Ordering::Relaxed);
    }

    pub(crate) fn broken(&self) -> usize {
        self.mood.broken.load(Ordering::Relaxed)
    }
}

fn draw(drawn: &mut fastrand::Rng) -> Cut {
    let mut bytes = || {
        drawn
            .bool()
            .then(|| (drawn.usize(200..8_000), drawn.bool()))
    };
    Cut {
        answers: bytes(),
        requests: bytes(),
        time: Some(Duration::from_millis(drawn.u64(5..500))),
    }
}

async fn pass(client: TcpStream, mood: Arc<Mood>, cut: Cut) {
    let target = mood.target.lock().unwrap().clone();
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let timer = async {
        match cut.time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let broken = tokio::select! {
        broken = pump(from_client, to_server, cut.requests) => broken,
        broken = pump(from_server, to_client, cut.answers) => broken,
        () = timer => true,
    };
    if broken {
        mood.broken.fetch_add(1, Ordering::Relaxed);
    }
}

/// Passes bytes; whether it broke the connection on purpose.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, cut: Option<(usize, bool)>) -> bool {
    let mut bytes = [0; 4_096];
    let mut passed = 0;
    loop {
        let Ok(count @ 1..) = from.read(&mut bytes).await else {
            return false;
        };
        passed += count;
        let over = cut.is_some_and(|(most, _)| passed > most);
        let last = cut.is_none_or(|(_, last)| last);
        if (!over || last) && to.write_all(&bytes[..count]).await.is_err() {
            return false;
        }
        if over {
            return true;
        }
    }
}
