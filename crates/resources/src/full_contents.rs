//! A resource with its secure values: who may read them asks for them by name, and that is
//! recorded before they are handed out.

use crate::read::Target;
use crate::resource::Resource;
use crate::resources::Resources;
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::WantedVersion;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_records::stored::json;
use coeval_storage::AtomicWrite;
use std::sync::Arc;

impl Resources {
    /// A resource at its stored version, its secure values in place. Where it has none this is a
    /// plain read, and takes no more than that.
    ///
    /// # Errors
    /// If the caller may not read its secrets, or they can't be opened.
    pub async fn full_contents(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<Resource, EngineError> {
        let wanted = WantedView::of_all(WantedVersion::Stored);
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self.find(caller, of, target, ResourceAction::Read).await?;
            let (state, stored, token) = (&found.fetched.state, found.stored, found.fetched.token);
            if !stored.header.has_secrets() {
                return self.resource(state, stored, &wanted, found.level, token, None);
            }
            let level = self
                .allow(caller, state, &stored, ResourceAction::ReadSecrets)
                .await?;
            let Some(opened) = unless_raced(self.open_record(state, &stored).await)? else {
                continue;
            };
            let deed = Deed::of_resource(What::ReadSecrets, of, stored.id, &stored.header);
            let step = self.audit_step(caller, &deed)?;
            let write = AtomicWrite { steps: vec![step] };
            // Not repeated and not ignored: without the record of it nobody gets the values.
            self.store.atomic_write(write).await?;
            let record = Some(&opened.record);
            let mut shown = self.resource(state, stored, &wanted, level, token, record)?;
            shown.content = json(&opened.record.content);
            shown.secure = Arc::new([]);
            return Ok(shown);
        }
    }
}
