//! Several streams of keys that end in ids, read together in one snapshot and merged by id.
//!
//! One snapshot for all streams is what keeps a resource from being missed when it moves from one
//! stream to another, such as from a version to the next, while it is listed.

use crate::list::look::Look;
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_storage::{KeySpan, ReadRange, ReadRequest, StoredEntry, Token};

/// Keys that begin so and go on with an id.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// Ends in `/`.
    pub prefix: Vec<u8>,
    /// The version at which its resources are stored, if all are at one.
    pub version: Option<Version>,
}

impl Stream {
    pub(crate) fn of(span: &KeySpan, version: Option<Version>) -> Self {
        Self {
            prefix: span.start.to_vec(),
            version,
        }
    }

    /// What comes after this rest of a key; all of it after an empty one.
    pub(crate) fn after(&self, rest: &[u8]) -> KeySpan {
        let mut start = self.prefix.clone();
        if !rest.is_empty() {
            start.extend_from_slice(rest);
            start.push(0);
        }
        KeySpan {
            start: start.into(),
            end: end_of(&self.prefix).into(),
        }
    }
}

/// The first bytes after all that begin so; the last one is never the highest.
pub(crate) fn end_of(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last = last.saturating_add(1);
    }
    end
}

/// One key of a window.
#[derive(Debug)]
pub(crate) struct Seat {
    /// What follows the stream's prefix.
    pub rest: Vec<u8>,
    /// Which stream.
    pub stream: usize,
    pub entry: StoredEntry,
}

/// What all streams have up to a point.
#[derive(Debug)]
pub(crate) struct Window {
    /// In order; of equal rests only the one of the first stream.
    pub seats: Vec<Seat>,
    /// Where to go on.
    pub reached: Vec<u8>,
    /// Whether nothing follows.
    pub end: bool,
}

impl Look<'_> {
    /// The next of all streams after `rest`, about `limit` of each.
    pub(crate) async fn window(
        &self,
        streams: &[Stream],
        rest: &[u8],
        limit: usize,
        whole: bool,
    ) -> Result<Window, EngineError> {
        let ranges = streams.iter().map(|stream| {
            let range = ReadRange::of(stream.after(rest)).limit(limit);
            if whole { range } else { range.keys_only() }
        });
        let request = ReadRequest {
            ranges: ranges.collect(),
            at_least: self.caller.at_least,
            ..ReadRequest::default()
        };
        let snapshot = self.resources.store.read(request).await?;
        let mut seats = Vec::new();
        let mut reached: Option<Vec<u8>> = None;
        for (at, (stream, page)) in streams.iter().zip(snapshot.pages).enumerate() {
            let more = page.more;
            let before = seats.len();
            for entry in page.entries {
                let rest = entry.key.as_bytes().get(stream.prefix.len()..);
                let rest = rest.unwrap_or_default().to_vec();
                let stream = at;
                seats.push(Seat {
                    rest,
                    stream,
                    entry,
                });
            }
            if let (true, Some(last)) = (more, seats.get(before..).and_then(<[Seat]>::last)) {
                reached = Some(match reached {
                    Some(other) => other.min(last.rest.clone()),
                    None => last.rest.clone(),
                });
            }
        }
        // Beyond the end of the shortest page a stream may have more, which belongs in between: all
        // that lies further is read again.
        let end = reached.is_none();
        if let Some(reached) = &reached {
            seats.retain(|seat| seat.rest <= *reached);
        }
        seats.sort_by(|one, other| (&one.rest, one.stream).cmp(&(&other.rest, other.stream)));
        // A resource that has a key in two streams is one. The first stream wins, as it does for a
        // read.
        seats.dedup_by(|next, before| next.rest == before.rest);
        let last = || seats.last().map(|seat| seat.rest.clone());
        let reached = reached.or_else(last).unwrap_or_else(|| rest.to_vec());
        Ok(Window {
            seats,
            reached,
            end,
        })
    }

    /// How many keys a span has.
    pub(crate) async fn count_keys(&self, span: KeySpan) -> Result<u64, EngineError> {
        let (_, count) = self.resources.store.count(span).await?;
        Ok(count)
    }

    /// One page of a range.
    pub(crate) async fn range(
        &self,
        range: ReadRange,
    ) -> Result<(Token, coeval_storage::RangePage), EngineError> {
        let mut request = ReadRequest::range(range);
        request.at_least = self.caller.at_least;
        let snapshot = self.resources.store.read(request).await?;
        let page = snapshot.pages.into_iter().next().unwrap_or_default();
        Ok((snapshot.token, page))
    }
}
