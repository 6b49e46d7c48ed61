//! Reads resources as the commands need them: one with what its view leaves out, lists page by
//! page, and changes as they happen.

use crate::context::ClientSession;
use crate::messages;
use crate::output::notes;
use coeval_client::{ChangedResource as Told, ClientError, Resource, WatchEvent};
use coeval_codes::Coded as _;
use coeval_proto::header::v1::Quarantined;
use coeval_proto::resources::v1 as pb;
use futures::stream::{Stream, StreamExt as _, TryStreamExt as _, try_unfold};

/// The namespace that means all of them.
pub(crate) const ALL: &str = "-";

/// One resource, and what this view of it can't show.
#[derive(Clone, Debug)]
pub(crate) struct ResourceReading {
    pub(crate) resource: Resource,
    pub(crate) left_out: Vec<String>,
}

/// What a list or a watch is to have.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadQuery {
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) filter: String,
    pub(crate) order_by: String,
    pub(crate) version: String,
}

/// Some resources of a list.
#[derive(Debug)]
pub(crate) struct ListingPage {
    pub(crate) resources: Vec<Resource>,
    pub(crate) quarantined: Vec<Quarantined>,
    /// A watch that follows starts here.
    pub(crate) sequence: String,
}

/// What happened to a resource.
#[derive(Debug)]
pub(crate) enum ReadChange {
    Put(Box<Resource>),
    /// Its id.
    Deleted(String),
    /// It no longer matches, or may no longer be seen.
    Left(String),
    Quarantined(Quarantined),
}

pub(crate) async fn get(
    session: &ClientSession,
    kind: &str,
    name: &str,
    version: &str,
) -> Result<ResourceReading, ClientError> {
    let resources = session.client.resources(kind);
    let resources = resources.within(&session.namespace).at(version);
    let found = resources.get_whole(name).await?;
    Ok(ResourceReading {
        resource: found.resource,
        left_out: found.left_out,
    })
}

/// A resource; one that can't be read here is told as such and hides no other.
fn readable(message: pb::Resource) -> Result<Resource, Quarantined> {
    let metadata = message.metadata.as_ref();
    let id = metadata.map(|meta| meta.id.clone()).unwrap_or_default();
    Resource::from_message(message).map_err(|error| Quarantined {
        id,
        code: error.code().to_string(),
        reason: error.to_string(),
    })
}

pub(crate) fn pages(
    session: &ClientSession,
    query: &ReadQuery,
) -> impl Stream<Item = Result<ListingPage, ClientError>> + use<> {
    let (client, query) = (session.client.clone(), query.clone());
    try_unfold(Some(String::new()), move |token| {
        let service = client.resource_service();
        // Each step of the stream owns its request, since it outlives this call.
        let query = query.clone();
        async move {
            let mut service = service;
            let Some(page_token) = token else {
                return Ok(None);
            };
            let request = pb::ListResourcesRequest {
                kind: query.kind,
                namespace: query.namespace,
                filter: query.filter,
                order_by: query.order_by,
                version: query.version,
                page_token,
                ..Default::default()
            };
            let answer = service.list_resources(request).await?;
            let warnings = answer.metadata().get_all("coeval-warning").iter();
            let warnings = warnings.filter_map(|warning| warning.to_str().ok());
            // Every page carries the same warnings.
            for warning in warnings.filter_map(messages::new_warning) {
                notes::warn(&warning);
            }
            let answer = answer.into_inner();
            let mut page = ListingPage {
                resources: Vec::with_capacity(answer.resources.len()),
                quarantined: answer.quarantined,
                sequence: answer.sequence,
            };
            for message in answer.resources {
                // What this release can't read is reported like what the server could not show.
                match readable(message) {
                    Ok(resource) => page.resources.push(resource),
                    Err(unreadable) => page.quarantined.push(unreadable),
                }
            }
            let next = Some(answer.next_page_token).filter(|token| !token.is_empty());
            Ok(Some((page, next)))
        }
    })
}

/// What changes from a sequence on; from now, if none is said. Ready once nothing can be missed. It
/// goes on by itself where the connection breaks.
pub(crate) async fn changes(
    session: &ClientSession,
    query: &ReadQuery,
    from: &str,
) -> Result<impl Stream<Item = Result<Vec<ReadChange>, ClientError>> + use<>, ClientError> {
    let asked = coeval_client::ResourceQuery {
        namespace: query.namespace.clone(),
        filter: query.filter.clone(),
        version: query.version.clone(),
        ..Default::default()
    };
    let from = Some(from.to_owned()).filter(|from| !from.is_empty());
    let mut told = session.client.resources(&query.kind).watch(&asked, from);
    // The first is always that the watch is live.
    told.next().await.transpose()?;
    Ok(told.try_filter_map(|watched| async move {
        Ok(match watched {
            WatchEvent::Changes { changes, .. } => Some(changes.into_iter().map(change).collect()),
            WatchEvent::Live { .. } | WatchEvent::Bookmark { .. } => None,
        })
    }))
}

fn change(told: Told) -> ReadChange {
    match told {
        Told::Put(resource) => ReadChange::Put(resource),
        Told::Deleted { id, .. } => ReadChange::Deleted(id),
        Told::Left { id } => ReadChange::Left(id),
        Told::Quarantined(one) => ReadChange::Quarantined(Quarantined {
            id: one.id,
            code: one.code,
            reason: one.reason,
        }),
    }
}
