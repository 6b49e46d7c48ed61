//! Reading what was done, and noting what callers do.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::kinds::VENDOR;
use crate::visible_versions::VisibleVersions;
use coeval_access::GeneralRight;
use coeval_core::version::Version;
use coeval_records::audit::{AuditRecord, Deed, read_audit, step};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{Key, ReadRange, WriteStep};
use std::collections::BTreeMap;

/// Which deeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// On this resource.
    pub id: Option<String>,
    /// By this user.
    pub user: Option<String>,
    /// On resources of this type, `acme:app`.
    pub of: Option<String>,
}

impl AuditQuery {
    fn fits(&self, deed: &Deed) -> bool {
        let same = |asked: &Option<String>, is: Option<&str>| {
            asked.as_deref().is_none_or(|asked| Some(asked) == is)
        };
        same(&self.id, deed.id.as_deref())
            && same(&self.user, Some(&deed.user))
            && same(&self.of, Some(&deed.of))
    }
}

impl Catalog {
    /// The step that records a deed of a caller.
    pub fn audit_step(&self, caller: &Caller, deed: &Deed) -> Result<WriteStep, EngineError> {
        step(self.now(), caller.user(), caller.org(), deed)
    }

    /// What was done, newest first, a page at a time. `before` is the place of the last one that
    /// was seen.
    ///
    /// # Errors
    /// If the caller may not, or the store fails.
    pub async fn audit(
        &self,
        caller: &Caller,
        query: &AuditQuery,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, EngineError> {
        self.allow_general(caller, GeneralRight::ViewAudit, None)?;
        // A tenant sees what was done to its own organization, and the provider everything.
        let own_org = (!caller.subject.is_provider()).then(|| caller.org().to_owned());
        let mut span = keys::audits()?;
        if let Some(place) = before {
            span = span.before(&Key::new(format!("u/{place}"))?);
        }
        let mut range = ReadRange::of(span).descending();
        let mut found = Vec::new();
        // There is no index by user or resource: pages are read until enough is found.
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some(record) = read_audit(&entry.key, &entry.stored) else {
                    continue;
                };
                // What belongs to no organization is shown where its caller is at home.
                let org = record.deed.org.as_ref().unwrap_or(&record.deed.caller_org);
                let visible = own_org.as_ref().is_none_or(|own| own == org);
                if visible && query.fits(&record.deed) {
                    found.push(record);
                }
                if found.len() >= limit {
                    return self.without_hidden(caller, found).await;
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return self.without_hidden(caller, found).await,
            }
        }
    }

    /// The same without the versions that are hidden from the caller: whoever may read the audit of
    /// an organization learns of a hidden version by it no more than by anything else.
    async fn without_hidden(
        &self,
        caller: &Caller,
        mut found: Vec<AuditRecord>,
    ) -> Result<Vec<AuditRecord>, EngineError> {
        let mut visible = BTreeMap::new();
        for AuditRecord { deed, .. } in &mut found {
            if deed.version.is_none() && deed.stored.is_none() {
                continue;
            }
            if !visible.contains_key(&deed.of) {
                // Versions of the built-in kinds are hidden from nobody.
                let of = TypeKey::parse(&deed.of).filter(|of| &*of.vendor != VENDOR);
                let versions = match of {
                    Some(of) => self.visible_of(caller, &of).await?,
                    None => VisibleVersions::ALL,
                };
                visible.insert(deed.of.clone(), versions);
            }
            let visible = visible.get(&deed.of);
            let seen = |text: &String| match Version::parse_full(text) {
                Ok(version) => visible.is_none_or(|all| all.has(version)),
                Err(_) => true,
            };
            deed.version = deed.version.take().filter(seen);
            deed.stored = deed.stored.take().filter(seen);
        }
        Ok(found)
    }

    /// The versions of a type that exist for the caller; of a type that is gone nothing is hidden.
    async fn visible_of(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<VisibleVersions, EngineError> {
        match self.types.current(of).await {
            Ok(state) => Ok(caller.visible_versions(&state)),
            Err(EngineError::TypeUnknown { .. }) => Ok(VisibleVersions::ALL),
            Err(error) => Err(error),
        }
    }
}
