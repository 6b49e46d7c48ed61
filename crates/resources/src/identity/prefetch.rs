//! Reading the resource that a request is about along with its caller.

use crate::resources::Resources;
use coeval_catalog::caller::{Caller, WantedVersions};
use coeval_catalog::prefetched::PrefetchedResource;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_storage::Token;

impl Resources {
    /// As [`Resources::caller`], and reads the resource that the request is about along with it.
    ///
    /// # Errors
    /// As [`Resources::caller`].
    pub async fn caller_for(
        &self,
        sent: &str,
        context: Option<&str>,
        wanted: WantedVersions,
        at_least: Option<Token>,
        (of, id): (&TypeKey, Uuid),
    ) -> Result<Caller, EngineError> {
        // A type that there is not is told by whoever looks for its resource.
        let Ok(state) = self.types.get(of).await else {
            return self.caller(sent, context, wanted).await;
        };
        let mut request = PrefetchedResource::request(&state, id)?;
        request.at_least = at_least;
        let (mut caller, snapshot) = self.caller_and(sent, context, wanted, request).await?;
        caller.at_least = at_least;
        Ok(caller.with_prefetched(PrefetchedResource::new(state, id, snapshot)))
    }
}
