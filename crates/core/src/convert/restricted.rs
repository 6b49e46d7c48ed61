//! Fields that not everybody sees or may change, in reads and writes at any version.
//!
//! What a caller does not see counts as unchanged in what it writes, at any depth and in lists too.
//! What it sees and may not change must come back as it was. A secure field is shown to nobody: left
//! out or sent as the mask it stays, null removes it, anything else sets it.
//!
//! Who sees a place is decided by the marks of the stored version on the stored content, by those of
//! the version that is shown, and by those that any other version of the type gives to the same
//! field; the strongest holds. The conversion itself sees everything, so that what one caller does
//! not see converts for it as it does for all.

mod conceal;
mod entries;
mod put;
mod secrets;
mod settle;
mod settle_list;
#[cfg(test)]
mod tests;
mod view;

pub use secrets::{RecordSecrets, join_secure};
pub use view::SeenView;

use crate::types::{PartId, Restriction, Schema, SchemaPart, Visibility};
use serde_json::Value;
use std::collections::HashMap;

/// What stands for a secure value that is there.
pub const MASK: &str = "******";

/// What a caller may do with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceRight {
    /// See it and change it.
    Open,
    /// See it.
    Guarded,
    /// Neither.
    Unseen,
    /// Not see it; change it unless it is guarded.
    Secure { guarded: bool },
}

impl PlaceRight {
    fn of(mark: Restriction, sees: Visibility) -> Self {
        let guarded = mark.visibility > Visibility::Public && sees < Visibility::Private;
        if mark.visibility > sees {
            Self::Unseen
        } else if mark.secure {
            Self::Secure { guarded }
        } else if guarded {
            Self::Guarded
        } else {
            Self::Open
        }
    }

    const fn is_shown(self) -> bool {
        matches!(self, Self::Open | Self::Guarded)
    }
}

/// The marks of one document's places, as one caller meets them.
struct PlaceRestrictions<'s> {
    schema: &'s Schema,
    sees: Visibility,
    /// Marks that the schema does not give, by pointer.
    extra: HashMap<String, Restriction>,
}

/// A place in a document: its schemas, and the marks that hold there.
struct RestrictedPlace<'s> {
    parts: Vec<&'s SchemaPart>,
    mark: Restriction,
    right: PlaceRight,
    /// Whether what is around it is guarded as a whole.
    inside_guarded: bool,
}

impl<'s> PlaceRestrictions<'s> {
    fn root(&self) -> RestrictedPlace<'s> {
        let right = PlaceRight::of(Restriction::default(), self.sees);
        self.place(&[0], "", Restriction::default(), right)
    }

    fn inside(
        &self,
        around: &RestrictedPlace<'s>,
        ids: &[PartId],
        at: &str,
    ) -> RestrictedPlace<'s> {
        self.place(ids, at, around.mark, around.right)
    }

    fn place(
        &self,
        ids: &[PartId],
        at: &str,
        around: Restriction,
        outer: PlaceRight,
    ) -> RestrictedPlace<'s> {
        let parts = self.schema.shape.possible(ids);
        // All schemas that possibly apply count: with restrictions, the stronger one wins wherever
        // there is doubt.
        let own = parts.iter().map(|part| part.restriction);
        let mark = own.fold(around, Restriction::and);
        // Most documents have no marks of other versions, and a pointer need not be hashed then.
        let extra = (!self.extra.is_empty()).then(|| self.extra.get(at));
        let mark = extra.flatten().map_or(mark, |extra| mark.and(*extra));
        RestrictedPlace {
            parts,
            mark,
            right: PlaceRight::of(mark, self.sees),
            // A change inside is found when the outermost guarded place is compared as a whole.
            inside_guarded: outer == PlaceRight::Guarded,
        }
    }
}

fn is_mask(value: &Value) -> bool {
    value.as_str() == Some(MASK)
}
