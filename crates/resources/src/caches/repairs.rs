//! Mirrors that a read found not to be fresh: they are mended in the background, no answer waits.

use coeval_core::version::Uuid;
use coeval_records::keys::TypeKey;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// How many are remembered; the backfill finds the others.
const MOST: usize = 1_000;

/// Resources whose mirrors are to be mended.
#[derive(Debug, Default)]
pub struct Repairs {
    waiting: Mutex<BTreeSet<(TypeKey, Uuid)>>,
    news: Notify,
}

impl Repairs {
    pub(crate) fn add(&self, of: &TypeKey, id: Uuid) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // What finds no room is noted again by the next read that meets it, or found by the
        // backfill.
        if waiting.len() < MOST && waiting.insert((of.clone(), id)) {
            self.news.notify_one();
        }
    }

    /// The next one, as soon as there is one.
    pub async fn next(&self) -> (TypeKey, Uuid) {
        loop {
            let next = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.pop_first()
            };
            match next {
                Some(next) => return next,
                None => self.news.notified().await,
            }
        }
    }
}
