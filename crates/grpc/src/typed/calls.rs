//! The standard methods on the messages of a package.

use super::body::{WrittenResource, shown};
use super::messages as pb;
use crate::api::GrpcState;
use crate::package::compiled::CompiledPackage;
use crate::package::mask::{MaskedFields, mask};
use crate::package::put::put;
use crate::package::refusal::TypedRefusal;
use bytes::Bytes;
use coeval_api::methods::{
    DeleteOutcome, ListParams, MethodError, ResourceBody, ResourceSelector, UpdateMask,
    WriteOutcome,
};
use coeval_engine::{Attempts, Caller, EngineError, Page, Resource, TypeKey};
use coeval_server::ConnectionEnd;
use serde_json::Value;
use std::sync::Arc;

/// How many attempts a write has that loses races.
const ATTEMPTS: usize = 20;

/// One package, for one caller.
#[derive(Clone, Debug)]
pub(super) struct TypedCalls {
    pub(super) api: Arc<GrpcState>,
    pub(super) of: TypeKey,
    pub(super) package: Arc<CompiledPackage>,
    pub(super) caller: Caller,
    pub(super) force: bool,
    pub(super) connection: ConnectionEnd,
}

impl TypedCalls {
    /// What the type is called.
    pub(super) async fn kind(&self) -> Result<String, MethodError> {
        self.api.methods.kind_of(&self.caller, &self.of).await
    }

    /// A resource as the package's message: encoded once for all readers of its class.
    pub(super) async fn shown(&self, resource: &Resource) -> Result<Bytes, MethodError> {
        let engine = self.api.methods.engine();
        let kind = self.kind().await?;
        let org = &resource.header.org;
        let namespace = engine.name_of(&self.caller, org).await?;
        let namespace = namespace.as_deref().unwrap_or(org);
        let layout = &self.package.layout;
        // A caller from whom some versions are hidden has fewer fields.
        let fields = layout.spec.fields.len();
        let form = ("typed", layout.package(), layout.version, fields, &kind);
        let make = |resource: &Resource| shown(&self.package, &kind, namespace, resource);
        Ok(engine.encoded(resource, form, make))
    }

    pub(super) async fn create(
        &self,
        asked: pb::CreateRequest,
    ) -> Result<(WriteOutcome, pb::CreateResponse), TypedRefusal> {
        let said = WrittenResource::read(&self.of, &self.package, asked.resource)?;
        let written = self.make(&said).await?;
        let message = pb::CreateResponse {
            resource: self.shown(&written.resource).await?,
            task: written.task.clone().unwrap_or_default(),
        };
        Ok((written, message))
    }

    async fn make(&self, said: &WrittenResource) -> Result<WriteOutcome, TypedRefusal> {
        let content = match &said.spec {
            None => None,
            Some(spec) => Some(put(&self.package, None, spec)?),
        };
        let caller = said.seen_by(&self.caller, &self.package);
        let made = self
            .api
            .methods
            .create(&caller, &self.of, said.body(content));
        Ok(made.await?)
    }

    pub(super) async fn get(
        &self,
        asked: pb::GetRequest,
    ) -> Result<(Resource, pb::GetResponse), TypedRefusal> {
        let methods = &self.api.methods;
        let found = methods.get(&self.caller, &self.of, &asked.name, &asked.namespace);
        let found = found.await?;
        let resource = self.shown(&found).await?;
        Ok((found, pb::GetResponse { resource }))
    }

    pub(super) async fn list(
        &self,
        asked: pb::ListRequest,
    ) -> Result<(Page, pb::ListResponse), TypedRefusal> {
        let size = usize::try_from(asked.page_size);
        let query = ListParams {
            page_size: size.map_err(|_| TypedRefusal::invalid("page_size is negative"))?,
            page_token: asked.page_token,
            namespace: asked.namespace,
            selector: ResourceSelector {
                filter: asked.filter,
                ..ResourceSelector::default()
            },
            order_by: asked.order_by,
            ..ListParams::default()
        };
        let mut page = self
            .api
            .methods
            .list(&self.caller, &self.of, &query)
            .await?;
        let mut resources = Vec::with_capacity(page.items.len());
        for resource in &page.items {
            resources.push(self.shown(resource).await?);
        }
        let quarantined = page.quarantined.iter();
        let message = pb::ListResponse {
            resources,
            next_page_token: page.next.take().unwrap_or_default(),
            quarantined: quarantined.map(crate::header::quarantined).collect(),
        };
        Ok((page, message))
    }

    pub(super) async fn update(
        &self,
        asked: pb::UpdateRequest,
    ) -> Result<(WriteOutcome, pb::WriteResponse), TypedRefusal> {
        let said = WrittenResource::read(&self.of, &self.package, asked.resource)?;
        let mask = match asked.update_mask {
            None => None,
            Some(paths) => Some(fields(mask(&self.package, &paths.paths)?)?),
        };
        if mask.is_none() && said.meta.revision.is_empty() {
            return Err(EngineError::RevisionNeeded.into());
        }
        // With a mask and without a revision the caller wants these fields changed, whatever else changed: a
        // lost race is repeated on what is there now.
        let mut attempts = Attempts::at_most(ATTEMPTS);
        loop {
            attempts.begin().map_err(EngineError::from)?;
            let written = self.change(&said, mask.as_ref()).await;
            if !self.again(&said, &written) {
                return self.written(written?).await;
            }
        }
    }

