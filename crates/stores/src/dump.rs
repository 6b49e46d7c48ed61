//! All records of a store at one sequence, while it is being written to.
//!
//! First every page of every key, each its own snapshot; then the events since the first page,
//! which bring all of it to one sequence. The consumer applies them in order: a later item for a
//! key replaces an earlier one.

use coeval_storage::{Change, Entry, Key, Range, Span, StorageError, Store, Token};

/// One item.
#[derive(Clone, Debug)]
pub enum Dumped {
    /// The key holds this.
    Record(Entry),
    /// The key is gone, whatever an earlier item said.
    Deleted(Key),
}

/// A dump under way.
#[derive(Debug)]
pub struct Dump<'s> {
    store: &'s dyn Store,
    state: State,
}

#[derive(Debug)]
enum State {
    Reading {
        first: Option<Token>,
        range: Range,
    },
    Following {
        first: Token,
        after: u64,
        last: Token,
    },
    Done(Token),
}

impl<'s> Dump<'s> {
    /// Of everything in `store`.
    #[must_use]
    pub fn new(store: &'s dyn Store) -> Self {
        Self {
            store,
            state: State::Reading {
                first: None,
                range: Range::of(Span::everything()),
            },
        }
    }

    /// The next items; none once it is complete.
    ///
    /// # Errors
    /// [`StorageError::Compacted`] if the history was cut or replaced while it ran.
    pub async fn next(&mut self) -> Result<Option<Vec<Dumped>>, StorageError> {
        match &self.state {
            State::Reading { .. } => self.read().await.map(Some),
            State::Following { .. } => self.follow().await.map(Some),
            State::Done(_) => Ok(None),
        }
    }

    /// What it shows, exactly, once it is complete.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        match self.state {
            State::Done(token) => Some(token),
            State::Reading { .. } | State::Following { .. } => None,
        }
    }

    async fn read(&mut self) -> Result<Vec<Dumped>, StorageError> {
        let State::Reading { first, range } = &mut self.state else {
            return Ok(Vec::new());
        };
        let (token, page) = self.store.range(range.clone()).await?;
        // Later pages are newer than the first: the events since then make up the difference.
        let first = *first.get_or_insert(token);
        if token.incarnation != first.incarnation {
            return Err(StorageError::Compacted);
        }
        match page.entries.last() {
            Some(last) if page.more => *range = range.after(&last.key),
            // Nothing was written meanwhile, so all pages show the same.
            _ if token == first => self.state = State::Done(token),
            _ => {
                self.state = State::Following {
                    first,
                    after: first.sequence,
                    last: token,
                }
            }
        }
        Ok(page.entries.into_iter().map(Dumped::Record).collect())
    }

    async fn follow(&mut self) -> Result<Vec<Dumped>, StorageError> {
        let State::Following { first, after, last } = &mut self.state else {
            return Ok(Vec::new());
        };
        let page = self.store.events(*after).await?;
        let here = Token {
            sequence: *after,
            ..*first
        };
        if !page.bounds.can_resume(here) {
            return Err(StorageError::Compacted);
        }
        *after = page.complete_to;
        // From the last page's sequence on everything is consistent, also if this page of events
        // goes further.
        if page.complete_to >= last.sequence {
            self.state = State::Done(Token {
                sequence: page.complete_to,
                ..*last
            });
        }
        let events = page.groups.iter().flat_map(|group| &group.events);
        Ok(events
            .map(|event| match &event.change {
                Change::Put(stored) => Dumped::Record(Entry {
                    key: event.key.clone(),
                    stored: stored.clone(),
                }),
                Change::Deleted { .. } => Dumped::Deleted(event.key.clone()),
            })
            .collect())
    }
}
