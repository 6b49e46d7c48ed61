//! The resources of one kind: what is asked for, and reading.

use crate::client::Client;
use crate::error::{ClientError, ClientErrorKind};
use crate::resource::Resource;
use crate::retry::{CallAttempts, reading};
use coeval_proto::header::v1 as header;
use coeval_proto::resources::v1 as pb;
use coeval_proto::resources::v1::resource_service_client::ResourceServiceClient;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use tokio::time::Instant;
use tonic::metadata::MetadataMap;

/// What a listing or a watch is to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceQuery {
    /// The organization's name; empty: as [`Resources::within`] says.
    pub namespace: String,
    /// Only those that it matches: `name==web*;spec.size=gt=3`.
    pub filter: String,
    /// Fields to sort by: `name, created desc`. A watch has no order but that of the writes.
    pub order_by: String,
    /// All at exactly this version; empty: as [`Resources::at`] says.
    pub version: String,
    /// Only those stored at a version that begins so.
    pub stored_version: String,
    /// Resources a page; by default the server's choice. A watch has no pages.
    pub page_size: i32,
}

/// A stored object that can't be shown, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinedResource {
    /// Which.
    pub id: String,
    /// Why, as a stable code.
    pub code: String,
    /// Why, as a sentence.
    pub reason: String,
}

impl From<header::Quarantined> for QuarantinedResource {
    fn from(said: header::Quarantined) -> Self {
        Self {
            id: said.id,
            code: said.code,
            reason: said.reason,
        }
    }
}

/// One resource, and what is known about this view of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewedResource<S = serde_json::Value> {
    /// The resource.
    pub resource: Resource<S>,
    /// JSON pointers into the stored content, to what this view can't show.
    pub left_out: Vec<String>,
    /// What a file declared last.
    pub applied: Option<pb::Applied>,
}

/// The resources of one kind.
#[derive(Clone, Debug)]
pub struct Resources<S = serde_json::Value> {
    pub(crate) client: Client,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) version: String,
    pub(crate) force: bool,
    pub(crate) strict: bool,
    pub(crate) understood: Option<(String, String)>,
    pub(crate) mark: Option<String>,
    pub(crate) declared: Option<Vec<String>>,
    /// When the call that this one is a part of ends.
    pub(crate) until: Option<Instant>,
    pub(crate) content: PhantomData<fn() -> S>,
}

pub(crate) fn needed(resource: Option<pb::Resource>) -> Result<pb::Resource, ClientError> {
    resource.ok_or_else(|| {
        let message = "the server's answer has no resource";
        ClientError::new(
            ClientErrorKind::Internal,
            message,
            "Check that it is a Coeval server.",
        )
    })
}

/// The first that says something.
fn either(one: &str, other: &str) -> String {
    if one.is_empty() { other } else { one }.to_owned()
}

