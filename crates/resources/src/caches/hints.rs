//! Which resource had a name when it was looked up last. A hint saves a read and decides nothing:
//! it is used only where the same snapshot says that the name is still that resource's alone.

use coeval_core::version::Uuid;
use coeval_records::keys::TypeKey;
use quick_cache::Equivalent;
use quick_cache::sync::Cache;

/// How many names are remembered.
const MOST: usize = 50_000;
/// Longer names are looked up each time.
const LONGEST: usize = 256;

/// The remembered names.
#[derive(Debug)]
pub struct Hints(Cache<Named, Uuid>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named {
    of: TypeKey,
    org: String,
    name: String,
}

/// The same, borrowed.
#[derive(Hash)]
struct Asked<'a> {
    of: &'a TypeKey,
    org: &'a str,
    name: &'a str,
}

impl Equivalent<Named> for Asked<'_> {
    fn equivalent(&self, key: &Named) -> bool {
        *self.of == key.of && self.org == key.org && self.name == key.name
    }
}

impl Hints {
    pub fn new() -> Self {
        Self(Cache::new(MOST))
    }

    pub fn get(&self, of: &TypeKey, org: &str, name: &str) -> Option<Uuid> {
        self.0.get(&Asked { of, org, name })
    }

    pub fn set(&self, of: &TypeKey, org: &str, name: &str, id: Uuid) {
        if name.len() > LONGEST {
            return;
        }
        let named = Named {
            of: of.clone(),
            org: org.to_owned(),
            name: name.to_owned(),
        };
        self.0.insert(named, id);
    }

    pub fn forget(&self, of: &TypeKey, org: &str, name: &str) {
        self.0.remove(&Asked { of, org, name });
    }
}
