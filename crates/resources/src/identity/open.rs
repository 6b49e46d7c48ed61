//! Opening an engine: what ships with Coeval is there afterwards. What is there already is never
//! changed, and several servers may open one store at the same moment.

use crate::identity::own::NewOwn;
use crate::resources::Resources;
use coeval_access::{
    AccessSubject, ORGANIZATION_ADMINISTRATOR, Rights, SYSTEM_ADMINISTRATOR, SYSTEM_ORGANIZATION,
    default_tenant_rights,
};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, BundleContent, OrgContent, RoleContent, RoleHolds};
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::registration::register::Registration;
use coeval_core::types::TypeVersion;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::ReadRequest;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who does what Coeval does by itself, and owns the resources of its own kinds.
pub const SYSTEM_USER: &str = "urn:vcloud:user:a93c9db9-7471-3192-8d09-a8f7eeda85f8";

/// The bundle of the general rights that suit tenants; it is published to all of them.
pub const DEFAULT_BUNDLE: &str = "Default Rights Bundle";

/// The same in every store.
const SYSTEM_ADMINISTRATOR_ID: Uuid = Uuid(0xa08a_8798_7d9b_34d6_8d40_48e4_9a2f_0001);
const ORGANIZATION_ADMINISTRATOR_ID: Uuid = Uuid(0xa08a_8798_7d9b_34d6_8d40_48e4_9a2f_0002);
const DEFAULT_BUNDLE_ID: Uuid = Uuid(0xa08a_8798_7d9b_34d6_8d40_48e4_9a2f_0003);

/// Coeval itself, as a caller.
pub fn system_caller() -> Caller {
    let roles = Vec::new();
    let subject = AccessSubject::provider(SYSTEM_USER, SYSTEM_ORG, roles, Rights::everything());
    Caller::new(Arc::new(subject))
}

impl Resources {
    /// Brings what ships with Coeval into the store, as far as it is not there.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn install(&self) -> Result<(), EngineError> {
        let caller = system_caller();
        let predefined = predefined(&caller)?;
        if self.is_installed(&predefined).await? {
            return Ok(());
        }
        for kind in OwnKind::ALL {
            self.install_kind(&caller, kind).await?;
        }
        // After the kinds, which these are resources of.
        for new in &predefined {
            self.make_if_absent(new).await?;
        }
        self.install_built_in(&caller, self).await
    }

    /// One read tells, so that a start costs nothing.
    async fn is_installed(&self, predefined: &[NewOwn<'_>]) -> Result<bool, EngineError> {
        let mut wanted = Vec::new();
        for kind in OwnKind::ALL {
            let of = kind.of();
            for (version, _) in self.types.own().files(&of) {
                wanted.push(keys::type_version(&of, version)?);
            }
        }
        let definitions = wanted.len();
        for new in predefined {
            // It is at one of the majors that the kind has had.
            for major in self.own_majors(new.kind) {
                wanted.push(keys::record(&new.kind.of(), major, new.id)?);
            }
        }
        let records = wanted.len();
        wanted.extend(coeval_catalog::registration::built_in::records()?);
        let snapshot = self.store.read(ReadRequest::keys(wanted)).await?;
        let (kinds, rest) = snapshot.keys.split_at(definitions);
        let (own, built_in) = rest.split_at(records - definitions);
        let mut own = own.iter();
        let mut all = kinds.iter().chain(built_in).all(Option::is_some);
        for new in predefined {
            let majors = self.own_majors(new.kind).len();
            all &= own.by_ref().take(majors).any(Option::is_some);
        }
        Ok(all)
    }

    /// The majors of a kind that this release knows.
    fn own_majors(&self, kind: OwnKind) -> BTreeSet<u32> {
        let of = kind.of();
        let versions = self.types.own().files(&of);
        versions.map(|(version, _)| version.major).collect()
    }

    /// Registers what this release knows of a kind. Nothing is stored at a new version until all
    /// servers know it.
    async fn install_kind(&self, caller: &Caller, kind: OwnKind) -> Result<(), EngineError> {
        let of = kind.of();
        for (version, file) in self.types.own().files(&of) {
            match self.types.load(&of).await {
                Ok(state) if state.definitions.contains_key(&version) => continue,
                Ok(_) | Err(EngineError::TypeUnknown { .. }) => {}
                Err(error) => return Err(error),
            }
            let parsed = TypeVersion::parse(file);
            let parsed = parsed.map_err(|error| EngineError::TypeFile(Box::new(error)))?;
            let registration = Registration::of(&**file);
            let registered = self
                .register_version(caller, &registration, Arc::new(parsed), &of, true, self)
                .await;
            match registered {
                // Another server that starts at the same moment has registered it.
                Ok(_) | Err(EngineError::TypeExists { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn make_if_absent(&self, new: &NewOwn<'_>) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            // By its fixed id, not its name: one that was renamed is not made a second time.
            if self.own(new.kind, new.id).await?.is_some() {
                return Ok(());
            }
            match self.make_own(new, seen, Vec::new()).await {
                Ok(None) => {}
                Ok(Some(_)) | Err(EngineError::AlreadyExists { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

/// What there is in every store.
fn predefined(caller: &Caller) -> Result<Vec<NewOwn<'_>>, EngineError> {
    let system = OwnKind::Org.id(SYSTEM_ORG);
    let system = system.ok_or_else(|| EngineError::no_resource(SYSTEM_ORG))?;
    let own = |kind, id, name: &str, content| NewOwn {
        kind,
        id,
        name: name.to_owned(),
        description: None,
        content,
        caller,
    };
    let role = |id, name: &str, holds| {
        let content = RoleContent {
            rolename: name.to_owned(),
            org: None,
            holds,
            rights: Vec::new(),
            predefined: true,
        };
        let content = content::value(&content)?;
        Ok::<_, EngineError>(own(OwnKind::Role, id, name, content))
    };
    let org = OrgContent {
        display_name: None,
        enabled: true,
        vdcs: Vec::new(),
    };
    let bundle = BundleContent {
        rights: default_tenant_rights().names(),
        published_to_all: true,
        predefined: true,
        ..BundleContent::default()
    };
    Ok(vec![
        own(
            OwnKind::Org,
            system,
            SYSTEM_ORGANIZATION,
            content::value(&org)?,
        ),
        role(
            SYSTEM_ADMINISTRATOR_ID,
            SYSTEM_ADMINISTRATOR,
            RoleHolds::Everything,
        )?,
        role(
            ORGANIZATION_ADMINISTRATOR_ID,
            ORGANIZATION_ADMINISTRATOR,
            RoleHolds::WhatIsPublished,
        )?,
        own(
            OwnKind::Bundle,
            DEFAULT_BUNDLE_ID,
            DEFAULT_BUNDLE,
            content::value(&bundle)?,
        ),
    ])
}
