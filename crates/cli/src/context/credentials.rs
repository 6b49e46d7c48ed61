//! The tokens of contexts: `credentials.yaml`. Nothing here prints one.

use super::contexts::{Context, same_server};
use super::error::ContextError;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_norway::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A token, which only [`Token::reveal`] shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) const fn new(token: String) -> Self {
        Self(token)
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// What proves to a server who one is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Credential {
    /// The server that gave it. It is sent to no other, whatever the context says by now.
    pub(crate) server: String,
    pub(crate) token: Token,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<Timestamp>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl Credential {
    pub(crate) fn of(server: &str, token: Token, expires: Option<Timestamp>) -> Self {
        Self {
            server: server.to_owned(),
            token,
            expires,
            rest: BTreeMap::new(),
        }
    }
}

/// By the context's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Credentials {
    pub(super) contexts: BTreeMap<String, Credential>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl Credentials {
    /// From the text of the file. The reason names the place alone: a parser would quote what it
    /// does not understand.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let read: Result<Option<Self>, _> = serde_norway::from_str(text);
        match read {
            Ok(read) => Ok(read.unwrap_or_default()),
            Err(error) => Err(match error.location() {
                Some(at) => format!("line {} is not as expected", at.line()),
                None => "it is not as expected".to_owned(),
            }),
        }
    }

    pub(crate) fn of(&self, context: &Context) -> Option<&Credential> {
        let found = self.contexts.get(&context.name)?;
        same_server(&found.server, &context.server).then_some(found)
    }

    /// What is sent to the context's server.
    pub(super) fn valid_for(
        &self,
        context: &Context,
        now: Timestamp,
    ) -> Result<Option<Credential>, ContextError> {
        let Some(found) = self.of(context) else {
            return Err(ContextError::LoggedOut {
                context: context.name.clone(),
            });
        };
        match found.expires {
            Some(at) if at <= now => Err(ContextError::Over {
                context: context.name.clone(),
                at,
            }),
            _ => Ok(Some(found.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded;

    fn held(expires: Option<&str>) -> Credentials {
        let expires = expires.map(|at| at.parse().unwrap());
        let token = Token::new("s3cret".into());
        let mut held = Credentials::default();
        let credential = Credential::of("http://a:1", token, expires);
        held.contexts.insert("dev".into(), credential);
        held
    }

    #[test]
    fn a_session_that_is_over_says_how_to_log_in() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let context = Context::new("dev", "http://a:1", "alice@acme");
        let later = held(Some("2026-01-03T00:00:00Z"));
        assert!(later.valid_for(&context, now).unwrap().is_some());
        let over = held(Some("2026-01-02T00:00:00Z"));
        let error = over.valid_for(&context, now).unwrap_err();
        assert_eq!(error.code(), coeval_codes::LOGIN_NEEDED);
        assert!(error.advice().contains("coeval login"), "{error:?}");
    }

    #[test]
    fn a_token_is_sent_to_no_other_server_than_gave_it() {
        let moved = Context::new("dev", "http://evil:1", "alice@acme");
        let error = held(None).valid_for(&moved, Timestamp::now()).unwrap_err();
        assert!(matches!(error, ContextError::LoggedOut { .. }), "{error:?}");
    }

    #[test]
    fn a_token_is_in_no_message() {
        assert!(!format!("{:?}", held(None)).contains("s3cret"));
        let wrong = Credentials::parse("contexts: s3cret").unwrap_err();
        assert!(!wrong.contains("s3cret"), "{wrong}");
        let wrong = Credentials::parse("contexts: {dev: s3cret}").unwrap_err();
        assert!(!wrong.contains("s3cret"), "{wrong}");
    }
}
