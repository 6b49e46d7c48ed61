//! Which resource a path means, and which resources a query does.

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::WebError;
use coeval_api::methods::ResourceSelector;
use coeval_engine::{Caller, Target, TypeKey};
use std::collections::BTreeMap;

/// The resource that a path names.
#[derive(Clone, Debug)]
pub(crate) struct NamedResource {
    pub(crate) of: TypeKey,
    pub(crate) target: Target,
}

/// Finds it.
pub(crate) async fn named(
    api: &WebState,
    call: &WebCall,
    caller: &Caller,
) -> Result<NamedResource, WebError> {
    let of = api.methods.kind(caller, call.param("kind")).await?;
    let namespace = call.query.get("namespace").unwrap_or_default();
    let name = call.param("name");
    let target = api.methods.target(caller, &of, name, namespace).await?;
    Ok(NamedResource { of, target })
}

/// Those that a query means.
pub(crate) fn selector(call: &WebCall) -> Result<ResourceSelector, WebError> {
    let said = |name| call.query.get(name).unwrap_or_default().to_owned();
    let mut labels = BTreeMap::new();
    for (_, label) in call.query.pairs().filter(|(name, _)| *name == "label") {
        let (key, value) = label
            .split_once('=')
            .ok_or_else(|| WebError::query("label", "use KEY=VALUE"))?;
        // Two values of one label can never both match: it is a slip, not a question.
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(WebError::query("label", format!("{key} is said twice")));
        }
    }
    Ok(ResourceSelector {
        filter: said("filter"),
        name_prefix: said("namePrefix"),
        labels,
        stored_version: said("storedVersion"),
    })
}
