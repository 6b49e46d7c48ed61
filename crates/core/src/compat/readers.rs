//! What an addition means for those who still read at the older version.
//!
//! A widening breaks no writer: every document that fitted still fits. Readers of the older version
//! are another matter. A view must fit the version that it claims, so a document that uses what was
//! added, and that hiding fields and filling in defaults does not make fit, is not shown to them.

use super::finding::{ChangeKind, CompatFinding, SchemaSide};
use crate::types::Schema;
use serde_json::Value;

/// Adds to each addition whether older readers can be shown the document that shows it.
pub(super) fn note_older_readers(old: &Schema, findings: &mut [CompatFinding]) {
    let additive = findings
        .iter_mut()
        .filter(|one| one.kind == ChangeKind::Additive);
    for finding in additive {
        // Without a document there is nothing that an older reader could fail to be shown.
        let Some(witness) = &finding.witness else {
            continue;
        };
        // It says so beside the addition, because the addition itself is right.
        if witness.accepted_by == SchemaSide::New && !is_shown(old, &witness.document) {
            finding.sentence.push_str(
                " Readers of the older version can't be shown such documents (COEVAL-1113): give the conversion a `map` with `otherwise`, name a `restrictedView`, or declare `x-extensible-enum` in the older version.",
            );
        }
    }
}

/// Whether the older version shows the document, as it shows those of a version without a declared
/// conversion.
fn is_shown(old: &Schema, document: &Value) -> bool {
    let pruned = old.prune(document.clone()).content;
    let Ok(filled) = old.fill_defaults(pruned) else {
        return false;
    };
    old.for_readers().validate(&filled.content).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::compat::SchemaChange;
    use crate::types::Schema;
    use serde_json::{Value, json};

    fn sentence(old: Value, new: Value) -> String {
        let (old, new) = (Schema::compile(old).unwrap(), Schema::compile(new).unwrap());
        let change = SchemaChange::between(&old, &new);
        assert_eq!(change.findings.len(), 1, "{:?}", change.findings);
        change.findings[0].sentence.clone()
    }

    fn of(tier: Value) -> Value {
        json!({ "type": "object", "properties": { "tier": tier } })
    }

    #[test]
    fn a_widening_says_what_older_readers_can_t_be_shown() {
        let wider = of(json!({ "enum": ["a", "b"] }));
        let told = sentence(of(json!({ "enum": ["a"] })), wider.clone());
        assert!(told.contains("can't be shown"), "{told}");
        let tolerant = of(json!({ "enum": ["a"], "x-extensible-enum": true }));
        let told = sentence(tolerant, wider);
        assert!(!told.contains("can't be shown"), "{told}");
    }

    #[test]
    fn what_is_hidden_or_filled_in_is_no_loss_for_readers() {
        let old = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let new =
            json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
        let told = sentence(old, new);
        assert!(!told.contains("can't be shown"), "{told}");
        let need = |required: Value, default: Value| json!({ "type": "object", "required": required, "properties": { "a": default } });
        let told = sentence(
            need(json!(["a"]), json!({ "default": 1 })),
            need(json!([]), json!({ "default": 1 })),
        );
        assert!(!told.contains("can't be shown"), "{told}");
        let told = sentence(need(json!(["a"]), json!({})), need(json!([]), json!({})));
        assert!(told.contains("can't be shown"), "{told}");
    }
}
