//! Watches, as requests ask for them.

use crate::methods::ResourceMethods;
use crate::methods::error::MethodError;
use crate::methods::selector::{ResourceSelector, filter_field};
use coeval_engine::{Caller, TypeKey, WatchQuery, WatchStream};
use coeval_filter::fiql;
use coeval_storage::Token;
use std::sync::Arc;

/// What a watch is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchParams {
    /// The organization's name; empty: the caller's own; `-`: all.
    pub namespace: String,
    /// Only those that it selects.
    pub selector: ResourceSelector,
    /// From this sequence on; empty: from now.
    pub from: String,
}

/// A watch that has begun.
#[expect(missing_debug_implementations, reason = "a stream has none")]
pub struct OpenedWatch {
    /// What happens.
    pub events: WatchStream,
    /// What is to be said of its filter.
    pub warnings: Vec<String>,
}

impl ResourceMethods {
    /// What changes from then on.
    ///
    /// # Errors
    /// If the filter or the sequence can't be used.
    pub async fn watch(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &WatchParams,
    ) -> Result<OpenedWatch, MethodError> {
        let org = self.scope(caller, &asked.namespace).await?;
        let from = match asked.from.as_str() {
            "" => None,
            text => Some(Token::from_opaque(text).ok_or_else(|| {
                MethodError::invalid("from is no sequence: use one that an answer had")
            })?),
        };
        // Names and labels are looked at in the record, which costs less than a filter.
        let ResourceSelector {
            filter,
            name_prefix,
            labels,
            ..
        } = &asked.selector;
        // Before the watch is opened: what can't be used is refused, and not streamed.
        let versions = asked.selector.versions()?;
        let mut warnings = Vec::new();
        let filter = match filter.as_str() {
            "" => None,
            text => {
                let filter = fiql::parse(text, filter_field)?;
                // Compiled once, for all events.
                let compiled = Arc::new(filter.compile()?);
                let checked = self.engine.check_filter(caller, of, versions, &filter);
                warnings = checked.await?;
                Some(compiled)
            }
        };
        let query = WatchQuery {
            versions,
            org,
            name_prefix: (!name_prefix.is_empty()).then(|| name_prefix.clone()),
            labels: labels.clone(),
            filter,
            from,
            ..WatchQuery::of(of.clone())
        };
        let events = self.engine.watch(caller, query).await?;
        // Told as it opens: later on a watch has only events.
        warnings.extend(self.engine.wanted_deprecation(caller, of));
        Ok(OpenedWatch { events, warnings })
    }
}
