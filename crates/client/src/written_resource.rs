//! What a write did, as the answers say it.

use crate::error::ClientError;
use crate::resource::Resource;
use crate::resources::needed;
use coeval_proto::resources::v1 as pb;
use serde::de::DeserializeOwned;
use tonic::Response;
use tonic::metadata::MetadataMap;

/// What a write did.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenResource<S = serde_json::Value> {
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
    /// What should be looked at: what force overrode, fields that no version declares, or that the
    /// answer was lost and the write was found.
    pub warning: Option<String>,
}

fn warning(metadata: &MetadataMap) -> Option<String> {
    let all = metadata.get_all("coeval-warning").iter();
    let all: Vec<&str> = all.filter_map(|value| value.to_str().ok()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn some(task: String) -> Option<String> {
    (!task.is_empty()).then_some(task)
}

/// An answer as what it says.
pub(crate) trait WriteAnswer {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool);
}

impl WriteAnswer for pb::CreateResourceResponse {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool) {
        (self.resource, Vec::new(), Vec::new(), self.task, true)
    }
}

impl WriteAnswer for pb::UpdateResourceResponse {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool) {
        (self.resource, self.kept, self.dropped, self.task, false)
    }
}

impl WriteAnswer for pb::UpsertResourceResponse {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool) {
        let created = self.created;
        (self.resource, self.kept, self.dropped, self.task, created)
    }
}

impl WriteAnswer for pb::RestoreResourceResponse {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool) {
        (self.resource, self.kept, self.dropped, String::new(), false)
    }
}

impl WriteAnswer for pb::UpgradeResourceResponse {
    fn parts(self) -> (Option<pb::Resource>, Vec<String>, Vec<String>, String, bool) {
        (self.resource, self.kept, Vec::new(), self.task, false)
    }
}

impl WrittenResource {
    /// With a type as its content.
    pub(crate) fn typed<S: DeserializeOwned>(self) -> Result<WrittenResource<S>, ClientError> {
        let resource = Resource::from_message(self.resource.to_message()?)?;
        Ok(WrittenResource {
            resource,
            kept: self.kept,
            dropped: self.dropped,
            created: self.created,
            task: self.task,
            warning: self.warning,
        })
    }
}

impl<S: DeserializeOwned> WrittenResource<S> {
    pub(crate) fn answered(answer: Response<impl WriteAnswer>) -> Result<Self, ClientError> {
        let warning = warning(answer.metadata());
        let (resource, kept, dropped, task, created) = answer.into_inner().parts();
        Ok(Self {
            resource: Resource::from_message(needed(resource)?)?,
            kept,
            dropped,
            created,
            task: some(task),
            warning,
        })
    }

    /// Of a write whose answer was lost; this is what it made.
    pub(crate) fn found(made: pb::Resource, created: bool) -> Result<Self, ClientError> {
        let warning = "the answer was lost; the kept revisions show that the write was done";
        Ok(Self {
            warning: Some(warning.to_owned()),
            created,
            ..Self::unchanged(Resource::from_message(made)?)
        })
    }

    /// Of a write that there was no need for.
    pub(crate) const fn unchanged(resource: Resource<S>) -> Self {
        Self {
            resource,
            kept: Vec::new(),
            dropped: Vec::new(),
            created: false,
            task: None,
            warning: None,
        }
    }
}
