//! Changing what was read: conditional on its revision, so that it happens once or not at all.

use crate::error::{ClientError, ClientErrorKind, RequestReach};
use crate::lost_answer::{UpdateOutcome, WriteMark, find_outcome};
use crate::mask::apply;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::written_resource::WrittenResource;
use coeval_proto::resources::v1 as pb;
use coeval_releases::Feature;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tonic::Response;

/// How an update ended well.
enum UpdateEnd {
    Answered(Box<Response<pb::UpdateResourceResponse>>),
    /// The answer was lost; this is what it made.
    Found(Box<pb::Resource>),
    /// The answer was lost; this user made what was to be made, perhaps with another client.
    Same(Box<pb::Resource>, ClientError),
}

/// A lost race: somebody else changed it first.
fn conflict(lost: &ClientError) -> ClientError {
    let message = format!("another write came first; the answer to this one was lost ({lost})");
    let advice = "Read it again, apply the change to that, and write.";
    ClientError::new(ClientErrorKind::Conflict, message, advice)
}

/// By its id, if that is known: a name may be given to another one.
fn named<'a>(id: &'a str, name: &'a str) -> &'a str {
    if id.is_empty() { name } else { id }
}

/// A version without the mark that its view is not whole.
pub(crate) fn plain(version: &str) -> &str {
    version.split('+').next().unwrap_or_default()
}

impl<S: Serialize + DeserializeOwned> Resources<S> {
    /// Changes one that was read: all that its version can express. The rest stays.
    ///
    /// It is sent again where the connection breaks: on condition of its revision it can't happen
    /// twice.
    ///
    /// # Errors
    /// [`ClientErrorKind::Conflict`] if it has another revision by now; [`ClientErrorKind::UnknownOutcome`] if the answer was
    /// lost and nobody can tell what came of it.
    pub async fn update(&self, resource: &Resource<S>) -> Result<WrittenResource<S>, ClientError> {
        match self.conditional(resource.to_message()?, None).await? {
            UpdateEnd::Answered(answer) => WrittenResource::answered(*answer),
            // It is what it was to be, whoever made it.
            UpdateEnd::Found(made) | UpdateEnd::Same(made, _) => {
                WrittenResource::found(*made, false)
            }
        }
    }

