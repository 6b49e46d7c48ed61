//! Which packages a caller sees: those of the type versions that it sees.

use crate::api::GrpcState;
use crate::package::compiled::CompiledPackage;
use crate::package::refusal::TypedRefusal;
use coeval_api::methods::MethodError;
use coeval_engine::{Caller, EngineError, TypeKey};
use coeval_typed::PackageLayout;
use std::collections::BTreeSet;
use std::sync::Arc;

impl GrpcState {
    /// The package of that name, if the caller sees the type version that it describes.
    pub(crate) async fn package_for(
        &self,
        caller: Option<&Caller>,
        name: &str,
    ) -> Result<Option<Arc<CompiledPackage>>, TypedRefusal> {
        let Some(caller) = caller else {
            return Ok(None);
        };
        let found = self.methods.engine().typed_package(caller, name).await?;
        let Some((of, layout)) = found else {
            return Ok(None);
        };
        Ok(if self.sees(caller, &of, &layout).await? {
            self.packages.of(&layout).map(Some)?
        } else {
            None
        })
    }

    /// Whether the caller sees the type version that a package describes.
    pub(crate) async fn sees(
        &self,
        caller: &Caller,
        of: &TypeKey,
        layout: &PackageLayout,
    ) -> Result<bool, MethodError> {
        let engine = self.methods.engine();
        match engine.visible_type(caller, of, layout.version).await {
            Ok(_) => Ok(true),
            Err(EngineError::TypeVersionUnknown { .. } | EngineError::Denied(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// All packages that the caller sees.
    pub(crate) async fn layouts(
        &self,
        caller: &Caller,
    ) -> Result<Vec<Arc<PackageLayout>>, MethodError> {
        let engine = self.methods.engine();
        let visible = engine.visible_types(caller).await?;
        let ids = visible.iter().map(|entry| &entry.version.id);
        let versions: BTreeSet<_> = ids
            .map(|id| {
                (
                    TypeKey::new(id.vendor.as_str(), id.nss.as_str()),
                    id.version,
                )
            })
            .collect();
        // In order already, since they come from a set: equal ones are neighbours.
        let mut types: Vec<&TypeKey> = versions.iter().map(|(of, _)| of).collect();
        types.dedup();
        let mut layouts = Vec::new();
        for of in types {
            let all = match engine.visible_layouts(caller, of).await {
                // Deleted meanwhile.
                Err(EngineError::TypeUnknown { .. }) => continue,
                other => other?,
            };
            let seen =
                |layout: &Arc<PackageLayout>| versions.contains(&(of.clone(), layout.version));
            layouts.extend(all.into_iter().filter(seen));
        }
        Ok(layouts)
    }
}
