//! A wire between a handle and etcd that can be cut, with or without what was sent getting through.
#![allow(unreachable_pub)]

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    Whole,
    /// Requests arrive, answers do not.
    NoAnswers,
    /// Nothing arrives.
    Silent,
    /// Connections are closed, and refused.
    Cut,
}

pub struct Proxy {
    pub address: SocketAddr,
    wire: Arc<watch::Sender<Wire>>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let wire = Arc::new(watch::Sender::new(Wire::Whole));
        let (server, shared) = (server.to_owned(), Arc::clone(&wire));
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *shared.borrow() != Wire::Cut {
                    tokio::spawn(carry(client, server.clone(), shared.subscribe()));
                }
            }
        });
        Self {
            address,
            wire,
            task,
        }
    }

    pub fn set(&self, wire: Wire) {
        self.wire.send_replace(wire);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(client: TcpStream, server: String, wire: watch::Receiver<Wire>) {
    let server = TcpStream::connect(server).await.unwrap();
    for stream in [&client, &server] {
        stream.set_nodelay(true).unwrap();
    }
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let modes = wire.clone();
    let requests = async move {
        let mut buffer = vec![0; 65_536];
        while let Ok(n @ 1..) = from_client.read(&mut buffer).await {
            if *modes.borrow() != Wire::Silent && to_server.write_all(&buffer[..n]).await.is_err() {
                return;
            }
        }
    };
    let modes = wire.clone();
    let answers = async move {
        let mut buffer = vec![0; 65_536];
        while let Ok(n @ 1..) = from_server.read(&mut buffer).await {
            if *modes.borrow() == Wire::Whole && to_client.write_all(&buffer[..n]).await.is_err() {
                return;
            }
        }
    };
    let mut modes = wire;
    tokio::select! {
        () = requests => {}
        () = answers => {}
        _ = modes.wait_for(|wire| *wire == Wire::Cut) => {}
    }
}
