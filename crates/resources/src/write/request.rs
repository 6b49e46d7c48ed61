//! What a write asks for.

use crate::lifecycle::hooks::Hooks;
use crate::resource::Changed;
use crate::tasks::task::Task;
use crate::write::mask::FieldMask;
use crate::write::undeclared::Undeclared;
use coeval_core::decide::StoreAt;
use coeval_core::version::{Version, WriteVersion};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_storage::{Revision, UnixMillis};
use serde_json::Value;
use std::collections::BTreeMap;

/// When content is compared with its schema, and what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// As RDE does: a new resource is not looked at until it is resolved.
    Later,
    /// As RDE does with `resolveEntity`: it is resolved at once, well or not.
    Resolve,
    /// What does not fit is refused.
    Strict,
}

/// A resource to be made.
#[derive(Clone, Debug)]
pub struct Create {
    /// The version of the content.
    pub at: WriteVersion,
    /// Its name.
    pub name: String,
    /// The organization's id; the caller's if nothing is said.
    pub org: Option<String>,
    /// The owner's id; the caller if nothing is said.
    pub owner: Option<String>,
    /// The content.
    pub content: Value,
    /// For finding it.
    pub labels: BTreeMap<String, String>,
    /// Free text.
    pub description: Option<String>,
    /// Free text beside the kind.
    pub sub_kind: Option<String>,
    /// Its name in some other system.
    pub external_id: Option<String>,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// Whether no other resource may have the name.
    pub unique: bool,
    /// When the content is looked at.
    pub checking: Checking,
    /// Whether a task tells of it, which ends when the resource is resolved.
    pub announced: bool,
    /// JSON pointers to all that a file declares, if it comes from one.
    pub applied: Option<Vec<String>>,
    /// What becomes of fields that the version does not declare.
    pub undeclared: Undeclared,
    /// Whether the hook of the type version runs.
    pub hooks: Hooks,
}

impl Create {
    /// With content at a version, refused if it does not fit, and a name of its own.
    #[must_use]
    pub fn new(at: Version, name: impl Into<String>, content: Value) -> Self {
        Self {
            at: WriteVersion::plain(at),
            name: name.into(),
            org: None,
            owner: None,
            content,
            labels: BTreeMap::new(),
            description: None,
            sub_kind: None,
            external_id: None,
            expires: None,
            unique: true,
            checking: Checking::Strict,
            announced: false,
            applied: None,
            undeclared: Undeclared::Warn,
            hooks: Hooks::Run,
        }
    }
}

/// A change of a resource.
#[derive(Clone, Debug)]
pub struct Update {
    /// The revision that was read.
    pub revision: Option<Revision>,
    /// Whether one must be given.
    pub needs_revision: bool,
    /// The version of the content, with its mark if it has one.
    pub at: WriteVersion,
    /// At which version it is to be stored.
    pub store_at: StoreAt,
    /// The content; nothing: it stays.
    pub content: Option<Value>,
    /// Only these fields of it.
    pub mask: Option<FieldMask>,
    /// Metadata.
    pub meta: MetaEdit,
    /// Whether the caller insists.
    pub force: bool,
    /// What happens to content that does not fit.
    pub checking: Checking,
    /// What becomes of fields that the version does not declare.
    pub undeclared: Undeclared,
    /// Whether the hooks of the type version run.
    pub hooks: Hooks,
}

impl Update {
    /// Of the whole content, at a version.
    #[must_use]
    pub fn new(at: Version, content: Value) -> Self {
        Self {
            revision: None,
            needs_revision: false,
            at: WriteVersion::plain(at),
            store_at: StoreAt::Unsaid,
            content: Some(content),
            mask: None,
            meta: MetaEdit::default(),
            force: false,
            checking: Checking::Strict,
            undeclared: Undeclared::Warn,
            hooks: Hooks::Run,
        }
    }

    /// The same, on condition of a revision.
    #[must_use]
    pub fn on(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Refuses one that needs a revision and has none.
    ///
    /// # Errors
    /// Then.
    pub const fn check_revision(&self) -> Result<(), EngineError> {
        if self.needs_revision && self.revision.is_none() && self.mask.is_none() {
            return Err(EngineError::RevisionNeeded);
        }
        Ok(())
    }
}

/// What came of a change.
#[derive(Clone, Debug)]
pub enum Updated {
    /// It is made; the task runs the hook that follows it, if there is one.
    Done(Box<Changed>, Option<Task>),
    /// The task makes it, after a hook.
    Accepted(Task),
}

impl Updated {
    /// The change, unless it waits for a hook.
    #[must_use]
    pub fn done(self) -> Option<Changed> {
        match self {
            Self::Done(changed, _) => Some(*changed),
            Self::Accepted(_) => None,
        }
    }
}

/// What a write says of metadata. What it does not say stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaEdit {
    /// Another name.
    pub name: Option<String>,
    /// It must be nobody else's, also where the type allows namesakes.
    pub unique: bool,
    /// Another owner's id; needs full control.
    pub owner: Option<String>,
    /// All labels.
    pub labels: Option<BTreeMap<String, String>>,
    /// Or none.
    pub description: Option<Option<String>>,
    /// Or none.
    pub sub_kind: Option<Option<String>>,
    /// Or none.
    pub external_id: Option<Option<String>>,
    /// Or never.
    pub expires: Option<Option<UnixMillis>>,
    /// The only one that can be said is *in deletion*.
    pub state: Option<State>,
    /// What its controller says.
    pub message: Option<Option<String>>,
    /// JSON pointers to all that a file declares.
    pub applied: Option<Vec<String>>,
}
