//! Making, making or changing, and deleting.

use crate::error::{ClientError, ClientErrorKind, RequestReach};
use crate::lost_answer::{RevisionAuthor, WriteMark, find_author};
use crate::resource::Resource;
use crate::resources::{Resources, needed};
use crate::update::plain;
use crate::written_resource::WrittenResource;
use coeval_proto::resources::v1 as pb;
use coeval_releases::Feature;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Whether a resource of that name was made by a create whose answer was lost.
enum CreateOutcome {
    Nothing,
    Ours(Box<pb::Resource>),
    Others,
    Unclear,
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    /// Makes one.
    ///
    /// It is sent again where the connection breaks: only one can have the name.
    ///
    /// # Errors
    /// [`ClientErrorKind::Exists`] if one has the name. [`ClientErrorKind::UnknownOutcome`] if the answer was lost and one that
    /// looks like it is there, which another client of the same user may have made:
    /// [`Resources::marking`] tells them apart.
    pub async fn create(&self, resource: &Resource<S>) -> Result<WrittenResource<S>, ClientError> {
        let mut sent = resource.to_message()?;
        // Before the first attempt: all of them carry the same mark, and are one write.
        let mark = self.add_mark(&mut sent);
        let request = pb::CreateResourceRequest {
            resource: Some(sent.clone()),
            applied: self.applied(),
            strict: self.strict,
            ..Default::default()
        };
        let mut attempts = self.attempts();
        let own = self.sub_call::<S>(Some(attempts.end()));
        let mut lost: Option<ClientError> = None;
        loop {
            let mut service = self.service();
            let error = match attempts
                .attempt(service.create_resource(request.clone()))
                .await
            {
                Ok(answer) => return WrittenResource::answered(answer),
                Err(error) => error,
            };
            // The first lost answer is what the caller is told of, not the last refusal.
            if error.reached() == RequestReach::Perhaps {
                lost.get_or_insert_with(|| error.clone());
            }
            if let Some(first) = &lost
                // Only now it matters: as long as nobody has the name it can simply be sent again.
                && (error.kind() == ClientErrorKind::Exists || !error.is_transient())
            {
                // One has the name, and it may be our own from the attempt that was lost.
                let found = if error.kind() == ClientErrorKind::Exists {
                    own.created(&sent, mark.as_ref()).await
                } else {
                    Ok(CreateOutcome::Unclear)
                };
                return match found {
                    Ok(CreateOutcome::Ours(made)) => WrittenResource::found(*made, true),
                    Ok(CreateOutcome::Others) => Err(error),
                    Ok(CreateOutcome::Nothing) => Err(ClientError::unknown(
                        first,
                        "one of that name was there and is gone",
                    )),
                    Ok(CreateOutcome::Unclear) => Err(ClientError::unknown(
                        first,
                        "whether the one of that name is it can't be told",
                    )),
                    Err(error) => {
                        let why = format!("the one of that name can't be read: {error}");
                        Err(ClientError::unknown(first, &why))
                    }
                };
            }
            if !error.is_transient() || !attempts.wait_for_next(&error).await {
                return Err(match lost {
                    Some(first) => ClientError::unknown(&first, "no server answered since then"),
                    None => error,
                });
            }
        }
    }

    /// Whether the resource of that name was made by this create.
    async fn created(
        &self,
        sent: &pb::Resource,
        mark: Option<&WriteMark>,
    ) -> Result<CreateOutcome, ClientError> {
        // In the organization that was written to, also if the handle is of another one.
        let metadata = sent.metadata.clone().unwrap_or_default();
        let mut own = self.sub_call::<S>(Some(self.attempts().end()));
        own.namespace.clone_from(&metadata.namespace);
        let kept = own.kept_revisions(&metadata.name, plain(&sent.version));
        let kept = match kept.await {
            Ok(kept) => kept.revisions,
            Err(error) if error.kind() == ClientErrorKind::NotFound => {
                return Ok(CreateOutcome::Nothing);
            }
            Err(error) if error.kind() == ClientErrorKind::Unimplemented => {
                return Ok(CreateOutcome::Unclear);
            }
            Err(error) => return Err(error),
        };
        // The first revision shows who made it. If it is no longer kept nobody can tell.
        let Some(first) = kept.last().filter(|first| first.generation == 0) else {
            return Ok(CreateOutcome::Unclear);
        };
        let made = needed(first.resource.clone())?;
        let me = self.client.me(self.attempts()).await?;
        Ok(
            match find_author(sent, &made, &first.modified_by, &me, mark) {
                RevisionAuthor::ThisWrite => CreateOutcome::Ours(Box::new(made)),
                RevisionAuthor::Another => CreateOutcome::Others,
                RevisionAuthor::ThisUser | RevisionAuthor::Unclear => CreateOutcome::Unclear,
            },
        )
    }

