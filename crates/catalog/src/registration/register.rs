//! Registering a type version: what kind of change it is, whether its laws hold, and one atomic
//! write.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::annotations::annotating;
use crate::registration::bundles::TypeBundles;
use crate::registration::type_behaviors;
use crate::types::annotations::Annotations;
use crate::types::definition::{Definition, Meta};
use crate::types::phase;
use crate::types::state::TypeState;
use bytes::Bytes;
use coeval_access::AccessLevel;
use coeval_access::inheritance::{self, DeclaredInheritance, InheritedAcl};
use coeval_codes::Coded;
use coeval_core::compat::{self, ChangeKind, HistoryCheck};
use coeval_core::convert::Versions;
use coeval_core::phases::PhaseRecord;
use coeval_core::types::{RemoteRefs, TypeVersion, TypeVersionId, without_annotations};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::finding::Finding;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, RecordPut, StorageError, WriteAction, WriteCondition};
use std::sync::Arc;

/// What happens to a version whose bump is too small, or whose laws don't hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It is refused.
    #[default]
    Refuse,
    /// It is registered and marked *unproven*.
    Warn,
}

/// A type version to be registered.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The type file, YAML or JSON, with one document.
    pub file: String,
    /// What happens if something is found.
    pub policy: Policy,
    /// An undecided change is accepted, if no stored resource fails.
    pub accept_undecided: bool,
    /// From which version the ACL comes.
    pub inherit: DeclaredInheritance,
    /// Its name in some other system.
    pub external_id: Option<String>,
    /// See [`coeval_access`].
    pub max_implicit_right: Option<AccessLevel>,
}

impl Registration {
    /// With the defaults.
    #[must_use]
    pub fn of(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            policy: Policy::Refuse,
            accept_undecided: false,
            inherit: DeclaredInheritance::Absent,
            external_id: None,
            max_implicit_right: None,
        }
    }

    /// The same, registered whatever is found.
    #[must_use]
    pub fn warn(mut self) -> Self {
        self.policy = Policy::Warn;
        self
    }
}

/// What a registration led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// Which.
    pub id: TypeVersionId,
    /// The version that it was compared with first.
    pub parent: Option<Version>,
    /// Whether it is marked so.
    pub unproven: bool,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Where its ACL comes from; nothing if it was there before.
    pub inherits: Option<InheritedAcl>,
}

/// What the checks say.
#[derive(Debug)]
pub struct Judged {
    pub parent: Option<Version>,
    pub findings: Vec<Finding>,
    pub undecided: bool,
    /// Whether it says how it comes from its parent.
    pub converts: bool,
}

/// How many made-up documents the laws are checked on.
const DOCUMENTS: usize = 100;

impl Catalog {
    /// Registers a type version. If it is there and differs in nothing but its annotations, those are
    /// taken over.
    ///
    /// # Errors
    /// With the findings, if it is refused.
    pub async fn register(
        &self,
        caller: &Caller,
        registration: Registration,
        bundles: &dyn TypeBundles,
    ) -> Result<Registered, EngineError> {
        let (version, of) = self.registrable(caller, &registration)?;
        let again = self.annotate_again(caller, &registration, &version, &of);
        if let Some(done) = again.await? {
            return Ok(done);
        }
        self.register_version(caller, &registration, version, &of, false, bundles)
            .await
    }

    /// Registers a type version that is not there; one that is stays as it is.
    pub async fn register_absent(
        &self,
        caller: &Caller,
        registration: Registration,
        bundles: &dyn TypeBundles,
    ) -> Result<Registered, EngineError> {
        let (version, of) = self.registrable(caller, &registration)?;
        self.register_version(caller, &registration, version, &of, false, bundles)
            .await
    }

