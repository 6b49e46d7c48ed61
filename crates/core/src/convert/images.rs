//! Where a field of one version is found in another, for people who ask what became of it.

use super::path::pattern;
use super::refusal::ConversionRefusal;
use super::step::{StepWay, images_all};
use super::versions::Versions;
use crate::types::PathPattern;
use crate::version::Version;

impl Versions {
    /// All places of one version that what is at a place of another can come to, by the steps
    /// between the two. None if it has no place there: then it is kept beside the document. Whether
    /// the version declares a place is for its schema to say.
    ///
    /// # Errors
    ///
    /// If a version is unknown.
    pub fn images(
        &self,
        from: Version,
        to: Version,
        path: &PathPattern,
    ) -> Result<Vec<PathPattern>, ConversionRefusal> {
        let steps = self.path(self.number(from)?, self.number(to)?);
        let images = images_all(&steps, StepWay::Forward, path.steps().to_vec());
        Ok(images.iter().map(pattern).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::TypeVersion;
    use serde_json::{Value, json};

    fn version(number: &str, schema: &Value, conversion: &Value) -> TypeVersion {
        let mut file = json!({
            "kind": "type", "version": "v1", "metadata": {"name": format!("acme:app:{number}")},
            "spec": {"vendor": "acme", "nss": "app", "version": number, "schema": schema},
        });
        if !conversion.is_null() {
            file["spec"]["conversion"] = conversion.clone();
        }
        TypeVersion::parse(&file.to_string()).unwrap()
    }

    #[test]
    fn a_place_is_followed_through_the_steps_in_both_directions() {
        let old = json!({"type": "object", "properties": {
            "img": {"type": "string"}, "gone": {"type": "string"}, "same": {"type": "string"},
            "nodes": {"type": "array", "items": {"type": "object", "properties": {
                "n": {"type": "string"}}}},
            "full": {"type": "string"},
        }});
        let new = json!({"type": "object", "properties": {
            "image": {"type": "string"}, "same": {"type": "string"}, "region": {"type": "string"},
            "nodes": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}}}},
            "first": {"type": "string"}, "last": {"type": "string"},
        }});
        let steps = json!({"from": "1.0.0", "steps": [
            {"rename": {"path": "/img", "to": "image"}},
            {"remove": {"path": "/gone"}},
            {"add": {"path": "/region"}},
            {"each": {"path": "/nodes", "steps": [{"rename": {"path": "/n", "to": "name"}}]}},
            {"split": {"path": "/full", "at": " ", "into": ["/first", "/last"]}},
        ]});
        let files = vec![
            version("1.0.0", &old, &Value::Null),
            version("2.0.0", &new, &steps),
        ];
        let versions = Versions::of_files(files).unwrap();
        let number = |text: &str| Version::parse_header(text).unwrap();
        let images = |from: &str, to: &str, path: &str| {
            let path = PathPattern::parse(path).unwrap();
            let found = versions.images(number(from), number(to), &path).unwrap();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for (old, new) in [
            ("/img", &["/image"][..]),
            ("/same", &["/same"]),
            ("/gone", &[]),
            ("/nodes/*/n", &["/nodes/*/name"]),
            ("/full", &["/first", "/last"]),
        ] {
            assert_eq!(images("1.0", "2.0", old), new, "{old}");
        }
        assert_eq!(images("2.0", "1.0", "/image"), ["/img"]);
        assert_eq!(images("2.0", "1.0", "/last"), ["/full"]);
        assert!(images("2.0", "1.0", "/region").is_empty());
        let path = PathPattern::parse("/img").unwrap();
        assert!(
            versions
                .images(number("1.0"), number("3.0"), &path)
                .is_err()
        );
    }
}
