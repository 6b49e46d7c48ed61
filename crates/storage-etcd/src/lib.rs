//! The etcd store.
//!
//! One atomic write is one transaction; its revision is the sequence, and what has one revision
//! is one group. Every transaction also puts `m/head`: the revision of that key is the store's
//! last write, whatever else happens in the cluster, and its value tells a lost write from one
//! that did not happen. Where everything is: `layout`.
//!
//! - `client`, `subscription`, `fault`: a thin client of etcd
//! - `shared`, `commit`: a view of the store, and a transaction
//! - `reads`, `count`, `writes`, `adoption`, `compaction`: the contract's operations
//! - `expired_record`, `expiry`, `removal`: what has expired, alone or with what belongs to it
//! - `log`, `tail`, `groups`: the history, and the one watch that feeds all watchers
//! - `clocks`, `announce`: etcd has no clock, so servers compare theirs
//!
//! Limits that are etcd's: a request has 1.5 MiB, keys included; a descending range is sorted by
//! etcd, which reads all of it for each chunk; compaction concerns the whole cluster, and knows
//! ages only since the handle was opened; a full etcd (`NOSPACE`) refuses deletes too, since they
//! put `m/head`: compact, then `etcdctl defrag` and `etcdctl alarm disarm`, or raise its quota.

mod address;
mod adoption;
mod ages;
mod announce;
mod client;
mod clocks;
mod commit;
mod compaction;
mod count;
mod expired_record;
mod expiry;
mod fault;
mod groups;
mod layout;
mod log;
mod meta;
mod ops;
mod pb;
mod plan;
mod reads;
mod removal;
mod shared;
mod store;
mod subscription;
mod tail;
mod walk;
mod writes;

pub use meta::LEVEL;
pub use store::{EtcdOptions, EtcdStore};
