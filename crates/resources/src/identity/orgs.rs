//! Organizations. The name of one is the namespace of its resources, so it never changes.

use crate::caches::directory::Held;
use crate::identity::own::{NewOwn, Own};
use crate::identity::settle::Unsettled;
use crate::resources::Resources;
use coeval_access::{BundleAudience, GeneralRight};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, OrgContent};
use coeval_catalog::identity::names;
use coeval_catalog::kinds::{OwnKind, VENDOR};
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::header::index_values::text_key;
use coeval_records::keys::{self, index};
use coeval_records::records::draw_id;
use coeval_storage::{ReadRange, ReadRequest, Revision};

/// An organization.
#[derive(Clone, Debug, PartialEq)]
pub struct Organization {
    /// `urn:vcloud:org:<uuid>`
    pub id: String,
    /// Its name.
    pub name: String,
    /// For people.
    pub display_name: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// Nobody of a disabled one can log in.
    pub enabled: bool,
    /// The names of its virtual data centers.
    pub vdcs: Vec<String>,
    /// Of its resource.
    pub revision: Revision,
}

impl From<Held<OrgContent>> for Organization {
    fn from(held: Held<OrgContent>) -> Self {
        Self {
            id: OwnKind::Org.urn(held.id),
            name: held.header.name,
            display_name: held.content.display_name,
            description: held.header.description,
            enabled: held.content.enabled,
            vdcs: held.content.vdcs,
            revision: held.revision,
        }
    }
}

/// An organization to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewOrg {
    /// Its name, which never changes.
    pub name: String,
    /// For people.
    pub display_name: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// The names of its virtual data centers.
    pub vdcs: Vec<String>,
}

/// What is to change; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrgEdit {
    /// On condition of this revision.
    pub revision: Option<Revision>,
    /// Or none.
    pub display_name: Option<Option<String>>,
    /// Or none.
    pub description: Option<Option<String>>,
    /// Whether its users can log in.
    pub enabled: Option<bool>,
    /// All of them.
    pub vdcs: Option<Vec<String>>,
}

/// The most of one page.
const PAGE: usize = 1_000;
/// How many types are asked in one read whether an organization has resources.
const TYPES_AT_ONCE: usize = 64;

fn unknown(what: &str) -> EngineError {
    let what = what.chars().take(100).collect();
    IdentityError::OrgUnknown { what }.into()
}

/// What the caller may not know of does not exist.
pub fn hidden(error: EngineError, unknown: impl FnOnce() -> EngineError) -> EngineError {
    match error {
        EngineError::Denied(denied) if denied.hidden => unknown(),
        error => error,
    }
}

impl Resources {
    /// By name or id, whoever asks.
    pub(crate) async fn org_record(&self, what: &str) -> Result<Own, EngineError> {
        let found = match OwnKind::Org.id(what) {
            Some(id) => self.own(OwnKind::Org, id).await?,
            None => self.own_named(OwnKind::Org, what).await?,
        };
        found.ok_or_else(|| unknown(what))
    }

    /// The id of an organization, by name or id: for reading a namespace. It tells nothing else.
    ///
    /// # Errors
    /// If there is none.
    pub async fn org_id(&self, what: &str) -> Result<String, EngineError> {
        let own = self.org_record(what).await?;
        Ok(OwnKind::Org.urn(own.stored.id))
    }

