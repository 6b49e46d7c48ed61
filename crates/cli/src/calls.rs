//! The calls of the commands that write: what a file declares goes with a write, and comes with a
//! read.

use crate::context::ClientSession;
use coeval_client::{
    ClientError, ClientErrorKind, QuarantinedResource, Resource, Resources, WrittenResource,
};
use coeval_codes::Coded as _;
use coeval_proto::resources::v1 as pb;
use serde_json::Value;

/// Which resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourceTarget {
    pub(crate) kind: String,
    /// Its organization; empty: the caller's own.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// `app/web`.
impl std::fmt::Display for ResourceTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// A resource with what a file declared of it.
#[derive(Clone, Debug)]
pub(crate) struct AppliedResource {
    pub(crate) resource: Resource,
    pub(crate) applied: Option<pb::Applied>,
}

/// What a write did.
#[derive(Clone, Debug)]
pub(crate) struct WriteReport {
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
pub(crate) struct EarlierRevision {
    pub(crate) resource: Resource,
    pub(crate) generation: u64,
    pub(crate) modified_by: String,
}

impl From<WrittenResource> for WriteReport {
    fn from(written: WrittenResource) -> Self {
        Self {
            resource: written.resource,
            kept: written.kept,
            dropped: written.dropped,
            task: written.task.unwrap_or_default(),
            warning: written.warning,
        }
    }
}

/// Whether an error says that there is no such resource; an unknown kind is another matter.
pub(crate) fn is_absent(error: &ClientError) -> bool {
    error.code() == coeval_codes::RESOURCE_NOT_FOUND
}

impl ClientSession {
    /// The resources that a target is one of, as the library calls them: what is safe is sent again,
    /// and a write whose answer is lost is looked up or called unknown.
    fn of(&self, kind: &str, namespace: &str) -> Resources {
        let resources = self.client.resources(kind.to_owned());
        resources.within(namespace.to_owned()).strict(self.strict)
    }

    /// One resource, at exactly that version if one is said.
    pub(crate) async fn find(
        &self,
        of: &ResourceTarget,
        version: &str,
    ) -> Result<AppliedResource, ClientError> {
        let resources = self.of(&of.kind, &of.namespace).at(version);
        let found = resources.get_whole(&of.name).await?;
        Ok(AppliedResource {
            resource: found.resource,
            applied: found.applied,
        })
    }

    /// Makes one; a file declares these paths of it, if one does.
    pub(crate) async fn make(
        &self,
        new: &Resource,
        declared: Option<Vec<String>>,
    ) -> Result<WriteReport, ClientError> {
        let mut resources = self.of(&new.kind, &new.metadata.namespace);
        if let Some(paths) = declared {
            resources = resources.declaring(paths);
        }
        resources.create(new).await.map(WriteReport::from)
    }

    /// Changes one on condition of its revision.
    pub(crate) async fn change(
        &self,
        body: &Resource,
        declared: Option<Vec<String>>,
        force: bool,
    ) -> Result<WriteReport, ClientError> {
        let resources = self.of(&body.kind, &body.metadata.namespace);
        let mut resources = resources.forcing(force);
        if let Some(paths) = declared {
            resources = resources.declaring(paths);
        }
        resources.update(body).await.map(WriteReport::from)
    }

    /// The kept revisions, newest first, and those that can't be shown.
    pub(crate) async fn earlier(
        &self,
        of: &ResourceTarget,
        version: &str,
    ) -> Result<(Vec<EarlierRevision>, Vec<QuarantinedResource>), ClientError> {
        let resources = self.of(&of.kind, &of.namespace).at(version);
        let kept = resources.revisions(&of.name).await?;
        let revisions = kept.revisions.into_iter().map(|one| EarlierRevision {
            resource: one.resource,
            generation: one.generation,
            modified_by: one.modified_by,
        });
        Ok((revisions.collect(), kept.quarantined))
    }

    /// Writes a kept revision again, on condition of the present one.
    pub(crate) async fn write_again(
        &self,
        of: &ResourceTarget,
        revision: &str,
        present: &str,
    ) -> Result<WriteReport, ClientError> {
        let resources = self.of(&of.kind, &of.namespace);
        let written = resources.restore(&of.name, revision, present).await;
        written.map(WriteReport::from)
    }

    /// The names of all that a filter matches.
    pub(crate) async fn names(
        &self,
        kind: &str,
        namespace: &str,
        filter: &str,
    ) -> Result<Vec<ResourceTarget>, ClientError> {
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
            // Straight from the service: only names are needed, so contents are not parsed.
            let mut service = self.client.resource_service();
            let page = service.list_resources(request).await?.into_inner();
            names.extend(page.resources.into_iter().map(|one| ResourceTarget {
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
    pub(crate) async fn remove(
        &self,
        of: &ResourceTarget,
        revision: &str,
    ) -> Result<(), ClientError> {
        let resources = self.of(&of.kind, &of.namespace);
        resources.delete(&of.name, revision).await.map(|_| ())
    }
}

/// A version without the mark of a view that is not whole: as files and people say it.
pub(crate) fn unmarked(version: &str) -> &str {
    version.split_once('+').map_or(version, |(plain, _)| plain)
}

/// What people keep in a file of a resource, without what is the server's.
///
/// # Errors
/// As [`as_value`].
pub(crate) fn as_file(resource: &Resource) -> Result<Value, ClientError> {
    // What only the server sets is no part of a file, and would differ with every write.
    let mut file = resource.clone();
    file.version = unmarked(&resource.version).to_owned();
    file.status = None;
    file.metadata.id.clear();
    file.metadata.owner.clear();
    file.metadata.created = None;
    file.metadata.modified = None;
    file.metadata.revision.clear();
    as_value(&file)
}

/// All of a resource as data.
///
/// # Errors
/// If its content has something that JSON can't have.
pub(crate) fn as_value(resource: &Resource) -> Result<Value, ClientError> {
    serde_json::to_value(resource).map_err(|error| {
        let name = &resource.metadata.name;
        let message = format!("{} {name} can't be said as JSON: {error}", resource.kind);
        let advice = "Look at it with `coeval get`, and change what it can't have.";
        ClientError::new(ClientErrorKind::Internal, message, advice)
    })
}
