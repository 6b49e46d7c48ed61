//! How a type is said in protobuf: the numbers of its fields and the name of its package, which are
//! kept in the store and never given to anything else, and the packages that are made from them.
//!
//! They are written in the same atomic write as the version that needs them, and stay when versions
//! or the type go. What an earlier release registered gets its numbers when it is first asked for.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::kinds::VENDOR;
use crate::types::state::{TypeState, with_phase};
use crate::types::typed::{NumbersOf, candidates, claimed_by, name_of, of_major};
use coeval_core::types::TypeVersion;
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::finding::Finding;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{
    AtomicWrite, ReadRequest, RecordPut, Revision, WriteAction, WriteCondition, WriteStep,
};
use coeval_typed::{Ledger, PackageFindingKind, PackageLayout, PackageName};
use std::sync::Arc;

/// Keys that are read at once.
const AT_ONCE: usize = 64;

/// Records that one write brings.
const IN_ONE_WRITE: usize = 4;

/// What a version means for its package.
#[derive(Debug, Default)]
pub(crate) struct TypedOutcome {
    pub findings: Vec<Finding>,
    /// Part of the write that brings the version.
    pub steps: Vec<WriteStep>,
}

fn found(finding: coeval_typed::PackageFinding) -> Finding {
    Finding {
        rule: finding.kind.code().to_string(),
        against: None,
        path: finding.path,
        message: finding.message,
        refuses: false,
        witness: None,
    }
}

impl Catalog {
    /// Numbers for a version that is to be registered or replaced, and what its package can't say.
    pub(crate) async fn typed_outcome(
        &self,
        of: &TypeKey,
        state: Option<&TypeState>,
        version: &TypeVersion,
        unproven: bool,
    ) -> Result<TypedOutcome, EngineError> {
        let mut outcome = TypedOutcome::default();
        if &*of.vendor == VENDOR {
            return Ok(outcome);
        }
        let name = match PackageName::of(&of.vendor, &of.nss) {
            Ok(name) => name,
            Err(finding) => {
                outcome.findings.push(found(finding));
                return Ok(outcome);
            }
        };
        let own = version.id.version;
        let (claim_key, ledger_key) = (keys::package(&name.base())?, keys::ledger(of, own.major)?);
        let request = ReadRequest::keys([claim_key.clone(), ledger_key.clone()]);
        let mut read = self.store.read(request).await?.keys.into_iter();
        let (claim, numbers) = (read.next().flatten(), read.next().flatten());
        match claim.as_ref().map(claimed_by) {
            None => outcome.steps.push(claiming(of, claim_key)),
            Some(Some(other)) if other == *of => {}
            Some(other) => {
                // A name is never given to another type: this one has no typed service, and is told
                // so.
                outcome.findings.push(taken(of, &name, other.as_ref()));
                return Ok(outcome);
            }
        }
        let numbers = numbers.as_ref().and_then(NumbersOf::decode);
        let revision = numbers.as_ref().map(|numbers| numbers.revision);
        let ledger = match numbers {
            None => Ledger::default(),
            // With new numbers, messages of today would mean something else tomorrow.
            Some(numbers) => numbers.ledger.ok_or_else(|| EngineError::TypeRefused {
                what: format!("the numbers of the fields of {of} can't be read"),
            })?,
        };
        let definitions = state.map(|state| &state.definitions);
        let number = definitions
            .and_then(|all| all.get(&own))
            .map(|one| one.meta.number);
        let others = definitions.map(|all| of_major(all, own.major, Some(own)));
        let mut versions = others.unwrap_or_default();
        // One that is new comes last in the order of registration.
        versions.push((number.unwrap_or(u64::MAX), Some(version), unproven));
        let candidates = candidates(&versions);
        let extended = ledger.extended(&candidates);
        let (_, findings) = PackageLayout::of(&name, &extended, &candidates);
        outcome.findings.extend(findings.into_iter().map(found));
        if extended != ledger {
            outcome
                .steps
                .push(numbering(ledger_key, revision, &extended)?);
        }
        Ok(outcome)
    }

    /// Numbers for what was registered by a release that gave none.
    async fn settle_typed(&self, state: &TypeState) -> Result<(), EngineError> {
        let of = &state.key;
        let Some(name) = name_of(of) else {
            return Ok(());
        };
        let mut write = AtomicWrite::new();
        let claim_key = keys::package(&name.base())?;
        let request = ReadRequest::keys([claim_key.clone()]);
        let claim = self
            .store
            .read(request)
            .await?
            .keys
            .into_iter()
            .next()
            .flatten();
        if claim.is_none() {
            write.steps.push(claiming(of, claim_key));
        }
        for major in &state.majors {
            let key = keys::ledger(of, *major)?;
            let read = self.store.read(ReadRequest::keys([key.clone()])).await?;
            let numbers = read.keys.into_iter().next().flatten();
            let numbers = numbers.as_ref().and_then(NumbersOf::decode);
            let revision = numbers.as_ref().map(|numbers| numbers.revision);
            let ledger = match numbers {
                None => Ledger::default(),
                Some(numbers) => match numbers.ledger {
                    Some(ledger) => ledger,
                    // It can't be read: it has no package, and gets no other numbers.
                    None => continue,
                },
            };
            let versions = of_major(&state.definitions, *major, None);
            let extended = ledger.extended(&candidates(&versions));
            if extended != ledger {
                write.steps.push(numbering(key, revision, &extended)?);
            }
            // The rest is for the next write.
            if write.steps.len() >= IN_ONE_WRITE {
                break;
            }
        }
        // The phase record makes every server load the numbers before it shows a package.
        let write = with_phase(write, state, state.phase_revision)?;
        // Whoever won a race settled it.
        unless_raced(self.commit(&state.phase_key, write).await)?;
        Ok(())
    }

