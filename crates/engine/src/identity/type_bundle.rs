//! The bundle of a type's five rights: made in the atomic write of the type's first version, and
//! gone in that which deletes the last one.

use super::content::{self, BundleContent};
use super::own::{NewOwn, changed};
use crate::allow::type_name;
use crate::attempts::Attempts;
use crate::caller::Caller;
use crate::engine::{Engine, draw_id};
use crate::error::EngineError;
use crate::keys::TypeKey;
use crate::kinds::OwnKind;
use coeval_access::{bundle_name, rights_of_type};
use coeval_storage::WriteStep;

impl Engine {
    /// The steps that make a type's rights bundle.
    pub(crate) async fn bundle_steps(
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
                steps.push(changed()?);
                return Ok(steps);
            }
        }
    }

    /// The steps that remove it.
    pub(crate) async fn bundle_removal(
        &self,
        caller: &Caller,
        of: &TypeKey,
    ) -> Result<Vec<WriteStep>, EngineError> {
        let name = bundle_name(type_name(of)?);
        let Some(own) = self.own_named(OwnKind::Bundle, &name).await? else {
            return Ok(Vec::new());
        };
        let content: BundleContent = self.read_own(&own)?;
        if content.of_type.as_deref() != Some(&of.to_string()) {
            return Ok(Vec::new());
        }
        let mut steps = self.removal(caller, &own).await?.steps;
        steps.push(changed()?);
        Ok(steps)
    }
}
