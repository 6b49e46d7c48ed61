//! Where a server stands on its way from start to stop.

use std::sync::Arc;
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StopPhase {
    Serving,
    /// Told to stop; still accepts, so that nobody is refused before others noticed.
    Unready,
    /// Accepts nothing; what runs may end.
    Closing,
}

/// The stop of one server, seen by all who have to take part in it.
///
/// A long answer (a watch) should end by itself once [`Lifecycle::draining`] resolves; what does
/// not is cut when the drain's time is over.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    phase: Arc<watch::Sender<StopPhase>>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self {
            phase: Arc::new(watch::Sender::new(StopPhase::Serving)),
        }
    }
}

impl Lifecycle {
    /// Whether the server was told to stop.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        *self.phase.borrow() != StopPhase::Serving
    }

    /// Resolves once the server no longer accepts connections.
    pub async fn draining(&self) {
        self.reached(StopPhase::Closing).await;
    }

    pub(crate) async fn reached(&self, phase: StopPhase) {
        // The sender lives in self, so that waiting can't fail.
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
    }

    pub(crate) fn enter(&self, phase: StopPhase) {
        self.phase.send_replace(phase);
    }
}
