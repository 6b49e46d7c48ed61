//! The query of a URL. It is split at `&` alone: clients send `;` and `=` inside of filters, raw.

use crate::rest::error::RestError;

/// The parameters, decoded, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryParams(Vec<(String, String)>);

impl QueryParams {
    /// Reads it. `+` is a space, as forms have it.
    ///
    /// # Errors
    /// If it is no encoding of UTF-8.
    pub fn parse(raw: &str) -> Result<Self, RestError> {
        let parts = raw.split('&').filter(|part| !part.is_empty());
        let pair = |part: &str| {
            // Without a `=` it is a name with an empty value.
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Ok((decode(name)?, decode(value)?))
        };
        let pairs: Result<_, String> = parts.map(pair).collect();
        pairs.map(Self).map_err(|why| RestError::query("", why))
    }

    /// A parameter; said twice, the first counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The same, if it says something.
    #[must_use]
    pub fn said(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|text| !text.is_empty())
    }

    /// A parameter that is true or false.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, RestError> {
        match self.get(name) {
            None | Some("") => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(RestError::query(name, "use true or false")),
        }
    }

    /// A parameter that is a number between two.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&self, name: &'static str, from: u64, to: u64) -> Result<Option<u64>, RestError> {
        let Some(text) = self.said(name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if (from..=to).contains(&number) => Ok(Some(number)),
            _ => Err(RestError::query(
                name,
                format!("use a number from {from} to {to}"),
            )),
        }
    }

    /// With a parameter changed, if it is there.
    #[must_use]
    pub fn with(mut self, name: &str, change: impl Fn(&str) -> String) -> Self {
        for (given, value) in &mut self.0 {
            if given == name {
                *value = change(value);
            }
        }
        self
    }

    /// All of them.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

fn decode(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                // Also a lone % at the end: taken as it is, it would be another text once it is
                // encoded again.
                match (digit(rest.next()), digit(rest.next())) {
                    (Some(high), Some(low)) => u8::try_from(high * 16 + low).unwrap_or_default(),
                    _ => return Err("a % is not followed by two hexadecimal digits".to_owned()),
                }
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// A text as it can stand in a query.
#[must_use]
pub fn encode(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut all, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                all.push(char::from(byte));
            }
            // Writing to a string can't fail.
            other => {
                let _ = write!(all, "%{other:02X}");
            }
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_arrives_the_same_however_a_client_encodes_it() {
        let raw = "filter=vendor==cse;nss==native,(version==1.0.0)&page=2";
        let encoded = "filter=vendor%3D%3Dcse%3Bnss%3D%3Dnative%2C%28version%3D%3D1.0.0%29&page=2";
        let raw = QueryParams::parse(raw).unwrap();
        assert_eq!(raw, QueryParams::parse(encoded).unwrap());
        assert_eq!(
            raw.get("filter"),
            Some("vendor==cse;nss==native,(version==1.0.0)")
        );
    }

    #[test]
    fn plus_is_a_space_and_a_value_may_be_empty() {
        let query = QueryParams::parse("a=x+y&b&c=&=d&&").unwrap();
        assert_eq!(query.get("a"), Some("x y"));
        assert_eq!((query.get("b"), query.get("c")), (Some(""), Some("")));
        assert_eq!(query.get("z"), None);
    }

    #[test]
    fn what_is_no_encoding_is_refused() {
        for bad in ["a=%", "a=%4", "a=%zz", "a=%ff"] {
            assert!(QueryParams::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_and_numbers_are_what_they_say_or_refused() {
        let query = QueryParams::parse("a=true&b=yes&c=7&d=-1&e=").unwrap();
        assert_eq!(query.flag("a").ok(), Some(Some(true)));
        assert!(query.flag("b").is_err());
        assert_eq!(query.number("c", 1, 9).ok(), Some(Some(7)));
        assert!(query.number("c", 8, 9).is_err() && query.number("d", 0, 9).is_err());
        assert_eq!(query.number("e", 0, 9).ok(), Some(None));
    }

    #[test]
    fn encoded_text_reads_back() {
        let text = "name==c (3),*;\\é/&=+";
        let query = QueryParams::parse(&format!("f={}", encode(text))).unwrap();
        assert_eq!(query.get("f"), Some(text));
    }
}
