//! A proxy in front of the database that cuts a connection at a chosen moment.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// What happens to the next COMMIT that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It arrives, its answer does not.
    AfterTheServerAnswered,
    /// It does not arrive; both ends are closed.
    BeforeTheServerHears,
    /// It does not arrive, and the server is left waiting for it.
    LeavingTheServerWaiting,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    armed: Arc<Mutex<Option<Cut>>>,
    refusing: Arc<AtomicBool>,
    /// Server ends that are left open.
    kept: Arc<Mutex<Vec<(OwnedReadHalf, OwnedWriteHalf)>>>,
}

impl Proxy {
    pub(crate) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            armed: Arc::default(),
            refusing: Arc::default(),
            kept: Arc::default(),
        };
        let (armed, refusing, kept) = (
            Arc::clone(&proxy.armed),
            Arc::clone(&proxy.refusing),
            Arc::clone(&proxy.kept),
        );
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if refusing.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
                    continue;
                };
                let (armed, kept) = (Arc::clone(&armed), Arc::clone(&kept));
                tokio::spawn(carry(client, server, armed, kept));
            }
        });
        proxy
    }

    /// Cuts at the next COMMIT.
    pub(crate) fn arm(&self, cut: Cut) {
        *self.armed.lock().unwrap() = Some(cut);
    }

    pub(crate) fn fired(&self) -> bool {
        self.armed.lock().unwrap().is_none()
    }

    /// From now on no connection is made.
    pub(crate) fn refuse(&self) {
        self.refusing.store(true, Ordering::SeqCst);
    }
}

async fn carry(
    client: TcpStream,
    server: TcpStream,
    armed: Arc<Mutex<Option<Cut>>>,
    kept: Arc<Mutex<Vec<(OwnedReadHalf, OwnedWriteHalf)>>>,
) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let (mut asked, mut answered) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            read = from_client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let chunk = &asked[..length];
                // The statement, not the isolation level of a BEGIN.
                let commit = chunk.windows(7).any(|bytes| bytes == b"COMMIT\0");
                let cut = commit.then(|| armed.lock().unwrap().take()).flatten();
                match cut {
                    None => {
                        if to_server.write_all(chunk).await.is_err() { return }
                    }
                    Some(Cut::AfterTheServerAnswered) => {
                        to_server.write_all(chunk).await.unwrap();
                        let mut seen = Vec::new();
                        // The answer to a commit ends in its tag and the mark of an idle session.
                        while !seen.windows(13).any(|b| b == b"COMMIT\0Z\0\0\0\x05I".as_slice()) {
                            let length = from_server.read(&mut answered).await.unwrap();
                            assert!(length > 0, "the server hung up");
                            seen.extend_from_slice(&answered[..length]);
                        }
                        return;
                    }
                    Some(Cut::BeforeTheServerHears) => return,
                    Some(Cut::LeavingTheServerWaiting) => {
                        kept.lock().unwrap().push((from_server, to_server));
                        return;
                    }
                }
            }
            read = from_server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if to_client.write_all(&answered[..length]).await.is_err() { return }
            }
        }
    }
}
