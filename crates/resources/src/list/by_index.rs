//! Candidates in the order of an index: by name, owner or state, either way.

use crate::caches::place::Place;
use crate::list::look::{Batch, Candidate, Look, Stands};
use crate::list::scope::Whose;
use crate::list::window::end_of;
use coeval_core::version::Uuid;
use coeval_filter::{SortDirection, may_be_cut};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::keys;
use coeval_storage::{KeySpan, RangePage, ReadRange, ReadRequest};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// The most resources whose keys begin so alike that the index can't tell them apart.
const MOST_ALIKE: usize = 10_000;

/// A key of the index: its value as it is written in keys, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seat {
    value: Vec<u8>,
    source: usize,
    id: Uuid,
}

/// Goes through an index of all sources together.
#[derive(Debug)]
pub(crate) struct ByIndex {
    direction: SortDirection,
    /// What keys of the index begin with, for each source.
    prefixes: Vec<Vec<u8>>,
    /// What is left of it.
    left: Vec<KeySpan>,
    ready: VecDeque<Seat>,
    end: bool,
}

impl ByIndex {
    /// After a place, or from the beginning. `None` if the listing has no one index in its order.
    pub(crate) fn start(
        look: &Look<'_>,
        after: Option<&Place>,
    ) -> Result<Option<Self>, EngineError> {
        let (Some(order), Whose::Org(org)) = (look.order, &look.scope.whose) else {
            return Ok(None);
        };
        let Some(direction) = built_in(order) else {
            return Ok(None);
        };
        // All sources are read in one snapshot, and a read has no more parts than that.
        if look.scope.sources.len() > crate::list::scope::PARTS {
            return Ok(None);
        }
        let (mut prefixes, mut left) = (Vec::new(), Vec::new());
        for source in &look.scope.sources {
            let Some((index, _)) = order.by_index(&look.indexes(source)) else {
                return Ok(None);
            };
            let span = keys::index_of_org(source.of(), &index, org)?;
            let prefix = span.start.to_vec();
            left.push(match after {
                Some(place) if !place.index.is_empty() => {
                    rest_of(&span, &source.id_start(), place, direction)
                }
                _ => span,
            });
            prefixes.push(prefix);
        }
        let end = prefixes.is_empty();
        Ok(Some(Self {
            direction,
            prefixes,
            left,
            ready: VecDeque::new(),
            end,
        }))
    }

    /// Some of the next, `want` at most; those of a cut key all at once.
    pub(crate) async fn next(
        &mut self,
        look: &Look<'_>,
        want: usize,
    ) -> Result<Batch, EngineError> {
        while self.ready.is_empty() && !self.end {
            self.fill(look, want).await?;
        }
        // A cut key says nothing of the order among those that share it. All of them are read and
        // sorted by the whole value.
        let cut = |seat: &Seat| may_be_cut(&plain(&seat.value));
        if let Some(first) = self.ready.front()
            && cut(first)
        {
            let value = first.value.clone();
            let alike = self.alike(look, &value).await?;
            self.ready.clear();
            self.go_on_after_value(&value);
            return Ok(self.batch(alike, true));
        }
        let most = self.ready.len().min(want.max(1));
        let count = self
            .ready
            .iter()
            .take(most)
            .take_while(|seat| !cut(seat))
            .count();
        let seats = self.ready.drain(..count).collect();
        Ok(self.batch(seats, false))
    }

    /// How many keys there are in all.
    pub(crate) async fn count(&self, look: &Look<'_>) -> Result<u64, EngineError> {
        let mut count = 0;
        for prefix in &self.prefixes {
            let span = KeySpan {
                start: prefix.clone().into(),
                end: end_of(prefix).into(),
            };
            count += look.count_keys(span).await?;
        }
        Ok(count)
    }

    fn batch(&self, seats: Vec<Seat>, unsorted: bool) -> Batch {
        let candidate = |seat: Seat| Candidate {
            source: seat.source,
            id: seat.id,
            version: None,
            stands: Stands::Index(seat.value),
            entry: None,
        };
        Batch {
            candidates: seats.into_iter().map(candidate).collect(),
            unsorted,
            end: self.end && self.ready.is_empty(),
        }
    }

    fn range(&self, span: KeySpan) -> ReadRange {
        let range = ReadRange::of(span).keys_only();
        match self.direction {
            SortDirection::Ascending => range,
            SortDirection::Descending => range.descending(),
        }
    }

