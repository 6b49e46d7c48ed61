//! The tokens of contexts: `credentials.yaml`. Nothing here prints one.

use super::contexts::{ServerContext, same_server};
use super::error::ContextError;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_norway::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A token, which only [`AuthToken::reveal`] shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct AuthToken(String);

impl AuthToken {
    pub(crate) const fn new(token: String) -> Self {
        Self(token)
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AuthToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuthToken(…)")
    }
}

/// What proves to a server who one is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerCredential {
    /// The server that gave it. It is sent to no other, whatever the context says by now.
    pub(crate) server: String,
    pub(crate) token: AuthToken,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<Timestamp>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl ServerCredential {
    pub(crate) fn of(server: &str, token: AuthToken, expires: Option<Timestamp>) -> Self {
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
pub(crate) struct CredentialsFile {
    pub(super) contexts: BTreeMap<String, ServerCredential>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl CredentialsFile {
    /// From the text of the file. The reason names the place alone: a parser would quote what it
    /// does not understand.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let read: Result<Option<Self>, _> = serde_norway::from_str(text);
        match read {
            Ok(read) => Ok(read.unwrap_or_default()),
            // Not the parser's words, which quote what it does not understand, and that may be a
            // token.
            Err(error) => Err(match error.location() {
                Some(at) => format!("line {} is not as expected", at.line()),
                None => "it is not as expected".to_owned(),
            }),
        }
    }

    pub(crate) fn of(&self, context: &ServerContext) -> Option<&ServerCredential> {
        let found = self.contexts.get(&context.name)?;
        // A context may have been edited to another address by hand.
        same_server(&found.server, &context.server).then_some(found)
    }

    /// What is sent to the context's server.
    pub(super) fn valid_for(
        &self,
        context: &ServerContext,
        now: Timestamp,
    ) -> Result<Option<ServerCredential>, ContextError> {
        // A context without a token asks for a login, rather than being refused by the server.
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

    fn held(expires: Option<&str>) -> CredentialsFile {
        let expires = expires.map(|at| at.parse().unwrap());
        let token = AuthToken::new("s3cret".into());
        let mut held = CredentialsFile::default();
        let credential = ServerCredential::of("http://a:1", token, expires);
        held.contexts.insert("dev".into(), credential);
        held
    }

    #[test]
    fn a_session_that_is_over_says_how_to_log_in() {
        let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let context = ServerContext::new("dev", "http://a:1", "alice@acme");
        let later = held(Some("2026-01-03T00:00:00Z"));
        assert!(later.valid_for(&context, now).unwrap().is_some());
        let over = held(Some("2026-01-02T00:00:00Z"));
        let error = over.valid_for(&context, now).unwrap_err();
        assert_eq!(error.code(), coeval_codes::LOGIN_NEEDED);
        assert!(error.advice().contains("coeval login"), "{error:?}");
    }

    #[test]
    fn a_token_is_sent_to_no_other_server_than_gave_it() {
        let moved = ServerContext::new("dev", "http://evil:1", "alice@acme");
        let error = held(None).valid_for(&moved, Timestamp::now()).unwrap_err();
        assert!(matches!(error, ContextError::LoggedOut { .. }), "{error:?}");
    }

    #[test]
    fn a_token_is_in_no_message() {
        assert!(!format!("{:?}", held(None)).contains("s3cret"));
        let wrong = CredentialsFile::parse("contexts: s3cret").unwrap_err();
        assert!(!wrong.contains("s3cret"), "{wrong}");
        let wrong = CredentialsFile::parse("contexts: {dev: s3cret}").unwrap_err();
        assert!(!wrong.contains("s3cret"), "{wrong}");
    }
}
