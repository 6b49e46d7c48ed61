//! The watch of a package.

use super::calls::Calls;
use super::messages::WatchRequest;
use crate::watching::{Encodes, Told, told, until_moved};
use bytes::Bytes;
use coeval_api::methods::{MethodError, ResourceSelector, WatchParams};
use coeval_engine::Resource;

impl Calls {
    /// Opens a watch.
    pub(super) async fn watch(
        &self,
        asked: WatchRequest,
    ) -> Result<(Told, Vec<String>), MethodError> {
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

impl Encodes for Calls {
    async fn encoded(&self, resource: &Resource) -> Result<Bytes, MethodError> {
        self.shown(resource).await
    }
}
