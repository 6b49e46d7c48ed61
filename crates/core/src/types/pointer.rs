//! JSON pointers into content, and patterns of them in which `*` stands for every item or value.

use super::limits::CONTENT_DEPTH;
use serde_json::Value;
use std::fmt;

/// `pointer` with one more token, escaped.
///
/// ```
/// use coeval_core::types::pointer::{child, tokens};
///
/// let pointer = child("/labels", "acme.com/team");
/// assert_eq!(pointer, "/labels/acme.com~1team");
/// assert_eq!(tokens(&pointer).unwrap(), ["labels", "acme.com/team"]);
/// ```
#[must_use]
pub fn child(pointer: &str, token: &str) -> String {
    let mut longer = String::with_capacity(pointer.len() + token.len() + 1);
    longer.push_str(pointer);
    longer.push('/');
    for c in token.chars() {
        match c {
            '~' => longer.push_str("~0"),
            '/' => longer.push_str("~1"),
            _ => longer.push(c),
        }
    }
    longer
}

/// The tokens of a pointer, unescaped; `None` if it is not one.
#[must_use]
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .map(unescape)
        .collect()
}

fn unescape(token: &str) -> Option<String> {
    let mut parts = token.split('~');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.strip_prefix('0') {
            Some(rest) => {
                plain.push('~');
                rest
            }
            None => {
                plain.push('/');
                part.strip_prefix('1')?
            }
        };
        plain.push_str(rest);
    }
    Some(plain)
}

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathToken {
    /// A key of an object, or the number of an item.
    Key(String),
    /// Every item of a list, every value of an object.
    Every,
}

/// A pointer that can name many places: `/nodes/*/gpu`.
///
/// ```
/// use coeval_core::types::PathPattern;
/// use serde_json::json;
///
/// let document = json!({"nodes": [{"gpu": 1}, {}, {"gpu": 2}]});
/// let gpus = PathPattern::parse("/nodes/*/gpu").unwrap();
/// let places: Vec<String> = gpus.find(&document).into_iter().map(|(at, _)| at).collect();
/// assert_eq!(places, ["/nodes/0/gpu", "/nodes/2/gpu"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern(Vec<PathToken>);

impl PathPattern {
    /// Of a text that begins with `/` and names at least one step.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as a clause.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.starts_with('/') {
            return Err("a path begins with /");
        }
        let tokens = tokens(text).ok_or("~ is written ~0 and / inside a name ~1")?;
        if tokens.len() > CONTENT_DEPTH {
            return Err("it has more steps than content has levels");
        }
        if tokens.iter().any(String::is_empty) {
            return Err("a name between two / is empty");
        }
        let step = |token: String| match token.as_str() {
            "*" => PathToken::Every,
            _ => PathToken::Key(token),
        };
        Ok(Self(tokens.into_iter().map(step).collect()))
    }

    pub(crate) const fn of(steps: Vec<PathToken>) -> Self {
        Self(steps)
    }

    /// Its steps.
    #[must_use]
    pub fn steps(&self) -> &[PathToken] {
        &self.0
    }

    /// Whether it names the place that a JSON pointer leads to, or one around it.
    #[must_use]
    pub fn leads_to(&self, pointer: &str) -> bool {
        let Some(tokens) = tokens(pointer) else {
            return false;
        };
        let names = |(own, token): (&PathToken, &String)| match own {
            PathToken::Every => true,
            PathToken::Key(key) => key == token,
        };
        tokens.len() >= self.0.len() && self.0.iter().zip(&tokens).all(names)
    }

    /// Whether it names every place that the other names.
    ///
    /// ```
    /// use coeval_core::types::PathPattern;
    ///
    /// let [every, first] = ["/nodes/*", "/nodes/0"].map(|text| PathPattern::parse(text).unwrap());
    /// assert!(every.covers(&first) && !first.covers(&every));
    /// ```
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let covers =
            |(own, other): (&PathToken, &PathToken)| own == other || *own == PathToken::Every;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(covers)
    }

    /// The places in a document that it names, with their pointers, in the document's order.
    #[must_use]
    pub fn find<'v>(&self, document: &'v Value) -> Vec<(String, &'v Value)> {
        let mut places = vec![(String::new(), document)];
        for step in &self.0 {
            let mut next = Vec::new();
            for (pointer, value) in places {
                follow(step, &pointer, value, &mut next);
            }
            places = next;
        }
        places
    }
}

fn follow<'v>(step: &PathToken, at: &str, value: &'v Value, found: &mut Vec<(String, &'v Value)>) {
    match (step, value) {
        (PathToken::Key(key), Value::Object(map)) => {
            found.extend(map.get(key).map(|inner| (child(at, key), inner)));
        }
        (PathToken::Key(key), Value::Array(items)) => {
            let item = key.parse().ok().and_then(|index: usize| items.get(index));
            found.extend(item.map(|inner| (child(at, key), inner)));
        }
        (PathToken::Every, Value::Object(map)) => {
            found.extend(map.iter().map(|(key, inner)| (child(at, key), inner)));
        }
        (PathToken::Every, Value::Array(items)) => {
            let numbered = items.iter().enumerate();
            found.extend(numbered.map(|(index, inner)| (format!("{at}/{index}"), inner)));
        }
        _ => {}
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                PathToken::Every => f.write_str("/*")?,
                PathToken::Key(key) => f.write_str(&child("", key))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pattern_finds_every_place_that_it_names() {
        let document = json!({"nodes": [{"gpu": 1}, {}, {"gpu": 2}], "a/b": {"~": 3}});
        let find = |text| {
            let found = PathPattern::parse(text).unwrap().find(&document);
            found.into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(find("/nodes/*/gpu"), ["/nodes/0/gpu", "/nodes/2/gpu"]);
        assert_eq!(find("/nodes/2/gpu"), ["/nodes/2/gpu"]);
        assert_eq!(find("/a~1b/~0"), ["/a~1b/~0"]);
        assert_eq!(
            find("/*/*"),
            ["/nodes/0", "/nodes/1", "/nodes/2", "/a~1b/~0"]
        );
        assert!(find("/nodes/x").is_empty());
    }

    #[test]
    fn a_pattern_covers_what_names_the_same_places_or_fewer() {
        let covers = |own: &str, other: &str| {
            let read = |text| PathPattern::parse(text).unwrap();
            read(own).covers(&read(other))
        };
        assert!(covers("/a/*", "/a/*") && covers("/a/*", "/a/b") && covers("/*/*", "/a/b"));
        assert!(!covers("/a/b", "/a/*") && !covers("/a", "/a/b") && !covers("/a/b", "/a"));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "nodes", "/", "/a//b", "/a~2", "/~"] {
            assert!(PathPattern::parse(text).is_err(), "{text:?}");
        }
        assert!(PathPattern::parse(&"/a".repeat(129)).is_err());
        assert_eq!(
            PathPattern::parse("/a~1b/*").unwrap().to_string(),
            "/a~1b/*"
        );
    }
}
