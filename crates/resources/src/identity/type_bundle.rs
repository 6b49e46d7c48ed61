//! The bundle of a type's five rights: made in the atomic write of the type's first version, and
//! gone in that which deletes the last one.

use crate::identity::own::NewOwn;
use crate::resources::Resources;
use async_trait::async_trait;
use coeval_access::{bundle_name, rights_of_type};
use coeval_catalog::allow::type_name;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, BundleContent};
use coeval_catalog::identity::seen::changed;
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::registration::bundles::TypeBundles;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_records::records::draw_id;
use coeval_storage::WriteStep;

#[async_trait]
impl TypeBundles for Resources {
    async fn bundle_steps(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<WriteStep>, EngineError> {
        let name = type_name(of)?;
        let content = BundleContent {
            rights: rights_of_type(name).to_vec(),
            of_type: Some(of.to_string()),
            ..BundleContent::default()
        };
        let new = NewOwn {
            kind: OwnKind::Bundle,
            id: draw_id()?,
            name: bundle_name(name),
            description: None,
            content: content::value(&content)?,
            caller,
        };
        let create = new.create(self.types.own().speaks(&new.kind.of()));
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = match self.types.current(&OwnKind::Bundle.of()).await {
                // An engine without the kinds has no bundles.
                Err(EngineError::TypeUnknown { .. }) => return Ok(Vec::new()),
                other => other?,
            };
            let planned = match self.plan_create(caller, &state, &create, new.id).await {
                // Somebody made one of that name; it stays, and is theirs.
                Err(EngineError::AlreadyExists { .. }) => return Ok(Vec::new()),
                other => other?,
            };
            if let Some(planned) = planned {
                let mut steps = planned.write.steps;
                // Without a condition: no other change of identity bears on a bundle that is
                // published to nobody.
                steps.push(changed()?);
                return Ok(steps);
            }
        }
    }

    async fn bundle_removal(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<WriteStep>, EngineError> {
        let name = bundle_name(type_name(of)?);
        let Some(own) = self.own_named(OwnKind::Bundle, &name).await? else {
            return Ok(Vec::new());
        };
        let content: BundleContent = self.read_own(&own)?;
        // Somebody's own bundle that happens to have the name; it is not the type's to delete.
        if content.of_type.as_deref() != Some(&of.to_string()) {
            return Ok(Vec::new());
        }
        let mut steps = self.removal(caller, &own).await?.steps;
        steps.push(changed()?);
        Ok(steps)
    }
}
