//! The way through a listing: which of the three orders of reading serves it.

use crate::caches::numbered::Bookmark;
use crate::caches::place::Place;
use crate::list::by_id::ById;
use crate::list::by_index::ByIndex;
use crate::list::look::{Batch, Look, Outcome};
use crate::list::sorted::ByList;
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;

/// How candidates are come by.
#[derive(Debug)]
pub(crate) enum How {
    Ids(ById),
    Index(ByIndex),
    List(ByList),
}

/// The way through a listing.
#[derive(Debug)]
pub(crate) struct Walk {
    pub how: How,
    /// The last resource that was shown, if it may come again.
    passed: Option<Passed>,
    ended: bool,
}

#[derive(Debug)]
struct Passed {
    place: Place,
    /// The walk begins before the place.
    anew: bool,
}

impl Walk {
    /// From the beginning, or after what a page token says.
    pub(crate) async fn start(
        look: &mut Look<'_>,
        bookmark: Option<&Bookmark>,
    ) -> Result<Self, EngineError> {
        let place = bookmark.map(|bookmark| &bookmark.place);
        let how = Self::choose(look, bookmark).await?;
        let passed = match (&how, place) {
            (How::Index(_), Some(place)) if !place.sorted.is_empty() => Some(Passed {
                place: place.clone(),
                anew: place.index.is_empty(),
            }),
            _ => None,
        };
        Ok(Self {
            how,
            passed,
            ended: false,
        })
    }

    async fn choose(look: &mut Look<'_>, bookmark: Option<&Bookmark>) -> Result<How, EngineError> {
        let place = bookmark.map(|bookmark| &bookmark.place);
        if look.order.is_none() {
            return Ok(How::Ids(ById::start(look, place).await?));
        }
        // A list that is still kept is gone on with, even if an index would serve by now: it has
        // the order that the pages before had.
        if let Some((number, place)) = bookmark.and_then(|one| Some((one.cursor?, &one.place)))
            && let Some(sorted) = look.resources.lists.kept(number)
        {
            return Ok(How::List(ByList::kept(sorted, number, place)));
        }
        let by_index = ByIndex::start(look, place)?;
        // A listing that began with the index goes on with it, or resources would come twice or
        // never.
        let begun_so = place.is_some_and(|place| !place.index.is_empty());
        match by_index {
            // With a filter that has an index of its own, few are found, and sorting them is
            // cheaper than looking at all in order.
            Some(by_index) if begun_so || !look.filter_has_index() => Ok(How::Index(by_index)),
            by_index => match (ByList::make(look, place).await, by_index) {
                // Too many to be sorted, but an index has them in order.
                (Err(EngineError::List(ListError::SortTooLarge { .. })), Some(by_index)) => {
                    Ok(How::Index(by_index))
                }
                (made, _) => Ok(How::List(made?)),
            },
        }
    }

    async fn next(&mut self, look: &Look<'_>, want: usize) -> Result<Batch, EngineError> {
        let batch = match &mut self.how {
            How::Ids(walk) => walk.next(look, want).await?,
            How::Index(walk) => walk.next(look, want).await?,
            How::List(walk) => walk.next(look, want),
        };
        self.ended = batch.end;
        Ok(batch)
    }

    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// What the caller is shown of the next candidates.
    pub(crate) async fn shown(
        &mut self,
        look: &mut Look<'_>,
        want: usize,
    ) -> Result<Vec<Outcome>, EngineError> {
        let batch = self.next(look, want).await?;
        let unsorted = batch.unsorted;
        let mut outcomes = look.shown(batch).await?;
        // The index can't say where in a cut key the page before ended, so all of that key come
        // again, and those that were shown are dropped here.
        if let Some(Passed { place, anew }) = &self.passed {
            outcomes.retain(|outcome| {
                let alike = unsorted && outcome.place.index == place.index;
                !((*anew || alike) && outcome.place.sorted <= place.sorted)
            });
        }
        Ok(outcomes)
    }

    /// Whether keys alone tell which resources there are: the caller sees all of them, and no
    /// filter chooses.
    pub(crate) fn told_by_keys(&self, look: &Look<'_>) -> bool {
        // A sorted list has only what the caller is shown: its keys were looked at when it was
        // made.
        let exact = match &self.how {
            How::List(_) => return true,
            How::Ids(walk) => walk.exact(),
            How::Index(_) => look.scope.sources.iter().all(|source| source.whole),
        };
        // Of two records of a resource one may be left behind, or stand for nothing.
        let migrating = (0..look.scope.sources.len()).any(|source| look.is_migrating(source));
        exact && !migrating && look.filter.is_none() && look.sees_all()
    }

    /// How many there are in all, by keys.
    pub(crate) async fn count(&self, look: &Look<'_>) -> Result<u64, EngineError> {
        match &self.how {
            How::List(walk) => Ok(walk.sorted.all.len() as u64),
            How::Ids(walk) => walk.count(look).await,
            How::Index(walk) => walk.count(look).await,
        }
    }

    /// Passes over this many by keys alone; those of the last batch that are left are shown.
    pub(crate) async fn skip(
        &mut self,
        look: &mut Look<'_>,
        count: u64,
    ) -> Result<Vec<Outcome>, EngineError> {
        const AT_ONCE: u64 = 1_000;
        if let How::List(walk) = &mut self.how {
            walk.skip(count);
            return Ok(Vec::new());
        }
        let mut left = count;
        while left > 0 && !self.ended {
            let want = usize::try_from(left.min(AT_ONCE)).unwrap_or(1);
            let batch = self.next(look, want).await?;
            let found = batch.candidates.len() as u64;
            if found > left {
                // Those of a cut key come all at once.
                let mut outcomes = look.shown(batch).await?;
                let passed = usize::try_from(left).unwrap_or(usize::MAX);
                outcomes.drain(..passed.min(outcomes.len()));
                return Ok(outcomes);
            }
            left -= found;
        }
        Ok(Vec::new())
    }
}
