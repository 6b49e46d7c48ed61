//! A resource as an event has it, decoded once, and each view of it made once.

use crate::resource::Resource;
use crate::resources::Resources;
use coeval_access::AccessLevel;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_records::attempts::unless_raced;
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_records::stored::Stored;
use coeval_storage::Token;
use serde::de::IgnoredAny;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many views an event keeps; more are made each time.
const MOST_VIEWS: usize = 24;

/// One view of it.
#[derive(Debug)]
struct View {
    state: Arc<TypeState>,
    wanted: WantedView,
    level: AccessLevel,
    shown: Result<Arc<Resource>, EngineError>,
}

/// A resource as an event has it.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub stored: Stored,
    header: Arc<Header>,
    views: Mutex<Vec<View>>,
    readable: OnceLock<Result<(), EngineError>>,
}

impl Decoded {
    pub(crate) fn new(stored: Stored) -> Self {
        Self {
            header: Arc::new(stored.header.clone()),
            stored,
            views: Mutex::default(),
            readable: OnceLock::new(),
        }
    }

    fn kept(
        &self,
        state: &Arc<TypeState>,
        wanted: &WantedView,
        level: AccessLevel,
    ) -> Option<Result<Arc<Resource>, EngineError>> {
        let views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |view: &&View| {
            // The very state that it was made with: a type that was loaded anew may show another
            // view.
            Arc::ptr_eq(&view.state, state) && view.wanted == *wanted && view.level == level
        };
        views.iter().find(same).map(|view| view.shown.clone())
    }

    /// As it is shown at a version to somebody with that level.
    pub(crate) async fn shown(
        &self,
        resources: &Resources,
        state: &Arc<TypeState>,
        wanted: &WantedView,
        level: AccessLevel,
        token: Token,
    ) -> Result<Arc<Resource>, EngineError> {
        if let Some(kept) = self.kept(state, wanted, level) {
            return kept;
        }
        // Not under the lock, as it may read from the store; two may make the same view, without
        // harm.
        let shown = self.show(resources, state, wanted, level, token).await;
        let shown = shown.map(Arc::new);
        // What the store could not answer is no answer to keep.
        if !matches!(shown, Err(EngineError::Storage(_))) {
            let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
            // Views live as long as their group in the ring, so their number is bounded.
            if views.len() < MOST_VIEWS {
                views.push(View {
                    state: Arc::clone(state),
                    wanted: wanted.clone(),
                    level,
                    shown: shown.clone(),
                });
            }
        }
        shown
    }

    async fn show(
        &self,
        resources: &Resources,
        state: &TypeState,
        wanted: &WantedView,
        level: AccessLevel,
        token: Token,
    ) -> Result<Resource, EngineError> {
        let opened = resources
            .opened_for(state, &self.stored, wanted, level)
            .await;
        // If it was written again since, and its secrets with it, those of this revision are gone.
        // What needs none of them can be shown, and the next event is on its way.
        let opened = unless_raced(opened)?.flatten();
        let header = Arc::clone(&self.header);
        let (stored, opened) = (&self.stored, opened.as_ref());
        let resource = resources.show_with(state, stored, header, wanted, level, token, opened)?;
        // A conversion parses the content; at its own version the stored bytes are passed on.
        if resource.version.version == self.header.version {
            self.is_json()?;
        }
        Ok(resource)
    }

    /// Stored bytes that are passed on must at least be JSON.
    fn is_json(&self) -> Result<(), EngineError> {
        let check = || {
            let read = serde_json::from_slice::<IgnoredAny>(&self.stored.content);
            read.map(|_| ()).map_err(|error| EngineError::Unreadable {
                id: self.stored.id,
                reason: format!("its content is no JSON: {error}"),
            })
        };
        self.readable.get_or_init(check).clone()
    }
}
