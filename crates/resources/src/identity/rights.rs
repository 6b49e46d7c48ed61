//! Which rights there are, and which of them a role holds.

use crate::identity::roles::{Role, RoleEdit};
use crate::resources::Resources;
use coeval_access::{
    AccessRole, BundleAudience, GeneralRight, Rights, RoleOf, RoleRights, TypeRight,
    effective_rights,
};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::RoleHolds;
use coeval_catalog::identity::names;
use coeval_catalog::kinds::VENDOR;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;

fn unknown(what: &str) -> EngineError {
    let what = what.chars().take(100).collect();
    IdentityError::RoleUnknown { what }.into()
}

impl Resources {
    /// The names of the rights that there are where the caller acts: for the provider all, for a
    /// tenant those that are published to it. Everybody may know them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn rights(&self, caller: &Caller) -> Result<Vec<String>, EngineError> {
        match caller.org() {
            SYSTEM_ORG => self.all_rights().await,
            org => self.published_rights(org).await,
        }
    }

    async fn all_rights(&self) -> Result<Vec<String>, EngineError> {
        let general = GeneralRight::ALL
            .iter()
            .map(|right| right.name().to_owned());
        let mut all: Vec<String> = general.collect();
        let types = self.types.names().await?;
        for of in types.iter().filter(|of| &*of.vendor != VENDOR) {
            let of = coeval_catalog::allow::type_name(of)?;
            all.extend(TypeRight::ALL.into_iter().map(|right| right.name(of)));
        }
        Ok(all)
    }

    async fn published_rights(&self, org: &str) -> Result<Vec<String>, EngineError> {
        let directory = self.directory().await?;
        let role = AccessRole {
            id: String::new(),
            of: RoleOf::Everyone,
            holds: RoleRights::WhatIsPublished,
        };
        let bundles = directory.bundles.iter().map(|(_, bundle)| bundle);
        Ok(effective_rights(false, org, [&role], bundles).names())
    }

    /// The names of the rights that a role gives, in the organization that the caller acts in. What
    /// a role holds that follows from publications is, for the provider, what is published to
    /// anybody.
    ///
    /// # Errors
    /// If there is no such role that the caller may see.
    pub async fn rights_of_role(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<Vec<String>, EngineError> {
        let role = self.get_role(caller, caller.org(), id).await?;
        let directory = self.directory().await?;
        let holds = directory
            .roles
            .get(&role.id)
            .map(|(held, _)| held.content.holds);
        match holds.ok_or_else(|| unknown(id))? {
            RoleHolds::These => Ok(role.rights),
            RoleHolds::Everything => self.all_rights().await,
            RoleHolds::WhatIsPublished if caller.org() == SYSTEM_ORG => {
                let mut all = Rights::none();
                for (_, bundle) in &directory.bundles {
                    // To anybody at all; a bundle that is published to nobody gives nothing.
                    if bundle.published != BundleAudience::To(Default::default()) {
                        all = all.union(&bundle.rights);
                    }
                }
                let mut names = all.names();
                // A bundle may name rights that are the provider's alone; publishing does not give
                // them.
                names.retain(|name| {
                    GeneralRight::by_name(name).is_none_or(|right| !right.is_providers())
                });
                Ok(names)
            }
            RoleHolds::WhatIsPublished => self.published_rights(caller.org()).await,
        }
    }

    /// Adds rights to a role, by id. One whose rights follow from what there is needs none added,
    /// and stays as it is.
    ///
    /// # Errors
    /// If a right is unknown, or the caller may not or has less.
    pub async fn add_role_rights(
        &self,
        caller: &Caller,
        id: &str,
        added: &[String],
    ) -> Result<Role, EngineError> {
        names::check_rights(added)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let role = self.get_role(caller, caller.org(), id).await?;
            self.allow_roles(caller, role.org.as_deref())?;
            if role.predefined {
                return Ok(role);
            }
            let mut rights = role.rights;
            rights.extend(added.iter().cloned());
            rights.sort();
            rights.dedup();
            let edit = RoleEdit {
                // Rights are added to the list as it was read, so a concurrent change must not be
                // overwritten.
                revision: Some(role.revision),
                rights: Some(rights),
                ..RoleEdit::default()
            };
            match self.update_role(caller, &role.id, &edit).await {
                Err(EngineError::Conflict { .. }) => {}
                other => return other,
            }
        }
    }
}