    /// Reads on in all sources, in one snapshot.
    async fn fill(&mut self, look: &Look<'_>, want: usize) -> Result<(), EngineError> {
        let limit = crate::list::by_id::per_stream(want, self.left.len());
        let ranges = self
            .left
            .iter()
            .map(|span| self.range(span.clone()).limit(limit));
        let request = ReadRequest {
            ranges: ranges.collect(),
            at_least: look.caller.at_least,
            ..ReadRequest::default()
        };
        let snapshot = look.resources.store.read(request).await?;
        let mut all = Vec::new();
        let mut reached: Option<Seat> = None;
        let mut unread = Vec::new();
        for (source, page) in snapshot.pages.iter().enumerate() {
            let seats = self.seats(source, page);
            let last = page.entries.last().map(|entry| entry.key.clone());
            unread.push(last.filter(|_| page.more));
            // What is beyond the shortest page is not in order yet: a source that was cut off may
            // have keys before it. It is read again with the next fill.
            if let (true, Some(last)) = (page.more, seats.last()) {
                reached = Some(match reached {
                    Some(other) if self.compare(&other, last).is_lt() => other,
                    _ => last.clone(),
                });
            }
            all.extend(seats);
        }
        if let Some(reached) = &reached {
            all.retain(|seat| self.compare(seat, reached).is_le());
        }
        all.sort_by(|one, other| self.compare(one, other));
        match reached {
            // Either the end, or pages without any key that can be read: these are passed over.
            None => {
                self.end = unread.iter().all(Option::is_none);
                for (span, last) in self.left.iter_mut().zip(unread) {
                    *span = match (last, self.direction) {
                        (Some(last), SortDirection::Ascending) => span.after(&last),
                        (Some(last), SortDirection::Descending) => span.before(&last),
                        (None, _) => KeySpan {
                            start: span.end.clone(),
                            end: span.end.clone(),
                        },
                    };
                }
            }
            Some(reached) => {
                let place = Place {
                    of: look.id_start(reached.source),
                    id: reached.id,
                    sorted: Vec::new(),
                    index: reached.value,
                };
                self.go_on_after(look, &place);
            }
        }
        self.ready.extend(all);
        Ok(())
    }

    fn go_on_after(&mut self, look: &Look<'_>, place: &Place) {
        let left = self.left.iter().zip(&self.prefixes).enumerate();
        self.left = left
            .map(|(source, (left, prefix))| {
                let whole = KeySpan {
                    start: prefix.clone().into(),
                    end: end_of(prefix).into(),
                };
                // From the whole index, since the place may be of another source; narrowed to what
                // is left, so that nothing comes twice.
                let rest = exactly_after(&whole, &look.id_start(source), place, self.direction);
                narrowed(left, &rest)
            })
            .collect();
    }

    fn go_on_after_value(&mut self, value: &[u8]) {
        for (span, prefix) in self.left.iter_mut().zip(&self.prefixes) {
            // By the value alone: those that share it may be of any source, and all of them were
            // given.
            let at = [prefix.as_slice(), value, b"/"].concat();
            // What was read beyond the value is read again.
            let whole = KeySpan {
                start: prefix.clone().into(),
                end: end_of(prefix).into(),
            };
            *span = match self.direction {
                SortDirection::Ascending => KeySpan {
                    start: end_of(&at).into(),
                    ..whole
                },
                SortDirection::Descending => KeySpan {
                    end: at.into(),
                    ..whole
                },
            };
        }
        self.end = false;
    }

    /// All of one value.
    async fn alike(&self, look: &Look<'_>, value: &[u8]) -> Result<Vec<Seat>, EngineError> {
        let mut all = Vec::new();
        for (source, prefix) in self.prefixes.iter().enumerate() {
            let start = [prefix.as_slice(), value, b"/"].concat();
            let end = end_of(&start).into();
            let span = KeySpan {
                start: start.into(),
                end,
            };
            let mut range = self.range(span);
            loop {
                let page = look.range(range.clone()).await?.1;
                all.extend(self.seats(source, &page));
                if all.len() > MOST_ALIKE {
                    let most = "10,000 resources that begin alike";
                    return Err(ListError::SortTooLarge { most }.into());
                }
                match range.following(&page) {
                    Some(next) => range = next,
                    None => break,
                }
            }
        }
        Ok(all)
    }

    fn seats(&self, source: usize, page: &RangePage) -> Vec<Seat> {
        let prefix = self.prefixes.get(source).map_or(0, Vec::len);
        let seat = |key: &[u8]| {
            let rest = key.get(prefix..)?;
            let slash = rest.iter().position(|byte| *byte == b'/')?;
            let (value, id) = rest.split_at_checked(slash)?;
            let id = std::str::from_utf8(id.get(1..)?).ok()?;
            Some(Seat {
                value: value.to_vec(),
                source,
                id: Uuid::parse(id)?,
            })
        };
        let keys = page.entries.iter().map(|entry| entry.key.as_bytes());
        keys.filter_map(seat).collect()
    }

    fn compare(&self, one: &Seat, other: &Seat) -> Ordering {
        // Sources are in the order of what their ids begin with.
        let ascending =
            (&one.value, one.source, one.id).cmp(&(&other.value, other.source, other.id));
        match self.direction {
            SortDirection::Ascending => ascending,
            SortDirection::Descending => ascending.reverse(),
        }
    }
}

