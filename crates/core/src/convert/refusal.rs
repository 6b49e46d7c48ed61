//! Why a conversion or a write at another version is refused.

use crate::types::limits::CONTENT_DEPTH;
use crate::types::pointer::child;
use crate::types::{deeper_than, dismantle};
use crate::version::Version;
use coeval_codes::{Code, CodeOf, Coded};
use serde_json::Value;
use std::fmt;

/// What the author of a type can do for a list whose items can't be told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRemedy {
    /// Declare a key.
    Declare {
        /// The type version.
        version: String,
        /// Where its schema has the list.
        place: String,
        /// A field that would do, if there is one.
        field: Option<String>,
    },
    /// It has a key, which the items don't tell, or two of them share.
    Distinct {
        /// The fields that are the key.
        fields: Vec<String>,
    },
}

impl fmt::Display for KeyRemedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declare {
                version,
                place,
                field,
            } => {
                // A placeholder where no field of the schema would do: the author has to choose or
                // add one.
                let field = field.as_deref().unwrap_or("FIELD");
                write!(
                    f,
                    "declare `x-coeval-list-key: {field}` at {place} of {version}, or of a later version: \
                     a key holds for all versions of the type"
                )?;
                if field == "FIELD" {
                    write!(
                        f,
                        "; FIELD is what tells the items apart, and may have to be added"
                    )?;
                }
                Ok(())
            }
            Self::Distinct { fields } => {
                write!(f, "give every item a {} of its own", fields.join(" and "))
            }
        }
    }
}

/// What is in the way.
#[derive(Clone, Debug, PartialEq, Eq, CodeOf)]
pub enum ConversionObstacle {
    /// A value has no counterpart in the other version.
    #[code(CONVERSION_VALUE)]
    Value(String),
    /// The result would have too many levels.
    #[code(CONVERSION_TOO_DEEP)]
    TooDeep,
    /// The result would be too large.
    #[code(CONVERSION_TOO_LARGE)]
    TooLarge,
    /// Nobody registered such a version.
    #[code(CONVERSION_VERSION_UNKNOWN)]
    UnknownVersion(Version),
    /// What the versions declare is too complex to be told apart.
    #[code(VERSIONS_TOO_COMPLEX)]
    TooComplex,
    /// The body sets fields that its version does not have.
    #[code(BODY_UNEXPRESSED)]
    Unexpressed {
        /// The version of the body.
        version: Version,
        /// Which fields.
        fields: Vec<String>,
    },
    /// The items of a list can't be told apart, and something is kept for one of them.
    #[code(LIST_NEEDS_KEY)]
    Ambiguous {
        /// What the type's author can do about it, where that is known.
        remedy: Option<KeyRemedy>,
    },
    /// Two fields that always say the same were changed differently.
    #[code(MIRRORS_DIFFER)]
    Mirrors {
        /// The one that rules.
        from: String,
        /// The one that follows.
        to: String,
    },
    /// The body changes fields that need full control.
    #[code(RESTRICTED_FIELDS)]
    RestrictedFields(Vec<String>),
    /// Secrets were given that don't belong to the record.
    #[code(SECRETS_MISMATCH)]
    Secrets,
}

/// What a conversion comes to.
pub(crate) type Carried<T> = Result<T, ConversionRefusal>;

/// A refusal: nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionRefusal {
    /// Where, as a JSON pointer in the version at hand; empty for the whole.
    pub pointer: String,
    /// Why.
    pub reason: ConversionObstacle,
}

impl ConversionRefusal {
    pub(crate) fn whole(reason: ConversionObstacle) -> Self {
        Self {
            pointer: String::new(),
            reason,
        }
    }

    pub(crate) fn value(pointer: impl fmt::Display, why: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_string(),
            reason: ConversionObstacle::Value(why.into()),
        }
    }

    pub(crate) fn ambiguous(list: &str, remedy: Option<KeyRemedy>) -> Self {
        Self {
            pointer: list.to_owned(),
            reason: ConversionObstacle::Ambiguous { remedy },
        }
    }

    /// Seen from further out.
    pub(crate) fn inside(mut self, pointer: &str) -> Self {
        self.pointer.insert_str(0, pointer);
        self
    }

    pub(crate) fn in_key(self, key: &str) -> Self {
        let outer = child("", key);
        self.inside(&outer)
    }

    pub(crate) fn in_item(self, index: usize) -> Self {
        self.inside(&format!("/{index}"))
    }
}

