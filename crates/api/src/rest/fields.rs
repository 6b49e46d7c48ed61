//! Fields of a JSON object in a body, each with a clear refusal.

use crate::rest::error::RestError;
use serde_json::{Map, Value};

const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Reads fields; null counts as absent.
pub trait BodyFields {
    /// A text.
    ///
    /// # Errors
    /// If it is something else.
    fn text(&self, name: &str) -> Result<Option<String>, RestError>;

    /// A text that must be there.
    ///
    /// # Errors
    /// If it is not.
    fn needed(&self, name: &str) -> Result<String, RestError> {
        let missing = || RestError::request(format!("{name} is missing"));
        self.text(name)?.ok_or_else(missing)
    }

    /// True or false.
    ///
    /// # Errors
    /// If it is something else.
    fn flag(&self, name: &str) -> Result<Option<bool>, RestError>;

    /// An object.
    ///
    /// # Errors
    /// If it is something else.
    fn map(&self, name: &str) -> Result<Option<&Map<String, Value>>, RestError>;

    /// A list.
    ///
    /// # Errors
    /// If it is something else.
    fn list(&self, name: &str) -> Result<Option<&Vec<Value>>, RestError>;

    /// A list of texts.
    ///
    /// # Errors
    /// If it is something else.
    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, RestError> {
        let Some(list) = self.list(name)? else {
            return Ok(None);
        };
        // All of them or none: a list with something else in it is refused as a whole.
        let texts = list.iter().map(|one| one.as_str().map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        let bad = || RestError::request(format!("{name} must be a list of strings"));
        texts.map(Some).ok_or_else(bad)
    }

    /// Refuses what is not among these: a field that nobody reads would be lost without a word.
    ///
    /// # Errors
    /// If there is another.
    fn only(&self, names: &[&str]) -> Result<(), RestError>;
}

impl BodyFields for Map<String, Value> {
    fn text(&self, name: &str) -> Result<Option<String>, RestError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(RestError::request(format!("{name} must be a string"))),
        }
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, RestError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(RestError::request(format!("{name} must be true or false"))),
        }
    }

    fn map(&self, name: &str) -> Result<Option<&Map<String, Value>>, RestError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(RestError::request(format!("{name} must be an object"))),
        }
    }

    fn list(&self, name: &str) -> Result<Option<&Vec<Value>>, RestError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(RestError::request(format!("{name} must be a list"))),
        }
    }

    fn only(&self, names: &[&str]) -> Result<(), RestError> {
        match self.keys().find(|key| !names.contains(&key.as_str())) {
            None => Ok(()),
            Some(other) => {
                // Cut: it comes from outside and goes into the answer.
                let other: String = other.chars().take(100).collect();
                let known = names.join(", ");
                Err(RestError::FieldUnknown {
                    name: other,
                    known,
                    release: RELEASE,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn null_counts_as_absent_and_another_type_is_refused() {
        let body = map(json!({"a": null, "b": 1, "c": ["x"], "d": ["x", 1]}));
        assert_eq!(body.text("a").ok(), Some(None));
        assert!(body.text("b").is_err() && body.flag("b").is_err());
        assert_eq!(body.texts("c").ok(), Some(Some(vec!["x".to_owned()])));
        assert!(body.texts("d").is_err());
        assert!(body.needed("a").is_err());
    }

    #[test]
    fn what_nobody_reads_is_refused_by_name() {
        let body = map(json!({"spce": {}}));
        let error = body.only(&["spec"]).unwrap_err().to_string();
        assert!(error.contains("spce") && error.contains("spec"), "{error}");
        assert!(body.only(&["spce"]).is_ok());
    }
}
