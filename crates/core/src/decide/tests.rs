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
use crate::version::{ClientVersion, Known, KnownVersion, StoredVersion, Version, WriteVersion};

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

/// A server that knows these versions and no others.
fn knows(versions: &[&str]) -> Known {
    versions.iter().map(|text| v(text)).collect()
}

/// A server of a release whose newest version of the type is this one.
fn server(newest: &str) -> Known {
    let all = ["v1", "v1.1", "v1.2", "v2", "v2.1", "v3"];
    let known = all.into_iter().map(v).filter(|known| *known <= v(newest));
    known.collect()
}

fn at(text: &str) -> Stored {
    Stored::Alone(StoredVersion(v(text)))
}

fn pair(old: &str, new: &str, lead: Lead) -> Stored {
    let pair = Pair::new(StoredVersion(v(old)), StoredVersion(v(new)), lead);
    Stored::Pair(pair.unwrap())
}

fn at_most(text: &str) -> Wanted {
    Wanted::AtMost(ClientVersion(v(text)))
}

fn body(text: &str) -> WriteVersion {
    WriteVersion::parse(text).unwrap()
}

fn reading(stored: Stored, known: &Known, wanted: Wanted) -> Reading<'_> {
    Reading {
        stored,
        known,
        wanted,
        restricted_below: None,
    }
}

/// A save by somebody who may do everything, with the revision that was read, of a type with
/// default settings.
fn writing<'a>(stored: Stored, text: &str, known: &'a Known) -> Writing<'a> {
    Writing {
        stored: Some(stored),
        body: body(text),
        known,
        store_at: StoreAt::Unsaid,
        revision: Revision::Current,
        skew: Skew::Merge,
        control: Control::Full,
        force: Force::No,
        restricted_below: None,
        barrier: None,
    }
}

fn known(text: &str) -> KnownVersion {
    knows(&[text]).newest().unwrap()
}

fn edit(written_at: &str, stored_at: &str) -> Change {
    Change::Edit {
        written_at: known(written_at),
        stored_at: known(stored_at),
    }
}

fn moved(from: &str, to: &str) -> Change {
    Change::Move {
        from: known(from),
        to: known(to),
    }
}

fn replaced(at: &str) -> Change {
    Change::Replace { at: known(at) }
}

fn change(writing: &Writing<'_>) -> Result<Change, Refusal> {
    decide_write(writing).map(|write| write.change)
}
