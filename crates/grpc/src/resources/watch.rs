//! The generic watch.

use super::message::{Showing, quarantined};
use crate::api::Api;
use crate::proto::header::v1 as header;
use crate::proto::resources::v1 as pb;
use crate::status;
use coeval_engine::{Caller, TypeKey, Watched, WatchedChange};
use coeval_methods::{MethodError, Near, WatchAsked};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;
use tonic::Status;

/// Opens a watch.
pub(super) async fn open(
    api: &Arc<Api>,
    caller: &Caller,
    asked: pb::WatchResourcesRequest,
) -> Result<BoxStream<'static, Result<pb::WatchResourcesResponse, Status>>, MethodError> {
    let showing = Arc::new(Showing::of(&asked.kind, asked.spec_form)?);
    let of = api.methods.kind(caller, &asked.kind).await?;
    let query = WatchAsked {
        namespace: asked.namespace,
        near: Near {
            filter: asked.filter,
            name_prefix: asked.name_prefix,
            labels: asked.labels.into_iter().collect(),
            stored_version: asked.stored_version,
        },
        from: asked.from,
    };
    let events = api.methods.watch(caller, &of, &query).await?;
    let (api, caller) = (Arc::clone(api), caller.clone());
    let lifecycle = api.settings.lifecycle.clone();
    let told = events.then(move |event| {
        let (api, caller, of) = (Arc::clone(&api), caller.clone(), of.clone());
        let showing = Arc::clone(&showing);
        async move {
            let event = event.map_err(status::of)?;
            let response = response(&api, &caller, &of, &showing, event).await;
            response.map_err(status::of)
        }
    });
    // A server that stops ends its watches; they go on elsewhere from their last sequence.
    let told = told.take_until(async move { lifecycle.draining().await });
    Ok(told.boxed())
}

async fn response(
    api: &Api,
    caller: &Caller,
    of: &TypeKey,
    showing: &Showing,
    event: Watched,
) -> Result<pb::WatchResourcesResponse, MethodError> {
    let (token, told, all) = match event {
        Watched::Live(token) => (token, header::WatchKind::Live, Vec::new()),
        Watched::Bookmark(token) => (token, header::WatchKind::Bookmark, Vec::new()),
        Watched::Changes(token, all) => (token, header::WatchKind::Changes, all),
    };
    let urn = |id| format!("urn:vcloud:entity:{of}:{id}");
    let mut changes = Vec::with_capacity(all.len());
    for change in all {
        use pb::resource_change::Change;
        let change = match change {
            WatchedChange::Put(resource) => {
                Change::Put(showing.shown(api, caller, &resource).await?)
            }
            WatchedChange::Deleted { id, revision } => Change::Deleted(header::Deleted {
                id: urn(id),
                revision: revision
                    .map(|revision| revision.to_string())
                    .unwrap_or_default(),
            }),
            WatchedChange::Left { id } => Change::Left(header::Left { id: urn(id) }),
            WatchedChange::Quarantined(one) => Change::Quarantined(quarantined(&one)),
        };
        let change = Some(change);
        changes.push(pb::ResourceChange { change });
    }
    Ok(pb::WatchResourcesResponse {
        sequence: token.to_string(),
        kind: told.into(),
        changes,
    })
}
