//! What was found out about a type version when it was registered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One finding: a rule that the change meets, or a law that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, as in the page on compatibility, or the code of what is wrong.
    pub rule: String,
    /// The version that was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Where in the content.
    pub path: String,
    /// For people.
    pub message: String,
    /// Whether it stands in the way of this version number.
    pub refuses: bool,
    /// A document that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
}
