//! Rights bundles, and publishing them to organizations.

use crate::caches::directory::{Held, published, rights};
use crate::identity::orgs::predefined;
use crate::identity::own::NewOwn;
use crate::identity::settle::Unsettled;
use crate::resources::Resources;
use coeval_access::{BundleAudience, GeneralRight};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, BundleContent};
use coeval_catalog::identity::names;
use coeval_catalog::kinds::OwnKind;
use coeval_records::attempts::Attempts;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::records::draw_id;
use coeval_storage::Revision;

/// A rights bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct RightsBundle {
    /// `urn:vcloud:rightsBundle:<uuid>`
    pub id: String,
    /// Its name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// The names of its rights.
    pub rights: Vec<String>,
    /// To whom it is published.
    pub published: BundleAudience,
    /// The type that it was made for.
    pub of_type: Option<String>,
    /// It can't be deleted.
    pub predefined: bool,
    /// Of its resource.
    pub revision: Revision,
}

impl From<Held<BundleContent>> for RightsBundle {
    fn from(held: Held<BundleContent>) -> Self {
        Self {
            id: OwnKind::Bundle.urn(held.id),
            published: published(&held.content),
            name: held.header.name,
            description: held.header.description,
            rights: held.content.rights,
            of_type: held.content.of_type,
            predefined: held.content.predefined,
            revision: held.revision,
        }
    }
}

/// A bundle to be made; it is published to nobody yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBundle {
    /// Its name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Names of rights.
    pub rights: Vec<String>,
}

/// What is to change; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleEdit {
    /// On condition of this revision.
    pub revision: Option<Revision>,
    /// Another name.
    pub name: Option<String>,
    /// Or none.
    pub description: Option<Option<String>>,
    /// All of them.
    pub rights: Option<Vec<String>>,
}

/// To or from whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishTo {
    /// Every tenant, also those that are made later.
    All,
    /// These, by name or id.
    Orgs(Vec<String>),
}

fn unknown(what: &str) -> EngineError {
    let what = what.chars().take(100).collect();
    IdentityError::BundleUnknown { what }.into()
}

/// Whom a change of a bundle's rights concerns; nothing: all.
fn concerned(content: &BundleContent) -> Option<Vec<String>> {
    (!content.published_to_all).then(|| content.published_to.clone())
}

impl Resources {
    /// Makes a bundle.
    ///
    /// # Errors
    /// If the name is taken, a right is unknown, or the caller may not.
    pub async fn create_bundle(
        &self,
        caller: &Caller,
        new: &NewBundle,
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::ManageBundles, None)?;
        names::check("a bundle", &new.name)?;
        names::check_rights(&new.rights)?;
        let content = BundleContent {
            rights: new.rights.clone(),
            ..BundleContent::default()
        };
        let own = NewOwn {
            kind: OwnKind::Bundle,
            id: draw_id()?,
            name: new.name.clone(),
            description: new.description.clone(),
            content: content::value(&content)?,
            caller,
        };
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            // Published to nobody yet, so there is nothing to settle.
            if let Some(stored) = self.make_own(&own, seen, Vec::new()).await? {
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    /// A bundle, by name or id.
    ///
    /// # Errors
    /// If there is none, or the caller may not see it.
    pub async fn get_bundle(
        &self,
        caller: &Caller,
        what: &str,
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::ViewBundles, None)?;
        let directory = self.directory().await?;
        let found = directory.bundle(what).cloned();
        found.map(RightsBundle::from).ok_or_else(|| unknown(what))
    }

    /// All bundles.
    ///
    /// # Errors
    /// If the caller may not see them.
    pub async fn list_bundles(&self, caller: &Caller) -> Result<Vec<RightsBundle>, EngineError> {
        self.allow_general(caller, GeneralRight::ViewBundles, None)?;
        let directory = self.directory().await?;
        let all = directory.bundles.iter().map(|(held, _)| held.clone());
        Ok(all.map(RightsBundle::from).collect())
    }

