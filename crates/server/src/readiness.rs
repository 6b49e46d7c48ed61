//! Whether the server can do its work: asked of those who know.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

type ReadinessAnswer = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;
type ReadinessCheck = Arc<dyn Fn() -> ReadinessAnswer + Send + Sync>;

/// A part that does not answer in this time is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// The parts that must be ready before the server is.
#[derive(Clone, Default)]
pub struct Readiness {
    parts: Vec<(&'static str, ReadinessCheck)>,
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parts.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

/// What one part said.
#[derive(Debug)]
pub(crate) struct PartState {
    pub(crate) name: &'static str,
    pub(crate) trouble: Option<String>,
}

impl Readiness {
    /// Adds a part; `ask` says why it is not ready.
    #[must_use]
    pub fn with<F, A>(mut self, name: &'static str, ask: F) -> Self
    where
        F: Fn() -> A + Send + Sync + 'static,
        A: Future<Output = Result<(), String>> + Send + 'static,
    {
        let ask: ReadinessCheck = Arc::new(move || Box::pin(ask()));
        self.parts.push((name, ask));
        self
    }

    /// Whether all parts are ready.
    pub async fn is_ready(&self) -> bool {
        let states = self.ask().await;
        states.iter().all(|state| state.trouble.is_none())
    }

    /// Asks every part at the same time.
    pub(crate) async fn ask(&self) -> Vec<PartState> {
        // Tasks of their own: a check that panics is a part that is not ready, not a server that falls.
        let asked: Vec<_> = self
            .parts
            .iter()
            .map(|(name, ask)| (*name, tokio::spawn(tokio::time::timeout(PATIENCE, ask()))))
            .collect();
        let mut states = Vec::with_capacity(asked.len());
        for (name, answer) in asked {
            let trouble = match answer.await {
                Ok(Ok(Ok(()))) => None,
                Ok(Ok(Err(reason))) => Some(reason),
                Ok(Err(_)) => Some(format!("no answer in {} seconds", PATIENCE.as_secs())),
                Err(_) => Some("its check failed".to_owned()),
            };
            states.push(PartState { name, trouble });
        }
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_part_speaks_for_itself() {
        let readiness = Readiness::default()
            .with("good", || async { Ok(()) })
            .with("bad", || async { Err("gone".to_owned()) })
            .with("broken", || async { panic!("a bug in a check") });
        let states = readiness.ask().await;
        let troubles: Vec<_> = states.iter().map(|s| s.trouble.as_deref()).collect();
        assert_eq!(troubles, [None, Some("gone"), Some("its check failed")]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_that_never_answers_is_not_ready() {
        let readiness = Readiness::default().with("slow", std::future::pending);
        let states = readiness.ask().await;
        assert_eq!(states[0].trouble.as_deref(), Some("no answer in 2 seconds"));
    }
}
