//! The revisions of a resource that are kept, and going back to one of them.

use crate::error::{ClientError, ClientErrorKind, RequestReach};
use crate::features::needed as release_needed;
use crate::resource::Resource;
use crate::resources::{QuarantinedResource, Resources, needed};
use crate::retry::reading;
use crate::written_resource::WrittenResource;
use coeval_proto::resources::v1 as pb;
use coeval_releases::Feature;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A resource as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRevision<S = serde_json::Value> {
    /// With that revision's own metadata.
    pub resource: Resource<S>,
    /// Counts the revisions of the resource.
    pub generation: u64,
    /// The id of the user who made it.
    pub modified_by: String,
}

/// What is kept of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionList<S = serde_json::Value> {
    /// Newest first; the first is the present one.
    pub revisions: Vec<KeptRevision<S>>,
    /// Those that can't be shown.
    pub quarantined: Vec<QuarantinedResource>,
}

impl<S> Resources<S> {
    /// An error that says which release is needed, where the server has no such part.
    pub(crate) fn or_release_needed(&self, feature: Feature, error: ClientError) -> ClientError {
        if error.kind() != ClientErrorKind::Unimplemented {
            return error;
        }
        let shared = self.client.connection.shared();
        // From now on it is not even asked for.
        shared.missing.note(feature);
        let told = Some(error.release()).filter(|release| !release.is_empty());
        release_needed(feature, told.or(shared.release().as_deref()))
    }

    /// The same for a part that is known not to be there.
    pub(crate) fn must_have(&self, feature: Feature) -> Result<(), ClientError> {
        let shared = self.client.connection.shared();
        if shared.missing.has(feature) {
            Err(release_needed(feature, shared.release().as_deref()))
        } else {
            Ok(())
        }
    }

    pub(crate) async fn kept_revisions(
        &self,
        name: &str,
        version: &str,
    ) -> Result<pb::ListRevisionsResponse, ClientError> {
        self.must_have(Feature::ListRevisions)?;
        let request = pb::ListRevisionsRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            version: version.to_owned(),
            ..Default::default()
        };
        let call = || {
            let (mut service, request) = (self.service(), request.clone());
            async move { service.list_revisions(request).await }
        };
        let answer = reading(self.attempts(), call).await;
        let answer =
            answer.map_err(|error| self.or_release_needed(Feature::ListRevisions, error))?;
        self.warn_of_answer(answer.metadata());
        Ok(answer.into_inner())
    }
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    /// What is kept of one, newest first.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none; [`ClientErrorKind::Unimplemented`] if the server is too old.
    pub async fn revisions(&self, name: &str) -> Result<RevisionList<S>, ClientError> {
        let kept = self.kept_revisions(name, &self.version).await?;
        let mut all = RevisionList {
            revisions: Vec::new(),
            quarantined: kept.quarantined.into_iter().map(Into::into).collect(),
        };
        for one in kept.revisions {
            let message = needed(one.resource)?;
            let revision = message.metadata.as_ref().map(|m| m.revision.clone());
            match Resource::from_message(message) {
                Ok(resource) => all.revisions.push(KeptRevision {
                    resource,
                    generation: one.generation,
                    modified_by: one.modified_by,
                }),
                Err(error) => all.quarantined.push(QuarantinedResource {
                    id: revision.unwrap_or_default(),
                    code: error.said_code(),
                    reason: error.to_string(),
                }),
            }
        }
        Ok(all)
    }

    /// Writes the content of a kept revision again; on condition that the present one is `present`, if
    /// that is said. Without it, it is not sent again once a server may have got it.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if that revision is not kept; [`ClientErrorKind::Conflict`] if the present one is another;
    /// [`ClientErrorKind::Unimplemented`] if the server is too old.
    pub async fn restore(
        &self,
        name: &str,
        revision: &str,
        present: &str,
    ) -> Result<WrittenResource<S>, ClientError> {
        self.must_have(Feature::RestoreRevision)?;
        let request = pb::RestoreResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            revision: revision.to_owned(),
            present: present.to_owned(),
            ..Default::default()
        };
        let mut attempts = self.attempts();
        let mut lost: Option<ClientError> = None;
        loop {
            let mut service = self.service();
            let sent = service.restore_resource(request.clone());
            let error = match attempts.attempt(sent).await {
                Ok(answer) => return WrittenResource::answered(answer),
                Err(error) => self.or_release_needed(Feature::RestoreRevision, error),
            };
            if error.reached() == RequestReach::Perhaps {
                lost.get_or_insert_with(|| error.clone());
            }
            // On condition of the present revision a second attempt can't restore over somebody
            // else's write.
            let sure = lost.is_none() || !present.is_empty();
            if sure && error.is_transient() && attempts.wait_for_next(&error).await {
                continue;
            }
            return Err(match lost {
                None => error,
                Some(first) => {
                    let why = format!("what came of it can't be told ({error})");
                    ClientError::unknown(&first, &why)
                }
            });
        }
    }
}
