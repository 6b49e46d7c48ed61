//! What a group of events says, read once for all watchers of a process.

use crate::quarantined::Quarantined;
use crate::resource::urn;
use crate::watch::decoded::Decoded;
use coeval_access::Acl;
use coeval_catalog::kinds::{OwnKind, VENDOR};
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{PhaseRefusal, ReadSource, RecordHome};
use coeval_core::version::Uuid;
use coeval_records::audit::{Deed, What, deed_of};
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::{EventGroup, Key, KeyChange, KeyEvent, Revision, StoredValue as Kept};
use std::sync::Arc;

/// What became of one resource.
#[derive(Debug)]
pub(crate) enum Became {
    /// It is there.
    There(Box<Decoded>),
    /// It is there, and can't be read.
    Unreadable(Quarantined),
    /// It is gone.
    Gone(Option<Revision>),
}

/// What happened to one resource.
#[derive(Debug)]
pub(crate) struct Happened {
    pub of: TypeKey,
    pub id: Uuid,
    pub became: Became,
    /// What was put at the new major in the same write, in a migration.
    pub mirror: Option<Became>,
    major: u32,
    /// Its record at another major was part of the same write.
    twin: bool,
    /// Of the engine's own kinds: what it was before, where that is kept.
    pub before: Option<Stored>,
}

/// The ACL that a resource has by now.
#[derive(Debug)]
pub(crate) struct AclNow {
    pub id: Uuid,
    /// One that can't be read grants nothing.
    pub acl: Arc<Acl>,
}

/// All that watchers look at in a group.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub records: Vec<Happened>,
    pub acls: Vec<AclNow>,
    /// Types whose definitions changed.
    pub types: Vec<TypeKey>,
    /// Keys of sessions that ended.
    pub ended: Vec<Key>,
    deeds: Vec<(Option<Uuid>, Deed)>,
}

impl Reading {
    /// What a group says; read when somebody asks first.
    pub(crate) fn of(group: &EventGroup) -> Arc<Self> {
        group.memo.get_or_make(|| Self::read(group))
    }

    fn read(group: &EventGroup) -> Self {
        let mut reading = Self::default();
        // Copies of records, and their removal, are nothing that happened to a resource.
        if is_silent(group) {
            return reading;
        }
        for event in &group.events {
            match event.key.as_bytes() {
                [b'e', b'/', ..] => reading.add_record(event),
                [b'a', b'/', ..] => reading.acls.extend(acl_now(event)),
                [b'p', b'/', ..] => reading.types.extend(keys::type_of_phase(&event.key)),
                [b'z', b'/', ..] if matches!(event.change, KeyChange::Deleted { .. }) => {
                    reading.ended.push(event.key.clone());
                }
                _ => {}
            }
        }
        // Audit records and histories are decoded only if a resource or a type is in the group.
        if reading.concerns_resources() {
            let starts = |event: &&KeyEvent, with: &[u8]| event.key.as_bytes().starts_with(with);
            let deeds = group.events.iter().filter(|event| starts(event, b"u/"));
            let deeds = deeds.filter_map(deed_of);
            reading.deeds = deeds
                .map(|deed| (deed.id.as_deref().and_then(Uuid::parse), deed))
                .collect();
            for earlier in group.events.iter().filter(|event| starts(event, b"h/")) {
                reading.add_earlier(earlier);
            }
        }
        reading
    }

    fn concerns_resources(&self) -> bool {
        !(self.records.is_empty() && self.acls.is_empty() && self.types.is_empty())
    }

    /// A resource that moves to another major has two events; the put is what happened. One of a
    /// type in migration may have two puts: the one at the lower major is the old one.
    fn add_record(&mut self, event: &KeyEvent) {
        let Some((of, major, id)) = keys::read_record(&event.key) else {
            return;
        };
        let became = became(&of, id, &event.change);
        let same = |one: &&mut Happened| one.id == id && one.of == of;
        let Some(there) = self.records.iter_mut().find(same) else {
            self.records.push(Happened {
                of,
                id,
                became,
                mirror: None,
                major,
                twin: false,
                before: None,
            });
            return;
        };
        there.twin = true;
        // Either may come first in the group, the put or the deletion of the other record; the put
        // counts.
        match (&there.became, &became) {
            (_, Became::Gone(_)) => {}
            (Became::Gone(_), _) => (there.became, there.major) = (became, major),
            _ if major < there.major => {
                there.mirror = Some(std::mem::replace(&mut there.became, became));
                there.major = major;
            }
            _ => there.mirror = Some(became),
        }
    }

    fn add_earlier(&mut self, event: &KeyEvent) {
        let Some(id) = keys::id_of_belonging(&event.key) else {
            return;
        };
        let own = |one: &&mut Happened| one.id == id && &*one.of.vendor == VENDOR;
        let Some(happened) = self.records.iter_mut().find(own) else {
            return;
        };
        if let KeyChange::Put(Kept::Record(record)) = &event.change {
            happened.before = Stored::decode(id, record).ok();
        }
    }

