//! The resources of one kind.

use crate::client::Client;
use crate::error::{ClientError, Kind};
use crate::resource::Resource;
use coeval_proto::resources::v1 as pb;
use coeval_proto::resources::v1::resource_service_client::ResourceServiceClient;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use tonic::metadata::MetadataMap;

/// What a listing or a watch is to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The organization's name; empty: as [`Resources::within`] says.
    pub namespace: String,
    /// Only those that it matches: `name==web*;spec.size=gt=3`.
    pub filter: String,
    /// Fields to sort by: `name, created desc`. A watch has no order but that of the writes.
    pub order_by: String,
    /// All at exactly this version.
    pub version: String,
    /// Only those stored at a version that begins so.
    pub stored_version: String,
    /// Resources a page; the server's choice, if nothing is said.
    pub page_size: i32,
}

/// What a write did.
#[derive(Clone, Debug, PartialEq)]
pub struct Written<S> {
    /// As it is stored now, at the body's version.
    pub resource: Resource<S>,
    /// JSON pointers to what the write left alone because its version can't express it.
    pub kept: Vec<String>,
    /// JSON pointers to what went with deleted items.
    pub dropped: Vec<String>,
    /// Whether it was made.
    pub created: bool,
    /// The task that goes on with it.
    pub task: Option<String>,
    /// What should be looked at: what force overrode.
    pub warning: Option<String>,
}

/// The resources of one kind.
#[derive(Clone, Debug)]
pub struct Resources<S> {
    pub(crate) client: Client,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) version: String,
    pub(crate) force: bool,
    pub(crate) content: PhantomData<fn() -> S>,
}

fn warning(metadata: &MetadataMap) -> Option<String> {
    let value = metadata.get("coeval-warning")?.to_str().ok()?;
    Some(value.to_owned())
}

pub(crate) fn needed(resource: Option<pb::Resource>) -> Result<pb::Resource, ClientError> {
    resource.ok_or_else(|| {
        let message = "the server's answer has no resource";
        ClientError::new(Kind::Internal, message, "Check that it is a Coeval server.")
    })
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    pub(crate) const fn new(client: Client, kind: String) -> Self {
        Self {
            client,
            kind,
            namespace: String::new(),
            version: String::new(),
            force: false,
            content: PhantomData,
        }
    }

    /// Those of an organization, by its name; the caller's own, if nothing is said.
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

    /// Insisting: writes override what force can override. The answer says what.
    #[must_use]
    pub const fn forcing(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    pub(crate) fn service(&self) -> ResourceServiceClient<crate::Connection> {
        let connection = self.client.connection.clone().forcing(self.force);
        ResourceServiceClient::new(connection).max_decoding_message_size(64 << 20)
    }

    /// One, by name or id.
    ///
    /// # Errors
    /// [`Kind::NotFound`] if there is none that the caller may see.
    pub async fn get(&self, name: &str) -> Result<Resource<S>, ClientError> {
        let request = pb::GetResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            version: self.version.clone(),
            ..Default::default()
        };
        let answer = self.service().get_resource(request).await?.into_inner();
        Resource::from_message(needed(answer.resource)?)
    }

    /// Makes one.
    ///
    /// # Errors
    /// [`Kind::Exists`] if one has the name.
    pub async fn create(&self, resource: &Resource<S>) -> Result<Written<S>, ClientError> {
        let request = pb::CreateResourceRequest {
            resource: Some(resource.to_message()?),
            ..Default::default()
        };
        let answer = self.service().create_resource(request).await?;
        let warning = warning(answer.metadata());
        let answer = answer.into_inner();
        Ok(Written {
            resource: Resource::from_message(needed(answer.resource)?)?,
            kept: Vec::new(),
            dropped: Vec::new(),
            created: true,
            task: Some(answer.task).filter(|task| !task.is_empty()),
            warning,
        })
    }

    /// Changes one that was read: all that its version can express. The rest stays.
    ///
    /// # Errors
    /// [`Kind::Conflict`] if it has another revision by now.
    pub async fn update(&self, resource: &Resource<S>) -> Result<Written<S>, ClientError> {
        let request = pb::UpdateResourceRequest {
            resource: Some(resource.to_message()?),
            ..Default::default()
        };
        let answer = self.service().update_resource(request).await?;
        let warning = warning(answer.metadata());
        let answer = answer.into_inner();
        Ok(Written {
            resource: Resource::from_message(needed(answer.resource)?)?,
            kept: answer.kept,
            dropped: answer.dropped,
            created: false,
            task: Some(answer.task).filter(|task| !task.is_empty()),
            warning,
        })
    }

    /// Deletes one; with a revision only if it has that one. The task that goes on with it, if there
    /// is one.
    ///
    /// # Errors
    /// [`Kind::NotFound`] if there is none.
    pub async fn delete(&self, name: &str, revision: &str) -> Result<Option<String>, ClientError> {
        let request = pb::DeleteResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            revision: revision.to_owned(),
        };
        let answer = self.service().delete_resource(request).await?;
        let task = answer.metadata().get("coeval-task");
        Ok(task.and_then(|task| task.to_str().ok()).map(str::to_owned))
    }
}
