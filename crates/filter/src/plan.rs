//! Which part of which index a filter has to read.

use crate::compiled::CompiledFilter;
use crate::encoding::MANY;
use crate::index::{IndexInfo, may_be_cut};
use crate::reach::{IndexReach, after, reach};

/// What to read. All that is read this way is filtered again: a plan finds every match, and maybe more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPlan {
    /// No index helps: everything.
    Scan,
    /// One key.
    Point {
        /// The index.
        index: String,
        /// Its key.
        value: Vec<u8>,
    },
    /// Several keys, or the beginnings of keys that are cut.
    Points {
        /// The index.
        index: String,
        /// Its keys, in order, none twice.
        values: Vec<Vec<u8>>,
    },
    /// All keys that begin so.
    Prefix {
        /// The index.
        index: String,
        /// How they begin.
        bytes: Vec<u8>,
    },
    /// All keys from one up to, but without, another.
    Span {
        /// The index.
        index: String,
        /// The first.
        from: Vec<u8>,
        /// The first that is not in it.
        to: Vec<u8>,
    },
}

/// Keys from one up to, but without, another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The first.
    pub from: Vec<u8>,
    /// The first that is not in it.
    pub to: Vec<u8>,
}

impl KeyRange {
    fn beginning(bytes: &[u8]) -> Self {
        Self {
            from: bytes.to_vec(),
            to: after(bytes),
        }
    }

    /// Whether the key is in it.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        self.from.as_slice() <= key && key < self.to.as_slice()
    }
}

impl CompiledFilter {
    /// The least that has to be read with these indexes.
    #[must_use]
    pub fn plan(&self, indexes: &[IndexInfo]) -> IndexPlan {
        let reaches = indexes
            .iter()
            .filter_map(|index| Some((index, reach(self.root(), index)?)));
        let best = reaches.min_by_key(|(_, reach)| reach.rank());
        best.map_or(IndexPlan::Scan, |(index, reach)| {
            IndexPlan::of(&index.name, reach)
        })
    }
}

impl IndexPlan {
    fn of(index: &str, reach: IndexReach) -> Self {
        let index = index.to_owned();
        match reach {
            IndexReach::Prefix(bytes) => Self::Prefix { index, bytes },
            IndexReach::Span { from, to, .. } => Self::Span { index, from, to },
            IndexReach::Points(mut values) => match (values.len(), values.pop()) {
                // A value that was cut shares its key with longer ones, so all that begin so are
                // read.
                (1, Some(bytes)) if may_be_cut(&bytes) => Self::Prefix { index, bytes },
                (1, Some(value)) => Self::Point { index, value },
                // Put back: it was taken to look at it.
                (_, last) => {
                    values.extend(last);
                    Self::Points { index, values }
                }
            },
        }
    }

    /// The index to read, if any.
    #[must_use]
    pub fn index(&self) -> Option<&str> {
        match self {
            Self::Scan => None,
            Self::Point { index, .. }
            | Self::Points { index, .. }
            | Self::Prefix { index, .. }
            | Self::Span { index, .. } => Some(index),
        }
    }

    /// All that has to be read of that index, in order, without overlaps: also the key of resources with more values
    /// than the index takes. A resource can be found at several keys. Empty for a scan.
    #[must_use]
    pub fn ranges(&self) -> Vec<KeyRange> {
        let mut ranges: Vec<_> = match self {
            Self::Scan => return Vec::new(),
            Self::Point { value, .. } => vec![KeyRange::beginning(value)],
            Self::Prefix { bytes, .. } => vec![KeyRange::beginning(bytes)],
            Self::Points { values, .. } => values
                .iter()
                .map(|value| KeyRange::beginning(value))
                .collect(),
            Self::Span { from, to, .. } => vec![KeyRange {
                from: from.clone(),
                to: to.clone(),
            }],
        };
        // Resources with more values than the index takes are under one key, and any filter may
        // match them.
        ranges.push(KeyRange::beginning(&[MANY]));
        // A cut point can hold a longer one; two spans may have nothing in common.
        ranges.retain(|range| range.from < range.to);
        // Sorted by where they begin, so one that ends earlier is inside of the one before.
        ranges.dedup_by(|next, before| next.to <= before.to);
        ranges
    }
}