    pub async fn register_version(
        &self,
        caller: &Caller,
        registration: &Registration,
        version: Arc<TypeVersion>,
        of: &TypeKey,
        built_in: bool,
        bundles: &dyn TypeBundles,
    ) -> Result<Registered, EngineError> {
        // A link comes back as it was, and is not judged anew
        // (docs/decisions/0005-retired-versions.md).
        if let Some(revived) = self
            .revive(caller, registration, &version, of, bundles)
            .await?
        {
            return Ok(revived);
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            // In each attempt: who lost a race has other versions beside it, and is judged against
            // them.
            let (state, mut judged) = self.judge_new(&version, of).await?;
            let state = state.as_deref();
            let unproven = refusal(&judged, registration, &version.id)?;
            // Part of the same write, so that two registrations can't give out one field number.
            let typed = self.typed_outcome(of, state, &version, unproven).await?;
            judged.findings.extend(typed.findings);
            let definitions = state.into_iter().flat_map(|state| state.definitions.keys());
            let inherits = inheritance::inherits_from(
                definitions.copied(),
                version.id.version,
                registration.inherit,
            )?;
            let inherits = (state, inherits);
            let meta = self.meta(caller, registration, inherits, &version, &judged, unproven);
            let inherits = Some(inherits.1);
            let meta = Meta { built_in, ..meta }.linked(state, &version);
            // 0.1.0 reads type files strictly: annotations are stored in a record of their own.
            let file = Bytes::from(without_annotations(&registration.file));
            // Of a type that is not there nothing can be there, except for what a server that knows
            // no retired versions left behind.
            let before = match state {
                Some(_) => WriteCondition::NotExists,
                None => WriteCondition::Whatever,
            };
            let mut write = self
                .registering(caller, of, state, &version, &meta, &file, before, bundles)
                .await?;
            write.steps.extend(typed.steps);
            let annotations = annotating(of, &version, &meta, &Annotations::default())?;
            write.steps.extend(annotations);
            let head = keys::type_version(of, version.id.version)?;
            if unless_raced(self.commit(&head, write).await)?.is_some() {
                return Ok(Registered {
                    id: version.id.clone(),
                    parent: judged.parent,
                    unproven,
                    findings: judged.findings,
                    inherits,
                });
            }
        }
    }

    pub fn meta(
        &self,
        caller: &Caller,
        registration: &Registration,
        (state, inherits): (Option<&TypeState>, InheritedAcl),
        version: &TypeVersion,
        judged: &Judged,
        unproven: bool,
    ) -> Meta {
        let definitions = || state.into_iter().flat_map(|state| &state.definitions);
        let from = inherits.version();
        let inherited = definitions().find(|(version, _)| Some(**version) == from);
        let acl = inherited.map(|(_, definition)| &definition.meta.acl);
        let retired = state.into_iter().flat_map(|state| &state.retired);
        // Retired ones too: the order of registration decides who is whose parent.
        let all = definitions().chain(retired);
        let numbers = all.map(|(_, definition)| definition.meta.number + 1);
        Meta {
            number: numbers.max().unwrap_or_default(),
            unproven,
            built_in: false,
            editing: false,
            retired: false,
            after_link: false,
            created: self.now(),
            created_by: caller.user().to_owned(),
            acl: inheritance::new_version_acl(acl, caller.user()),
            inherited_version: match registration.inherit {
                DeclaredInheritance::Absent => None,
                DeclaredInheritance::Nothing => Some("0".to_owned()),
                DeclaredInheritance::From(version) => Some(version.to_string()),
            },
            external_id: registration.external_id.clone(),
            max_implicit_right: registration.max_implicit_right,
            findings: judged.findings.clone(),
            overrides: Vec::new(),
            behavior_access: match inherited {
                Some((_, definition)) => {
                    type_behaviors::inherited(&definition.meta.behavior_access, version)
                }
                None => Vec::new(),
            },
        }
    }

