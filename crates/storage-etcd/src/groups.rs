//! From etcd's events to groups: what has one revision is one group.

use crate::layout::Layout;
use crate::pb;
use coeval_storage::record::Head;
use coeval_storage::{Change, Event, Group, Stored};
use pb::event::EventType;
use std::sync::Arc;

/// What a watch saw.
#[derive(Debug)]
pub(crate) enum Seen {
    /// A whole group.
    Group(Arc<Group>),
    /// A write of ours is complete up to here, whether or not it had events.
    Head(u64),
    /// `m/store` was put.
    Store(pb::KeyValue),
    /// A server's clock was put, or removed.
    Clock(pb::KeyValue, bool),
}

/// Puts groups together.
#[derive(Debug)]
pub(crate) struct Assembler {
    layout: Layout,
    sequence: u64,
    events: Vec<Event>,
}

impl Assembler {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self {
            layout: layout.clone(),
            sequence: 0,
            events: Vec::new(),
        }
    }

    /// Takes the next event; appends what is complete with it.
    pub(crate) fn take(&mut self, event: pb::Event, seen: &mut Vec<Seen>) {
        let deleted = event.r#type() == EventType::Delete;
        let Some(kv) = event.kv else { return };
        let sequence = u64::try_from(kv.mod_revision).unwrap_or(0);
        if sequence > self.sequence {
            // Only a write that was none of ours (it left `m/head` alone) is still here.
            self.complete(seen);
            self.sequence = sequence;
        }
        if kv.key == self.layout.head {
            // It is the last put of each of our transactions, so the group is whole.
            self.complete(seen);
            seen.push(Seen::Head(sequence));
        } else if kv.key == self.layout.store {
            seen.push(Seen::Store(kv));
        } else if self.layout.is_clock(&kv.key) {
            seen.push(Seen::Clock(kv, deleted));
        } else if let Some(key) = self.layout.key_of(&kv.key) {
            let change = if deleted {
                // A delete has no value. etcd sends the previous one along, unless it was
                // compacted.
                let before = event.prev_kv.as_ref();
                let head = before.and_then(|kv| Head::read(&kv.value));
                Change::Deleted {
                    revision: head.map(|head| head.revision),
                }
            } else {
                Change::Put(Stored::decode(&key, kv.value))
            };
            self.events.push(Event { key, change });
        }
    }

    fn complete(&mut self, seen: &mut Vec<Seen>) {
        if !self.events.is_empty() {
            let events = std::mem::take(&mut self.events);
            seen.push(Seen::Group(Arc::new(Group::new(self.sequence, events))));
        }
    }
}
