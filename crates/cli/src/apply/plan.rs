//! What applying a file would do, found out without writing anything.

use super::error::ApplyError;
use crate::calls::{self, AppliedResource, ResourceTarget, as_file, unmarked};
use crate::context::ClientSession;
use crate::files::DeclaredResource;
use crate::merge::{self, ContentChange, MergeBase, MergeConflict, differences, three_way};
use coeval_client::{ClientError, Resource};
use coeval_core::types::same;
use coeval_core::version::WriteVersion;
use coeval_proto::resources::v1::Applied;
use serde_json::Value;

/// What is to be done with one resource.
#[derive(Clone, Debug)]
pub(crate) struct ApplyPlan {
    /// Which.
    pub(crate) target: ResourceTarget,
    /// As it is, at the file's version; nothing: it is to be made.
    pub(crate) live: Option<Resource>,
    /// As it is to be.
    pub(crate) body: Resource,
    /// What differs, content first.
    pub(crate) changes: Vec<ContentChange>,
    /// What of that overrides what somebody else did.
    pub(crate) conflicts: Vec<MergeConflict>,
    /// What the file declares. Every write carries it, so that it is known which revision is the
    /// file's own.
    pub(crate) applied: Applied,
    /// Whether the server knows that already.
    pub(crate) noted: bool,
    /// The file is of another revision than the present one.
    pub(crate) stale: bool,
    /// What people should know.
    pub(crate) notes: Vec<String>,
}

impl ApplyPlan {
    /// The version that is spoken of.
    pub(crate) fn version(&self) -> &str {
        unmarked(&self.body.version)
    }

    /// The version that it is stored at, where that is another.
    pub(crate) fn stored(&self) -> Option<&str> {
        stored(self.live.as_ref()?)
    }

    /// Why it must not be done without force.
    pub(crate) fn refusal(&self) -> Option<ApplyError> {
        let name = self.target.to_string();
        if self.stale {
            let present = self.live.as_ref().map(|live| &live.metadata.revision);
            return Some(ApplyError::OldRevision {
                name,
                said: self.body.metadata.revision.clone(),
                present: present.cloned().unwrap_or_default(),
            });
        }
        let paths = self.conflicts.iter().map(|conflict| conflict.path.clone());
        let paths: Vec<_> = paths.collect();
        (!paths.is_empty()).then_some(ApplyError::Drift { name, paths })
    }

    /// As YAML, before and after.
    ///
    /// # Errors
    /// If one of them can't be said as JSON.
    pub(crate) fn texts(&self) -> Result<(String, String), ClientError> {
        let text = |resource: &Resource| as_file(resource).map(|file| crate::yaml::text(&file));
        let before = self.live.as_ref().map(text).transpose()?;
        Ok((before.unwrap_or_default(), text(&self.body)?))
    }
}

/// The version that a resource is stored at, where the view is of another.
pub(crate) fn stored(view: &Resource) -> Option<&str> {
    let stored = view.status.as_ref()?.stored_version.as_str();
    // Compared as versions: `v1` and `v1.0` are the same, but not as text.
    let differs = match (
        WriteVersion::parse(stored),
        WriteVersion::parse(&view.version),
    ) {
        (Ok(stored), Ok(shown)) => stored.version() != shown.version(),
        _ => stored != view.version,
    };
    (!stored.is_empty() && differs).then_some(stored)
}

/// Which resource a file means.
pub(crate) fn target(session: &ClientSession, file: &DeclaredResource) -> ResourceTarget {
    let namespace = match file.namespace.as_str() {
        "" => session.namespace.clone(),
        said => said.to_owned(),
    };
    ResourceTarget {
        kind: file.kind.clone(),
        namespace,
        name: file.name.clone(),
    }
}

/// What applying it would do.
///
/// # Errors
/// If the resource can't be read at the file's version, or not be written back there.
pub(crate) async fn plan(
    session: &ClientSession,
    file: &DeclaredResource,
) -> Result<ApplyPlan, ApplyError> {
    let target = target(session, file);
    let failed = |error: ClientError| ApplyError::Client {
        name: target.to_string(),
        error,
    };
    // At the file's version, so that both sides of every comparison have the same fields.
    let found = match session.find(&target, &file.version).await {
        Ok(found) => found,
        Err(error) if calls::is_absent(&error) => {
            // Without a version nobody can say what the content of a new one means.
            return if file.version.is_empty() {
                Err(ApplyError::NoVersion {
                    name: target.to_string(),
                })
            } else {
                Ok(plan_creation(target, file))
            };
        }
        Err(error) => return Err(failed(error)),
    };
    // What is shown is a stand-in, and writing it back would replace the content by it.
    if let Some(status) = &found.resource.status
        && !status.restricted.is_empty()
    {
        return Err(ApplyError::Restricted {
            name: target.to_string(),
            version: found.resource.version.clone(),
            reason: status.restricted.clone(),
        });
    }
    plan_update(session, target.clone(), file, found)
        .await
        .map_err(failed)
}