    /// The atomic write of a new version: its record, the phase record with a new revision, and
    /// with the first version the type's rights bundle.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of them are what a registration is made of"
    )]
    pub(crate) async fn registering(
        &self,
        caller: &Caller,
        of: &TypeKey,
        state: Option<&TypeState>,
        version: &TypeVersion,
        meta: &Meta,
        file: &Bytes,
        own_before: WriteCondition,
        bundles: &dyn TypeBundles,
    ) -> Result<AtomicWrite, EngineError> {
        // Rewritten as it is: its new revision makes every server load the type again.
        let phase = state.map_or_else(PhaseRecord::first, |state| state.phase.clone());
        let open = state.and_then(|state| state.open);
        // Of two first versions of a type one is written; the other is judged against it.
        let before = state.map_or(WriteCondition::NotExists, |state| {
            WriteCondition::RevisionIs(state.phase_revision)
        });
        let put = WriteAction::Put(RecordPut::of(phase::encode(&phase, open)?));
        let definition = WriteAction::Put(RecordPut::of(Definition::encode(meta, file)?));
        let own = keys::type_version(of, version.id.version)?;
        let mut write = AtomicWrite::new().step(&own, own_before, definition).step(
            &keys::phase(of)?,
            before,
            put,
        );
        // An interface that is changed or deleted meanwhile makes the write fail.
        for interface in &version.interfaces {
            let (key, revision) = self.interface_condition(interface).await?;
            write = write.when(&key, WriteCondition::RevisionIs(revision));
        }
        // The engine's own kinds have no rights of their own.
        if state.is_none() && &*of.vendor != crate::kinds::VENDOR {
            write.steps.extend(bundles.bundle_steps(caller, of).await?);
        }
        let mut deed = Deed::of_type(What::RegisterType, &version.id);
        deed.note = told(&meta.findings);
        write.steps.push(self.audit_step(caller, &deed)?);
        Ok(write)
    }

    /// What kind of change it is, and whether conversions and laws hold, on made-up documents and
    /// on what is stored. `instead`: this version is there and is to be replaced.
    pub(crate) async fn judge_version(
        &self,
        state: Option<&TypeState>,
        version: &Arc<TypeVersion>,
        instead: Option<Version>,
    ) -> Result<Judged, EngineError> {
        let definitions = state
            .into_iter()
            .flat_map(|state| state.definitions.values().chain(state.retired.values()));
        let mut others: Vec<&Definition> = definitions
            .filter(|definition| Some(definition.version) != instead)
            .collect();
        // In the order of registration, which decides the parent of one that names none.
        others.sort_by_key(|definition| definition.meta.number);
        let parent = version.conversion.as_ref().map(|one| one.from);
        // A retired version is one of the tree, and nobody's promise any more.
        let promised = |one: &&&Definition| !one.meta.retired || Some(one.version) == parent;
        let loaded = |one: &&Definition| one.loaded.as_ref().ok().cloned();
        let history: Vec<Arc<TypeVersion>> =
            others.iter().filter(promised).filter_map(loaded).collect();
        let tree: Vec<Arc<TypeVersion>> = others.iter().filter_map(loaded).collect();
        // A name is unique in all of a type or not at all: there is one rule for all its versions.
        if let Some(other) = history
            .iter()
            .find(|one| one.unique_names != version.unique_names)
        {
            return Err(EngineError::TypeRefused {
                what: format!(
                    "uniqueNames is {} in version {}, and must be the same in all versions",
                    other.unique_names, other.id.version
                ),
            });
        }
        let new = Arc::clone(version);
        // A proof may take long, and requests are served on this thread.
        let checked = blocking(move || {
            let checked = compat::check(history.iter().map(|one| &**one), &new);
            let mut all = tree;
            all.push(Arc::clone(&new));
            (checked, Versions::new(all).map(Arc::new))
        })
        .await?;
        let (checked, versions) = checked;
        let versions = versions.map_err(|error| EngineError::TypeRefused {
            what: error.to_string(),
        })?;
        let mut findings = unknown_parts(version);
        findings.extend(bad_list_keys(version));
        findings.extend(compared(&checked));
        let (own, at) = (Arc::clone(&versions), version.id.version);
        findings.extend(blocking(move || conversion_findings(&own, at)).await?);
        let undecided = checked.kind() == ChangeKind::Undecided;
        if let Some(state) = state {
            // Last, because it alone reads resources, and there may be many.
            let stored = self.stored_findings(state, &versions, at).await?;
            findings.extend(stored);
        }
        Ok(Judged {
            parent: checked.parent,
            findings,
            undecided,
            converts: version.conversion.is_some(),
        })
    }
}

/// A reference that leads out of the schema is refused, or stands for anything and is a finding.
pub fn parse(registration: &Registration) -> Result<TypeVersion, EngineError> {
    let remote = match registration.policy {
        Policy::Refuse => RemoteRefs::Refused,
        Policy::Warn => RemoteRefs::Anything,
    };
    TypeVersion::parse_with(&registration.file, remote)
        .map_err(|error| EngineError::TypeFile(Box::new(error)))
}

/// Where nobody knows what the schema says, and so nothing is proven.
fn unknown_parts(version: &TypeVersion) -> Vec<Finding> {
    let refs = version.schema.remote_refs().iter();
    let found = refs.map(|found| Finding {
        rule: coeval_codes::SCHEMA_REF_REMOTE.to_string(),
        against: None,
        path: found.pointer.clone(),
        message: format!(
            "the reference {:?} leads out of the schema and is never followed: anything fits there",
            found.reference
        ),
        refuses: true,
        witness: None,
    });
    found.collect()
}

/// Keys of lists that can't be meant.
fn bad_list_keys(version: &TypeVersion) -> Vec<Finding> {
    let flaws = version.schema.list_key_flaws().into_iter();
    let found = flaws.map(|flaw| Finding {
        rule: flaw.code().to_string(),
        against: None,
        message: format!("{flaw}; {}", flaw.advice()),
        path: flaw.pointer,
        refuses: true,
        witness: None,
    });
    found.collect()
}

/// Lists in which an edit of an item can be refused, for want of a key.
fn keyless_lists(versions: &Versions, at: Version) -> Vec<Finding> {
    let lists = versions.keyless_lists(at).into_iter();
    let found = lists.map(|list| Finding {
        rule: list.code().to_string(),
        against: versions.parent(at).map(|parent| parent.to_string()),
        path: list.list.to_string(),
        message: list.to_string(),
        refuses: false,
        witness: None,
    });
    found.collect()
}

