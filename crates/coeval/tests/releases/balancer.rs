//! A balancer of TCP connections, as simple as they come: it asks `/readyz`, leads each new
//! connection to the next server that is ready, and never looks inside.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Shorter than a server's drain delay, so that nobody is led to one that has closed its port.
const LOOK_EVERY: Duration = Duration::from_millis(150);

struct Backend {
    address: SocketAddr,
    is_ready: AtomicBool,
    open: AtomicUsize,
}

/// It ends when it is dropped.
pub(crate) struct Balancer {
    pub(crate) address: SocketAddr,
    backends: Arc<Vec<Backend>>,
    turn: Arc<AtomicUsize>,
    _running: JoinSet<()>,
}

impl Balancer {
    pub(crate) async fn before(addresses: &[SocketAddr]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let backend = |address: &SocketAddr| Backend {
            address: *address,
            is_ready: AtomicBool::new(false),
            open: AtomicUsize::new(0),
        };
        let backends: Arc<Vec<_>> = Arc::new(addresses.iter().map(backend).collect());
        let turn = Arc::new(AtomicUsize::new(0));
        let mut running = JoinSet::new();
        let address = listener.local_addr().unwrap();
        for which in 0..backends.len() {
            let backends = Arc::clone(&backends);
            running.spawn(async move {
                loop {
                    let is_ready = is_ready(backends[which].address).await;
                    backends[which].is_ready.store(is_ready, Ordering::SeqCst);
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            });
        }
        let (all, next) = (Arc::clone(&backends), Arc::clone(&turn));
        running.spawn(async move {
            // Connections end with the one who accepts them.
            let mut passing = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                while passing.try_join_next().is_some() {}
                passing.spawn(pass(client, Arc::clone(&all), Arc::clone(&next)));
            }
        });
        Self {
            address,
            backends,
            turn,
            _running: running,
        }
    }

    /// How many servers it may lead connections to.
    pub(crate) fn ready(&self) -> usize {
        let ready = self.backends.iter();
        ready
            .filter(|one| one.is_ready.load(Ordering::SeqCst))
            .count()
    }

    /// Connections to each server.
    pub(crate) fn open(&self) -> Vec<usize> {
        let open = self.backends.iter();
        open.map(|one| one.open.load(Ordering::SeqCst)).collect()
    }

    /// Connections so far.
    pub(crate) fn accepted(&self) -> usize {
        self.turn.load(Ordering::SeqCst)
    }
}

async fn is_ready(address: SocketAddr) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(address).await?;
        let request = b"GET /readyz HTTP/1.1\r\nhost: balancer\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = timeout(Duration::from_secs(2), ask).await;
    answer.is_ok_and(|answer| answer.is_ok_and(|text| text.starts_with(b"HTTP/1.1 200")))
}

async fn pass(mut client: TcpStream, backends: Arc<Vec<Backend>>, turn: Arc<AtomicUsize>) {
    let first = turn.fetch_add(1, Ordering::SeqCst);
    for number in 0..backends.len() {
        let backend = &backends[(first + number) % backends.len()];
        if !backend.is_ready.load(Ordering::SeqCst) {
            continue;
        }
        let Ok(mut server) = TcpStream::connect(backend.address).await else {
            continue;
        };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        backend.open.fetch_add(1, Ordering::SeqCst);
        let _ = copy_bidirectional(&mut client, &mut server).await;
        backend.open.fetch_sub(1, Ordering::SeqCst);
        return;
    }
}
