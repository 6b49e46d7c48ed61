//! A view fits the version that it claims.
//!
//! A conversion without a proof can lead to a document that the version at the other end forbids: a
//! later version added a value to an enum, or requires a field that nobody fills in. Whoever shows
//! such a view as if it were one lies to a client that was written against that version.
//!
//! - [`Versions::proves_fit`] looks at the schemas alone: if it says yes, no document has to be
//!   looked at. It is as expensive as registering a version, so it is asked once for a pair.
//! - [`Versions::check_view`] looks at one document.
//!
//! The proof is about documents of the version that they are stored at. It says nothing of what is
//! kept beside them, nor of fields that only another version declares and that were stored before it
//! did: [`Versions::is_covered`] tells whether a record has neither.

use super::express::beyond;
use super::inclusion::gaps;
use super::versions::{ContentRecord, Versions};
use crate::types::ContentError;
use crate::version::Version;
use serde_json::Value;

impl Versions {
    /// Whether every document of one version fits another when it is shown there.
    #[must_use]
    pub fn proves_fit(&self, from: Version, to: Version) -> bool {
        let (Ok(left), Ok(reached)) = (self.number(from), self.number(to)) else {
            return false;
        };
        let Some(target) = self.type_version(reached) else {
            return false;
        };
        let carried = self.carried(left, reached).ok().flatten();
        carried.is_some_and(|sketch| gaps(&sketch, target.schema.for_readers()).is_empty())
    }

    /// Whether a proof speaks of this record: it has nothing kept, and no field of other versions.
    #[must_use]
    pub fn is_covered(&self, record: &ContentRecord) -> bool {
        let graph = self
            .number(record.version)
            .and_then(|number| self.graph(number));
        record.kept.is_empty() && graph.is_ok_and(|graph| !beyond(graph, &record.content))
    }

    /// Whether a whole view, with all that somebody may not see, fits its version.
    ///
    /// # Errors
    ///
    /// All that the version's readers don't tolerate.
    pub fn check_view(&self, content: &Value, at: Version) -> Result<(), ContentError> {
        match self.get(at) {
            Some(version) => version.schema.for_readers().validate(content),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::convert::{ContentRecord, Versions};
    use crate::types::TypeVersion;
    use crate::version::Version;
    use serde_json::{Value, json};

    fn versions(schemas: &[(&str, Value)]) -> Versions {
        let files = schemas.iter().map(|(version, schema)| {
            let file = json!({
                "kind": "type", "version": "v1", "metadata": { "name": format!("acme:fit:{version}") },
                "spec": { "vendor": "acme", "nss": "fit", "version": version, "schema": schema },
            });
            TypeVersion::parse(&file.to_string()).unwrap()
        });
        Versions::of_files(files.collect()).unwrap()
    }

    fn of(tier: Value) -> Value {
        json!({ "type": "object", "properties": { "tier": tier } })
    }

    const OLD: Version = Version::new(1, 0, 0);
    const NEW: Version = Version::new(1, 1, 0);

    #[test]
    fn a_widened_enum_is_proven_upwards_only() {
        let versions = versions(&[
            ("1.0.0", of(json!({ "enum": ["a", "b"] }))),
            ("1.1.0", of(json!({ "enum": ["a", "b", "c"] }))),
        ]);
        assert!(versions.proves_fit(OLD, NEW));
        assert!(!versions.proves_fit(NEW, OLD));
        let shown = |tier: &str| {
            let record = ContentRecord::new(NEW, json!({ "tier": tier }));
            let view = versions.view(record, OLD).unwrap();
            versions.check_view(&view.content, OLD)
        };
        assert!(shown("b").is_ok());
        let broken = shown("c").unwrap_err();
        assert_eq!(broken.violations()[0].pointer, "/tier");
    }

    #[test]
    fn a_field_that_was_there_before_its_name_was_taken_is_not_covered() {
        let taken =
            json!({ "type": "object", "properties": { "tier": {}, "more": { "type": "string" } } });
        let versions = versions(&[("1.0.0", of(json!({}))), ("1.1.0", taken)]);
        assert!(versions.proves_fit(OLD, NEW));
        assert!(versions.is_covered(&ContentRecord::new(OLD, json!({ "tier": 1, "other": 1 }))));
        let own = ContentRecord::new(OLD, json!({ "tier": 1, "more": 1 }));
        assert!(!versions.is_covered(&own));
        let view = versions.view(own, NEW).unwrap();
        assert!(versions.check_view(&view.content, NEW).is_err());
    }

    #[test]
    fn readers_who_promise_to_tolerate_values_are_shown_them() {
        let versions = versions(&[
            (
                "1.0.0",
                of(json!({ "enum": ["a"], "x-extensible-enum": true })),
            ),
            (
                "1.1.0",
                of(json!({ "enum": ["a", "c"], "x-extensible-enum": true })),
            ),
        ]);
        assert!(versions.proves_fit(NEW, OLD));
        assert!(versions.check_view(&json!({ "tier": "c" }), OLD).is_ok());
    }

    #[test]
    fn an_added_optional_field_is_proven_both_ways() {
        let added =
            json!({ "type": "object", "properties": { "tier": { "type": "string" }, "more": {} } });
        let versions = versions(&[("1.0.0", of(json!({ "type": "string" }))), ("1.1.0", added)]);
        assert!(versions.proves_fit(OLD, NEW));
        assert!(versions.proves_fit(NEW, OLD));
    }
}
