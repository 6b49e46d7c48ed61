//! The behaviors of a type version: those of its interfaces, with its overrides.

use crate::behaviors::{Behavior, TypeBehavior, interface_behavior_id, type_behavior_id};
use crate::catalog::Catalog;
use crate::types::interface::Interface;
use crate::types::state::TypeState;
use coeval_core::version::Version;
use coeval_records::error::EngineError;

impl Catalog {
    /// All behaviors of a type version, those of its interfaces with its overrides.
    pub async fn behaviors_of(
        &self,
        state: &TypeState,
        version: Version,
    ) -> Result<Vec<TypeBehavior>, EngineError> {
        let Some(definition) = state.version(version) else {
            let of = state.key.clone();
            return Err(EngineError::TypeVersionUnknown { of, version });
        };
        let meta = state.definitions.get(&version).map(|one| &one.meta);
        let overrides = meta.map_or(&[][..], |meta| &meta.overrides);
        let mut all = Vec::new();
        for id in &definition.interfaces {
            // From the store each time: a change of an interface does not rewrite its types.
            let Interface { behaviors, .. } = self.interface(id).await?;
            for behavior in behaviors {
                let reference = interface_behavior_id(&behavior.name, id);
                let instead = overrides.iter().find(|one| one.behavior == reference);
                all.push(match instead {
                    None => TypeBehavior {
                        reference,
                        own_id: None,
                        behavior,
                    },
                    Some(instead) => TypeBehavior {
                        reference,
                        own_id: Some(type_behavior_id(&behavior.name, &state.key, version, id)),
                        behavior: Behavior {
                            name: behavior.name,
                            description: instead.description.clone(),
                            execution: instead.execution.clone(),
                        },
                    },
                });
            }
        }
        Ok(all)
    }
}
