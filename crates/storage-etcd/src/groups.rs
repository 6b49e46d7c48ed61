//! From etcd's events to groups: what has one revision is one group.

use crate::layout::KeyLayout;
use crate::pb;
use coeval_storage::record::RecordHead;
use coeval_storage::{EventGroup, KeyChange, KeyEvent, StoredValue};
use pb::event::EventType;
use std::sync::Arc;

/// What a watch saw.
#[derive(Debug)]
pub(crate) enum SeenEvent {
    /// A whole group.
    Group(Arc<EventGroup>),
    /// A write of ours is complete up to here, whether or not it had events.
    Head(u64),
    /// `m/store` was put.
    Store(pb::KeyValue),
    /// A server's clock was put, or removed.
    Clock(pb::KeyValue, bool),
}

/// Puts groups together.
#[derive(Debug)]
pub(crate) struct GroupAssembler {
    layout: KeyLayout,
    sequence: u64,
    events: Vec<KeyEvent>,
}

impl GroupAssembler {
    pub(crate) fn new(layout: &KeyLayout) -> Self {
        Self {
            layout: layout.clone(),
            sequence: 0,
            events: Vec::new(),
        }
    }

    /// Takes the next event; appends what is complete with it.
    pub(crate) fn take(&mut self, event: pb::Event, seen: &mut Vec<SeenEvent>) {
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
            seen.push(SeenEvent::Head(sequence));
        } else if kv.key == self.layout.store {
            seen.push(SeenEvent::Store(kv));
        } else if self.layout.is_clock(&kv.key) {
            seen.push(SeenEvent::Clock(kv, deleted));
        } else if let Some(key) = self.layout.key_of(&kv.key) {
            let change = if deleted {
                // A delete has no value. etcd sends the previous one along, unless it was
                // compacted.
                let before = event.prev_kv.as_ref();
                let head = before.and_then(|kv| RecordHead::read(&kv.value));
                KeyChange::Deleted {
                    revision: head.map(|head| head.revision),
                }
            } else {
                KeyChange::Put(StoredValue::decode(&key, kv.value))
            };
            self.events.push(KeyEvent { key, change });
        }
    }

    fn complete(&mut self, seen: &mut Vec<SeenEvent>) {
        if !self.events.is_empty() {
            let events = std::mem::take(&mut self.events);
            seen.push(SeenEvent::Group(Arc::new(EventGroup::new(
                self.sequence,
                events,
            ))));
        }
    }
}