/// What stands in the way of a version, for the audit.
pub fn told(findings: &[Finding]) -> Option<String> {
    let refusing = findings.iter().filter(|finding| finding.refuses);
    let sentences: Vec<&str> = refusing.map(|finding| finding.message.as_str()).collect();
    (!sentences.is_empty()).then(|| coeval_records::text::short(&sentences.join("; ")))
}

/// Whether it is to be marked unproven; an error if it is refused.
pub fn refusal(
    judged: &Judged,
    registration: &Registration,
    id: &TypeVersionId,
) -> Result<bool, EngineError> {
    let fails = |finding: &&Finding| finding.refuses;
    // Only the doubt itself is accepted: what was proven to break still refuses.
    let excused = |finding: &&Finding| {
        registration.accept_undecided && judged.undecided && finding.rule == UNDECIDED
    };
    let refusing: Vec<&Finding> = judged
        .findings
        .iter()
        .filter(|finding| fails(finding) && !excused(finding))
        .collect();
    let Some(first) = refusing.first() else {
        return Ok(false);
    };
    // Nobody ever sees more through a conversion than before. Where none is declared a field stays
    // at its place, and the strongest mark that any version gives it holds for all of them.
    let weakens = judged.converts
        && refusing
            .iter()
            .any(|finding| finding.rule == coeval_codes::CONVERSION_WEAKENS.to_string());
    if registration.policy == Policy::Warn && !weakens {
        return Ok(true);
    }
    let more = match refusing.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    Err(EngineError::Incompatible {
        id: id.clone(),
        summary: format!("{}{more}", first.message),
        findings: judged.findings.clone(),
    })
}

/// The rule of a finding that says that nothing could be proven.
const UNDECIDED: &str = "undecided";

fn compared(checked: &HistoryCheck) -> Vec<Finding> {
    let mut findings = Vec::new();
    // With a bump that is large enough, all that is found is only told.
    let too_small = checked.is_too_small();
    let parent = checked.parent.map(|version| version.to_string());
    let changes = checked
        .change
        .iter()
        .map(|change| (parent.clone(), &change.findings));
    let against = checked
        .against
        .iter()
        .map(|one| (Some(one.version.to_string()), &one.findings));
    for (version, found) in changes.chain(against) {
        for finding in found {
            findings.push(Finding {
                rule: finding.rule.to_string(),
                against: version.clone(),
                path: finding.path.clone(),
                message: finding.sentence.clone(),
                refuses: too_small && finding.kind == ChangeKind::Breaking,
                witness: finding
                    .witness
                    .as_ref()
                    .map(|witness| witness.document.clone()),
            });
        }
    }
    if too_small {
        let undecided = checked.kind() == ChangeKind::Undecided;
        // The first finding that refuses is the sentence of the refusal.
        findings.insert(
            0,
            Finding {
                rule: if undecided { UNDECIDED } else { "bump" }.to_owned(),
                against: parent,
                path: String::new(),
                message: format!(
                    "the change is {}, which needs a new {} version",
                    checked.kind(),
                    checked.needed()
                ),
                refuses: true,
                witness: None,
            },
        );
    }
    findings
}

/// Whether documents of the parent fit the new version and the other way round, whether nobody
/// sees more than before, and whether the laws hold.
fn conversion_findings(versions: &Versions, at: Version) -> Vec<Finding> {
    let mut findings = Vec::new();
    let declared = versions.get(at).is_some_and(|one| one.conversion.is_some());
    for way in versions.check_conversion(at) {
        for error in way.errors() {
            let weakens = error.code() == coeval_codes::CONVERSION_WEAKENS;
            findings.push(Finding {
                rule: error.code().to_string(),
                against: Some(if way.from == at { way.to } else { way.from }.to_string()),
                path: String::new(),
                message: error.to_string(),
                // Without a declared conversion documents need not fit: RDE leaves that to
                // whoever upgrades a resource.
                refuses: weakens || declared,
                witness: match error {
                    coeval_core::convert::ConversionError::DoesNotFit { example, .. } => {
                        Some(example.clone())
                    }
                    coeval_core::convert::ConversionError::Weaker { .. } => None,
                },
            });
        }
    }
    if let Err(broken) = versions.check_laws(at, DOCUMENTS, 1) {
        findings.push(Finding {
            rule: broken.code().to_string(),
            against: versions.parent(at).map(|parent| parent.to_string()),
            path: String::new(),
            message: broken.to_string(),
            refuses: true,
            witness: Some(broken.document.clone()),
        });
    }
    findings.extend(keyless_lists(versions, at));
    findings
}

/// Off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EngineError> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.map_err(|error| StorageError::failed(format!("the work was cut: {error}")).into())
}
