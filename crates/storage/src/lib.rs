//! The storage contract: an ordered key-value store with transactions, a history and watches.
//!
//! [`Store`] is what the engine calls. A new store implements its required methods and passes
//! the suite in `coeval-storage-suite`; what the stores have in common is here: the record's
//! bytes, the judgement of a batch, the feed of events, the limits, and the layers that wrap any
//! store.

pub mod clock;
pub mod damage;
pub mod error;
pub mod event;
pub mod feed;
pub mod judge;
pub mod key;
pub mod layers;
pub mod limits;
pub mod maintenance;
pub mod memo;
pub mod races;
pub mod read;
pub mod record;
pub mod revision;
pub mod store;
pub mod write;

pub use clock::{Clock, SkewedClock, SystemClock, UnixMillis};
pub use damage::RecordDamage;
pub use error::StorageError;
pub use event::{EventGroup, HistoryBounds, KeyChange, KeyEvent, LogPage};
pub use feed::{DeliveryStream, WatchDelivery, WatchRequest};
pub use key::{Key, KeySpan};
pub use limits::StoreLimits;
pub use read::{
    RangePage, ReadFreshness, ReadOrder, ReadRange, ReadRequest, ReadSnapshot, StoredEntry,
};
pub use record::{Record, RecordContent, StoredValue};
pub use revision::{Incarnation, Revision, Token};
pub use store::{AdoptionStep, DynStore, EventRetention, Store, StoreStatus};
pub use write::{
    AtomicWrite, CommittedWrite, PutRevision, RecordPut, WriteAction, WriteCondition, WriteStep,
};