    pub(super) async fn upsert(
        &self,
        asked: pb::UpsertRequest,
    ) -> Result<(WriteOutcome, pb::WriteResponse), TypedRefusal> {
        let said = WrittenResource::read(&self.of, &self.package, asked.resource)?;
        if said.spec.is_none() {
            return Err(TypedRefusal::invalid("spec is missing"));
        }
        let mut hidden = None;
        let mut attempts = Attempts::at_most(ATTEMPTS);
        loop {
            attempts.begin().map_err(EngineError::from)?;
            let changed = self.change(&said, None).await;
            // An id or a revision means a resource that was read: if that is gone, none is made in its place.
            match changed {
                Err(TypedRefusal::Method(MethodError::Engine(EngineError::NotFound {
                    ..
                }))) if said.meta.id.is_empty() && said.meta.revision.is_empty() => {}
                changed if self.again(&said, &changed) => continue,
                changed => return self.written(changed?).await,
            }
            if let Some(there) = hidden.take() {
                // It is there, and can't be seen: not made by somebody else meanwhile.
                return Err(TypedRefusal::Method(there));
            }
            match self.make(&said).await {
                Err(TypedRefusal::Method(
                    error @ MethodError::Engine(EngineError::AlreadyExists { .. }),
                )) => hidden = Some(error),
                made => return self.written(made?).await,
            }
        }
    }

    /// Whether somebody else was faster and the caller leaves it to the server to look again.
    fn again(&self, said: &WrittenResource, outcome: &Result<WriteOutcome, TypedRefusal>) -> bool {
        let conflict = outcome.as_ref().is_err_and(TypedRefusal::is_conflict);
        conflict && said.meta.revision.is_empty()
    }

    /// Puts what is said onto what the caller sees, and writes that on the revision that it was
    /// seen at.
    async fn change(
        &self,
        said: &WrittenResource,
        mask: Option<&UpdateMask>,
    ) -> Result<WriteOutcome, TypedRefusal> {
        let methods = &self.api.methods;
        let caller = said.seen_by(&self.caller, &self.package);
        let target = methods.target_of(&caller, &self.of, &said.meta).await?;
        let view = methods.engine().get(&caller, &self.of, &target).await?;
        // A mask of metadata alone needs no content, and none is converted.
        let mut body = match mask {
            Some(mask) if mask.spec.is_empty() => said.body(None),
            mask => self.edited(said, &view, mask.is_some())?,
        };
        // The content was put on this revision and no other; a write in between is a conflict, not an overwrite.
        if body.meta.revision.is_empty() {
            body.meta.revision = view.revision.to_string();
        }
        let written = methods.update(&caller, &self.of, body, mask, self.force);
        Ok(written.await?)
    }

    /// The body that changes what is said and nothing else.
    fn edited(
        &self,
        said: &WrittenResource,
        view: &Resource,
        masked: bool,
    ) -> Result<ResourceBody, TypedRefusal> {
        let none = prost_reflect::DynamicMessage::new(self.package.spec.descriptor.clone());
        let spec = match (&said.spec, masked) {
            (Some(spec), _) => spec,
            // The fields of the mask are to be gone.
            (None, true) => &none,
            (None, false) => return Err(TypedRefusal::invalid("spec is missing")),
        };
        let content: Value = serde_json::from_slice(&view.content).unwrap_or_default();
        let edited = put(&self.package, Some(&content), spec);
        // That it changed meanwhile explains more than what it led to.
        let stale = said
            .meta
            .revision()
            .is_some_and(|said| said != view.revision);
        match edited {
            Err(_) if stale => Err(EngineError::Conflict {
                current: view.revision,
                paths: Vec::new(),
            }
            .into()),
            edited => Ok(said.body(Some(edited?))),
        }
    }

    async fn written(
        &self,
        written: WriteOutcome,
    ) -> Result<(WriteOutcome, pb::WriteResponse), TypedRefusal> {
        let message = pb::WriteResponse {
            resource: self.shown(&written.resource).await?,
            kept: written.kept.clone(),
            dropped: written.dropped.clone(),
            task: written.task.clone().unwrap_or_default(),
        };
        Ok((written, message))
    }

    pub(super) async fn delete(
        &self,
        asked: pb::DeleteRequest,
    ) -> Result<DeleteOutcome, TypedRefusal> {
        let (methods, caller) = (&self.api.methods, &self.caller);
        let target = methods.target(caller, &self.of, &asked.name, &asked.namespace);
        let target = target.await?;
        let deleted = methods.delete(caller, &self.of, &target, &asked.revision, self.force);
        Ok(deleted.await?)
    }
}

/// A mask in the words of the methods.
fn fields(masked: MaskedFields) -> Result<UpdateMask, TypedRefusal> {
    let has = |name: &str| masked.metadata.iter().any(|one| one == name || one == "*");
    let mask = UpdateMask {
        name: has("name"),
        description: has("description"),
        labels: has("labels"),
        expires: has("expires"),
        sub_kind: masked.sub_kind,
        spec: masked.content,
    };
    if mask == UpdateMask::default() {
        Err(TypedRefusal::invalid("the field mask names no field"))
    } else {
        Ok(mask)
    }
}
