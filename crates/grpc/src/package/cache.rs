//! The packages that were compiled, each once for its layout.

use super::compiled::Package;
use super::error::TypedError;
use coeval_typed::Layout;
use std::collections::HashMap;
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
