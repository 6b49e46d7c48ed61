//! The suite on a small store in memory: it shows that the cases ask for nothing impossible.

mod flawed;
mod reference;

use async_trait::async_trait;
use coeval_storage::{Clock, DynStore, SkewedClock, StoreLimits};
use coeval_storage_suite::{StoreSubject, dressed};
use reference::{Memory, Shared};
use std::sync::Arc;

struct MemorySubject(Arc<Shared>);

#[async_trait]
impl StoreSubject for MemorySubject {
    fn kind(&self) -> &'static str {
        "memory"
    }

    async fn handle(&self) -> DynStore {
        self.handle_with_clock(0).await
    }

    async fn handle_with_clock(&self, _: i64) -> DynStore {
        dressed(Memory::new(&self.0), StoreLimits::default())
    }

    fn many_handles(&self) -> bool {
        true
    }

    fn ring_groups(&self) -> usize {
        reference::RING
    }
}

async fn open() -> Box<dyn StoreSubject> {
    let clock: Arc<dyn Clock> = Arc::new(SkewedClock::new(0));
    Box::new(MemorySubject(Shared::new(clock, None)))
}

coeval_storage_suite::suite!(open);
