//! The watch of a package.

use super::calls::TypedCalls;
use super::messages::TypedWatchRequest;
use crate::watching::{ResourceEncoder, WatchResponses, told, until_moved};
use bytes::Bytes;
use coeval_api::methods::{MethodError, ResourceSelector, WatchParams};
use coeval_engine::Resource;

impl TypedCalls {
    /// Opens a watch.
    pub(super) async fn watch(
        &self,
        asked: TypedWatchRequest,
    ) -> Result<(WatchResponses, Vec<String>), MethodError> {
        let query = WatchParams {
            namespace: asked.namespace,
            selector: ResourceSelector {
                filter: asked.filter,
                name_prefix: asked.name_prefix,
                labels: asked.labels.into_iter().collect(),
                ..ResourceSelector::default()
            },
            from: asked.from,
        };
        let opened = self.api.methods.watch(&self.caller, &self.of, &query);
        let opened = opened.await?;
        let told = told(&self.api, &self.of, opened.events, self.clone());
        let told = until_moved(told, self.connection.clone());
        Ok((told, opened.warnings))
    }
}

impl ResourceEncoder for TypedCalls {
    async fn encoded(&self, resource: &Resource) -> Result<Bytes, MethodError> {
        self.shown(resource).await
    }
}
