//! The secret that a request carries.

use crate::negotiation::{HeaderError, RequestHeaders};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// What a request says to prove who sends it.
#[derive(Clone, PartialEq, Eq)]
pub enum SentCredentials {
    /// A session's or API token's secret.
    Bearer(String),
    /// A name with its organization, and a password; for logging in alone.
    Basic {
        /// `user`
        user: String,
        /// `org`, if one is named.
        org: Option<String>,
        /// The password.
        password: String,
    },
}

impl fmt::Debug for SentCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Secrets never reach a log, whatever prints the request.
        f.write_str(match self {
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
        })
    }
}

const AUTHORIZATION: &str = "authorization";
/// Where clients of the RDE API put the same secret; those that send both send the same.
const ACCESS_TOKEN: &str = "x-vmware-vcloud-access-token";
/// Where their older ones put it.
const OLD_TOKEN: &str = "x-vcloud-authorization";

impl SentCredentials {
    /// What the headers hold, if anything.
    ///
    /// # Errors
    /// If it is of a scheme that nobody knows.
    pub fn of(headers: RequestHeaders<'_>) -> Result<Option<Self>, HeaderError> {
        // The standard header decides; what the others say beside it is not looked at.
        if let Some(text) = headers.one(AUTHORIZATION)? {
            return Self::parse(text).map(Some);
        }
        for name in [ACCESS_TOKEN, OLD_TOKEN] {
            if let Some(token) = headers.one(name)? {
                return Ok(Some(Self::Bearer(token.to_owned())));
            }
        }
        Ok(None)
    }

    fn parse(text: &str) -> Result<Self, HeaderError> {
        let bad = |why: &str| HeaderError::new(AUTHORIZATION, why);
        let (scheme, rest) = text
            .split_once(' ')
            .ok_or_else(|| bad("it has no scheme"))?;
        let rest = rest.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok(Self::Bearer(rest.to_owned()));
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(bad("use Bearer, or Basic to log in"));
        }
        let bytes = STANDARD.decode(rest).map_err(|_| bad("it is not base64"))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
        // Only the first colon divides: a password may have more of them.
        let (user, password) = text
            .split_once(':')
            .ok_or_else(|| bad("there is no colon after the user's name"))?;
        // A user's name may have an `@`, an organization's can't.
        let (user, org) = match user.rsplit_once('@') {
            Some((user, org)) => (user, Some(org.to_owned())),
            None => (user, None),
        };
        Ok(Self::Basic {
            user: user.to_owned(),
            org,
            password: password.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, HeaderName, HeaderValue};

    fn of(pairs: &[(&'static str, &str)]) -> Result<Option<SentCredentials>, HeaderError> {
        let pairs = pairs.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        });
        let headers = HeaderMap::from_iter(pairs);
        SentCredentials::of(RequestHeaders(&headers))
    }

    #[test]
    fn the_scheme_is_read_in_any_case_and_a_token_in_any_of_its_headers() {
        let bearer = SentCredentials::Bearer("T".into());
        for (name, value) in [
            (AUTHORIZATION, "Bearer T"),
            (AUTHORIZATION, "bearer T"),
            (ACCESS_TOKEN, "T"),
            (OLD_TOKEN, "T"),
        ] {
            assert_eq!(of(&[(name, value)]), Ok(Some(bearer.clone())));
        }
        let both = [(ACCESS_TOKEN, "T"), (AUTHORIZATION, "bearer T")];
        assert_eq!(of(&both), Ok(Some(bearer)));
        assert_eq!(of(&[]), Ok(None));
    }

    #[test]
    fn the_organization_follows_the_last_at() {
        let basic = |text: &str| {
            let value = format!("Basic {}", STANDARD.encode(text));
            of(&[(AUTHORIZATION, &value)]).unwrap().unwrap()
        };
        let expect = |user: &str, org: Option<&str>, password: &str| SentCredentials::Basic {
            user: user.into(),
            org: org.map(str::to_owned),
            password: password.into(),
        };
        assert_eq!(
            basic("al@x.org@acme:p:w"),
            expect("al@x.org", Some("acme"), "p:w")
        );
        assert_eq!(basic("al:"), expect("al", None, ""));
    }

    #[test]
    fn what_is_no_credential_is_refused_and_none_is_ever_printed() {
        for bad in ["T", "Digest x", "Basic !", "Basic YQ=="] {
            assert!(of(&[(AUTHORIZATION, bad)]).is_err(), "{bad}");
        }
        let shown = format!("{:?}", of(&[(AUTHORIZATION, "Bearer secret")]));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
