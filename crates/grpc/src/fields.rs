//! Which fields of a message an update means: those of its mask, or all, on condition of a
//! revision.

use coeval_api::methods::MethodError;
use coeval_engine::EngineError;
use coeval_storage::Revision;
use prost_types::FieldMask;

/// The fields that are meant.
#[derive(Debug)]
pub(crate) struct UpdateFields(Option<Vec<String>>);

impl UpdateFields {
    /// Those of a mask, which may name `known` ones; without one all, and then a revision is
    /// needed.
    pub(crate) fn of(
        mask: Option<FieldMask>,
        revision: &str,
        known: &[&str],
    ) -> Result<Self, MethodError> {
        // Without a mask every field is written: only a revision shows that the caller has seen what it writes
        // over.
        let Some(mask) = mask else {
            return match revision {
                "" => Err(EngineError::RevisionNeeded.into()),
                _ => Ok(Self(None)),
            };
        };
        // An empty mask is what a client sends that meant to fill it: all fields would be the worst guess.
        if mask.paths.is_empty() {
            return Err(MethodError::invalid("the field mask names no field"));
        }
        for path in &mask.paths {
            if path != "*" && !known.contains(&path.as_str()) {
                return Err(MethodError::invalid(format!(
                    "{:?} is no field that an update can set: use {}",
                    path.chars().take(100).collect::<String>(),
                    known.join(", ")
                )));
            }
        }
        let all = mask.paths.iter().any(|path| path == "*");
        Ok(Self((!all).then_some(mask.paths)))
    }

    /// The value, if its field is meant.
    pub(crate) fn when<T>(&self, field: &str, value: T) -> Option<T> {
        let meant = self
            .0
            .as_ref()
            .is_none_or(|paths| paths.iter().any(|path| path == field));
        meant.then_some(value)
    }
}

/// The revision that a message carries, if any.
pub(crate) fn revision(text: &str) -> Option<Revision> {
    (!text.is_empty()).then(|| coeval_api::methods::parse_revision(text))
}

/// A text, or nothing.
pub(crate) fn said(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// What a request must have.
pub(crate) fn needed<T>(message: Option<T>, what: &str) -> Result<T, MethodError> {
    message.ok_or_else(|| MethodError::invalid(format!("{what} is missing")))
}

/// A text that a request must have.
pub(crate) fn text(text: String, what: &str) -> Result<String, MethodError> {
    needed(said(text), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(paths: &[&str]) -> Option<FieldMask> {
        let paths = paths.iter().map(|&path| path.to_owned()).collect();
        Some(FieldMask { paths })
    }

    #[test]
    fn a_mask_means_its_fields_and_no_mask_all_of_them_at_a_revision() {
        let known = ["name", "rights"];
        let some = UpdateFields::of(mask(&["name"]), "", &known).unwrap();
        assert_eq!(
            (some.when("name", 1), some.when("rights", 2)),
            (Some(1), None)
        );
        let all = UpdateFields::of(None, "r", &known).unwrap();
        assert_eq!(all.when("rights", 2), Some(2));
        let all = UpdateFields::of(mask(&["*"]), "", &known).unwrap();
        assert_eq!(all.when("rights", 2), Some(2));
    }

    #[test]
    fn nothing_said_and_what_is_no_field_are_refused() {
        assert!(UpdateFields::of(None, "", &["name"]).is_err());
        assert!(UpdateFields::of(mask(&[]), "", &["name"]).is_err());
        assert!(UpdateFields::of(mask(&["id"]), "r", &["name"]).is_err());
    }
}
