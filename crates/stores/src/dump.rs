//! All records of a store at one sequence, while it is being written to.
//!
//! First every page of every key, each its own snapshot; then the events since the first page,
//! which bring all of it to one sequence. The consumer applies them in order: a later item for a
//! key replaces an earlier one.

use coeval_storage::{Key, KeyChange, KeySpan, ReadRange, StorageError, Store, StoredEntry, Token};

/// One item.
#[derive(Clone, Debug)]
pub enum DumpItem {
    /// The key holds this.
    Record(StoredEntry),
    /// The key is gone, whatever an earlier item said.
    Deleted(Key),
}

/// A dump under way.
#[derive(Debug)]
pub struct StoreDump<'s> {
    store: &'s dyn Store,
    state: DumpState,
}

#[derive(Debug)]
enum DumpState {
    Reading {
        first: Option<Token>,
        range: ReadRange,
    },
    Following {
        first: Token,
        after: u64,
        last: Token,
    },
    Done(Token),
}

impl<'s> StoreDump<'s> {
    /// Of everything in `store`.
    #[must_use]
    pub fn new(store: &'s dyn Store) -> Self {
        Self {
            store,
            state: DumpState::Reading {
                first: None,
                range: ReadRange::of(KeySpan::everything()),
            },
        }
    }

    /// The next items; none once it is complete.
    ///
    /// # Errors
    /// [`StorageError::Compacted`] if the history was cut or replaced while it ran.
    pub async fn next(&mut self) -> Result<Option<Vec<DumpItem>>, StorageError> {
        match &self.state {
            DumpState::Reading { .. } => self.read().await.map(Some),
            DumpState::Following { .. } => self.follow().await.map(Some),
            DumpState::Done(_) => Ok(None),
        }
    }

    /// What it shows, exactly, once it is complete.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        match self.state {
            DumpState::Done(token) => Some(token),
            DumpState::Reading { .. } | DumpState::Following { .. } => None,
        }
    }

    async fn read(&mut self) -> Result<Vec<DumpItem>, StorageError> {
        let DumpState::Reading { first, range } = &mut self.state else {
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
            _ if token == first => self.state = DumpState::Done(token),
            _ => {
                self.state = DumpState::Following {
                    first,
                    after: first.sequence,
                    last: token,
                }
            }
        }
        Ok(page.entries.into_iter().map(DumpItem::Record).collect())
    }

    async fn follow(&mut self) -> Result<Vec<DumpItem>, StorageError> {
        let DumpState::Following { first, after, last } = &mut self.state else {
            return Ok(Vec::new());
        };
        let page = self.store.events(*after).await?;
        let here = Token {
            sequence: *after,
            ..*first
        };
        // Compacted in between, or another history: what follows would not fit what was dumped.
        if !page.bounds.can_resume(here) {
            return Err(StorageError::Compacted);
        }
        *after = page.complete_to;
        // From the last page's sequence on everything is consistent, also if this page of events
        // goes further.
        if page.complete_to >= last.sequence {
            self.state = DumpState::Done(Token {
                sequence: page.complete_to,
                ..*last
            });
        }
        let events = page.groups.iter().flat_map(|group| &group.events);
        Ok(events
            .map(|event| match &event.change {
                KeyChange::Put(stored) => DumpItem::Record(StoredEntry {
                    key: event.key.clone(),
                    stored: stored.clone(),
                }),
                KeyChange::Deleted { .. } => DumpItem::Deleted(event.key.clone()),
            })
            .collect())
    }
}
