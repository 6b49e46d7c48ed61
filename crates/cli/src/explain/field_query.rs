//! What is asked for: `app`, `acme:app`, `app.spec.nodes.size`.

use coeval_core::types::PathToken;

/// A kind and the names on the way to a field; none: the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldQuery {
    pub(super) kind: String,
    pub(super) path: Vec<String>,
}

impl FieldQuery {
    /// What is wrong with it otherwise. The names of types may have dots, so the path begins at
    /// `.spec`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| Err(format!("{text:?} {why}"));
        // `.specs` begins with `.spec` too, and is another kind's name.
        let (kind, path) = match text.split_once(".spec") {
            Some((kind, "")) => (kind, Vec::new()),
            Some((kind, rest)) if rest.starts_with('.') => {
                let names = rest.split('.').skip(1).map(str::to_owned);
                (kind, names.collect::<Vec<_>>())
            }
            _ => (text, Vec::new()),
        };
        // Every kind has these, and no type says anything about them.
        for part in [".metadata", ".status"] {
            if let Some((kind, rest)) = kind.split_once(part)
                && (rest.is_empty() || rest.starts_with('.'))
            {
                let why = format!("is the same for every kind; {kind}.spec is what types define");
                return wrong(&why);
            }
        }
        if kind.is_empty() || path.iter().any(String::is_empty) {
            return wrong("is no kind or field: say KIND or KIND.spec.PATH");
        }
        Ok(Self {
            kind: kind.to_owned(),
            path,
        })
    }

    /// As it was said.
    pub(super) fn dotted(&self) -> String {
        format!("spec.{}", self.path.join("."))
    }
}

/// Whether these names lead to that place. What is inside of every item or value is reached without
/// a word for it, or with `*`.
pub(super) fn fits(names: &[String], place: &[PathToken]) -> bool {
    match (names.split_first(), place.split_first()) {
        (None, None) => true,
        (Some((name, names)), Some((PathToken::Key(key), rest))) if name == key => {
            fits(names, rest)
        }
        (Some((name, rest_of_names)), Some((PathToken::Every, rest))) => {
            (name == "*" && fits(rest_of_names, rest)) || fits(names, rest)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::types::PathPattern;

    #[test]
    fn a_kind_and_a_path_are_told_apart_also_where_names_have_dots() {
        for (text, kind, path) in [
            ("app", "app", &[][..]),
            ("acme:app", "acme:app", &[]),
            ("acme:app.v2", "acme:app.v2", &[]),
            ("app.spec", "app", &[]),
            ("app.specification", "app.specification", &[]),
            ("acme:a.b.spec.nodes.size", "acme:a.b", &["nodes", "size"]),
            ("app.spec.spec", "app", &["spec"]),
        ] {
            let asked = FieldQuery::parse(text).unwrap();
            assert_eq!(asked.kind, kind, "{text}");
            assert_eq!(asked.path, path, "{text}");
        }
        for text in [
            "",
            ".spec",
            "app.spec.",
            "app.spec..x",
            "app.metadata.name",
            "app.status",
        ] {
            assert!(FieldQuery::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn items_need_no_word() {
        for (names, place, expected) in [
            ("nodes", "/nodes", true),
            ("nodes", "/nodes/*", false),
            ("nodes.*", "/nodes/*", true),
            ("nodes.size", "/nodes/*/size", true),
            ("nodes.*.size", "/nodes/*/size", true),
            ("nodes.size", "/nodes/size", true),
            ("nodes", "/nodes/size", false),
            ("node", "/nodes", false),
        ] {
            let names: Vec<_> = names.split('.').map(str::to_owned).collect();
            let place = PathPattern::parse(place).unwrap();
            assert_eq!(fits(&names, place.steps()), expected, "{names:?} {place}");
        }
    }
}
