//! What a definition says: where to, with which key, and how long.

use crate::settings::WebHookSettings;
use coeval_engine::lifecycle::ExecutionError;
use http::Uri;
use serde_json::Value;
use std::time::Duration;

/// How long a server may take if nothing is said.
const USUALLY: u64 = 30;
/// And at most.
const LONGEST: u64 = 300;

/// A definition that can be executed.
pub(crate) struct WebhookDefinition {
    /// Without brackets.
    pub(crate) host: String,
    /// As the header has it.
    pub(crate) authority: String,
    pub(crate) port: u16,
    pub(crate) tls: bool,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) key: String,
    pub(crate) time: Duration,
}

fn refuse(reason: impl Into<String>) -> ExecutionError {
    let reason = reason.into();
    ExecutionError::Definition { reason }
}

impl WebhookDefinition {
    /// Reads an execution, and refuses what would be done otherwise than it says.
    pub(crate) fn read(
        execution: &Value,
        settings: &WebHookSettings,
    ) -> Result<Self, ExecutionError> {
        let text = |name: &str| execution.get(name).and_then(Value::as_str);
        let href = text("href").ok_or_else(|| refuse("it has no href"))?;
        let uri: Uri = href.parse().map_err(|_| refuse("its href is no URL"))?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if settings.allow_http => false,
            Some("http") => {
                return Err(refuse(
                    "its href is not https, and plain http is not allowed here",
                ));
            }
            _ => return Err(refuse("its href is no https URL")),
        };
        let authority = uri
            .authority()
            .ok_or_else(|| refuse("its href names no host"))?;
        if authority.as_str().contains('@') {
            return Err(refuse("its href has a user or password"));
        }
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err(refuse("its href names no host"));
        }
        // Sent as it is: two names for one key would sign different things.
        let key = text("_internal_key").or_else(|| text("key"));
        let key = key.filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| refuse("it has no _internal_key to sign with"))?;
        let properties = execution.get("execution_properties");
        let property = |name: &str| properties?.get(name).filter(|value| !value.is_null());
        if property("template").is_some() {
            return Err(refuse(
                "it has a template, and templates are not rendered here",
            ));
        }
        if property("actAsToken").is_some_and(|token| *token != Value::Bool(false)) {
            return Err(refuse("it wants an act-as token, and none are given here"));
        }
        let seconds = match property("invocation_timeout") {
            None => USUALLY,
            Some(said) => match said.as_u64() {
                Some(seconds @ 1..=LONGEST) => seconds,
                _ => {
                    return Err(refuse(format!(
                        "invocation_timeout must be 1 to {LONGEST} seconds"
                    )));
                }
            },
        };
        Ok(Self {
            port: authority.port_u16().unwrap_or(if tls { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            host,
            tls,
            path: uri.path().to_owned(),
            query: uri.query().map(str::to_owned),
            key: key.to_owned(),
            time: Duration::from_secs(seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(execution: Value) -> Result<(String, u16, u64), String> {
        let read = WebhookDefinition::read(&execution, &WebHookSettings::default());
        match read {
            Ok(one) => Ok((one.host, one.port, one.time.as_secs())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_definition_says_where_to_and_how_long() {
        let of = |href: &str, properties: Value| {
            read(json!({"href": href, "_internal_key": "k", "execution_properties": properties}))
        };
        let https = "https://example.com/x?y";
        assert_eq!(of(https, json!({})), Ok(("example.com".into(), 443, 30)));
        assert_eq!(
            of("https://[::1]:8/", json!(null)),
            Ok(("::1".into(), 8, 30))
        );
        let seven = json!({"invocation_timeout": 7});
        assert_eq!(of(https, seven), Ok(("example.com".into(), 443, 7)));
        for (href, properties, why) in [
            ("http://example.com", json!({}), "plain http"),
            ("ftp://example.com", json!({}), "no https"),
            ("/x", json!({}), "no https"),
            ("https://", json!({}), "no URL"),
            ("https://u:p@example.com", json!({}), "password"),
            (https, json!({"invocation_timeout": 0}), "1 to 300"),
            (https, json!({"invocation_timeout": 301}), "1 to 300"),
            (https, json!({"invocation_timeout": "7"}), "1 to 300"),
            (https, json!({"template": {"content": "x"}}), "template"),
            (https, json!({"actAsToken": true}), "act-as"),
        ] {
            let refused = of(href, properties).unwrap_err();
            assert!(refused.contains(why), "{href}: {refused}");
        }
        assert!(
            read(json!({"href": https}))
                .unwrap_err()
                .contains("_internal_key")
        );
        assert!(
            read(json!({"_internal_key": "k"}))
                .unwrap_err()
                .contains("href")
        );
    }
}