    /// The packages of a type, one for each major that has a proven version.
    ///
    /// # Errors
    /// If there is no such type, or the store fails.
    pub async fn typed_layouts(
        &self,
        of: &TypeKey,
    ) -> Result<Vec<Arc<PackageLayout>>, EngineError> {
        Ok(self.typed_state(of).await?.typed.layouts.clone())
    }

    /// The packages of a type as they are for a caller.
    ///
    /// # Errors
    /// As [`Catalog::typed_layouts`].
    pub async fn visible_layouts(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<Arc<PackageLayout>>, EngineError> {
        let state = self.typed_state(of).await?;
        let visible = caller.visible_versions(&state);
        let sees = |version| visible.has(version);
        let sees: Option<&dyn Fn(Version) -> bool> = visible.hides().then_some(&sees);
        Ok(state.typed.seen(&state, sees))
    }

    async fn typed_state(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        let mut state = self.types.current(of).await?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            if !state.typed.behind {
                return Ok(state);
            }
            self.settle_typed(&state).await?;
            state = self.types.load(of).await?;
        }
    }

    /// The package of that name as it is for a caller, and its type: `acme.app.v1`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn typed_package(
        &self,
        caller: &Caller,
        package: &str,
    ) -> Result<Option<(TypeKey, Arc<PackageLayout>)>, EngineError> {
        let Some((base, major)) = coeval_typed::names::split_package(package) else {
            return Ok(None);
        };
        let Some(of) = self.package_owner(base).await? else {
            return Ok(None);
        };
        // The name stays taken when its type is deleted.
        let layouts = match self.visible_layouts(caller, &of).await {
            Err(EngineError::TypeUnknown { .. }) => return Ok(None),
            other => other?,
        };
        let own = layouts.into_iter().find(|layout| layout.major == major);
        Ok(own.map(|layout| (of, layout)))
    }

    /// The type that has a package's name. A name is never given to another, so it is remembered;
    /// that nobody has it, only for a moment.
    async fn package_owner(&self, base: &str) -> Result<Option<TypeKey>, EngineError> {
        if let Some(owner) = self.packages.known(base) {
            return Ok(owner);
        }
        // A name that is too long for a key is nobody's.
        let Ok(key) = keys::package(base) else {
            return Ok(None);
        };
        let read = self.store.read(ReadRequest::keys([key.clone()])).await?;
        let entry = read.keys.into_iter().next().flatten();
        let mut owner = entry.as_ref().and_then(claimed_by);
        // It may be that of a type which an earlier release registered without a name.
        if owner.is_none() && self.packages.may_be_unclaimed() {
            self.settle_unclaimed().await?;
            let read = self.store.read(ReadRequest::keys([key])).await?;
            let entry = read.keys.into_iter().next().flatten();
            owner = entry.as_ref().and_then(claimed_by);
        }
        self.packages.remember(base, owner.as_ref());
        Ok(owner)
    }

    /// Types that an earlier release registered get their names and numbers.
    async fn settle_unclaimed(&self) -> Result<(), EngineError> {
        let named = |of: TypeKey| {
            let key = keys::package(&name_of(&of)?.base()).ok()?;
            Some((of, key))
        };
        let all: Vec<_> = self
            .types
            .names()
            .await?
            .into_iter()
            .filter_map(named)
            .collect();
        for some in all.chunks(AT_ONCE) {
            let request = ReadRequest::keys(some.iter().map(|(_, key)| key.clone()));
            let read = self.store.read(request).await?;
            let claims = some.iter().zip(read.keys);
            for ((of, _), _) in claims.filter(|(_, claim)| claim.is_none()) {
                match self.typed_layouts(of).await {
                    Ok(_) | Err(EngineError::TypeUnknown { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

fn claiming(of: &TypeKey, key: coeval_storage::Key) -> WriteStep {
    WriteStep {
        key,
        condition: WriteCondition::NotExists,
        action: WriteAction::Put(RecordPut::of(of.to_string().into_bytes())),
    }
}

fn numbering(
    key: coeval_storage::Key,
    before: Option<Revision>,
    ledger: &Ledger,
) -> Result<WriteStep, EngineError> {
    let body = coeval_records::encode::encode("field numbers", ledger)?;
    Ok(WriteStep {
        key,
        condition: before.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
        action: WriteAction::Put(RecordPut::of(body)),
    })
}

fn taken(of: &TypeKey, name: &PackageName, by: Option<&TypeKey>) -> Finding {
    let by = by.map_or_else(|| "another type".to_owned(), ToString::to_string);
    found(coeval_typed::PackageFinding {
        kind: PackageFindingKind::PackageTaken,
        path: String::new(),
        message: format!(
            "{of} has no typed service: {by} has the package {}",
            name.base()
        ),
    })
}
