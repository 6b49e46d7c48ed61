//! A resource as it is read at every version.

use crate::server::Server;
use coeval_codes::{Code, Coded};
use coeval_core_suite::expected::has_unlisted;
use coeval_core_suite::world::TypeWorld;
use coeval_engine::{Target, TypeKey};
use coeval_storage::Revision;
use serde_json::Value;

/// One view.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// With its mark, as a client sends it back.
    pub(crate) version: String,
    pub(crate) content: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) revision: Revision,
    /// The number of the stored version.
    pub(crate) home: usize,
    /// By version: what is shown, or the code of the refusal.
    pub(crate) views: Vec<Result<Seen, Code>>,
}

impl Snapshot {
    pub(crate) async fn take(
        server: &Server,
        of: &TypeKey,
        world: &TypeWorld,
        target: &Target,
    ) -> Result<Self, String> {
        let mut views = Vec::new();
        let mut stored = None;
        for made in &world.made {
            let caller = server.admin.clone().at(made.version);
            views.push(match server.engine.get(&caller, of, target).await {
                Ok(read) => {
                    stored = Some((read.revision, read.header.version));
                    let content = serde_json::from_slice(&read.content).unwrap();
                    // An enum is the one thing that generated versions forbid each other.
                    if has_unlisted(&made.fields, &content, true) {
                        let version = made.version;
                        return Err(format!(
                            "it is shown at {version} and does not fit: {content}"
                        ));
                    }
                    Ok(Seen {
                        version: read.version.to_string(),
                        content,
                    })
                }
                Err(error) => {
                    let code = error.code();
                    let known = [coeval_codes::VIEW_UNFIT, coeval_codes::CONVERSION_VALUE];
                    if !known.contains(&code) {
                        return Err(format!("a read at {} fails: {error}", made.version));
                    }
                    Err(code)
                }
            });
        }
        let (revision, version) = stored.ok_or("no version can be read")?;
        let home = world.made.iter().position(|made| made.version == version);
        let home = home.ok_or("it is stored at a version that there is not")?;
        if views[home].is_err() {
            return Err(format!("it can't be read at {version}, as it is stored"));
        }
        Ok(Self {
            revision,
            home,
            views,
        })
    }

    pub(crate) fn content(&self, number: usize) -> Result<&Value, Code> {
        let seen = self.views[number].as_ref();
        seen.map(|seen| &seen.content).map_err(|code| *code)
    }
}
