//! Warnings about the versions that resources are shown at.

use crate::resource::Resource;
use crate::resources::Resources;
use coeval_core::version::Version;
use coeval_records::keys::TypeKey;

impl Resources {
    /// The same of the versions that resources are shown at, once for each version.
    #[must_use]
    pub fn deprecation_notices<'r>(
        &self,
        shown: impl IntoIterator<Item = &'r Resource>,
    ) -> Vec<String> {
        let mut versions: Vec<(&TypeKey, Version)> = Vec::new();
        for resource in shown {
            let version = (&resource.of, resource.version.version);
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        let notice = |(of, version)| self.deprecation_notice(of, version);
        versions.into_iter().filter_map(notice).collect()
    }
}
