//! Watches: what changes, in the order of the writes, without a gap and without a duplicate, over
//! broken connections and servers that stop.

use crate::error::{ClientError, ClientErrorKind};
use crate::list::read;
use crate::resource::Resource;
use crate::resources::{QuarantinedResource, ResourceQuery, Resources};
use crate::retry::CallAttempts;
use coeval_proto::header::v1::WatchKind;
use coeval_proto::resources::v1 as pb;
use coeval_releases::Feature;
use futures::stream::{self, BoxStream, StreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic::Streaming;

/// What a watch tells.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchEvent<S = serde_json::Value> {
    /// Always first, and once: what comes after this sequence is told.
    Live {
        /// Where the watch begins.
        sequence: String,
    },
    /// What one atomic write did.
    Changes {
        /// Up to here everything was told.
        sequence: String,
        /// What happened, in order.
        changes: Vec<ChangedResource<S>>,
    },
    /// Nothing that this watch is about happened up to here.
    Bookmark {
        /// Up to here everything was told.
        sequence: String,
    },
}

/// What happened to one resource.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangedResource<S = serde_json::Value> {
    /// It is there, or was changed.
    Put(Box<Resource<S>>),
    /// It was deleted, or has expired.
    Deleted {
        /// Which.
        id: String,
        /// The revision that it had.
        revision: String,
    },
    /// It no longer matches, or may no longer be seen.
    Left {
        /// Which.
        id: String,
    },
    /// It is there and can't be shown.
    Quarantined(QuarantinedResource),
}

impl<S> ChangedResource<S> {
    /// The id of the resource.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Put(resource) => &resource.metadata.id,
            Self::Deleted { id, .. } | Self::Left { id } => id,
            Self::Quarantined(one) => &one.id,
        }
    }
}

/// A watch, as far as it has come.
struct WatchState<S> {
    resources: Resources<S>,
    query: ResourceQuery,
    /// Up to here everything was told.
    from: String,
    open: Option<Streaming<pb::WatchResourcesResponse>>,
    /// Since the last sign of life.
    attempts: Option<CallAttempts>,
    is_live: bool,
    has_ended: bool,
}

impl<S: Serialize + DeserializeOwned + Send + 'static> Resources<S> {
    /// What changes from a sequence on, or from now on. Where the connection breaks or the server
    /// stops it goes on by itself, with the next that was not told. After an error nothing follows.
    ///
    /// It ends with [`ClientErrorKind::Expired`] where the server says to list again: the sequence is too long ago
    /// or of another history, or the caller's rights have changed. [`Resources::follow`] does that by
    /// itself.
    pub fn watch(
        &self,
        query: &ResourceQuery,
        from: Option<String>,
    ) -> BoxStream<'static, Result<WatchEvent<S>, ClientError>> {
        let watch = WatchState {
            resources: self.sub_call(self.until),
            query: query.clone(),
            from: from.unwrap_or_default(),
            open: None,
            attempts: None,
            is_live: false,
            has_ended: false,
        };
        stream::unfold(watch, |mut watch| async {
            let item = watch.next().await?;
            Some((item, watch))
        })
        .boxed()
    }
}

impl<S: Serialize + DeserializeOwned> WatchState<S> {
    async fn next(&mut self) -> Option<Result<WatchEvent<S>, ClientError>> {
        while !self.has_ended {
            match self.next_message().await {
                Ok(message) => {
                    if let Some(watched) = self.take(message) {
                        return Some(Ok(watched));
                    }
                }
                Err(error) => {
                    // The next call opens a new one, from the last sequence that was told.
                    self.open = None;
                    if !self.wait_to_reconnect(&error).await {
                        self.has_ended = true;
                        return Some(Err(error));
                    }
                }
            }
        }
        None
    }

    /// The next message; a stream that ends without a word is that of a server that stops.
    async fn next_message(&mut self) -> Result<pb::WatchResourcesResponse, ClientError> {
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let opened = self.opened().await?;
                self.open.insert(opened)
            }
        };
        open.message().await?.ok_or_else(|| {
            let message = "the server ended the watch";
            ClientError::new(
                ClientErrorKind::Unavailable,
                message,
                "Watch from the last sequence.",
            )
        })
    }

    async fn opened(&self) -> Result<Streaming<pb::WatchResourcesResponse>, ClientError> {
        self.resources.must_have(Feature::Watch)?;
        let request = self.resources.watching(&self.query, &self.from);
        let mut service = self.resources.service();
        let attempts = CallAttempts::of(self.resources.client.limits());
        let opened = attempts.attempt(service.watch_resources(request)).await;
        let opened =
            opened.map_err(|error| self.resources.or_release_needed(Feature::Watch, error))?;
        // Only at the beginning: a watch that goes on by itself would warn with every reconnect.
        if self.from.is_empty() {
            self.resources.warn_of_answer(opened.metadata());
        }
        Ok(opened.into_inner())
    }

    /// Waits until it is time to go on; false if it is over.
    async fn wait_to_reconnect(&mut self, error: &ClientError) -> bool {
        // Nothing is lost: the error says where to go on, and that place was told already.
        let behind = error.has_code(coeval_codes::FELL_BEHIND);
        if !error.is_transient() && !behind {
            return false;
        }
        let patience = self.resources.client.connection.shared().limits.patience;
        let attempts = self
            .attempts
            .get_or_insert_with(|| CallAttempts::for_as_long_as(patience));
        attempts.wait_for_next(error).await
    }

    fn take(&mut self, message: pb::WatchResourcesResponse) -> Option<WatchEvent<S>> {
        let kind = message.kind();
        let sequence = message.sequence;
        let shared = self.resources.client.connection.shared();
        if kind == WatchKind::Live {
            // A server is there; but one that ends every watch at once is asked ever less often.
            if let Some(attempts) = &mut self.attempts {
                attempts.prolong(shared.limits.patience);
            }
            // A reconnect: for the caller the watch was live all the time.
            if self.is_live {
                return None;
            }
            self.is_live = true;
            // Now it has a place, so that a connection that breaks before the first change misses
            // nothing.
            if self.from.is_empty() {
                self.from.clone_from(&sequence);
            }
            return Some(WatchEvent::Live { sequence });
        }
        // Something was told, so the next failure is the first again.
        self.attempts = None;
        // A read that follows a watch shows at least what the watch has told.
        shared.newest.note(&sequence);
        self.from.clone_from(&sequence);
        match kind {
            WatchKind::Changes => Some(WatchEvent::Changes {
                sequence,
                changes: message.changes.into_iter().filter_map(change).collect(),
            }),
            WatchKind::Bookmark => Some(WatchEvent::Bookmark { sequence }),
            WatchKind::Live | WatchKind::Unspecified => None,
        }
    }
}

fn change<S: DeserializeOwned>(said: pb::ResourceChange) -> Option<ChangedResource<S>> {
    use pb::resource_change::Change as Said;
    Some(match said.change? {
        Said::Put(message) => match read(message) {
            Ok(resource) => ChangedResource::Put(resource),
            Err(quarantined) => ChangedResource::Quarantined(quarantined),
        },
        Said::Deleted(gone) => ChangedResource::Deleted {
            id: gone.id,
            revision: gone.revision,
        },
        Said::Left(left) => ChangedResource::Left { id: left.id },
        Said::Quarantined(one) => ChangedResource::Quarantined(one.into()),
    })
}
