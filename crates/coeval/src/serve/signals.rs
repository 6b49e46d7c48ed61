//! SIGTERM and SIGINT, counted.

use coeval_cli::Failure;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How often the process was told to stop.
#[derive(Clone, Debug)]
pub(crate) struct StopSignals(watch::Receiver<u32>);

impl StopSignals {
    /// Catches both from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let refused = |error| Failure::internal(format!("can't catch signals: {error}"));
        let mut terminate = signal(SignalKind::terminate()).map_err(refused)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(refused)?;
        let (count, counted) = watch::channel(0);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                count.send_modify(|count| *count += 1);
            }
        });
        Ok(Self(counted))
    }

    /// The first one.
    pub(crate) async fn next(&mut self) {
        self.times(1).await;
    }

    /// The second one: whoever sends it does not want to wait.
    pub(crate) async fn second(&mut self) {
        self.times(2).await;
    }

    async fn times(&mut self, wanted: u32) {
        if self.0.wait_for(|count| *count >= wanted).await.is_err() {
            // The task that counts never ends before the process does.
            std::future::pending::<()>().await;
        }
    }
}
