//! Storing resources at another version.

use crate::error::{ClientError, Reached};
use crate::resources::Resources;
use crate::written::Written;
use coeval_proto::resources::v1 as pb;
use coeval_releases::Feature;
use serde::de::DeserializeOwned;

impl<S: DeserializeOwned> Resources<S> {
    /// Stores a resource at another version, or finds out what that would lead to; empty: at the newest
    /// one that the caller sees. On condition of a revision, if one is said.
    ///
    /// # Errors
    /// [`Kind::NotFound`](crate::Kind::NotFound) if it is not there;
    /// [`Kind::Unimplemented`](crate::Kind::Unimplemented) if the server is too old; if its content has
    /// no counterpart at that version.
    pub async fn upgrade(
        &self,
        name: &str,
        version: &str,
        revision: &str,
        dry_run: bool,
    ) -> Result<Written<S>, ClientError> {
        self.must_have(Feature::Upgrade)?;
        let request = pb::UpgradeResourceRequest {
            kind: self.kind.clone(),
            name: name.to_owned(),
            namespace: self.namespace.clone(),
            version: version.to_owned(),
            revision: revision.to_owned(),
            dry_run,
            ..Default::default()
        };
        let mut attempts = self.attempts();
        loop {
            let mut service = self.service();
            let sent = service.upgrade_resource(request.clone());
            let error = match attempts.one(sent).await {
                Ok(answer) => return Written::answered(answer),
                Err(error) => self.or_release_needed(Feature::Upgrade, error),
            };
            // What is at the version already stays as it is, so it can be sent again; but for a
            // revision, which is another one if the first was done.
            let sure = error.reached() != Reached::Perhaps || revision.is_empty();
            if sure && error.may_pass() && attempts.again(&error).await {
                continue;
            }
            return Err(if sure {
                error
            } else {
                ClientError::unknown(&error, "what came of it can't be told")
            });
        }
    }
}