    /// Changes the one of that name, whatever it has become, or makes it. [`Resources::create`] and
    /// [`Resources::update_with`] should be preferred.
    ///
    /// It is not sent again once a server may have got it: what somebody else wrote in between would
    /// be overwritten by what is older. With a revision it is an [`Resources::update`]. A server that
    /// has no such method is read, and written conditionally.
    ///
    /// # Errors
    /// [`ClientErrorKind::UnknownOutcome`] if the answer was lost.
    pub async fn upsert(&self, resource: &Resource<S>) -> Result<WrittenResource<S>, ClientError> {
        if !resource.metadata.revision.is_empty() {
            return self.update(resource).await;
        }
        let missing = &self.client.connection.shared().missing;
        let message = resource.to_message()?;
        // Asked once for each release that answers; then the older way is taken at once.
        if !missing.has(Feature::Upsert) {
            let request = pb::UpsertResourceRequest {
                resource: Some(message.clone()),
                strict: self.strict,
                ..Default::default()
            };
            let call = || {
                let (mut service, request) = (self.service(), request.clone());
                async move { service.upsert_resource(request).await }
            };
            match self.once(call).await {
                Ok(answer) => return WrittenResource::answered(answer),
                Err(error) if error.kind() == ClientErrorKind::Unimplemented => {
                    missing.note(Feature::Upsert);
                }
                Err(error) => return Err(error),
            }
        }
        self.upsert_by_hand(message).await
    }

    /// The same on a server that has no such method.
    async fn upsert_by_hand(
        &self,
        message: pb::Resource,
    ) -> Result<WrittenResource<S>, ClientError> {
        let mut attempts = self.attempts();
        let mut own = self.sub_call::<serde_json::Value>(Some(attempts.end()));
        let metadata = message.metadata.clone().unwrap_or_default();
        own.namespace.clone_from(&metadata.namespace);
        let name = if metadata.id.is_empty() {
            &metadata.name
        } else {
            &metadata.id
        };
        // Read and written conditionally, and again if somebody came between.
        loop {
            let mut resource = Resource::<serde_json::Value>::from_message(message.clone())?;
            let written = match own.read(name, plain(&message.version)).await {
                Ok(there) => {
                    let there = needed(there.resource)?.metadata.unwrap_or_default();
                    resource.metadata.revision = there.revision;
                    resource.metadata.id = there.id;
                    own.update(&resource).await
                }
                // By name only: an id that is gone can't be given to a new one.
                Err(error)
                    if error.kind() == ClientErrorKind::NotFound && metadata.id.is_empty() =>
                {
                    own.create(&resource).await
                }
                Err(error) => return Err(error),
            };
            match written {
                Err(error)
                    if matches!(
                        error.kind(),
                        ClientErrorKind::Conflict | ClientErrorKind::Exists
                    ) =>
                {
                    if !attempts.wait_for_next(&error).await {
                        return Err(error);
                    }
                }
                other => return other?.typed(),
            }
        }
    }

    /// Deletes one; with a revision only if it has that one. The task that goes on with it, if there
    /// is one.
    ///
    /// With a revision it is sent again where the connection breaks. Without one it is not, once a
    /// server may have got it: somebody may have made another of that name.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none; [`ClientErrorKind::UnknownOutcome`] if the answer was lost and it can't
    /// be told whether it is gone.
    pub async fn delete(&self, name: &str, revision: &str) -> Result<Option<String>, ClientError> {
        let request = pb::DeleteResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            revision: revision.to_owned(),
        };
        let mut attempts = self.attempts();
        let own = self.sub_call::<S>(Some(attempts.end()));
        let mut lost: Option<ClientError> = None;
        loop {
            let mut service = self.service();
            let error = match attempts
                .attempt(service.delete_resource(request.clone()))
                .await
            {
                // The task is in a header, because the answer to a delete has no message of its
                // own.
                Ok(answer) => {
                    let task = answer.metadata().get("coeval-task");
                    return Ok(task.and_then(|task| task.to_str().ok()).map(str::to_owned));
                }
                Err(error) => error,
            };
            if error.reached() == RequestReach::Perhaps {
                lost.get_or_insert_with(|| error.clone());
            }
            let Some(first) = &lost else {
                if error.is_transient() && attempts.wait_for_next(&error).await {
                    continue;
                }
                return Err(error);
            };
            // After an answer was lost: ours, or somebody else's, but it is gone as was wanted.
            if error.kind() == ClientErrorKind::NotFound {
                return Ok(None);
            }
            if !error.is_transient() {
                let why = format!("then it was refused: {error}");
                return Err(ClientError::unknown(first, &why));
            }
            // Without a revision a second delete could hit a new one of that name; a read does no
            // harm.
            if revision.is_empty() {
                return match own.read(name, "").await {
                    Err(error) if error.kind() == ClientErrorKind::NotFound => Ok(None),
                    _ => Err(ClientError::unknown(first, "one of that name is there")),
                };
            }
            if !attempts.wait_for_next(&error).await {
                return Err(ClientError::unknown(first, "no server answered since then"));
            }
        }
    }
}
