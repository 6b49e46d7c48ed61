//! The packages that were compiled, each once for its layout, and which of them a caller sees.

use super::error::TypedError;
use super::package::Package;
use super::refused::Refused;
use crate::api::Api;
use coeval_api::methods::MethodError;
use coeval_engine::{Caller, EngineError, TypeKey};
use coeval_typed::Layout;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, RwLock};

/// More are compiled again when they are asked for.
const KEPT: usize = 2_000;

/// Forms of one package: a caller from whom some versions are hidden has one of its own.
const FORMS: usize = 8;

/// By their names.
#[derive(Debug, Default)]
pub(crate) struct Packages(RwLock<HashMap<String, Vec<Compiled>>>);

#[derive(Clone, Debug)]
struct Compiled {
    layout: Arc<Layout>,
    package: Arc<Package>,
}

impl Packages {
    /// The package of a layout. A layout that says the same is the same.
    ///
    /// # Errors
    /// If protobuf does not take it, which no layout should lead to.
    pub(crate) fn of(&self, layout: &Arc<Layout>) -> Result<Arc<Package>, TypedError> {
        let name = layout.package();
        let current = |one: &Compiled| Arc::ptr_eq(&one.layout, layout) || one.layout == *layout;
        let read = self.0.read().ok();
        let found = read.and_then(|all| {
            let mut forms = all.get(&name)?.iter();
            forms.find(|one| current(one)).cloned()
        });
        if let Some(found) = found {
            return Ok(found.package);
        }
        let package = Arc::new(Package::new(Arc::clone(layout))?);
        if let Ok(mut all) = self.0.write() {
            if all.len() >= KEPT {
                all.clear();
            }
            let compiled = Compiled {
                layout: Arc::clone(layout),
                package: Arc::clone(&package),
            };
            let forms = all.entry(name).or_default();
            if forms.len() >= FORMS {
                forms.clear();
            }
            forms.push(compiled);
        }
        Ok(package)
    }
}

impl Api {
    /// The package of that name, if the caller sees the type version that it describes.
    pub(crate) async fn package_for(
        &self,
        caller: Option<&Caller>,
        name: &str,
    ) -> Result<Option<Arc<Package>>, Refused> {
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
        layout: &Layout,
    ) -> Result<bool, MethodError> {
        let engine = self.methods.engine();
        match engine.visible_type(caller, of, layout.version).await {
            Ok(_) => Ok(true),
            Err(EngineError::TypeVersionUnknown { .. } | EngineError::Denied(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// All packages that the caller sees.
    pub(crate) async fn layouts(&self, caller: &Caller) -> Result<Vec<Arc<Layout>>, MethodError> {
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
        let mut types: Vec<&TypeKey> = versions.iter().map(|(of, _)| of).collect();
        types.dedup();
        let mut layouts = Vec::new();
        for of in types {
            let all = match engine.visible_layouts(caller, of).await {
                // Deleted meanwhile.
                Err(EngineError::TypeUnknown { .. }) => continue,
                other => other?,
            };
            let seen = |layout: &Arc<Layout>| versions.contains(&(of.clone(), layout.version));
            layouts.extend(all.into_iter().filter(seen));
        }
        Ok(layouts)
    }
}
