//! Versions of the API: a client says which it speaks, and some fields exist only from one on.

use std::fmt;

/// `37.2`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ApiVersion {
    major: u16,
    minor: u16,
}

impl ApiVersion {
    /// Those that are served. Nothing from 40.0 on: clients would take the server for another
    /// product.
    pub const SERVED: [Self; 16] = [
        Self::new(35, 0),
        Self::new(35, 1),
        Self::new(35, 2),
        Self::new(35, 3),
        Self::new(36, 0),
        Self::new(36, 1),
        Self::new(36, 2),
        Self::new(36, 3),
        Self::new(37, 0),
        Self::new(37, 1),
        Self::new(37, 2),
        Self::new(37, 3),
        Self::new(38, 0),
        Self::new(38, 1),
        Self::new(39, 0),
        Self::new(39, 1),
    ];
    /// What a request without a word about it means.
    pub const NEWEST: Self = Self::new(39, 1);

    /// A version.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// Of an `Accept` header: all that counts is the first `version=`, whatever stands around it.
    /// `Ok(None)`: nothing is said.
    ///
    /// # Errors
    /// What is said, if it is not served.
    pub(crate) fn of_accept(accept: &str) -> Result<Option<Self>, String> {
        // Clients send media types that are not well-formed around it: nothing else of the header is read.
        let parts = accept.split([';', ',']).map(str::trim);
        let said = parts
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("version"));
        let Some((_, said)) = said else {
            return Ok(None);
        };
        let said = said.trim().trim_matches('"');
        // Some clients have none for paths that they think have none.
        if said.is_empty() {
            return Ok(None);
        }
        // Cut: it is the caller's own text, and goes into the answer.
        let refused = || said.chars().take(40).collect::<String>();
        let (major, minor) = said.split_once('.').ok_or_else(refused)?;
        let number = |text: &str| text.parse::<u16>().map_err(|_| refused());
        let version = Self::new(number(major)?, number(minor)?);
        if Self::SERVED.contains(&version) {
            Ok(Some(version))
        } else {
            Err(refused())
        }
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_of_an_accept_header_counts() {
        let v = |major, minor| Ok(Some(ApiVersion::new(major, minor)));
        for (accept, expected) in [
            ("application/json;version=37.0", v(37, 0)),
            ("application/json; version=37.2", v(37, 2)),
            ("*_/_*;version=37.2", v(37, 2)),
            ("application/*;version=35.0", v(35, 0)),
            ("vnd.vmware.vcloud.org+xml;version=39.1", v(39, 1)),
            ("application/*+xml;version=36.3, text/plain", v(36, 3)),
            ("application/json;VERSION=\"38.0\"", v(38, 0)),
            ("*/*", Ok(None)),
            ("application/json;version=", Ok(None)),
            ("", Ok(None)),
        ] {
            assert_eq!(ApiVersion::of_accept(accept), expected, "{accept}");
        }
    }

    #[test]
    fn what_is_not_served_is_refused_by_name() {
        for said in ["34.0", "40.0", "37", "37.9", "39.1.0-alpha", "x.y", "-1.0"] {
            let accept = format!("application/json;version={said}");
            assert_eq!(ApiVersion::of_accept(&accept), Err(said.to_owned()));
        }
    }

    #[test]
    fn the_newest_is_the_last_that_is_served() {
        assert_eq!(ApiVersion::SERVED.last(), Some(&ApiVersion::NEWEST));
        assert!(ApiVersion::SERVED.is_sorted());
    }
}