    /// What was done with a resource.
    pub(crate) fn deed(&self, id: Uuid) -> Option<&Deed> {
        let of_it = |(of, _): &&(Option<Uuid>, Deed)| *of == Some(id);
        self.deeds.iter().find(of_it).map(|(_, deed)| deed)
    }

    /// The change of a resource's ACL.
    pub(crate) fn acl_change(&self, id: Uuid) -> Option<&Deed> {
        let deed = self.deed(id)?;
        (deed.what == What::ChangeAcl).then_some(deed)
    }

    /// The ACL that a resource got in this group.
    pub(crate) fn acl(&self, id: Uuid) -> Option<&Arc<Acl>> {
        self.acls
            .iter()
            .find(|one| one.id == id)
            .map(|one| &one.acl)
    }

    /// Whether a resource itself is part of the group.
    pub(crate) fn has_record(&self, id: Uuid) -> bool {
        self.records.iter().any(|one| one.id == id)
    }

    /// Whether all that was done to a type's definitions leaves alone who may see resources.
    pub(crate) fn keeps_access(&self, of: &TypeKey) -> bool {
        let name = of.to_string();
        let mut of_type = self.deeds.iter().filter(|(_, deed)| deed.of == name);
        let harmless = |(_, deed): &(Option<Uuid>, Deed)| {
            // All else, such as `ChangeTypeAcl`, may change who sees resources.
            matches!(
                deed.what,
                What::RegisterType | What::EditType | What::DeleteType | What::MovePhase
            )
        };
        let first = of_type.next();
        // No deed at all is not harmless: so a publication brings ACLs in line
        // (`identity::settle`).
        first.is_some_and(harmless) && of_type.all(harmless)
    }
}

/// Whether a group only copies records, or removes copies.
pub(crate) fn is_silent(group: &EventGroup) -> bool {
    let mut keys = group.events.iter().map(|event| event.key.as_bytes());
    keys.any(|key| key.starts_with(b"b/"))
}

impl Happened {
    /// What a watcher is shown: the record that a server at this phase reads.
    pub(crate) fn shown(&self, state: &TypeState) -> &Became {
        let reads_old = match state.reading() {
            Ok(Some(part)) => part.row().reads == ReadSource::Old,
            Ok(None) | Err(_) => false,
        };
        match &self.mirror {
            Some(mirror) if !reads_old => mirror,
            _ => &self.became,
        }
    }

    /// Whether it takes part in the migration of its type, as far as the write tells.
    pub(crate) const fn home(&self) -> RecordHome {
        if self.twin {
            RecordHome::Paired
        } else {
            RecordHome::Alone
        }
    }

    /// Why a server that only reads can't go on: the new record alone was written, by a server at
    /// cutover. Even if cutover is over by now, and the old records were copied back in silence, its
    /// watchers would never hear of it.
    pub(crate) fn missed_by(&self, state: &TypeState) -> Option<PhaseRefusal> {
        let part = state.reading().ok().flatten()?;
        // Only a server without the new major can miss a write (decision 0006).
        part.reads_on?;
        let Became::There(decoded) = &self.became else {
            return None;
        };
        let migration = part.migration;
        let beyond = self.major == migration.to && decoded.stored.paired;
        beyond.then_some(PhaseRefusal::MajorNotLoaded {
            to: migration.to,
            live: migration.live,
            reads: false,
        })
    }

    /// Which of the engine's own kinds it is of.
    pub(crate) fn own_kind(&self) -> Option<OwnKind> {
        if &*self.of.vendor != VENDOR {
            return None;
        }
        OwnKind::ALL.into_iter().find(|kind| kind.of() == self.of)
    }
}

fn became(of: &TypeKey, id: Uuid, change: &KeyChange) -> Became {
    match change {
        KeyChange::Put(Kept::Record(record)) => match Stored::decode(id, record) {
            Ok(stored) => Became::There(Box::new(Decoded::new(stored))),
            Err(error) => Became::Unreadable(Quarantined::of(urn(of, id), &error)),
        },
        KeyChange::Put(Kept::Damaged { damage, .. }) => Became::Unreadable(Quarantined {
            id: urn(of, id),
            code: coeval_codes::DAMAGED,
            reason: damage.to_string(),
        }),
        KeyChange::Deleted { revision } => Became::Gone(*revision),
    }
}

fn acl_now(event: &KeyEvent) -> Option<AclNow> {
    let id = keys::id_of_belonging(&event.key)?;
    let acl = match &event.change {
        KeyChange::Put(Kept::Record(record)) => serde_json::from_slice(&record.content.body).ok(),
        KeyChange::Put(Kept::Damaged { .. }) | KeyChange::Deleted { .. } => None,
    };
    let acl = Arc::new(acl.unwrap_or_default());
    Some(AclNow { id, acl })
}
