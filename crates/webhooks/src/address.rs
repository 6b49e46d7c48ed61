//! Which addresses may be called.

use coeval_engine::lifecycle::ExecutionError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The addresses of a host, looked up now.
pub(crate) async fn look_up(host: &str, port: u16) -> Result<Vec<SocketAddr>, ExecutionError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let unreachable = |reason: String| ExecutionError::Unreachable {
        host: host.to_owned(),
        reason,
    };
    let found = tokio::net::lookup_host((host, port)).await;
    let found: Vec<_> = found
        .map_err(|error| unreachable(format!("its name can't be looked up: {error}")))?
        .collect();
    if found.is_empty() {
        Err(unreachable("its name has no address".to_owned()))
    } else {
        Ok(found)
    }
}

/// Those that may be called; at least one, or a refusal.
pub(crate) fn callable(
    host: &str,
    all: Vec<SocketAddr>,
    allow_private: bool,
) -> Result<Vec<SocketAddr>, ExecutionError> {
    let first = all.first().map(|one| one.ip().to_string());
    let may = |one: &SocketAddr| allow_private || is_public(one.ip());
    let callable: Vec<_> = all.into_iter().filter(may).collect();
    if callable.is_empty() {
        Err(ExecutionError::AddressRefused {
            host: host.to_owned(),
            address: first.unwrap_or_default(),
        })
    } else {
        Ok(callable)
    }
}

/// Whether an address is one of the public internet. Everything that is set aside for something
/// else is not, nor is an IPv6 address that leads to such an IPv4 one.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let set_aside = matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224..=255, _, _)
    );
    !set_aside
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let v4 = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Mapped, translated, and 6to4: an IPv4 address in other words.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        // Teredo, benchmarks, ORCHID, documentation.
        [0x2001, 0 | 2 | 0x10..=0x2f | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // All that is given out today.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_of_the_public_internet_are_known() {
        for (text, public) in [
            ("1.1.1.1", true),
            ("8.8.8.8", true),
            ("172.15.0.1", true),
            ("172.32.0.1", true),
            ("100.63.0.1", true),
            ("2606:4700::1111", true),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::101:101", true),
            ("0.0.0.0", false),
            ("127.0.0.1", false),
            ("127.9.9.9", false),
            ("10.0.0.1", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("198.18.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:169.254.169.254", false),
            ("64:ff9b::7f00:1", false),
            ("2002:7f00:1::", false),
            ("2001:0:1::1", false),
            ("fc00::1", false),
            ("fd12::1", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), public, "{text}");
        }
    }

    #[test]
    fn of_several_addresses_those_that_may_be_called_are_left() {
        let at = |ip: &str| SocketAddr::new(ip.parse().unwrap(), 443);
        let both = vec![at("10.0.0.1"), at("1.1.1.1")];
        assert_eq!(callable("h", both.clone(), false), Ok(vec![at("1.1.1.1")]));
        assert_eq!(callable("h", both.clone(), true), Ok(both));
        let refused = callable("h", vec![at("10.0.0.1")], false);
        let expected = ExecutionError::AddressRefused {
            host: "h".into(),
            address: "10.0.0.1".into(),
        };
        assert_eq!(refused, Err(expected));
    }
}
