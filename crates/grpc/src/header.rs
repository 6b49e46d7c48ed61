//! What all resources have beside their content, as messages, both ways: the generic service and typed
//! services have it in common.

use crate::proto::header::v1 as pb;
use crate::times::{millis, timestamp};
use coeval_api::methods::{MethodError, ResourceMeta};
use coeval_engine::{Quarantined, Resource};
use std::collections::HashMap;

/// What a request says beside the content.
pub(crate) fn meta(metadata: pb::Metadata) -> Result<ResourceMeta, MethodError> {
    let expires = metadata.expires;
    let expires = expires.map(|at| millis(at, "metadata.expires"));
    Ok(ResourceMeta {
        name: metadata.name,
        id: metadata.id,
        namespace: metadata.namespace,
        description: metadata.description,
        labels: metadata.labels.into_iter().collect(),
        expires: expires.transpose()?,
        revision: metadata.revision,
    })
}

/// What all resources have; `namespace` is the name of its organization.
pub(crate) fn metadata_in(namespace: &str, resource: &Resource) -> pb::Metadata {
    let about = &resource.header;
    let mut labels: HashMap<_, _> = about.labels.clone().into_iter().collect();
    if let Some(reason) = &resource.restricted {
        labels.insert(RESTRICTED.to_owned(), reason.to_string());
    }
    pb::Metadata {
        name: about.name.clone(),
        namespace: namespace.to_owned(),
        description: about.description.clone().unwrap_or_default(),
        labels,
        expires: resource.expires.map(|expires| timestamp(expires.0)),
        revision: resource.revision.to_string(),
        id: resource.urn(),
        created: Some(timestamp(about.created)),
        modified: Some(timestamp(about.modified)),
        owner: about.owner.clone(),
    }
}

/// The label of a view that stands in place of the content.
const RESTRICTED: &str = "coeval.internal/downgraded";

/// How it is doing.
pub(crate) fn status(resource: &Resource) -> pb::Status {
    pb::Status {
        state: resource.header.state.name().to_owned(),
        message: resource.header.message.clone().unwrap_or_default(),
        stored_version: resource.header.version.short().to_string(),
        restricted: resource
            .restricted
            .as_deref()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// One that can't be shown.
pub(crate) fn quarantined(one: &Quarantined) -> pb::Quarantined {
    pb::Quarantined {
        id: one.id.clone(),
        code: one.code.to_string(),
        reason: one.reason.clone(),
    }
}
