//! One header, read once, and as text.

use crate::negotiation::error::HeaderError;
use crate::negotiation::names;
use crate::negotiation::wanted::wanted_versions;
use coeval_engine::WantedVersions;
use coeval_storage::Token;
use http::HeaderMap;

/// The most of a warning that a header gets.
const LONGEST_WARNING: usize = 500;

/// What a header can hold of a warning: plain ASCII of bounded length.
#[must_use]
pub fn warning_text(text: &str) -> String {
    // Beyond ASCII a header has no encoding that all clients agree on.
    let plain = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
    text.chars().take(LONGEST_WARNING).map(plain).collect()
}

/// A request's headers.
#[derive(Clone, Copy, Debug)]
pub struct RequestHeaders<'a>(pub &'a HeaderMap);

impl<'a> RequestHeaders<'a> {
    /// A header that may be there once.
    ///
    /// # Errors
    /// If it is there twice, or is no text.
    pub fn one(&self, name: &'static str) -> Result<Option<&'a str>, HeaderError> {
        let mut all = self.0.get_all(name).iter();
        let Some(first) = all.next() else {
            return Ok(None);
        };
        // Which of two counts is decided differently by every proxy on the way.
        if all.next().is_some() {
            return Err(HeaderError::new(name, "it is there twice"));
        }
        let text = first.to_str();
        let text = text.map_err(|_| HeaderError::new(name, "it has characters beyond ASCII"))?;
        Ok(Some(text.trim()))
    }

    /// The first of these headers that is there and not empty.
    ///
    /// # Errors
    /// If one before it, or it, can't be read.
    pub fn first(&self, names: &[&'static str]) -> Result<Option<&'a str>, HeaderError> {
        for name in names {
            if let Some(text) = self.one(name)?.filter(|text| !text.is_empty()) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Whether the caller insists.
    ///
    /// # Errors
    /// If it says something else than true or false.
    pub fn force(&self) -> Result<bool, HeaderError> {
        match self.one(names::FORCE)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(HeaderError::new(names::FORCE, "use true or false")),
        }
    }

    /// What the caller has seen.
    ///
    /// # Errors
    /// If it is no sequence token.
    pub fn at_least(&self) -> Result<Option<Token>, HeaderError> {
        let Some(text) = self.one(names::AT_LEAST)? else {
            return Ok(None);
        };
        let token = Token::from_opaque(text);
        let bad = || HeaderError::new(names::AT_LEAST, "it is no sequence token");
        token.map(Some).ok_or_else(bad)
    }

    /// What a server may ignore if it does not know it, as the caller says. Several headers are one
    /// list.
    #[must_use]
    pub fn ignorable(&self) -> Vec<String> {
        // Never refused: what can't be read calls nothing ignorable, which is the strict side.
        let all = self.0.get_all(names::IGNORABLE).iter();
        let all = all.filter_map(|value| value.to_str().ok());
        let all = all.flat_map(|list| list.split(',')).map(str::trim);
        all.filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// What the client understands.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn wanted(&self) -> Result<WantedVersions, HeaderError> {
        wanted_versions(self.one(names::ACCEPT)?, self.one(names::RELEASE)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn with(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(
            http::HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )])
    }

    #[test]
    fn a_warning_is_plain_text_of_bounded_length() {
        assert_eq!(warning_text("a\nb\u{e9}"), "a?b?");
        assert_eq!(warning_text(&"x".repeat(9_000)).len(), LONGEST_WARNING);
    }

    #[test]
    fn a_header_twice_is_refused_rather_than_chosen_from() {
        let mut headers = with(names::FORCE, "true");
        assert_eq!(RequestHeaders(&headers).force(), Ok(true));
        headers.append(names::FORCE, HeaderValue::from_static("false"));
        assert!(RequestHeaders(&headers).force().is_err());
    }

    #[test]
    fn the_first_of_several_headers_that_says_something_counts() {
        let mut headers = with("a", "");
        headers.append("b", HeaderValue::from_static("one"));
        headers.append("c", HeaderValue::from_static("two"));
        let first = |names: &[&'static str]| RequestHeaders(&headers).first(names);
        assert_eq!(first(&["a", "b", "c"]), Ok(Some("one")));
        assert_eq!(first(&["a", "d"]), Ok(None));
        headers.append("c", HeaderValue::from_static("three"));
        let first = |names: &[&'static str]| RequestHeaders(&headers).first(names);
        assert_eq!(
            first(&["b", "c"]),
            Ok(Some("one")),
            "what follows is not read"
        );
        assert!(first(&["c"]).is_err());
    }

    #[test]
    fn force_is_true_or_false_and_nothing_else() {
        for (said, means) in [
            ("true", Some(true)),
            ("false", Some(false)),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(
                RequestHeaders(&with(names::FORCE, said)).force().ok(),
                means
            );
        }
    }

    #[test]
    fn what_may_be_ignored_is_one_list_however_many_headers_say_it() {
        let mut headers = with(names::IGNORABLE, "a, b.c,");
        headers.append(names::IGNORABLE, HeaderValue::from_static("5"));
        assert_eq!(RequestHeaders(&headers).ignorable(), ["a", "b.c", "5"]);
        assert!(RequestHeaders(&HeaderMap::new()).ignorable().is_empty());
    }

    #[test]
    fn what_is_no_sequence_token_is_refused() {
        assert!(
            RequestHeaders(&with(names::AT_LEAST, "7"))
                .at_least()
                .is_err()
        );
        assert_eq!(RequestHeaders(&HeaderMap::new()).at_least(), Ok(None));
    }
}
