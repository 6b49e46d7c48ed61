//! What a view does not show of a resource.

use crate::Methods;
use crate::error::MethodError;
use coeval_core::convert::Record;
use coeval_engine::{Caller, Resource, Target, WantedVersions};

impl Methods {
    /// Pointers to what the stored version shows this caller and the view can't. A view of the
    /// stored version leaves out nothing, and costs nothing here.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn left_out(
        &self,
        caller: &Caller,
        shown: &Resource,
    ) -> Result<Vec<String>, MethodError> {
        let stored = shown.header.version;
        if shown.version.version == stored || shown.restricted.is_some() {
            return Ok(Vec::new());
        }
        let mut at_stored = caller.clone();
        at_stored.wanted = WantedVersions::exactly(stored);
        let target = Target::Id(shown.id);
        let whole = match self.engine.get(&at_stored, &shown.of, &target).await {
            Ok(whole) if whole.revision == shown.revision && whole.restricted.is_none() => whole,
            // Changed meanwhile, or not known here: nothing can be said of this revision.
            _ => return Ok(Vec::new()),
        };
        let state = self.engine.type_state(&shown.of).await?;
        let content = serde_json::from_slice(&whole.content).unwrap_or_default();
        let view = state
            .versions()
            .view(Record::new(stored, content), shown.version.version);
        let Ok(view) = view else {
            return Ok(Vec::new());
        };
        let entries = view.kept.entries().into_iter();
        let independent = entries.filter(|entry| !entry.refines);
        let paths = independent.map(|entry| entry.path).collect();
        Ok(caller.visible_versions(&state).only_visible(&state, paths))
    }
}
