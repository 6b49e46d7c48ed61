//! The store's address. No error repeats any part of it: a password may be anywhere in it.

use coeval_storage::StorageError;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};

/// Parameters that are handed to the driver as they are.
const PASSED: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslnegotiation",
    "tcp_user_timeout",
    "user",
];

/// An address, understood.
#[derive(Debug)]
pub(crate) struct PostgresAddress {
    pub(crate) config: Config,
    pub(crate) schema: String,
    pub(crate) security: ConnectionSecurity,
}

/// How the connection is secured.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConnectionSecurity {
    /// Not at all.
    Plain,
    /// TLS; the server is verified by the authorities in this file, or by the system's.
    Tls(Option<PathBuf>),
}

fn invalid(reason: impl Into<String>) -> StorageError {
    StorageError::InvalidUrl {
        reason: reason.into(),
    }
}

/// Understands `postgres://…?schema=…`.
pub(crate) fn parse(url: &str) -> Result<PostgresAddress, StorageError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(invalid("it does not begin with postgres://"));
    }
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut schema = "coeval".to_owned();
    let (mut ca, mut mode) = (None, None);
    let mut passed = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| invalid("a parameter has no value"))?;
        match name {
            "schema" => schema = decode(value)?,
            "ca" | "sslrootcert" => ca = Some(PathBuf::from(decode(value)?)),
            "sslmode" => mode = Some(value),
            // Always read-write: see below.
            "target_session_attrs" => {}
            // An allowlist: what secures the connection and what selects the server is decided here
            // alone.
            name if PASSED.contains(&name) => passed.push(pair),
            _ => {
                return Err(invalid(format!(
                    "it has an unknown parameter; known are schema, ca, sslmode, {}",
                    PASSED.join(", ")
                )));
            }
        }
    }
    check_schema(&schema)?;
    let security = security(mode, ca)?;
    let mut config: Config = format!("{base}?{}", passed.join("&"))
        .parse()
        .map_err(|_| invalid("it can't be read as postgres://user@host/database?schema=coeval"))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(invalid("it names no host"));
    }
    config.ssl_mode(match security {
        ConnectionSecurity::Plain => SslMode::Disable,
        ConnectionSecurity::Tls(_) => SslMode::Require,
    });
    harden(&mut config);
    Ok(PostgresAddress {
        config,
        schema,
        security,
    })
}

/// Sees that a server that vanished is noticed, and that of several hosts only the one that
/// takes writes is used: a standby's reads would be old.
fn harden(config: &mut Config) {
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(5));
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(15));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
    }
    if config.get_application_name().is_none() {
        config.application_name("coeval");
    }
}

/// A server is always verified in full: encryption to whoever answers protects nothing.
fn security(mode: Option<&str>, ca: Option<PathBuf>) -> Result<ConnectionSecurity, StorageError> {
    match mode {
        None if ca.is_none() => Ok(ConnectionSecurity::Plain),
        // Without an authority these modes allow plain connections, as libpq has it.
        Some("disable" | "allow" | "prefer") if ca.is_none() => Ok(ConnectionSecurity::Plain),
        Some("disable") => Err(invalid("sslmode=disable contradicts ca")),
        None | Some("allow" | "prefer" | "require" | "verify-ca" | "verify-full") => {
            Ok(ConnectionSecurity::Tls(ca))
        }
        Some(_) => Err(invalid(
            "sslmode is none of disable, prefer, require, verify-ca, verify-full",
        )),
    }
}

fn check_schema(schema: &str) -> Result<(), StorageError> {
    // It is put between quotes in statements, so nothing in it may need escaping.
    let good = (1..=63).contains(&schema.len())
        && !schema.starts_with("pg_")
        && !schema.starts_with(|c: char| c.is_ascii_digit())
        && schema
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
    if good {
        Ok(())
    } else {
        Err(invalid(
            "the schema's name has 1 to 63 letters, digits and underscores, \
             does not begin with a digit, and not with pg_",
        ))
    }
}

fn decode(value: &str) -> Result<String, StorageError> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest
            .split_first_chunk::<2>()
            .ok_or_else(|| invalid("a percent sign is not followed by two digits"))?;
        rest = after;
        let byte = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .ok_or_else(|| invalid("a percent sign is not followed by two digits"))?;
        bytes.push(byte);
    }
    String::from_utf8(bytes).map_err(|_| invalid("a parameter is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_are_taken_out_and_the_rest_is_handed_on() {
        let url =
            "postgres://u:p@h:5433/db?schema=mine&application_name=x&sslmode=require&ca=%2Fa%2Fb";
        let address = parse(url).unwrap();
        assert_eq!(address.schema, "mine");
        assert_eq!(
            address.security,
            ConnectionSecurity::Tls(Some("/a/b".into()))
        );
        assert_eq!(address.config.get_application_name(), Some("x"));
        assert_eq!(address.config.get_ports(), [5433]);
        assert_eq!(address.config.get_dbname(), Some("db"));
        assert_eq!(parse("postgres://h/db").unwrap().schema, "coeval");
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for (url, reason) in [
            ("mysql://u:hunter2@h/db", "postgres://"),
            ("postgres://u:hunter2@h/db?schema=a-b", "schema"),
            ("postgres://u:hunter2@h/db?schema=", "schema"),
            ("postgres://u:hunter2@h/db?schema=pg_x", "schema"),
            ("postgres://u:hunter2@h/db?sslmode=maybe", "sslmode"),
            (
                "postgres://u:hunter2@h/db?sslmode=disable&ca=f",
                "contradicts",
            ),
            ("postgres://u:x?hunter2@h/db", "no value"),
            ("postgres://u:x?hunter2=1@h/db", "unknown parameter"),
            ("postgres://u:hunter2@h:port/db", "can't be read"),
            ("postgres://u:hunter2@h/db?ca=%2", "percent"),
            ("postgres:///db", "no host"),
        ] {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains(reason), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn an_authority_alone_asks_for_verification() {
        let address = parse("postgres://h/db?ca=f").unwrap();
        assert_eq!(address.security, ConnectionSecurity::Tls(Some("f".into())));
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        let plain = parse("postgres://h/db?sslmode=prefer").unwrap();
        assert_eq!(plain.security, ConnectionSecurity::Plain);
    }
}
