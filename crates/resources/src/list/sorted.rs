//! Candidates in an order that no index has: all are looked at once, sorted, and the list is kept
//! for the pages that follow. If it is gone then, it is made again, and gone on with after the
//! last resource that was shown.

use crate::caches::lists::{Listed, OVERHEAD, Sorted};
use crate::caches::place::Place;
use crate::list::by_id::ById;
use crate::list::look::{Batch, Candidate, Look, Stands};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use std::sync::Arc;

/// The most resources that are sorted.
const MOST: usize = 200_000;
/// The most bytes that a sorted list takes.
const MOST_BYTES: usize = 48 * 1024 * 1024;
/// How many are looked at together.
const AT_ONCE: usize = 256;

/// Goes through a sorted list.
#[derive(Debug)]
pub(crate) struct ByList {
    pub sorted: Arc<Sorted>,
    /// The number that it is kept under, if it is.
    pub cursor: Option<u64>,
    at: usize,
}

impl ByList {
    /// A list that is still kept, after a place.
    pub(crate) fn kept(sorted: Arc<Sorted>, cursor: u64, after: &Place) -> Self {
        Self::after(sorted, Some(cursor), Some(after))
    }

    /// Makes the list.
    pub(crate) async fn make(
        look: &mut Look<'_>,
        after: Option<&Place>,
    ) -> Result<Self, EngineError> {
        let sorted = Arc::new(collect(look).await?);
        Ok(Self::after(sorted, None, after))
    }

    fn after(sorted: Arc<Sorted>, cursor: Option<u64>, place: Option<&Place>) -> Self {
        // Not by number: a list that was made anew may have more or fewer before the place.
        let passed = |one: &Listed| place.is_some_and(|place| *one.key <= *place.sorted);
        let at = sorted.all.partition_point(passed);
        Self { sorted, cursor, at }
    }

    pub(crate) fn skip(&mut self, count: u64) {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.at = self.at.saturating_add(count).min(self.sorted.all.len());
    }

    pub(crate) fn next(&mut self, look: &Look<'_>, want: usize) -> Batch {
        let rest = self.sorted.all.get(self.at..).unwrap_or_default();
        let part = rest.get(..want).unwrap_or(rest);
        self.at += part.len();
        let candidate = |one: &Listed| {
            let of = self.sorted.types.get(one.of)?;
            let mut sources = look.scope.sources.iter();
            Some(Candidate {
                // By name: the sources of this page may be numbered otherwise than when the list
                // was made.
                source: sources.position(|source| source.of() == of)?,
                id: one.id,
                version: None,
                stands: Stands::Sorted(one.key.to_vec()),
                entry: None,
            })
        };
        Batch {
            candidates: part.iter().filter_map(candidate).collect(),
            unsorted: false,
            end: self.at >= self.sorted.all.len(),
        }
    }
}

/// Everything that the caller is shown, sorted.
async fn collect(look: &mut Look<'_>) -> Result<Sorted, EngineError> {
    let types = look.scope.sources.iter().map(|source| source.of().clone());
    let types = types.collect();
    let mut walk = ById::start(look, None).await?;
    let (mut all, mut bytes) = (Vec::new(), 0);
    loop {
        let batch = walk.next(look, AT_ONCE).await?;
        let end = batch.end;
        // Only what it is sorted by is kept: contents are read again for each page, which also asks
        // anew who may see them.
        for outcome in look.shown(batch).await? {
            bytes += outcome.place.sorted.len() + OVERHEAD;
            all.push(Listed {
                key: outcome.place.sorted.into(),
                of: outcome.source,
                id: outcome.place.id,
            });
        }
        let most = match (all.len() > MOST, bytes > MOST_BYTES) {
            (true, _) => "200,000 resources",
            (_, true) => "48 MiB of values",
            _ if end => break,
            _ => continue,
        };
        return Err(ListError::SortTooLarge { most }.into());
    }
    all.sort_unstable();
    Ok(Sorted { types, all })
}