    /// Makes an organization.
    ///
    /// # Errors
    /// If the name is taken or can't be used, or the caller may not.
    pub async fn create_org(
        &self,
        caller: &Caller,
        new: &NewOrg,
    ) -> Result<Organization, EngineError> {
        self.allow_general(caller, GeneralRight::ManageOrganizations, None)?;
        names::check("an organization", &new.name)?;
        let id = draw_id()?;
        let content = OrgContent {
            display_name: new.display_name.clone(),
            enabled: true,
            vdcs: new.vdcs.clone(),
        };
        let own = NewOwn {
            kind: OwnKind::Org,
            id,
            name: new.name.clone(),
            description: new.description.clone(),
            content: content::value(&content)?,
            caller,
        };
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let directory = self.directory_at(seen).await?;
            // What is published to all is published to the new one too.
            let all = directory.bundles.iter().map(|(_, bundle)| bundle);
            let all = all.filter(|bundle| bundle.published == BundleAudience::ToAll);
            let note = Unsettled::of(Some(vec![OwnKind::Org.urn(id)]), all.map(|one| &one.rights));
            let (steps, settle) = note.steps()?;
            if let Some(stored) = self.make_own(&own, seen, steps).await? {
                self.settle_own(settle).await?;
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    /// An organization, by name or id. Everybody may see one's own.
    ///
    /// # Errors
    /// If there is none that the caller may see.
    pub async fn get_org(&self, caller: &Caller, what: &str) -> Result<Organization, EngineError> {
        let held: Held<OrgContent> = self.held(&self.org_record(what).await?)?;
        let id = OwnKind::Org.urn(held.id);
        if id != caller.subject.org() {
            self.allow_general(caller, GeneralRight::ViewOrganizations, Some(&id))
                .map_err(|error| hidden(error, || unknown(what)))?;
        }
        Ok(held.into())
    }

    /// The organizations that the caller may see, by id, after one: without the right its own.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list_orgs(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Organization>, EngineError> {
        let may = self.allow_general(caller, GeneralRight::ViewOrganizations, None);
        if !caller.subject.is_provider() || may.is_err() {
            return match after {
                None => Ok(vec![self.get_org(caller, caller.subject.org()).await?]),
                Some(_) => Ok(Vec::new()),
            };
        }
        let after = after.and_then(|after| OwnKind::Org.id(after));
        let page = self.own_page(OwnKind::Org, after, limit.min(PAGE)).await?;
        let readable = page.found.into_iter();
        let readable = readable.filter_map(|spoken| Held::of(spoken).ok());
        Ok(readable.map(Organization::from).collect())
    }

    /// Changes an organization.
    ///
    /// # Errors
    /// If the revision is another, or the caller may not.
    pub async fn update_org(
        &self,
        caller: &Caller,
        what: &str,
        edit: &OrgEdit,
    ) -> Result<Organization, EngineError> {
        self.allow_general(caller, GeneralRight::ManageOrganizations, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let own = self.org_record(what).await?;
            let mut content: OrgContent = self.read_own(&own)?;
            // Nobody would be left who could enable it again.
            if edit.enabled == Some(false) && OwnKind::Org.urn(own.stored.id) == SYSTEM_ORG {
                return Err(predefined(&own.stored.header.name, "disabled"));
            }
            if let Some(display_name) = &edit.display_name {
                content.display_name.clone_from(display_name);
            }
            content.enabled = edit.enabled.unwrap_or(content.enabled);
            if let Some(vdcs) = &edit.vdcs {
                content.vdcs.clone_from(vdcs);
            }
            let value = content::value(&content)?;
            let changed = self.change_own(
                caller,
                own,
                value,
                |update| {
                    update.revision = edit.revision;
                    update.meta.description.clone_from(&edit.description);
                },
                seen,
                Vec::new(),
            );
            if let Some(stored) = changed.await? {
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    /// Deletes an organization that has no users, roles or resources.
    ///
    /// # Errors
    /// If it has some, or the caller may not.
    pub async fn delete_org(&self, caller: &Caller, what: &str) -> Result<(), EngineError> {
        self.allow_general(caller, GeneralRight::ManageOrganizations, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let own = self.org_record(what).await?;
            let id = OwnKind::Org.urn(own.stored.id);
            let name = own.stored.header.name.clone();
            if id == SYSTEM_ORG {
                return Err(predefined(&name, "deleted"));
            }
            let directory = self.directory_at(seen).await?;
            let mut roles = directory.roles.values();
            let has_roles = roles.any(|(held, _)| held.content.org.as_ref() == Some(&id));
            let users = self.user_ids_of(&id, None, 1).await?;
            // The cheap questions first; resources are asked for type by type.
            let has = match (users.is_empty(), has_roles) {
                (false, _) => Some("users".to_owned()),
                (true, true) => Some("roles".to_owned()),
                (true, false) => self.resources_of(&id).await?,
            };
            if let Some(has) = has {
                return Err(IdentityError::OrgInUse { name, has }.into());
            }
            if self.remove_own(caller, &own, seen, Vec::new()).await? {
                return Ok(());
            }
        }
    }

    /// Some type of which an organization has resources, in words.
    async fn resources_of(&self, org: &str) -> Result<Option<String>, EngineError> {
        let types = self.types.names().await?;
        let types: Vec<_> = types.iter().filter(|of| &*of.vendor != VENDOR).collect();
        // Many types in one read: one by one each would cost a round trip.
        for some in types.chunks(TYPES_AT_ONCE) {
            let mut request = ReadRequest::default();
            for of in some {
                // Every resource has an entry of this index, so one key tells whether there is any.
                let span = keys::index_of_org(of, index::NAME, org)?;
                request = request.and_range(ReadRange::of(span).limit(1));
            }
            let snapshot = self.store.read(request).await?;
            let mut both = some.iter().zip(&snapshot.pages);
            if let Some((of, _)) = both.find(|(_, page)| !page.entries.is_empty()) {
                return Ok(Some(format!("resources of {of}")));
            }
        }
        Ok(None)
    }

    /// The ids of an organization's users, in order, after one.
    pub(crate) async fn user_ids_of(
        &self,
        org: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<Uuid>, EngineError> {
        let name = format!("{}org", index::DECLARED);
        let value = text_key(org);
        self.own_ids(OwnKind::User, &name, &value, after, limit)
            .await
    }
}

pub fn predefined(what: &str, action: &'static str) -> EngineError {
    let what = what.to_owned();
    IdentityError::Predefined { what, action }.into()
}
