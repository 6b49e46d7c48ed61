//! What differs between two releases, before anybody judges it.
//!
//! The comparison walks what both have and tells every [`SurfaceDifference`] with its place; a rule picks
//! those that it knows and says whether they break somebody. So the walk is written once, and a rule
//! is a few lines.
//!
//! - `operations`: which there are, what they answer, what is sent
//! - `shapes`: what is inside of requests and answers
//! - `alternatives`: what a value may be once references are followed
//! - `catalog`, `outputs`: whatever is no API
//! - `additions`: what has nothing to be compared with: new operations, and what is declared

mod additions;
mod alternatives;
mod catalog;
mod operations;
mod outputs;
mod place;
mod shapes;

pub(crate) use additions::additions;
pub(crate) use alternatives::{ShapeAlternatives, ValueKinds};
pub use place::{SurfaceArea, SurfacePlace};

use crate::model::{
    AnswerKey, ApiDocument, ApiOperation, CatalogItem, DeprecationNote, ReleaseSurface,
    SurfaceField,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Who sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MessageSide {
    /// Clients.
    Request,
    /// The server.
    Answer,
}

/// Something that is not as it was.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceDifference<'a> {
    pub place: SurfacePlace,
    pub change: SurfaceChange<'a>,
}

/// What is not as it was.
#[derive(Clone, Debug)]
pub(crate) enum SurfaceChange<'a> {
    NewOperation {
        api: &'a ApiDocument,
        name: &'a str,
        operation: &'a ApiOperation,
    },
    Deprecated(&'a DeprecationNote),
    GoneOperation(&'a ApiOperation),
    GoneAnswer(&'a AnswerKey),
    NewStatus(&'a AnswerKey),
    NoBodyAnyMore,
    Streaming {
        old: (bool, bool),
        new: (bool, bool),
    },
    /// A shape that no operation leads to.
    GoneShape,
    GoneField {
        side: MessageSide,
        field: &'a SurfaceField,
    },
    NewField {
        side: MessageSide,
        field: &'a SurfaceField,
    },
    Presence {
        side: MessageSide,
        old: &'a SurfaceField,
        new: &'a SurfaceField,
    },
    Kinds {
        side: MessageSide,
        old: ValueKinds,
        new: ValueKinds,
    },
    Number {
        old: u32,
        new: u32,
    },
    /// A new field has the number of an old one.
    NumberTaken {
        number: u32,
        by_old: &'a str,
    },
    EnumNumber {
        old: i32,
        new: Option<i32>,
    },
    GoneItem(&'a CatalogItem),
    /// It is new, or was optional.
    NewRequiredItem,
    Fact {
        item: &'a CatalogItem,
        fact: &'a str,
        old: &'a Value,
        new: Option<&'a Value>,
    },
    Shrunk {
        item: &'a CatalogItem,
        set: &'a str,
        gone: Vec<&'a str>,
    },
    /// It takes fewer values; none are listed where it took any.
    FewerChoices {
        item: &'a CatalogItem,
        gone: Vec<&'a str>,
    },
    GoneOutput,
    OutputTypes {
        old: &'a BTreeSet<String>,
        new: BTreeSet<String>,
    },
}

impl SurfaceChange<'_> {
    /// Whether only the newest kept release can tell. What an older one had and the newest has not
    /// was judged when the newest was kept; and what is new is new to the newest.
    pub(crate) fn concerns_newest_only(&self) -> bool {
        match self {
            Self::GoneOperation(_)
            | Self::GoneAnswer(_)
            | Self::NewStatus(_)
            | Self::NoBodyAnyMore
            | Self::GoneShape
            | Self::GoneField { .. }
            | Self::NewField { .. }
            | Self::GoneItem(_)
            | Self::NewRequiredItem
            | Self::Shrunk { .. }
            | Self::FewerChoices { .. }
            | Self::GoneOutput
            | Self::OutputTypes { .. } => true,
            Self::Presence { side, .. } => *side == MessageSide::Request,
            Self::EnumNumber { new, .. } => new.is_none(),
            Self::NewOperation { .. }
            | Self::Deprecated(_)
            | Self::Streaming { .. }
            | Self::Kinds { .. }
            | Self::Number { .. }
            | Self::NumberTaken { .. }
            | Self::Fact { .. } => false,
        }
    }
}

/// Everything that differs.
pub(crate) fn differences<'a>(
    old: &'a ReleaseSurface,
    new: &'a ReleaseSurface,
) -> Vec<SurfaceDifference<'a>> {
    let mut found = Vec::new();
    for old_api in &old.apis {
        if let Some(new_api) = new.api(old_api.style) {
            operations::compare(old_api, new_api, &mut found);
        }
    }
    catalog::compare(old, new, &mut found);
    outputs::compare(old, new, &mut found);
    found
}