    /// Changes a bundle. Where it is published, types come and go with its rights.
    ///
    /// # Errors
    /// If it is a type's, the revision is another, or the caller may not.
    pub async fn update_bundle(
        &self,
        caller: &Caller,
        what: &str,
        edit: &BundleEdit,
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::ManageBundles, None)?;
        if let Some(name) = &edit.name {
            names::check("a bundle", name)?;
        }
        names::check_rights(edit.rights.as_deref().unwrap_or_default())?;
        let change = |content: &mut BundleContent, name: &str| {
            // A type's bundle is the rights of that type, for as long as the type exists.
            if content.of_type.is_some() {
                return Err(predefined(name, "changed"));
            }
            let before = rights(&content.rights);
            if let Some(rights) = &edit.rights {
                content.rights.clone_from(rights);
            }
            let after = rights(&content.rights);
            // Types of both: those that came are granted, those that went are taken away.
            Ok(Unsettled::of(concerned(content), [&before, &after]))
        };
        self.change_bundle(caller, what, None, edit, change).await
    }

    /// Publishes a bundle: its rights, and all versions of the types that it has rights of. Doing
    /// it again makes versions visible that were defined meanwhile.
    ///
    /// # Errors
    /// If an organization is unknown, or the caller may not.
    pub async fn publish_bundle(
        &self,
        caller: &Caller,
        what: &str,
        to: &PublishTo,
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::PublishBundles, None)?;
        let orgs = self.named_orgs(to).await?;
        let change = |content: &mut BundleContent, _: &str| {
            match &orgs {
                None => content.published_to_all = true,
                Some(orgs) => {
                    content.published_to.extend_from_slice(orgs);
                    content.published_to.sort();
                    content.published_to.dedup();
                }
            }
            Ok(Unsettled::of(orgs.clone(), [&rights(&content.rights)]))
        };
        let edit = BundleEdit::default();
        self.change_bundle(caller, what, Some((What::Publish, to)), &edit, change)
            .await
    }

    /// Publishes a bundle to exactly these organizations: to those that lack it, and away from
    /// all others.
    ///
    /// # Errors
    /// If an organization is unknown, or the caller may not.
    pub async fn publish_bundle_only_to(
        &self,
        caller: &Caller,
        what: &str,
        orgs: &[String],
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::PublishBundles, None)?;
        let to = PublishTo::Orgs(orgs.to_vec());
        let orgs = self.named_orgs(&to).await?.unwrap_or_default();
        let change = |content: &mut BundleContent, _: &str| {
            // Those of before and of now: settling has to visit whoever loses it too.
            let mut touched = concerned(content);
            if let Some(touched) = &mut touched {
                touched.extend_from_slice(&orgs);
                touched.sort();
                touched.dedup();
            }
            content.published_to_all = false;
            content.published_to.clone_from(&orgs);
            content.published_to.sort();
            Ok(Unsettled::of(touched, [&rights(&content.rights)]))
        };
        let edit = BundleEdit::default();
        self.change_bundle(caller, what, Some((What::Publish, &to)), &edit, change)
            .await
    }

    /// Takes a bundle away from organizations, and with it the types that no other bundle brings.
    ///
    /// # Errors
    /// If an organization is unknown, or the caller may not.
    pub async fn unpublish_bundle(
        &self,
        caller: &Caller,
        what: &str,
        from: &PublishTo,
    ) -> Result<RightsBundle, EngineError> {
        self.allow_general(caller, GeneralRight::PublishBundles, None)?;
        let orgs = self.named_orgs(from).await?;
        let change = |content: &mut BundleContent, name: &str| {
            match &orgs {
                None => {
                    content.published_to_all = false;
                    content.published_to.clear();
                }
                // "All but these" can't be stored.
                Some(_) if content.published_to_all => {
                    let name = name.to_owned();
                    return Err(IdentityError::PublishedToAll { name }.into());
                }
                Some(orgs) => content.published_to.retain(|org| !orgs.contains(org)),
            }
            Ok(Unsettled::of(orgs.clone(), [&rights(&content.rights)]))
        };
        let edit = BundleEdit::default();
        self.change_bundle(caller, what, Some((What::Unpublish, from)), &edit, change)
            .await
    }

    /// Their ids, without the provider's own: its rights come from roles alone.
    async fn named_orgs(&self, orgs: &PublishTo) -> Result<Option<Vec<String>>, EngineError> {
        let PublishTo::Orgs(orgs) = orgs else {
            return Ok(None);
        };
        let mut ids = Vec::new();
        for org in orgs {
            let id = self.org_id(org).await?;
            if id != SYSTEM_ORG && !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(Some(ids))
    }

    async fn change_bundle(
        &self,
        caller: &Caller,
        what: &str,
        did: Option<(What, &PublishTo)>,
        edit: &BundleEdit,
        change: impl Fn(&mut BundleContent, &str) -> Result<Unsettled, EngineError>,
    ) -> Result<RightsBundle, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let own = self.bundle_record(what).await?;
            let mut content: BundleContent = self.read_own(&own)?;
            // On the content of this attempt: after a lost race it is changed anew.
            let note = change(&mut content, &own.stored.header.name)?;
            // The note is in the write itself: a server that dies right after it leaves the rest to
            // others.
            let (mut steps, settle) = note.steps()?;
            if let Some((did, orgs)) = did {
                let of = OwnKind::Bundle.of();
                let mut deed = Deed::of_resource(did, &of, own.stored.id, &own.stored.header);
                deed.note = Some(match orgs {
                    PublishTo::All => "all organizations".to_owned(),
                    PublishTo::Orgs(orgs) => coeval_records::text::short(&orgs.join(", ")),
                });
                steps.push(self.audit_step(caller, &deed)?);
            }
            let value = content::value(&content)?;
            let changed = self.change_own(
                caller,
                own,
                value,
                |update| {
                    update.revision = edit.revision;
                    update.meta.name.clone_from(&edit.name);
                    update.meta.description.clone_from(&edit.description);
                },
                seen,
                steps,
            );
            if let Some(stored) = changed.await? {
                // After the write: settling looks at the bundles as they are then.
                self.settle_own(settle).await?;
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    async fn bundle_record(&self, what: &str) -> Result<crate::identity::own::Own, EngineError> {
        let found = match OwnKind::Bundle.id(what) {
            Some(id) => self.own(OwnKind::Bundle, id).await?,
            None => self.own_named(OwnKind::Bundle, what).await?,
        };
        found.ok_or_else(|| unknown(what))
    }

    /// Deletes a bundle, and takes it from where it is published.
    ///
    /// # Errors
    /// If it is predefined or a type's, or the caller may not.
    pub async fn delete_bundle(&self, caller: &Caller, what: &str) -> Result<(), EngineError> {
        self.allow_general(caller, GeneralRight::ManageBundles, None)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let own = self.bundle_record(what).await?;
            let content: BundleContent = self.read_own(&own)?;
            if content.predefined || content.of_type.is_some() {
                return Err(predefined(&own.stored.header.name, "deleted"));
            }
            // Its types may stay visible where another bundle brings them; settling finds that out.
            let note = Unsettled::of(concerned(&content), [&rights(&content.rights)]);
            let (steps, settle) = note.steps()?;
            if self.remove_own(caller, &own, seen, steps).await? {
                return self.settle_own(settle).await;
            }
        }
    }
}
