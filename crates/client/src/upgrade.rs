//! Storing resources at another version.

use crate::error::{ClientError, RequestReach};
use crate::resources::Resources;
use crate::written_resource::WrittenResource;
use coeval_proto::resources::v1 as pb;
use coeval_proto::tasks::v1::Task;
use coeval_releases::Feature;
use serde::de::DeserializeOwned;

/// Which resources are to be stored at another version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpgradeQuery {
    /// Those that it matches, as in a listing; `name==*` for all. This or `stored_version` is needed.
    pub filter: String,
    /// Only those stored at a version that begins so: `1` or `1.1`; empty: at any version.
    pub stored_version: String,
    /// The version to store them at; empty: the newest that the caller can see.
    pub to: String,
    /// Changes nothing; the task's result says what would be.
    pub dry_run: bool,
}

impl<S: DeserializeOwned> Resources<S> {
    /// Stores the resources that a filter matches at another version, in the background: the answer is
    /// the task that does it. The filter is about what [`at`](Self::at) shows. Those that the caller has
    /// no full control of are neither touched nor counted.
    ///
    /// # Errors
    /// [`ClientErrorKind::Unimplemented`](crate::ClientErrorKind::Unimplemented) if the server is too old; if the filter can't
    /// be used, or there is no such version.
    pub async fn upgrade_matching(&self, query: &UpgradeQuery) -> Result<Task, ClientError> {
        self.must_have(Feature::UpgradeMany)?;
        let request = pb::UpgradeResourcesRequest {
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            filter: query.filter.clone(),
            stored_version: query.stored_version.clone(),
            view_version: self.version.clone(),
            version: query.to.clone(),
            dry_run: query.dry_run,
        };
        let mut attempts = self.attempts();
        loop {
            let mut service = self.service();
            let sent = service.upgrade_resources(request.clone());
            let error = match attempts.attempt(sent).await {
                Ok(answer) => {
                    self.warn_of_answer(answer.metadata());
                    return Ok(answer.into_inner().task.unwrap_or_default());
                }
                Err(error) => self.or_release_needed(Feature::UpgradeMany, error),
            };
            // Sent again only if no server has got it.
            let sure = error.reached() != RequestReach::Perhaps;
            if sure && error.is_transient() && attempts.wait_for_next(&error).await {
                continue;
            }
            // A second task would find nothing left to do, but its counts would be others.
            return Err(if sure {
                error
            } else {
                ClientError::unknown(&error, "a task may have been started: list the tasks")
            });
        }
    }

    /// Stores a resource at another version, or finds out what that would lead to; empty: at the newest
    /// one that the caller sees. On condition of a revision, if one is said.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`](crate::ClientErrorKind::NotFound) if it is not there;
    /// [`ClientErrorKind::Unimplemented`](crate::ClientErrorKind::Unimplemented) if the server is too old; if its content has
    /// no counterpart at that version.
    pub async fn upgrade(
        &self,
        name: &str,
        version: &str,
        revision: &str,
        dry_run: bool,
    ) -> Result<WrittenResource<S>, ClientError> {
        self.must_have(Feature::Upgrade)?;
        let request = pb::UpgradeResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            version: version.to_owned(),
            revision: revision.to_owned(),
            dry_run,
            ..Default::default()
        };
        let mut attempts = self.attempts();
        loop {
            let mut service = self.service();
            let sent = service.upgrade_resource(request.clone());
            let error = match attempts.attempt(sent).await {
                Ok(answer) => return WrittenResource::answered(answer),
                Err(error) => self.or_release_needed(Feature::Upgrade, error),
            };
            // What is at the version already stays as it is, so it can be sent again; but for a
            // revision, which is another one if the first was done.
            let sure = error.reached() != RequestReach::Perhaps || revision.is_empty();
            if sure && error.is_transient() && attempts.wait_for_next(&error).await {
                continue;
            }
            return Err(if sure {
                error
            } else {
                ClientError::unknown(&error, "what came of it can't be told")
            });
        }
    }
}