fn plan_creation(target: ResourceTarget, file: &DeclaredResource) -> ApplyPlan {
    let mut body = file.to_resource();
    body.metadata.namespace.clone_from(&target.namespace);
    let applied = declared(&body, &file.spec);
    ApplyPlan {
        target,
        live: None,
        // One change for all of it: a new resource has no fields that could differ.
        changes: vec![ContentChange {
            path: String::new(),
            from: None,
            to: Some(body.spec.clone()),
        }],
        body,
        conflicts: Vec::new(),
        applied,
        noted: false,
        stale: false,
        notes: Vec::new(),
    }
}

fn declared(body: &Resource, spec: &Value) -> Applied {
    Applied {
        paths: merge::declared(spec),
        version: unmarked(&body.version).to_owned(),
        ..Applied::default()
    }
}

async fn plan_update(
    session: &ClientSession,
    target: ResourceTarget,
    file: &DeclaredResource,
    found: AppliedResource,
) -> Result<ApplyPlan, ClientError> {
    let live = found.resource;
    let mut notes = Vec::new();
    let known = found.applied.is_some();
    // Applied never: then the file takes nothing back.
    let applied = found.applied.unwrap_or_default();
    let declared = declared(&live, &file.spec);
    let paths = match applied.version.as_str() {
        // The paths are of another version's content, and may mean something else here.
        version if known && version != unmarked(&live.version) => {
            notes.push(format!(
                "{target} was applied at {version} before: what the file no longer says at {} stays",
                unmarked(&live.version)
            ));
            &[]
        }
        _ => applied.paths.as_slice(),
    };
    // Without the content of then, which is read only if there is a change to judge.
    let base = MergeBase { paths, then: None };
    let mut merged = three_way(base, &live.spec, &file.spec);
    let stale = !file.revision.is_empty() && file.revision != live.metadata.revision;
    // The old revision is read only if something would change, and somebody may have changed
    // something since.
    if !merged.changes.is_empty() && (stale || known) {
        let (kept, _) = session.earlier(&target, unmarked(&live.version)).await?;
        let mut kept = kept.into_iter();
        let then = kept.find(|one| {
            if stale {
                one.resource.metadata.revision == file.revision
            } else {
                one.generation == applied.generation
            }
        });
        // By the revision if the file names one, else by the generation of the last apply.
        match then {
            Some(then) => {
                let then = Some(&then.resource.spec);
                merged = three_way(MergeBase { paths, then }, &live.spec, &file.spec);
            }
            None if stale => notes.push(format!(
                "{target}: the revision of the file is no longer kept, so it can't be told what \
                 others have changed since"
            )),
            None => notes.push(format!(
                "{target}: the revision of the last apply is no longer kept, so it can't be told \
                 what others have changed since"
            )),
        }
    }
    // Begins with what is there: the server's own fields and other people's stay.
    let mut body = live.clone();
    body.spec = merged.result;
    // What the file says of labels, description and expiry; the rest of the metadata stays.
    file.declare(&mut body.metadata);
    if let Some(sub_kind) = &file.sub_kind {
        body.sub_kind.clone_from(sub_kind);
    }
    let mut changes = merged.changes;
    changes.extend(metadata_changes(&live, &body)?);
    // The server has to be told only what it does not know.
    let same = applied.paths == declared.paths && applied.version == declared.version;
    let noted = known && same;
    // The refusal has to name the revision that the file says.
    if stale {
        body.metadata.revision.clone_from(&file.revision);
    }
    Ok(ApplyPlan {
        target,
        live: Some(live),
        body,
        changes,
        conflicts: merged.conflicts,
        applied: declared,
        noted,
        stale,
        notes,
    })
}

/// What changes around the content.
fn metadata_changes(live: &Resource, body: &Resource) -> Result<Vec<ContentChange>, ClientError> {
    let without_spec = |resource: &Resource| {
        let mut file = as_file(resource)?;
        if let Some(map) = file.as_object_mut() {
            map.remove("spec");
        }
        Ok::<_, ClientError>(file)
    };
    // The content is merged already; what is left is the metadata.
    let (before, after) = (without_spec(live)?, without_spec(body)?);
    if same(&before, &after) {
        return Ok(Vec::new());
    }
    let mut changes = differences(&before, &after);
    for change in &mut changes {
        // Paths into the content begin with a slash; these do not.
        change.path = change.path.trim_start_matches('/').to_owned();
    }
    Ok(changes)
}
