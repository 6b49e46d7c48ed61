//! What a read or a write at some version means for what is stored.
//!
//! [`Engine`] is what every API calls: it knows the store and the types that are loaded from it,
//! and puts the rules of `coeval-core`, `coeval-access` and `coeval-filter` to work. The APIs add
//! none of their own.
//!
//! Every write is one atomic write, conditioned on the type's phase record: the object, its index
//! entries, its history, its secrets and the record of what was done. Every read takes the phase
//! record in the same snapshot; a change of a definition rewrites it, so no server ever works with
//! a definition that another one has changed.

mod allow;
mod applied;
mod attempts;
mod audit;
pub mod behaviors;
mod caller;
mod content;
mod encode;
mod encodings;
mod engine;
pub mod entries;
mod error;
mod expiry;
mod explain;
mod full_contents;
mod header;
mod hints;
mod history;
pub mod identity;
pub mod inspect;
pub mod jobs;
mod keys;
mod kinds;
pub mod lifecycle;
mod list;
pub mod migrations;
mod pairs;
mod prefetched;
mod quarantined;
mod read;
mod ready;
mod resource;
pub mod seal;
mod secure;
mod seen;
mod stored;
pub mod tasks;
pub mod token;
pub mod types;
mod views;
mod visible_versions;
mod watch;
pub mod write;

pub use allow::SYSTEM_ORG;
pub use applied::{Applied, MOST_BYTES as MOST_APPLIED_BYTES, MOST_PATHS as MOST_APPLIED_PATHS};
pub use attempts::{Attempts, TooManyRaces};
pub use audit::{AuditQuery, AuditRecord, Deed, What};
pub use caller::{AcceptedType, Caller, WantedVersions};
pub use encode::EncodeError;
pub use engine::{Engine, Settings};
pub use error::EngineError;
pub use expiry::ResourceBelongings;
pub use header::{Header, State, Time};
pub use history::History;
pub use keys::TypeKey;
pub use kinds::{OwnKinds, VENDOR};
pub use list::{DEFAULT_PAGE, InOrg, LARGEST_PAGE, ListError, ListOf, ListQuery, Page, PageAt};
pub use read::Target;
pub use resource::{Changed, Quarantined, Resource};
pub use secure::{Rotated, SecretError};
pub use visible_versions::VisibleVersions;
pub use watch::{WatchError, WatchQuery, WatchStream, Watched, WatchedChange};
