//! Candidates in the order of their ids.

use crate::caches::place::Place;
use crate::list::indexes::Reading;
use crate::list::look::{Batch, Candidate, Look, Stands};
use crate::list::window::Stream;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use std::collections::VecDeque;

/// Most keys that one stream of a window is asked for.
const MOST: usize = 1_000;
/// Fewest.
const FEWEST: usize = 32;

/// Goes through the sources, one after the other.
#[derive(Debug)]
pub(crate) struct ById {
    readings: Vec<Reading>,
    /// Which source.
    at: usize,
    /// Where in it: the id after which it goes on.
    rest: Vec<u8>,
    ready: VecDeque<Candidate>,
}

impl ById {
    /// After a place, or from the beginning.
    pub(crate) async fn start(look: &Look<'_>, after: Option<&Place>) -> Result<Self, EngineError> {
        let mut readings = Vec::new();
        for source in &look.scope.sources {
            readings.push(look.reading(source).await?);
        }
        let mut walk = Self {
            readings,
            at: 0,
            rest: Vec::new(),
            ready: VecDeque::new(),
        };
        if let Some(place) = after {
            // By what its ids begin with and not by number: types may have come or gone since the
            // last page.
            let before = |source: &&crate::list::scope::Source| source.id_start() < place.of;
            walk.at = look.scope.sources.iter().take_while(before).count();
            let same = look.scope.sources.get(walk.at);
            if same.is_some_and(|source| source.id_start() == place.of) {
                walk.rest = place.id.to_string().into_bytes();
            }
        }
        Ok(walk)
    }

    /// Whether its keys are the resources of the listing, no more and no fewer.
    pub(crate) fn exact(&self) -> bool {
        self.readings.iter().all(|reading| match reading {
            Reading::Index { exact, .. } | Reading::Records { exact, .. } => *exact,
            Reading::Ids(_) => false,
        })
    }

    /// How many keys there are in all.
    pub(crate) async fn count(&self, look: &Look<'_>) -> Result<u64, EngineError> {
        let mut count = 0;
        for reading in &self.readings {
            match reading {
                Reading::Ids(ids) => count += ids.len() as u64,
                // A resource of two majors is one.
                Reading::Records { streams, .. } if streams.len() > 1 => {
                    count += distinct(look, streams).await?;
                }
                Reading::Index { streams, .. } | Reading::Records { streams, .. } => {
                    for stream in streams {
                        count += look.count_keys(stream.after(b"")).await?;
                    }
                }
            }
        }
        Ok(count)
    }

    /// Some of the next, `want` at most.
    pub(crate) async fn next(
        &mut self,
        look: &Look<'_>,
        want: usize,
    ) -> Result<Batch, EngineError> {
        while self.ready.is_empty() && self.at < self.readings.len() {
            self.fill(look, want).await?;
        }
        let count = self.ready.len().min(want.max(1));
        Ok(Batch {
            candidates: self.ready.drain(..count).collect(),
            unsorted: false,
            end: self.ready.is_empty() && self.at >= self.readings.len(),
        })
    }

    async fn fill(&mut self, look: &Look<'_>, want: usize) -> Result<(), EngineError> {
        let source = self.at;
        let candidate = |id, version, entry| Candidate {
            source,
            id,
            version,
            stands: Stands::Id,
            entry,
        };
        let (streams, whole) = match self.readings.get_mut(source) {
            None => return Ok(()),
            Some(Reading::Ids(ids)) => {
                // All at once: they were read before, and a page that goes on reads the index
                // again.
                let after = std::str::from_utf8(&self.rest).ok().and_then(Uuid::parse);
                let rest = ids
                    .drain(..)
                    .filter(|id| after.is_none_or(|after| *id > after));
                self.ready.extend(rest.map(|id| candidate(id, None, None)));
                self.finish_source();
                return Ok(());
            }
            Some(Reading::Index { streams, .. }) => (&*streams, false),
            Some(Reading::Records { streams, .. }) => (&*streams, true),
        };
        let limit = per_stream(want, streams.len());
        let window = look.window(streams, &self.rest, limit, whole).await?;
        for seat in window.seats {
            let text = std::str::from_utf8(&seat.rest).ok();
            let Some(id) = text.and_then(Uuid::parse) else {
                tracing::error!(key = %seat.entry.key, "a key without an id");
                continue;
            };
            let version = streams.get(seat.stream).and_then(|stream| stream.version);
            // In a migration the record that is shown is chosen of two.
            let entry = (whole && !look.is_migrating(source)).then_some(seat.entry);
            self.ready.push_back(candidate(id, version, entry));
        }
        // Also past keys without an id, or such a key would be read for ever.
        self.rest = window.reached;
        if window.end {
            self.finish_source();
        }
        Ok(())
    }

    fn finish_source(&mut self) {
        self.at += 1;
        self.rest = Vec::new();
    }
}

/// How much to ask of each of several streams, so that about `want` come out merged.
pub(crate) fn per_stream(want: usize, streams: usize) -> usize {
    let share = match streams {
        // Two streams may be of very different lengths, such as the majors of a type: either may
        // have to fill the page.
        0..=2 => want,
        many => want.saturating_mul(2) / many,
    };
    share.clamp(FEWEST, MOST)
}

async fn distinct(look: &Look<'_>, streams: &[Stream]) -> Result<u64, EngineError> {
    let (mut count, mut rest) = (0, Vec::new());
    loop {
        let window = look.window(streams, &rest, MOST, false).await?;
        count += window.seats.len() as u64;
        if window.end {
            return Ok(count);
        }
        rest = window.reached;
    }
}
