//! Field masks: which fields of a body are meant.

use crate::methods::error::MethodError;

/// Fields of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateMask {
    /// Pointers into the content; `""` is all of it.
    pub spec: Vec<String>,
    /// Whether `metadata.name` is meant.
    pub name: bool,
    /// Whether `metadata.description` is.
    pub description: bool,
    /// Whether `metadata.labels` is.
    pub labels: bool,
    /// Whether `metadata.expires` is.
    pub expires: bool,
    /// Whether `sub_kind` is.
    pub sub_kind: bool,
}

impl UpdateMask {
    /// Reads paths: `spec.image`, `metadata.labels`, `sub_kind`. A part with other characters than
    /// letters, digits, `_` and `-` stands between backticks. `spec` is the whole content,
    /// `metadata` all that can be said of it, `*` everything.
    ///
    /// # Errors
    /// If there is none, or one leads nowhere.
    pub fn parse<'a>(paths: impl IntoIterator<Item = &'a str>) -> Result<Self, MethodError> {
        let mut mask = Self::default();
        let mut any = false;
        for path in paths {
            any = true;
            mask.add(path)?;
        }
        // An empty mask would change nothing and look like a success.
        if any {
            Ok(mask)
        } else {
            Err(MethodError::invalid("the field mask names no field"))
        }
    }

    fn add(&mut self, path: &str) -> Result<(), MethodError> {
        let parts = parts(path)
            .ok_or_else(|| MethodError::invalid(format!("{path:?} is no path of a field")))?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["*"] => {
                self.spec.push(String::new());
                self.sub_kind = true;
                self.metadata();
            }
            ["spec", inner @ ..] => {
                // `~` before `/`: the other way round the new tildes would be escaped again.
                let escaped = inner
                    .iter()
                    .map(|part| part.replace('~', "~0").replace('/', "~1"));
                let pointer = escaped.fold(String::new(), |pointer, part| pointer + "/" + &part);
                self.spec.push(pointer);
            }
            ["sub_kind" | "subKind"] => self.sub_kind = true,
            ["metadata"] => self.metadata(),
            ["metadata", "name"] => self.name = true,
            ["metadata", "description"] => self.description = true,
            ["metadata", "labels"] => self.labels = true,
            ["metadata", "expires"] => self.expires = true,
            // Ids and revisions are the server's to give.
            _ => {
                return Err(MethodError::invalid(format!(
                    "{path:?} is no field that an update can set"
                )));
            }
        }
        Ok(())
    }

    const fn metadata(&mut self) {
        self.name = true;
        self.description = true;
        self.labels = true;
        self.expires = true;
    }
}

/// The parts of a path; nothing if it can't be read.
fn parts(path: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = path;
    loop {
        // In backticks a part may have dots and slashes, as keys of maps do.
        let (part, after) = match rest.strip_prefix('`') {
            Some(quoted) => {
                let (part, after) = quoted.split_once('`')?;
                (part, after)
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '$');
                if part.is_empty() || !part.chars().all(plain) {
                    return None;
                }
                (part, after)
            }
        };
        all.push(part.to_owned());
        if after.is_empty() {
            return Some(all);
        }
        // A dot at the very end leads to an empty part, which is refused above.
        rest = after.strip_prefix('.')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_into_the_content_or_to_what_can_be_said_beside_it() {
        let mask = UpdateMask::parse(["spec.a.b", "spec.`x.y/z`", "metadata.labels"]).unwrap();
        assert_eq!(mask.spec, ["/a/b", "/x.y~1z"]);
        assert!(mask.labels && !mask.description);
        assert_eq!(UpdateMask::parse(["spec"]).unwrap().spec, [""]);
        assert!(UpdateMask::parse(["*"]).unwrap().expires);
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        for bad in [
            "",
            ".",
            "spec.",
            "spec..a",
            "kind",
            "status",
            "spec.`a",
            "metadata.id",
            "spec.`a`b",
        ] {
            assert!(UpdateMask::parse([bad]).is_err(), "{bad}");
        }
        assert!(UpdateMask::parse([]).is_err());
    }
}
