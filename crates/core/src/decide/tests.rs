//! The tables row by row, the rules one by one, and the laws over every bounded input.

// Builders are not tests, yet only tests call them.
#![allow(clippy::unwrap_used)]

mod deletes;
mod echo;
mod laws_of_reads;
mod laws_of_writes;
mod pairs;
mod read_table;
mod reads;
mod universe;
mod write_table;
mod writes;

use super::*;
use crate::version::{
    ClientVersion, KnownVersion, KnownVersions, StoredVersion, Version, WriteVersion,
};

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

/// A server that knows these versions and no others.
fn knows(versions: &[&str]) -> KnownVersions {
    versions.iter().map(|text| v(text)).collect()
}

/// A server of a release whose newest version of the type is this one.
fn server(newest: &str) -> KnownVersions {
    let all = ["v1", "v1.1", "v1.2", "v2", "v2.1", "v3"];
    let known = all.into_iter().map(v).filter(|known| *known <= v(newest));
    known.collect()
}

fn at(text: &str) -> StoredVersions {
    StoredVersions::Alone(StoredVersion(v(text)))
}

fn pair(old: &str, new: &str, lead: LeadingRecord) -> StoredVersions {
    let pair = VersionPair::new(StoredVersion(v(old)), StoredVersion(v(new)), lead);
    StoredVersions::Pair(pair.unwrap())
}

fn at_most(text: &str) -> WantedVersion {
    WantedVersion::AtMost(ClientVersion(v(text)))
}

fn body(text: &str) -> WriteVersion {
    WriteVersion::parse(text).unwrap()
}

fn reading(
    stored: StoredVersions,
    known: &KnownVersions,
    wanted: WantedVersion,
) -> VersionedRead<'_> {
    VersionedRead {
        stored,
        known,
        wanted,
        restricted_below: None,
    }
}

/// A save by somebody who may do everything, with the revision that was read, of a type with
/// default settings.
fn writing<'a>(stored: StoredVersions, text: &str, known: &'a KnownVersions) -> VersionedWrite<'a> {
    VersionedWrite {
        stored: Some(stored),
        body: body(text),
        known,
        store_at: StoreAt::Unsaid,
        revision: RevisionCheck::Current,
        skew: SkewRule::Merge,
        control: CallerControl::Full,
        force: Force::No,
        restricted_below: None,
        barrier: None,
    }
}

fn known(text: &str) -> KnownVersion {
    knows(&[text]).newest().unwrap()
}

fn edit(written_at: &str, stored_at: &str) -> ContentChange {
    ContentChange::Edit {
        written_at: known(written_at),
        stored_at: known(stored_at),
    }
}

fn moved(from: &str, to: &str) -> ContentChange {
    ContentChange::Move {
        from: known(from),
        to: known(to),
    }
}

fn replaced(at: &str) -> ContentChange {
    ContentChange::Replace { at: known(at) }
}

fn change(writing: &VersionedWrite<'_>) -> Result<ContentChange, VersionRefusal> {
    decide_write(writing).map(|write| write.change)
}
