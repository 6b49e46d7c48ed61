//! Who may see a field: the classes of `x-vcloud-restricted`.

use serde_json::Value;
use std::fmt;

/// How widely a field is seen, and by whom it is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Everybody who may read the resource reads it, who may write writes it.
    #[default]
    Public,
    /// Everybody reads it; writing needs full control.
    Protected,
    /// Reading and writing need full control.
    Private,
}

/// The word in a schema.
impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public",
            Self::Protected => "protected",
            Self::Private => "private",
        })
    }
}

/// The marks of a field, those of the fields around it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Restriction {
    /// Who sees it.
    pub visibility: Visibility,
    /// Stored encrypted and never shown, not even to those who see the rest.
    pub secure: bool,
}

impl Restriction {
    /// The stronger of both, in each respect.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            visibility: self.visibility.max(other.visibility),
            secure: self.secure || other.secure,
        }
    }

    /// Of the keyword's value: a word or a list of words.
    ///
    /// # Errors
    ///
    /// What was found instead, as a clause.
    pub fn parse(value: &Value) -> Result<Self, String> {
        let words = match value {
            Value::Array(words) => words.as_slice(),
            word => std::slice::from_ref(word),
        };
        let mut all = Self::default();
        for word in words {
            all = all.and(match word.as_str() {
                Some("public") => Self::default(),
                Some("protected") => Self::visible(Visibility::Protected),
                Some("private") => Self::visible(Visibility::Private),
                Some("secure") => Self {
                    secure: true,
                    ..Self::default()
                },
                Some(other) => {
                    let start: String = other.chars().take(40).collect();
                    return Err(format!("{start:?}, which is no class"));
                }
                None => return Err("neither a word nor a list of words".to_owned()),
            });
        }
        Ok(all)
    }

    const fn visible(visibility: Visibility) -> Self {
        Self {
            visibility,
            secure: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn private_is_stronger_than_protected_and_secure_stays_secure() {
        let both = Restriction::parse(&json!(["secure", "protected", "private", "public"]));
        assert_eq!(
            both,
            Ok(Restriction {
                visibility: Visibility::Private,
                secure: true
            })
        );
        assert!(Visibility::Private > Visibility::Protected);
        assert!(Visibility::Protected > Visibility::Public);
    }

    #[test]
    fn a_class_is_printed_as_it_is_read() {
        for visibility in [
            Visibility::Public,
            Visibility::Protected,
            Visibility::Private,
        ] {
            let read = Restriction::parse(&json!(visibility.to_string())).unwrap();
            assert_eq!(read.visibility, visibility);
        }
    }

    #[test]
    fn other_words_are_refused_because_a_typing_error_would_show_a_secret() {
        for value in [
            json!("Private"),
            json!(["secret"]),
            json!(true),
            json!([1]),
            json!(null),
        ] {
            assert!(Restriction::parse(&value).is_err(), "{value}");
        }
        assert_eq!(Restriction::parse(&json!([])), Ok(Restriction::default()));
    }
}