/// Content that is not deeper than content may be; walks over it recurse. What is deeper is refused
/// and taken apart, because even dropping it would recurse.
pub(crate) fn bounded(content: Value) -> Carried<Value> {
    if deeper_than(&content, CONTENT_DEPTH) {
        dismantle(content);
        return Err(ConversionRefusal::whole(ConversionObstacle::TooDeep));
    }
    Ok(content)
}

impl fmt::Display for ConversionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            ConversionObstacle::Value(why) if self.pointer.is_empty() => {
                write!(f, "the content can't be converted: {why}")
            }
            ConversionObstacle::Value(why) => {
                write!(f, "{} can't be converted: {why}", self.pointer)
            }
            ConversionObstacle::TooDeep => write!(
                f,
                "the content has too many levels, or would have, converted"
            ),
            ConversionObstacle::TooLarge => write!(f, "converted, the content would be too large"),
            ConversionObstacle::UnknownVersion(version) => {
                write!(f, "there is no version {version}")
            }
            ConversionObstacle::TooComplex => {
                write!(f, "the versions' schemas are too complex to be compared")
            }
            // Those that the caller may not know of were taken out.
            ConversionObstacle::Unexpressed { version, fields } if fields.is_empty() => {
                write!(
                    f,
                    "a body at version {version} sets fields that this version does not have"
                )
            }
            ConversionObstacle::Unexpressed { version, fields } => {
                write!(
                    f,
                    "a body at version {version} sets {}, ",
                    fields.join(", ")
                )?;
                write!(f, "which other versions have and this one does not")
            }
            ConversionObstacle::Ambiguous { .. } => write!(
                f,
                "items of the list {} can't be told apart, and something is kept for one that was changed",
                self.pointer
            ),
            ConversionObstacle::Mirrors { from, to } => {
                write!(
                    f,
                    "{from} and {to} say the same, and were changed differently"
                )
            }
            ConversionObstacle::RestrictedFields(fields) => {
                // The empty pointer is the whole document, which reads as nothing in a sentence.
                let named = fields.iter().map(|field| match field.as_str() {
                    "" => "the whole content",
                    field => field,
                });
                let named: Vec<&str> = named.collect();
                let named = named.join(", ");
                write!(f, "the body changes {named}, which needs full control")
            }
            ConversionObstacle::Secrets => {
                write!(
                    f,
                    "the secrets at {:?} don't belong to the record",
                    self.pointer
                )
            }
        }
    }
}

impl std::error::Error for ConversionRefusal {}

impl Coded for ConversionRefusal {
    fn code(&self) -> Code {
        self.reason.code()
    }

    fn advice(&self) -> String {
        match &self.reason {
            ConversionObstacle::Value(_) => {
                "Change the value at the version that the resource is stored at, or read it at that version.".to_owned()
            }
            ConversionObstacle::TooDeep | ConversionObstacle::TooLarge => {
                "Make the content smaller, or read it at the version that it is stored at.".to_owned()
            }
            ConversionObstacle::UnknownVersion(_) => {
                "Ask for a version that is registered; the type's list of versions has them.".to_owned()
            }
            ConversionObstacle::TooComplex => {
                "Simplify the patterns in patternProperties, or split the type.".to_owned()
            }
            ConversionObstacle::Unexpressed { fields, .. } if fields.is_empty() => {
                "Leave out what the version does not declare.".to_owned()
            }
            ConversionObstacle::Unexpressed { .. } => {
                "Leave these fields out, or write at a version that has them.".to_owned()
            }
            ConversionObstacle::Ambiguous { remedy: None } => {
                "Write at the version that the resource is stored at, or have the type's author name a key: each: {path, key}.".to_owned()
            }
            ConversionObstacle::Ambiguous { remedy: Some(remedy @ KeyRemedy::Distinct { .. }) } => {
                format!("In {}, {remedy}; or write at the version that the resource is stored at.", self.pointer)
            }
            ConversionObstacle::Ambiguous { remedy: Some(remedy) } => {
                format!("Write at the version that the resource is stored at, or have the type's author {remedy}.")
            }
            ConversionObstacle::Mirrors { from, .. } => {
                format!("Change {from} alone; the other field follows.")
            }
            ConversionObstacle::RestrictedFields(_) => {
                "Leave these fields as they were read, and those that you don't see out; or ask somebody with full control.".to_owned()
            }
            ConversionObstacle::Secrets => {
                "Restore the resource and its secrets from the same backup, or set the secure fields again.".to_owned()
            }
        }
    }
}
