//! The generic watch.

use super::message::ResourceRenderer;
use crate::api::GrpcState;
use crate::proto::resources::v1 as pb;
use crate::watching::{ResourceEncoder, WatchResponses, told};
use bytes::Bytes;
use coeval_api::methods::{MethodError, ResourceSelector, WatchParams};
use coeval_engine::{Caller, Resource};
use prost::Message;
use std::sync::Arc;

/// Opens a watch.
pub(super) async fn open(
    api: &Arc<GrpcState>,
    caller: &Caller,
    asked: pb::WatchResourcesRequest,
) -> Result<(WatchResponses, Vec<String>), MethodError> {
    let showing = ResourceRenderer::of(&asked.kind, asked.spec_form)?;
    let of = api.methods.kind(caller, &asked.kind).await?;
    let query = WatchParams {
        namespace: asked.namespace,
        selector: ResourceSelector {
            filter: asked.filter,
            name_prefix: asked.name_prefix,
            labels: asked.labels.into_iter().collect(),
            stored_version: asked.stored_version,
        },
        from: asked.from,
    };
    let opened = api.methods.watch(caller, &of, &query).await?;
    let generic = GenericEncoder {
        api: Arc::clone(api),
        caller: caller.clone(),
        showing,
        form: (asked.kind, asked.spec_form),
    };
    Ok((told(api, &of, opened.events, generic), opened.warnings))
}

/// Messages of the generic service.
struct GenericEncoder {
    api: Arc<GrpcState>,
    caller: Caller,
    showing: ResourceRenderer,
    /// What tells its encodings from others.
    form: (String, i32),
}

impl ResourceEncoder for GenericEncoder {
    async fn encoded(&self, resource: &Resource) -> Result<Bytes, MethodError> {
        let (api, showing) = (&self.api, &self.showing);
        let org = &resource.header.org;
        let namespace = showing.namespace(api, &self.caller, org).await?;
        let make = |resource: &Resource| {
            let message = showing.shown_in(&namespace, resource);
            Bytes::from(message.encode_to_vec())
        };
        // All that the bytes depend on beside the resource, so that another form is another entry.
        let form = ("grpc", &self.form);
        Ok(api.methods.engine().encoded(resource, form, make))
    }
}
