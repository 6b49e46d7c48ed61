//! The packages that were compiled, each once for its layout.

use super::compiled::CompiledPackage;
use super::error::TypedError;
use coeval_typed::PackageLayout;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// More are compiled again when they are asked for.
const KEPT: usize = 2_000;

/// Forms of one package: a caller from whom some versions are hidden has one of its own.
const FORMS: usize = 8;

/// By their names.
#[derive(Debug, Default)]
pub(crate) struct PackageCache(RwLock<HashMap<String, Vec<CachedPackage>>>);

#[derive(Clone, Debug)]
struct CachedPackage {
    layout: Arc<PackageLayout>,
    package: Arc<CompiledPackage>,
}

impl PackageCache {
    /// The package of a layout. A layout that says the same is the same.
    ///
    /// # Errors
    /// If protobuf does not take it, which no layout should lead to.
    pub(crate) fn of(
        &self,
        layout: &Arc<PackageLayout>,
    ) -> Result<Arc<CompiledPackage>, TypedError> {
        let name = layout.package();
        // By the pointer first: the engine hands out the same layout until the type changes, and comparing two
        // large layouts field by field costs more than all the rest of this.
        let current =
            |one: &CachedPackage| Arc::ptr_eq(&one.layout, layout) || one.layout == *layout;
        let read = self.0.read().ok();
        let found = read.and_then(|all| {
            let mut forms = all.get(&name)?.iter();
            forms.find(|one| current(one)).cloned()
        });
        if let Some(found) = found {
            return Ok(found.package);
        }
        // Compiled without the lock: two callers may do it at the same time, and both results are good.
        let package = Arc::new(CompiledPackage::new(Arc::clone(layout))?);
        if let Ok(mut all) = self.0.write() {
            // All at once. Which ones are used is not worth a list that every read would have to write.
            if all.len() >= KEPT {
                all.clear();
            }
            let compiled = CachedPackage {
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
