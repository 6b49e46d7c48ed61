//! Listings: page after page, as a stream or all at once. One that can't be shown never hides the
//! others.

use crate::error::ClientError;
use crate::resource::Resource;
use crate::resources::{QuarantinedResource, ResourceQuery, Resources};
use crate::retry::reading;
use coeval_proto::resources::v1 as pb;
use futures::stream::{self, BoxStream, StreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{HashSet, VecDeque};

/// What a listing tells.
#[derive(Clone, Debug, PartialEq)]
pub enum ListItem<S = serde_json::Value> {
    /// One that matches.
    Resource(Box<Resource<S>>),
    /// One that can't be shown.
    Quarantined {
        /// Which.
        id: String,
        /// Why, as a stable code.
        code: String,
        /// Why, as a sentence.
        reason: String,
    },
}

/// A whole listing.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedResources<S = serde_json::Value> {
    /// Those that match, in order.
    pub resources: Vec<Resource<S>>,
    /// Those that can't be shown.
    pub quarantined: Vec<QuarantinedResource>,
    /// A watch that follows starts here: it misses nothing. What was changed while the pages were read
    /// it may tell although the listing has it already; [`Resources::follow`] does not.
    pub sequence: String,
}

/// A resource, or why there is none to be shown.
pub(crate) fn read<S: DeserializeOwned>(
    message: pb::Resource,
) -> Result<Box<Resource<S>>, QuarantinedResource> {
    let id = message.metadata.as_ref().map(|m| m.id.clone());
    let read = Resource::from_message(message).map(Box::new);
    read.map_err(|error| QuarantinedResource {
        id: id.unwrap_or_default(),
        code: error.said_code(),
        reason: error.to_string(),
    })
}

/// The pages that are still to come.
struct PageStream<S> {
    resources: Resources<S>,
    query: ResourceQuery,
    /// Nothing after the last page.
    next: Option<String>,
    read: VecDeque<ListItem<S>>,
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    pub(crate) async fn page(
        &self,
        query: &ResourceQuery,
        token: &str,
    ) -> Result<pb::ListResourcesResponse, ClientError> {
        let request = self.listing(query, token.to_owned());
        let call = || {
            let (mut service, request) = (self.service(), request.clone());
            async move { service.list_resources(request).await }
        };
        let answer = reading(self.attempts(), call).await?;
        // Said of every page; once is enough.
        if token.is_empty() {
            self.warn_of_answer(answer.metadata());
        }
        Ok(answer.into_inner())
    }

    /// All that match, at once.
    ///
    /// # Errors
    /// If the query can't be read, or no server answers.
    pub async fn list_all(&self, query: &ResourceQuery) -> Result<ListedResources<S>, ClientError> {
        let mut all = ListedResources {
            resources: Vec::new(),
            quarantined: Vec::new(),
            sequence: String::new(),
        };
        let mut ids = HashSet::new();
        let mut token = String::new();
        loop {
            let page = self.page(query, &token).await?;
            // The first page's sequence: a watch from there also tells what changed while the later
            // pages were read.
            if all.sequence.is_empty() {
                all.sequence.clone_from(&page.sequence);
            }
            for message in page.resources {
                match read::<S>(message) {
                    // One that moved in the order while it was listed is there twice.
                    Ok(resource) if ids.insert(resource.metadata.id.clone()) => {
                        all.resources.push(*resource);
                    }
                    Ok(_) => {}
                    Err(quarantined) => all.quarantined.push(quarantined),
                }
            }
            let quarantined = page.quarantined.into_iter().map(QuarantinedResource::from);
            all.quarantined.extend(quarantined);
            if page.next_page_token.is_empty() {
                return Ok(all);
            }
            token = page.next_page_token;
        }
    }
}

impl<S: Serialize + DeserializeOwned + Send + 'static> Resources<S> {
    /// All that match, one after the other. The next page is fetched when the one before is read.
    /// After an error nothing follows.
    pub fn list(
        &self,
        query: &ResourceQuery,
    ) -> BoxStream<'static, Result<ListItem<S>, ClientError>> {
        let pages = PageStream {
            resources: self.sub_call(self.until),
            query: query.clone(),
            next: Some(String::new()),
            read: VecDeque::new(),
        };
        stream::unfold(pages, |mut pages| async {
            let item = pages.next().await?;
            Some((item, pages))
        })
        .boxed()
    }
}

impl<S: Serialize + DeserializeOwned> PageStream<S> {
    async fn next(&mut self) -> Option<Result<ListItem<S>, ClientError>> {
        // A page of nothing leads to the next one.
        while self.read.is_empty() {
            let token = self.next.take()?;
            let page = match self.resources.page(&self.query, &token).await {
                Ok(page) => page,
                Err(error) => return Some(Err(error)),
            };
            for message in page.resources {
                self.read.push_back(match read(message) {
                    Ok(resource) => ListItem::Resource(resource),
                    Err(quarantined) => quarantined.into(),
                });
            }
            let quarantined = page.quarantined.into_iter().map(QuarantinedResource::from);
            self.read.extend(quarantined.map(ListItem::from));
            self.next = Some(page.next_page_token).filter(|token| !token.is_empty());
        }
        self.read.pop_front().map(Ok)
    }
}

impl<S> From<QuarantinedResource> for ListItem<S> {
    fn from(one: QuarantinedResource) -> Self {
        Self::Quarantined {
            id: one.id,
            code: one.code,
            reason: one.reason,
        }
    }
}
