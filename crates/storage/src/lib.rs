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
pub mod read;
pub mod record;
pub mod revision;
pub mod store;
pub mod write;

pub use clock::{Clock, Millis, SkewedClock, SystemClock};
pub use damage::Damage;
pub use error::StorageError;
pub use event::{Bounds, Change, Event, Group, LogPage};
pub use feed::{Delivery, Watch, WatchRequest};
pub use key::{Key, Span};
pub use limits::Limits;
pub use read::{Entry, Freshness, Order, Page, Range, ReadRequest, Snapshot};
pub use record::{Content, Record, Stored};
pub use revision::{Incarnation, Revision, Token};
pub use store::{Adoption, DynStore, Retention, Status, Store};
pub use write::{Action, AtomicWrite, Condition, Put, PutRevision, Step, Written};
