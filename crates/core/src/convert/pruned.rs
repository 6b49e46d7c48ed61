//! What can be shown of content whose version is not known.

use super::refusal::{ConversionObstacle, ConversionRefusal, bounded};
use super::versions::Versions;
use crate::version::Version;
use serde_json::Value;

impl Versions {
    /// Content of a version that is not known, reduced to what a version declares that is. Redact
    /// it by that version's marks before it is shown.
    ///
    /// # Errors
    ///
    /// If the version is unknown, or the content is too deep.
    pub fn pruned(&self, content: Value, to: Version) -> Result<Value, ConversionRefusal> {
        let content = bounded(content)?;
        let unknown = || ConversionRefusal::whole(ConversionObstacle::UnknownVersion(to));
        let version = self.get(to).ok_or_else(unknown)?;
        Ok(version.schema.declared_only(&content))
    }
}