    /// Reads one, changes it and writes it; where somebody else was faster it reads again and changes
    /// that. So `change` may be called several times. If it changes nothing, nothing is written.
    ///
    /// The change is made once. If an answer is lost, what came of it is looked up; where the same
    /// user may have written the same with another client, and changing it once more would not be the
    /// same, that is told rather than guessed. [`Resources::marking`] makes it sure.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none; [`ClientErrorKind::Conflict`] if others were faster all the time;
    /// [`ClientErrorKind::UnknownOutcome`] if an answer was lost and nobody can tell what came of it.
    pub async fn update_with(
        &self,
        name: &str,
        mut change: impl FnMut(&mut Resource<S>),
    ) -> Result<WrittenResource<S>, ClientError> {
        let mut attempts = self.attempts();
        // All calls of this update share its time.
        let own = self.sub_call::<S>(Some(attempts.end()));
        loop {
            let mut resource = own.get(name).await?;
            let before = resource.to_message()?;
            change(&mut resource);
            let mut after = resource.to_message()?;
            // Compared as messages: what the type can't show is the same on both sides.
            if before == after {
                return Ok(WrittenResource::unchanged(resource));
            }
            let mark = self.add_mark(&mut after);
            match own.conditional(after, mark.as_ref()).await {
                Ok(UpdateEnd::Answered(answer)) => return WrittenResource::answered(*answer),
                Ok(UpdateEnd::Found(made)) => return WrittenResource::found(*made, false),
                Ok(UpdateEnd::Same(made, lost)) => {
                    // It looks like ours. If applying the change again alters nothing, it does not
                    // matter whose it is.
                    let mut there = Resource::from_message((*made).clone())?;
                    change(&mut there);
                    let changed = there.to_message()?;
                    return if Resource::<S>::from_message((*made).clone())?.to_message()? == changed
                    {
                        WrittenResource::found(*made, false)
                    } else {
                        Err(ClientError::unknown(
                            &lost,
                            "this user wrote the same at that time, perhaps with another client",
                        ))
                    };
                }
                Err(error) if error.kind() == ClientErrorKind::Conflict => {
                    if !attempts.wait_for_next(&error).await {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts a value that no other write has into the label that marks writes, if there is one.
    pub(crate) fn add_mark(&self, message: &mut pb::Resource) -> Option<WriteMark> {
        let label = self.mark.clone()?;
        // 128 bits that nobody else draws.
        let value = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let metadata = message.metadata.get_or_insert_default();
        metadata.labels.insert(label.clone(), value.clone());
        Some((label, value))
    }

    /// Sends an update until it is known what came of it.
    async fn conditional(
        &self,
        sent: pb::Resource,
        mark: Option<&WriteMark>,
    ) -> Result<UpdateEnd, ClientError> {
        let request = pb::UpdateResourceRequest {
            resource: Some(sent.clone()),
            applied: self.applied(),
            strict: self.strict,
            ..Default::default()
        };
        let mut attempts = self.attempts();
        let mut lost: Option<ClientError> = None;
        loop {
            let mut service = self.service();
            let error = match attempts
                .attempt(service.update_resource(request.clone()))
                .await
            {
                Ok(answer) => return Ok(UpdateEnd::Answered(Box::new(answer))),
                Err(error) => error,
            };
            if error.reached() == RequestReach::Perhaps {
                lost.get_or_insert_with(|| error.clone());
            }
            let Some(first) = &lost else {
                // Nothing was done, and nothing is under way.
                if error.is_transient() && attempts.wait_for_next(&error).await {
                    continue;
                }
                return Err(error);
            };
            // A conflict may be one with our own write, which was answered into the void.
            // Any other refusal did nothing, so the revisions have nothing new to tell.
            let looks = error.reached() == RequestReach::Perhaps
                || error.kind() == ClientErrorKind::Conflict;
            let came = if looks {
                self.look_up_outcome(&sent, mark).await
            } else {
                Ok(UpdateOutcome::NotYet)
            };
            match came {
                Ok(UpdateOutcome::Done(made)) => return Ok(UpdateEnd::Found(made)),
                Ok(UpdateOutcome::Same(made)) => return Ok(UpdateEnd::Same(made, first.clone())),
                Ok(UpdateOutcome::Others) => return Err(conflict(first)),
                Ok(UpdateOutcome::Unclear(why)) => return Err(ClientError::unknown(first, why)),
                Err(error) => {
                    let why = format!("what came of it can't be read: {error}");
                    return Err(ClientError::unknown(first, &why));
                }
                // It may still be on its way, so it is sent again: on condition of its revision it
                // happens once at most.
                Ok(UpdateOutcome::NotYet) => {
                    let again = error.is_transient() || error.kind() == ClientErrorKind::Conflict;
                    if !again || !attempts.wait_for_next(&error).await {
                        let why = format!("it was not done so far ({error})");
                        return Err(ClientError::unknown(first, &why));
                    }
                }
            }
        }
    }

    /// Looks up what came of an update.
    async fn look_up_outcome(
        &self,
        sent: &pb::Resource,
        mark: Option<&WriteMark>,
    ) -> Result<UpdateOutcome, ClientError> {
        let metadata = sent.metadata.clone().unwrap_or_default();
        let name = named(&metadata.id, &metadata.name);
        let mut own = self.sub_call::<S>(Some(self.attempts().end()));
        own.namespace.clone_from(&metadata.namespace);
        let version = plain(&sent.version);
        let kept = match own.kept_revisions(name, version).await {
            Ok(kept) => kept.revisions,
            // Deleted since then; whether ours came before can't be seen any more.
            Err(error) if error.kind() == ClientErrorKind::NotFound => {
                return Ok(UpdateOutcome::Unclear("the resource is gone since then"));
            }
            Err(error) if error.kind() == ClientErrorKind::Unimplemented => {
                // An older server keeps no revisions for us to see; the present one says at least
                // whether anything came.
                let there = own.read(name, version).await?.resource.unwrap_or_default();
                let there = there.metadata.unwrap_or_default().revision;
                return Ok(if there == metadata.revision {
                    UpdateOutcome::NotYet
                } else {
                    UpdateOutcome::Unclear("the server is too old to tell its revisions")
                });
            }
            Err(error) => return Err(error),
        };
        let me = self.client.me(self.attempts()).await?;
        Ok(find_outcome(sent, &kept, &me, mark))
    }

    /// Changes the fields of a mask, and no others: `spec.image`, `metadata.labels`. The server merges
    /// them into what is there. With a revision only if it has that one.
    ///
    /// Without a revision it is not sent again once a server may have got it: somebody else's newer
    /// value would be overwritten. A server that has no masks is read, and written conditionally.
    ///
    /// # Errors
    /// [`ClientErrorKind::NotFound`] if there is none.
    pub async fn update_fields(
        &self,
        resource: &Resource<S>,
        mask: &[&str],
    ) -> Result<WrittenResource<S>, ClientError> {
        let shared = self.client.connection.shared();
        let message = resource.to_message()?;
        if !shared.missing.has(Feature::UpdateMask) {
            let request = pb::UpdateResourceRequest {
                resource: Some(message.clone()),
                update_mask: Some(prost_types::FieldMask {
                    paths: mask.iter().map(|&path| path.to_owned()).collect(),
                }),
                applied: self.applied(),
                strict: self.strict,
                ..Default::default()
            };
            let call = || {
                let (mut service, request) = (self.service(), request.clone());
                async move { service.update_resource(request).await }
            };
            match self.once(call).await {
                Ok(answer) => return WrittenResource::answered(answer),
                Err(error) if error.kind() == ClientErrorKind::Unimplemented => {
                    shared.missing.note(Feature::UpdateMask);
                }
                Err(error) => return Err(error),
            }
        }
        self.fields_by_hand(resource, &message, mask).await
    }

    /// The same on a server that has no masks.
    async fn fields_by_hand(
        &self,
        resource: &Resource<S>,
        message: &pb::Resource,
        mask: &[&str],
    ) -> Result<WrittenResource<S>, ClientError> {
        let metadata = &resource.metadata;
        let mut own = self.sub_call::<Value>(Some(self.attempts().end()));
        // Where the resource says it; else where the handle points.
        if !metadata.namespace.is_empty() {
            own.namespace.clone_from(&metadata.namespace);
        }
        if !resource.version.is_empty() {
            own.version = plain(&resource.version).to_owned();
        }
        let name = named(&metadata.id, &metadata.name);
        // With a revision nothing is tried again: the caller wants to know of a lost race.
        if !metadata.revision.is_empty() {
            let mut there = own.get(name).await?;
            if there.metadata.revision != metadata.revision {
                let advice = "Read it again, apply the change to that, and write.";
                let message = "the resource has another revision by now";
                return Err(ClientError::new(ClientErrorKind::Conflict, message, advice));
            }
            apply(mask, message, &mut there)?;
            return own.update(&there).await?.typed();
        }
        // An `FnMut` can't fail, so the refusal is carried around it.
        let mut refused = None;
        let change = |there: &mut Resource| refused = apply(mask, message, there).err();
        let written = own.update_with(name, change).await;
        match refused {
            Some(refused) => Err(refused),
            None => written?.typed(),
        }
    }

    /// A write that is sent again only while no server has got it.
    pub(crate) async fn once<T, F>(
        &self,
        mut call: impl FnMut() -> F,
    ) -> Result<Response<T>, ClientError>
    where
        F: Future<Output = Result<Response<T>, tonic::Status>>,
    {
        let mut attempts = self.attempts();
        loop {
            let error = match attempts.attempt(call()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.reached() == RequestReach::Perhaps {
                return Err(ClientError::unknown(
                    &error,
                    "sending it again could overwrite what others wrote since then",
                ));
            }
            if !error.is_transient() || !attempts.wait_for_next(&error).await {
                return Err(error);
            }
        }
    }
}