impl<S> Resources<S> {
    /// Those of an organization, by its name; by default the caller's own.
    #[must_use]
    pub fn within(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Read at exactly this version.
    #[must_use]
    pub fn at(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Read at this version at most: what is stored newer is shown as that, and saving it loses
    /// nothing.
    #[must_use]
    pub fn understanding(mut self, version: impl Into<String>) -> Self {
        let version = version.into();
        let version = version.trim_start_matches('v').to_owned();
        self.understood = Some((self.kind.clone(), version));
        self
    }

    /// Insisting: writes override what force can override. The answer says what.
    #[must_use]
    pub const fn forcing(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Writes refuse fields that no version of the type declares. By default they are stored, with a
    /// warning.
    #[must_use]
    pub const fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Every create and every [`Resources::update_with`] puts a value of its own into this label.
    /// Then a write whose answer was lost is told from those of others for sure, even from those of
    /// the same user that look the same.
    #[must_use]
    pub fn marking(mut self, label: impl Into<String>) -> Self {
        self.mark = Some(label.into());
        self
    }

    /// Creates and updates note what a file declares: JSON pointers into the content.
    #[must_use]
    pub fn declaring(mut self, paths: Vec<String>) -> Self {
        self.declared = Some(paths);
        self
    }

    /// The same, as a part of a call that ends then, if it is one.
    pub(crate) fn sub_call<T>(&self, until: Option<Instant>) -> Resources<T> {
        Resources {
            until,
            client: self.client.clone(),
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            version: self.version.clone(),
            force: self.force,
            strict: self.strict,
            understood: self.understood.clone(),
            mark: self.mark.clone(),
            declared: self.declared.clone(),
            content: PhantomData,
        }
    }

    pub(crate) fn attempts(&self) -> CallAttempts {
        CallAttempts::of(self.client.limits()).until(self.until)
    }

    pub(crate) fn applied(&self) -> Option<pb::Applied> {
        let paths = self.declared.clone()?;
        Some(pb::Applied {
            paths,
            ..Default::default()
        })
    }

    pub(crate) fn service(&self) -> ResourceServiceClient<crate::Connection> {
        let connection = self.client.connection.clone();
        let connection = connection
            .forcing(self.force)
            .understanding(self.understood.clone());
        ResourceServiceClient::new(connection)
            .max_decoding_message_size(crate::client::LARGEST_ANSWER)
    }

    pub(crate) fn listing(
        &self,
        query: &ResourceQuery,
        page_token: String,
    ) -> pb::ListResourcesRequest {
        pb::ListResourcesRequest {
            kind: self.kind.clone(),
            page_size: query.page_size,
            page_token,
            namespace: either(&query.namespace, &self.namespace),
            filter: query.filter.clone(),
            order_by: query.order_by.clone(),
            version: either(&query.version, &self.version),
            stored_version: query.stored_version.clone(),
            ..Default::default()
        }
    }

    /// Passes on what the server warns of.
    pub(crate) fn warn_of_answer(&self, metadata: &MetadataMap) {
        let shared = self.client.connection.shared();
        for warning in metadata.get_all("coeval-warning") {
            if let Ok(text) = warning.to_str() {
                shared.warn(text);
            }
        }
    }

    pub(crate) fn watching(&self, query: &ResourceQuery, from: &str) -> pb::WatchResourcesRequest {
        pb::WatchResourcesRequest {
            kind: self.kind.clone(),
            namespace: either(&query.namespace, &self.namespace),
            filter: query.filter.clone(),
            from: from.to_owned(),
            version: either(&query.version, &self.version),
            stored_version: query.stored_version.clone(),
            ..Default::default()
        }
    }

    pub(crate) async fn read(
        &self,
        name: &str,
        version: &str,
    ) -> Result<pb::GetResourceResponse, ClientError> {
        let request = pb::GetResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            version: version.to_owned(),
            ..Default::default()
        };
        let call = || {
            let (mut service, request) = (self.service(), request.clone());
            async move { service.get_resource(request).await }
        };
        let answer = reading(self.attempts(), call).await?;
        self.warn_of_answer(answer.metadata());
        Ok(answer.into_inner())
    }
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    pub(crate) const fn new(client: Client, kind: String) -> Self {
        Self {
            client,
            kind,
            namespace: String::new(),
            version: String::new(),
            force: false,
            strict: false,
            understood: None,
            mark: None,
            declared: None,
            until: None,
            content: PhantomData,
        }
    }

    /// One, by name or id.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none that the caller may see.
    pub async fn get(&self, name: &str) -> Result<Resource<S>, ClientError> {
        Ok(self.get_whole(name).await?.resource)
    }

    /// One, by name or id, and what this view of it leaves out.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none that the caller may see.
    pub async fn get_whole(&self, name: &str) -> Result<ViewedResource<S>, ClientError> {
        let answer = self.read(name, &self.version).await?;
        Ok(ViewedResource {
            resource: Resource::from_message(needed(answer.resource)?)?,
            left_out: answer.left_out,
            applied: answer.applied,
        })
    }
}
