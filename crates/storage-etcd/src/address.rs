//! `etcd://host:port,host:port/prefix?ca=…&cert=…&key=…`

use coeval_storage::StorageError;
use std::path::PathBuf;

/// The prefix of a store whose address names none.
const DEFAULT_PREFIX: &str = "coeval";

/// Files of a TLS connection, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EtcdTlsFiles {
    /// Who signs the members' certificates.
    pub(crate) ca: PathBuf,
    /// Our certificate and its key, if the members ask for one.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
}

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EtcdAddress {
    /// `host:port` of each member.
    pub(crate) members: Vec<String>,
    /// In front of every key, without the `/` that follows it.
    pub(crate) prefix: String,
    pub(crate) tls: Option<EtcdTlsFiles>,
}

impl EtcdAddress {
    /// Reads an address. The errors never repeat it: it might hold a secret by mistake.
    pub(crate) fn parse(url: &str) -> Result<Self, StorageError> {
        let rest = url
            .strip_prefix("etcd://")
            .ok_or_else(|| invalid("it does not begin with etcd://"))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if hosts.contains('@') {
            return Err(invalid(
                "users and passwords are not supported, use certificates",
            ));
        }
        let members: Vec<String> = hosts.split(',').map(member).collect::<Result<_, _>>()?;
        let prefix = match decode(prefix.trim_end_matches('/'))? {
            none if none.is_empty() => DEFAULT_PREFIX.to_owned(),
            prefix if prefix.split('/').any(str::is_empty) => {
                return Err(invalid("the prefix has an empty part"));
            }
            prefix => prefix,
        };
        Ok(Self {
            members,
            prefix,
            tls: tls(query)?,
        })
    }
}

fn invalid(reason: &str) -> StorageError {
    StorageError::InvalidUrl {
        reason: reason.to_owned(),
    }
}

fn member(host: &str) -> Result<String, StorageError> {
    let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    match port {
        Some(Ok(_)) if !host.starts_with(':') => Ok(host.to_owned()),
        _ => Err(invalid("every member is written as host:port")),
    }
}

fn tls(query: &str) -> Result<Option<EtcdTlsFiles>, StorageError> {
    let (mut ca, mut cert, mut key, mut wanted) = (None, None, None, false);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decode(value)?;
        match name {
            "ca" => ca = Some(PathBuf::from(value)),
            "cert" => cert = Some(PathBuf::from(value)),
            "key" => key = Some(PathBuf::from(value)),
            "tls" => wanted = value == "true",
            _ => return Err(invalid("it knows the parameters ca, cert, key and tls")),
        }
    }
    let identity = match (cert, key) {
        (Some(cert), Some(key)) => Some((cert, key)),
        (None, None) => None,
        _ => return Err(invalid("cert and key belong together")),
    };
    match ca {
        Some(ca) => Ok(Some(EtcdTlsFiles { ca, identity })),
        // No other roots are built in: whom to trust must be said.
        None if wanted || identity.is_some() => Err(invalid("TLS needs ca=FILE")),
        None => Ok(None),
    }
}

fn decode(text: &str) -> Result<String, StorageError> {
    let bad = || invalid("a % escape is malformed");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = rest.next().zip(rest.next()).ok_or_else(bad)?;
        let digits = [high, low];
        let digits = std::str::from_utf8(&digits).map_err(|_| bad())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_members_a_prefix_and_files() {
        let plain = EtcdAddress::parse("etcd://a:2379,[::1]:2380").unwrap();
        assert_eq!(plain.members, ["a:2379", "[::1]:2380"]);
        assert_eq!(plain.prefix, "coeval");
        assert_eq!(plain.tls, None);
        let full = EtcdAddress::parse("etcd://a:1/x/y/?ca=/c%20a&cert=c&key=k").unwrap();
        assert_eq!(full.prefix, "x/y");
        let tls = full.tls.unwrap();
        assert_eq!(tls.ca, PathBuf::from("/c a"));
        assert_eq!(tls.identity, Some(("c".into(), "k".into())));
    }

    #[test]
    fn what_is_wrong_is_said_without_repeating_it() {
        for url in [
            "http://a:1",
            "etcd://",
            "etcd://a",
            "etcd://:1",
            "etcd://a:1,",
            "etcd://u:secret@a:1",
            "etcd://a:1/x//y",
            "etcd://a:1?cert=secret",
            "etcd://a:1?tls=true",
            "etcd://a:1?password=secret",
            "etcd://a:1/%zz",
            "etcd://a:1/%f",
        ] {
            let error = EtcdAddress::parse(url).unwrap_err();
            assert!(
                matches!(&error, StorageError::InvalidUrl { reason } if !reason.contains("secret")),
                "{url}: {error}"
            );
        }
    }
}
