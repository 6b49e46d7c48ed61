//! How versions convert, in plain words.

use coeval_core::convert::Versions;
use coeval_core::version::Version;
use coeval_engine::VisibleVersions;
use serde_json::{Value, json};

/// What one direction does to documents.
fn one_way(versions: &Versions, from: Version, to: Version) -> Value {
    match versions.class(from, to) {
        Err(refusal) => json!({ "class": "may refuse", "losses": [], "why": refusal.to_string() }),
        Ok((class, losses)) => {
            let losses = losses.iter().map(|loss| {
                json!({
                    "class": loss.class.words(),
                    "path": loss.path,
                    "what": loss.what,
                })
            });
            json!({ "class": class.words(), "losses": losses.collect::<Vec<_>>() })
        }
    }
}

/// How a version comes from its parent, both ways; nothing for the first, and for one whose parent
/// the caller can't see.
pub(super) fn shown(versions: &Versions, visible: &VisibleVersions, version: Version) -> Value {
    let parent = versions.parent(version);
    let Some(parent) = parent.filter(|parent| visible.has(*parent)) else {
        return Value::Null;
    };
    json!({
        "from": parent.to_string(),
        "forward": one_way(versions, parent, version),
        "backward": one_way(versions, version, parent),
    })
}
