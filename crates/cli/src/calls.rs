//! The calls of the commands that write, as the messages have them: what a file declares goes with
//! a write, and comes with a read.

use crate::context::Session;
use coeval_client::{ClientError, Kind, Resource};
use coeval_codes::Coded as _;
use coeval_proto::header::v1::Quarantined;
use coeval_proto::resources::v1 as pb;
use serde_json::Value;
use tonic::metadata::{MetadataMap, MetadataValue};

/// Which resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) kind: String,
    /// Its organization; empty: the caller's own.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// `app/web`.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// A resource with what a file declared of it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) resource: Resource,
    pub(crate) applied: Option<pb::Applied>,
}

/// What a write did.
#[derive(Clone, Debug)]
pub(crate) struct Wrote {
    /// As it is stored now, at the body's version.
    pub(crate) resource: Resource,
    /// What the write left alone because its version can't express it.
    pub(crate) kept: Vec<String>,
    /// What went with deleted items.
    pub(crate) dropped: Vec<String>,
    /// The task that goes on with it; empty: none.
    pub(crate) task: String,
    /// What force overrode.
    pub(crate) warning: Option<String>,
}

/// A kept revision.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    pub(crate) resource: Resource,
    pub(crate) generation: u64,
    pub(crate) modified_by: String,
}

fn resource(message: Option<pb::Resource>) -> Result<Resource, ClientError> {
    let message = message.ok_or_else(|| {
        let message = "the server's answer has no resource";
        ClientError::new(Kind::Internal, message, "Check that it is a Coeval server.")
    })?;
    Resource::from_message(message)
}

fn warning(metadata: &MetadataMap) -> Option<String> {
    let value = metadata.get("coeval-warning")?.to_str().ok()?;
    Some(value.to_owned())
}

/// Whether an error says that there is no such resource; an unknown kind is another matter.
pub(crate) fn is_absent(error: &ClientError) -> bool {
    error.code() == coeval_codes::RESOURCE_NOT_FOUND
}

impl Session {
    /// One resource, at exactly that version if one is said.
    pub(crate) async fn find(&self, of: &Target, version: &str) -> Result<Found, ClientError> {
        let request = pb::GetResourceRequest {
            kind: of.kind.clone(),
            name: of.name.clone(),
            namespace: of.namespace.clone(),
            version: version.to_owned(),
            ..Default::default()
        };
        let mut service = self.client.resource_service();
        let answer = service.get_resource(request).await?.into_inner();
        Ok(Found {
            resource: resource(answer.resource)?,
            applied: answer.applied,
        })
    }

    /// Makes one.
    pub(crate) async fn make(
        &self,
        new: &Resource,
        applied: Option<pb::Applied>,
    ) -> Result<Wrote, ClientError> {
        let request = pb::CreateResourceRequest {
            resource: Some(new.to_message()?),
            applied,
            ..Default::default()
        };
        let mut service = self.client.resource_service();
        let answer = service.create_resource(request).await?;
        let warning = warning(answer.metadata());
        let answer = answer.into_inner();
        Ok(Wrote {
            resource: resource(answer.resource)?,
            kept: Vec::new(),
            dropped: Vec::new(),
            task: answer.task,
            warning,
        })
    }

    /// Changes one on condition of its revision.
    pub(crate) async fn change(
        &self,
        body: &Resource,
        applied: Option<pb::Applied>,
        force: bool,
    ) -> Result<Wrote, ClientError> {
        let mut request = tonic::Request::new(pb::UpdateResourceRequest {
            resource: Some(body.to_message()?),
            applied,
            ..Default::default()
        });
        if force {
            let metadata = request.metadata_mut();
            metadata.insert("coeval-force", MetadataValue::from_static("true"));
        }
        let mut service = self.client.resource_service();
        let answer = service.update_resource(request).await?;
        let warning = warning(answer.metadata());
        let answer = answer.into_inner();
        Ok(Wrote {
            resource: resource(answer.resource)?,
            kept: answer.kept,
            dropped: answer.dropped,
            task: answer.task,
            warning,
        })
    }

    /// The kept revisions, newest first, and those that can't be shown.
    pub(crate) async fn earlier(
        &self,
        of: &Target,
        version: &str,
    ) -> Result<(Vec<Earlier>, Vec<Quarantined>), ClientError> {
        let request = pb::ListRevisionsRequest {
            kind: of.kind.clone(),
            name: of.name.clone(),
            namespace: of.namespace.clone(),
            version: version.to_owned(),
            ..Default::default()
        };
        let mut service = self.client.resource_service();
        let answer = service.list_revisions(request).await?.into_inner();
        let revisions = answer.revisions.into_iter().map(|one| {
            Ok(Earlier {
                resource: resource(one.resource)?,
                generation: one.generation,
                modified_by: one.modified_by,
            })
        });
        let revisions = revisions.collect::<Result<_, ClientError>>()?;
        Ok((revisions, answer.quarantined))
    }

    /// Writes a kept revision again, on condition of the present one.
    pub(crate) async fn write_again(
        &self,
        of: &Target,
        revision: &str,
        present: &str,
    ) -> Result<Wrote, ClientError> {
        let request = pb::RestoreResourceRequest {
            kind: of.kind.clone(),
            name: of.name.clone(),
            namespace: of.namespace.clone(),
            revision: revision.to_owned(),
            present: present.to_owned(),
            ..Default::default()
        };
        let mut service = self.client.resource_service();
        let answer = service.restore_resource(request).await?;
        let warning = warning(answer.metadata());
        let answer = answer.into_inner();
        Ok(Wrote {
            resource: resource(answer.resource)?,
            kept: answer.kept,
            dropped: answer.dropped,
            task: String::new(),
            warning,
        })
    }

    /// The names of all that a filter matches.
    pub(crate) async fn names(
        &self,
        kind: &str,
        namespace: &str,
        filter: &str,
    ) -> Result<Vec<Target>, ClientError> {
        let mut names = Vec::new();
        let mut token = String::new();
        loop {
            let request = pb::ListResourcesRequest {
                kind: kind.to_owned(),
                namespace: namespace.to_owned(),
                filter: filter.to_owned(),
                page_token: token,
                ..Default::default()
            };
            let mut service = self.client.resource_service();
            let page = service.list_resources(request).await?.into_inner();
            names.extend(page.resources.into_iter().map(|one| Target {
                kind: kind.to_owned(),
                namespace: namespace.to_owned(),
                name: one.metadata.unwrap_or_default().name,
            }));
            token = page.next_page_token;
            if token.is_empty() {
                return Ok(names);
            }
        }
    }

    /// Deletes one on condition of its revision.
    pub(crate) async fn remove(&self, of: &Target, revision: &str) -> Result<(), ClientError> {
        let resources = self.client.resources(of.kind.clone());
        let resources = resources.within(of.namespace.clone());
        resources.delete(&of.name, revision).await.map(|_| ())
    }
}

/// A version without the mark of a view that is not whole: as files and people say it.
pub(crate) fn unmarked(version: &str) -> &str {
    version.split_once('+').map_or(version, |(plain, _)| plain)
}

/// What people keep in a file of a resource, without what is the server's.
pub(crate) fn as_file(resource: &Resource) -> Value {
    let mut file = resource.clone();
    file.version = unmarked(&resource.version).to_owned();
    file.status = None;
    file.metadata.id.clear();
    file.metadata.owner.clear();
    file.metadata.created = None;
    file.metadata.modified = None;
    file.metadata.revision.clear();
    serde_json::to_value(&file).unwrap_or_default()
}
