//! Opening an engine: what ships with Coeval is there afterwards. What is there already is never
//! changed, and several servers may open one store at the same moment.

use super::content::{self, BundleContent, OrgContent, RoleContent, RoleHolds};
use super::own::NewOwn;
use crate::allow::SYSTEM_ORG;
use crate::caller::Caller;
use crate::engine::{ATTEMPTS, Engine, Settings};
use crate::error::EngineError;
use crate::keys;
use crate::kinds::{OwnKind, WRITTEN_AT};
use crate::types::Registration;
use coeval_access::{
    ORGANIZATION_ADMINISTRATOR, Rights, SYSTEM_ADMINISTRATOR, SYSTEM_ORGANIZATION, Subject,
    default_tenant_rights,
};
use coeval_core::types::TypeVersion;
use coeval_core::version::Uuid;
use coeval_storage::{DynStore, ReadRequest};
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
pub(crate) fn system_caller() -> Caller {
    let roles = Vec::new();
    let subject = Subject::provider(SYSTEM_USER, SYSTEM_ORG, roles, Rights::everything());
    Caller::new(Arc::new(subject))
}

impl Engine {
    /// On a store, with all that ships with Coeval in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(store: DynStore, settings: Settings) -> Result<Self, EngineError> {
        let engine = Self::new(store, settings);
        engine.install().await?;
        engine.settle_others().await;
        Ok(engine)
    }

    async fn install(&self) -> Result<(), EngineError> {
        let caller = system_caller();
        let predefined = predefined(&caller)?;
        if self.is_installed(&predefined).await? {
            return Ok(());
        }
        for kind in OwnKind::ALL {
            self.install_kind(&caller, kind).await?;
        }
        for new in &predefined {
            self.make_if_absent(new).await?;
        }
        self.install_built_in(&caller).await
    }

    /// One read tells, so that a start costs nothing.
    async fn is_installed(&self, predefined: &[NewOwn<'_>]) -> Result<bool, EngineError> {
        let mut wanted = Vec::new();
        for kind in OwnKind::ALL {
            wanted.push(keys::type_version(&kind.of(), WRITTEN_AT)?);
        }
        for new in predefined {
            wanted.push(keys::record(&new.kind.of(), WRITTEN_AT.major, new.id)?);
        }
        wanted.extend(super::built_in::records()?);
        let snapshot = self.store.read(ReadRequest::keys(wanted)).await?;
        Ok(snapshot.keys.iter().all(Option::is_some))
    }

    async fn install_kind(&self, caller: &Caller, kind: OwnKind) -> Result<(), EngineError> {
        let of = kind.of();
        match self.types.load(&of).await {
            Ok(state) if state.definitions.contains_key(&WRITTEN_AT) => return Ok(()),
            Ok(_) | Err(EngineError::TypeUnknown { .. }) => {}
            Err(error) => return Err(error),
        }
        let version = TypeVersion::parse(kind.file());
        let version = version.map_err(|error| EngineError::TypeFile(Box::new(error)))?;
        let registration = Registration::of(kind.file());
        let registered = self
            .register_version(caller, &registration, Arc::new(version), &of, true)
            .await;
        match registered {
            Ok(_) | Err(EngineError::TypeExists { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn make_if_absent(&self, new: &NewOwn<'_>) -> Result<(), EngineError> {
        for _ in 0..ATTEMPTS {
            let seen = self.seen().await?;
            if self.own(new.kind, new.id).await?.is_some() {
                return Ok(());
            }
            match self.make_own(new, seen, Vec::new()).await {
                Ok(None) => {}
                Ok(Some(_)) | Err(EngineError::AlreadyExists { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Err(EngineError::Contended { attempts: ATTEMPTS })
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
        own(OwnKind::Role, id, name, content::value(&content))
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
            content::value(&org),
        ),
        role(
            SYSTEM_ADMINISTRATOR_ID,
            SYSTEM_ADMINISTRATOR,
            RoleHolds::Everything,
        ),
        role(
            ORGANIZATION_ADMINISTRATOR_ID,
            ORGANIZATION_ADMINISTRATOR,
            RoleHolds::WhatIsPublished,
        ),
        own(
            OwnKind::Bundle,
            DEFAULT_BUNDLE_ID,
            DEFAULT_BUNDLE,
            content::value(&bundle),
        ),
    ])
}
