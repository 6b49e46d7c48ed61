//! A listing and what changes from then on, for ever: where a watch can't go on, it is listed again.

use crate::error::{ClientError, ClientErrorKind};
use crate::resource::Resource;
use crate::resources::{QuarantinedResource, ResourceQuery, Resources};
use crate::retry::CallAttempts;
use crate::sequence::is_after;
use crate::watch::{ChangedResource, WatchEvent};
use futures::stream::{self, BoxStream, StreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet, VecDeque};

/// What following tells.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowEvent<S = serde_json::Value> {
    /// First, and whenever nobody can tell what happened since then: this is all that there is now.
    Reset {
        /// Those that match.
        resources: Vec<Resource<S>>,
        /// Those that can't be shown.
        quarantined: Vec<QuarantinedResource>,
        /// When that was.
        sequence: String,
    },
    /// What one atomic write did.
    Changes {
        /// Up to here everything was told.
        sequence: String,
        /// What happened, in order.
        changes: Vec<ChangedResource<S>>,
    },
    /// Nothing that this is about happened up to here.
    Bookmark {
        /// Up to here everything was told.
        sequence: String,
    },
}

/// What happened while a listing was read. The watch begins before the first page and what a page
/// shows may be newer: until the watch has passed the end of the listing it may tell what the listing
/// has told already. So long it is held back; then what each resource was listed at is found in what
/// happened to it, and only the rest is told.
#[derive(Debug)]
struct ListingOverlap<S> {
    /// The end of the listing.
    end: String,
    /// The revision that each was listed at.
    listed: HashMap<String, String>,
    held: Vec<(String, Vec<ChangedResource<S>>)>,
}

impl<S> ListingOverlap<S> {
    /// What is new of all that was held back.
    fn settled(self) -> Vec<(String, Vec<ChangedResource<S>>)> {
        // Where in all that was held back each resource got the revision that it was listed at.
        let mut listed_at = HashMap::new();
        let all = self.held.iter().flat_map(|(_, changes)| changes);
        for (at, change) in all.enumerate() {
            if let ChangedResource::Put(resource) = change
                && self.listed.get(&resource.metadata.id) == Some(&resource.metadata.revision)
            {
                listed_at.insert(resource.metadata.id.clone(), at);
            }
        }
        // Resources that the consumer knows of: those of the listing, and those told since.
        let mut known: HashSet<String> = self.listed.into_keys().collect();
        let mut at = 0_usize;
        let mut new = Vec::new();
        for (sequence, mut changes) in self.held {
            changes.retain(|change| {
                let here = at;
                at = at.saturating_add(1);
                if listed_at
                    // Up to the change that made what was listed, everything is in the listing
                    // already.
                    .get(change.id())
                    .is_some_and(|listed| here <= *listed)
                {
                    return false;
                }
                match change {
                    ChangedResource::Put(_) | ChangedResource::Quarantined(_) => {
                        known.insert(change.id().to_owned());
                        true
                    }
                    // One that was never told came and went while the pages were read.
                    ChangedResource::Deleted { .. } | ChangedResource::Left { .. } => {
                        known.remove(change.id())
                    }
                }
            });
            if !changes.is_empty() {
                new.push((sequence, changes));
            }
        }
        new
    }
}

struct FollowState<S> {
    resources: Resources<S>,
    query: ResourceQuery,
    watch: Option<BoxStream<'static, Result<WatchEvent<S>, ClientError>>>,
    overlap: Option<ListingOverlap<S>>,
    ready: VecDeque<FollowEvent<S>>,
    /// Since the last change.
    attempts: Option<CallAttempts>,
    has_ended: bool,
}

impl<S: Serialize + DeserializeOwned + Send + 'static> Resources<S> {
    /// All that match, and then what changes. Where the server says to list again that is done, and
    /// told by a [`FollowEvent::Reset`]. After an error nothing follows.
    pub fn follow(
        &self,
        query: &ResourceQuery,
    ) -> BoxStream<'static, Result<FollowEvent<S>, ClientError>> {
        let following = FollowState {
            resources: self.sub_call(self.until),
            query: query.clone(),
            watch: None,
            overlap: None,
            ready: VecDeque::new(),
            attempts: None,
            has_ended: false,
        };
        stream::unfold(following, |mut following| async {
            let item = following.next().await?;
            Some((item, following))
        })
        .boxed()
    }
}