/// The direction of an order by one field of the header that every resource has in an index.
fn built_in(order: &coeval_filter::SortOrder) -> Option<SortDirection> {
    use coeval_filter::FilterField;
    match order.fields() {
        [(FilterField::Name | FilterField::Owner | FilterField::State, direction)] => {
            Some(*direction)
        }
        _ => None,
    }
}

/// What of an index comes after a place. All of a cut value comes again, since the index can't say
/// where in it the place is.
fn rest_of(span: &KeySpan, id_start: &str, place: &Place, direction: SortDirection) -> KeySpan {
    if !may_be_cut(&plain(&place.index)) {
        return exactly_after(span, id_start, place, direction);
    }
    let at = [span.start.as_ref(), &place.index, b"/"].concat();
    match direction {
        SortDirection::Ascending => KeySpan {
            start: at.into(),
            end: span.end.clone(),
        },
        SortDirection::Descending => KeySpan {
            start: span.start.clone(),
            end: end_of(&at).into(),
        },
    }
}

fn exactly_after(
    span: &KeySpan,
    id_start: &str,
    place: &Place,
    direction: SortDirection,
) -> KeySpan {
    let value = [span.start.as_ref(), &place.index, b"/"].concat();
    let own = [value.as_slice(), place.id.to_string().as_bytes()].concat();
    // Of one value the sources come in the order of their ids, so the place cuts each of them
    // elsewhere.
    let border = match (id_start.cmp(place.of.as_str()), direction) {
        // All that this type has of the value stands before the place, or after it.
        (Ordering::Less, _) => end_of(&value),
        (Ordering::Greater, _) => value,
        (Ordering::Equal, SortDirection::Ascending) => [own.as_slice(), &[0]].concat(),
        (Ordering::Equal, SortDirection::Descending) => own,
    };
    match direction {
        SortDirection::Ascending => KeySpan {
            start: border.into(),
            end: span.end.clone(),
        },
        SortDirection::Descending => KeySpan {
            start: span.start.clone(),
            end: border.into(),
        },
    }
}

fn narrowed(one: &KeySpan, other: &KeySpan) -> KeySpan {
    KeySpan {
        start: one.start.clone().max(other.start.clone()),
        end: one.end.clone().min(other.end.clone()),
    }
}

/// The bytes of a value as it is written in keys.
fn plain(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut rest = value.strip_suffix(b"!").unwrap_or(value);
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.split_at_checked(2))
            .flatten();
        let byte = escaped.and_then(|(digits, after)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, after))
        });
        let (byte, after) = byte.unwrap_or((*first, after));
        plain.push(byte);
        rest = after;
    }
    plain
}

/// Whether a candidate of the index still has that key.
pub(crate) fn still_at(value: &[u8], now: &[u8]) -> bool {
    coeval_storage::key::escape_ordered(now) == value
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_storage::key::escape_ordered;

    #[test]
    fn a_value_reads_back_from_a_key() {
        for value in [&b"6abc\0\x01"[..], b"!%/0~", &[0xff, 0x2f, 0x30]] {
            assert_eq!(plain(&escape_ordered(value)), value);
        }
    }

    #[test]
    fn what_comes_after_a_place_begins_with_the_next_id_of_that_value() {
        let span = KeySpan {
            start: b"x/".to_vec().into(),
            end: b"x0".to_vec().into(),
        };
        let place = Place {
            of: "b".to_owned(),
            id: Uuid(1),
            sorted: Vec::new(),
            index: b"v!".to_vec(),
        };
        let key = |value: &str, id: u128| {
            let text = format!("x/{value}!/{}", Uuid(id));
            coeval_storage::Key::try_from(text.as_str()).unwrap()
        };
        // (type, direction, which of u, v with 0, 1, 2, and w are after)
        let table = [
            (
                "a",
                SortDirection::Ascending,
                [false, false, false, false, true],
            ),
            (
                "b",
                SortDirection::Ascending,
                [false, false, false, true, true],
            ),
            (
                "c",
                SortDirection::Ascending,
                [false, true, true, true, true],
            ),
            (
                "a",
                SortDirection::Descending,
                [true, true, true, true, false],
            ),
            (
                "b",
                SortDirection::Descending,
                [true, true, false, false, false],
            ),
            (
                "c",
                SortDirection::Descending,
                [true, false, false, false, false],
            ),
        ];
        let keys = [
            key("u", 9),
            key("v", 0),
            key("v", 1),
            key("v", 2),
            key("w", 0),
        ];
        for (of, direction, expected) in table {
            let rest = exactly_after(&span, of, &place, direction);
            let found = keys.each_ref().map(|key| rest.contains(key));
            assert_eq!(found, expected, "{of} {direction:?}");
        }
    }
}
