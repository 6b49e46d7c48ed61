//! The watch of a package.

use super::body::shown;
use super::calls::Calls;
use super::messages::{Change, Changed, WatchRequest, WatchResponse};
use crate::proto::header::v1 as header;
use crate::resources::message::quarantined;
use crate::status;
use coeval_engine::{Watched, WatchedChange};
use coeval_methods::{MethodError, Near, WatchAsked};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;
use tonic::Status;

/// What a watch tells, one message after the other.
pub(super) type Told = BoxStream<'static, Result<WatchResponse, Status>>;

impl Calls {
    /// Opens a watch.
    pub(super) async fn watch(&self, asked: WatchRequest) -> Result<Told, MethodError> {
        let query = WatchAsked {
            namespace: asked.namespace,
            near: Near {
                filter: asked.filter,
                name_prefix: asked.name_prefix,
                labels: asked.labels.into_iter().collect(),
                ..Near::default()
            },
            from: asked.from,
        };
        let events = self.api.methods.watch(&self.caller, &self.of, &query);
        let events = events.await?;
        let (calls, kind): (_, Arc<str>) = (self.clone(), self.kind().await?.into());
        let lifecycle = self.api.settings.lifecycle.clone();
        let told = events.then(move |event| {
            let (calls, kind) = (calls.clone(), Arc::clone(&kind));
            async move {
                let told = calls.told(&kind, event.map_err(status::of)?).await;
                told.map_err(status::of)
            }
        });
        // A server that stops ends its watches; they go on elsewhere from their last sequence.
        let told = told.take_until(async move { lifecycle.draining().await });
        Ok(told.boxed())
    }

    async fn told(&self, kind: &str, event: Watched) -> Result<WatchResponse, MethodError> {
        let (token, what, all) = match event {
            Watched::Live(token) => (token, header::WatchKind::Live, Vec::new()),
            Watched::Bookmark(token) => (token, header::WatchKind::Bookmark, Vec::new()),
            Watched::Changes(token, all) => (token, header::WatchKind::Changes, all),
        };
        let urn = |id| format!("urn:vcloud:entity:{}:{id}", self.of);
        let mut changes = Vec::with_capacity(all.len());
        for change in all {
            let change = match change {
                WatchedChange::Put(resource) => {
                    let put = shown(&self.api, &self.caller, &self.package, kind, &resource);
                    Changed::Put(put.await?)
                }
                WatchedChange::Deleted { id, revision } => {
                    let revision = revision.map(|revision| revision.to_string());
                    Changed::Deleted(header::Deleted {
                        id: urn(id),
                        revision: revision.unwrap_or_default(),
                    })
                }
                WatchedChange::Left { id } => Changed::Left(header::Left { id: urn(id) }),
                WatchedChange::Quarantined(one) => Changed::Quarantined(quarantined(&one)),
            };
            let change = Some(change);
            changes.push(Change { change });
        }
        Ok(WatchResponse {
            sequence: token.to_string(),
            kind: what.into(),
            changes,
        })
    }
}