impl<S: Serialize + DeserializeOwned + Send + 'static> FollowState<S> {
    async fn next(&mut self) -> Option<Result<FollowEvent<S>, ClientError>> {
        while !self.has_ended {
            let error = match self.next_event().await {
                Ok(Some(followed)) => return Some(Ok(followed)),
                Ok(None) => continue,
                Err(error) => error,
            };
            // The old watch is of no use, and what it held back is in the next listing.
            (self.watch, self.overlap) = (None, None);
            let again = matches!(
                error.kind(),
                ClientErrorKind::Expired | ClientErrorKind::Restored
            );
            // Counted since the last change: a server that asks for a new listing each time is
            // asked ever less often.
            let patience = self.resources.client.connection.shared().limits.patience;
            let attempts = &mut self.attempts;
            let attempts = attempts.get_or_insert_with(|| CallAttempts::for_as_long_as(patience));
            if !again || !attempts.wait_for_next(&error).await {
                self.has_ended = true;
                return Some(Err(error));
            }
        }
        None
    }

    async fn next_event(&mut self) -> Result<Option<FollowEvent<S>>, ClientError> {
        if let Some(ready) = self.ready.pop_front() {
            return Ok(Some(ready));
        }
        let Some(watch) = &mut self.watch else {
            return self.listed().await.map(Some);
        };
        let Some(watched) = watch.next().await else {
            let message = "the watch ended without a word";
            // The library's watch goes on by itself, so without an error it should never end.
            return Err(ClientError::new(
                ClientErrorKind::Internal,
                message,
                "Follow again.",
            ));
        };
        match watched? {
            WatchEvent::Live { .. } => {}
            WatchEvent::Bookmark { sequence } => self.take(sequence, None),
            WatchEvent::Changes { sequence, changes } => self.take(sequence, Some(changes)),
        }
        Ok(None)
    }

    /// All that there is, and the watch that follows.
    async fn listed(&mut self) -> Result<FollowEvent<S>, ClientError> {
        let (resources, query) = (&self.resources, &self.query);
        let all = resources.list_all(query).await?;
        // A watch that begins now says where the listing ended.
        // Begun and dropped: only its first message is needed. Until there, the watch that goes on
        // may tell what the listing has told.
        let end = match resources.watch(query, None).next().await {
            Some(Ok(WatchEvent::Live { sequence })) => sequence,
            Some(Err(error)) => return Err(error),
            _ => all.sequence.clone(),
        };
        let listed = all.resources.iter().map(|one| &one.metadata);
        // If nothing was written while the pages were read there is no overlap.
        self.overlap = is_after(&end, &all.sequence).then(|| ListingOverlap {
            end,
            listed: listed.map(|m| (m.id.clone(), m.revision.clone())).collect(),
            held: Vec::new(),
        });
        self.watch = Some(resources.watch(query, Some(all.sequence.clone())));
        Ok(FollowEvent::Reset {
            resources: all.resources,
            quarantined: all.quarantined,
            sequence: all.sequence,
        })
    }

    fn take(&mut self, sequence: String, changes: Option<Vec<ChangedResource<S>>>) {
        // A sign of life: the next failure is the first again.
        self.attempts = None;
        if let Some(mut overlap) = self.overlap.take() {
            // Still within the overlap, so it is held back.
            if is_after(&overlap.end, &sequence) {
                overlap
                    .held
                    .extend(changes.map(|changes| (sequence, changes)));
                self.overlap = Some(overlap);
                return;
            }
            // What is told at the very end may be in the listing too.
            if overlap.end == sequence
                && let Some(changes) = changes
            {
                overlap.held.push((sequence, changes));
                self.tell(overlap.settled());
                return;
            }
            self.tell(overlap.settled());
        }
        self.ready.push_back(match changes {
            Some(changes) => FollowEvent::Changes { sequence, changes },
            None => FollowEvent::Bookmark { sequence },
        });
    }

    fn tell(&mut self, all: Vec<(String, Vec<ChangedResource<S>>)>) {
        let told = all.into_iter();
        let told = told.map(|(sequence, changes)| FollowEvent::Changes { sequence, changes });
        self.ready.extend(told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(id: &str, revision: &str) -> ChangedResource {
        let mut resource = Resource::new("app", "v1", id, serde_json::Value::Null);
        resource.metadata.id = id.into();
        resource.metadata.revision = revision.into();
        ChangedResource::Put(Box::new(resource))
    }

    fn gone(id: &str) -> ChangedResource {
        ChangedResource::Deleted {
            id: id.into(),
            revision: String::new(),
        }
    }

    #[test]
    fn what_the_listing_has_told_is_not_told_again_and_what_it_has_not_is() {
        let listed = [("a", "a2"), ("b", "b0"), ("x", "x1")];
        let listed = listed.map(|(id, at)| (id.to_owned(), at.to_owned()));
        for (what, held, expected) in [
            (
                "before it was listed",
                vec![put("a", "a1"), put("a", "a2")],
                vec![],
            ),
            (
                "and after that",
                vec![put("a", "a1"), put("a", "a2"), put("a", "a3")],
                vec![put("a", "a3")],
            ),
            (
                "listed before all of it",
                vec![put("b", "b1"), put("b", "b2")],
                vec![put("b", "b1"), put("b", "b2")],
            ),
            ("listed, and then it went", vec![gone("x")], vec![gone("x")]),
            ("it went before it was listed", vec![gone("d")], vec![]),
            (
                "it came behind the pages, and went",
                vec![put("c", "c0"), gone("c"), gone("c")],
                vec![put("c", "c0"), gone("c")],
            ),
        ] {
            let overlap = ListingOverlap {
                end: String::new(),
                listed: listed.clone().into(),
                held: held
                    .into_iter()
                    .map(|one| (String::new(), vec![one]))
                    .collect(),
            };
            let new: Vec<_> = overlap
                .settled()
                .into_iter()
                .flat_map(|(_, all)| all)
                .collect();
            assert_eq!(new, expected, "{what}");
        }
    }
}
