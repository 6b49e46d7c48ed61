//! Texts of the formats that the validator knows.

/// The text of a format with that number; `None` for a format that says nothing to us.
pub(super) fn text(format: &str, number: u64) -> Option<String> {
    let n = number % 1_000_000;
    let (a, b, c) = (n % 256, n / 256 % 256, n % 28 + 1);
    let first = number == 0;
    Some(match format {
        "date-time" if first => "1970-01-01T00:00:00Z".to_owned(),
        "date-time" if n.is_multiple_of(2) => format!("2024-02-{c:02}T23:59:{:02}.5+05:30", n % 60),
        "date-time" => format!("20{:02}-12-{c:02}T{:02}:00:00Z", n % 100, n % 24),
        "date" => format!("20{:02}-{:02}-{c:02}", n % 100, n % 12 + 1),
        "time" => format!("{:02}:{:02}:00Z", n % 24, n % 60),
        "duration" => format!("P{c}DT{}H", n % 24),
        "ipv4" if first => "0.0.0.0".to_owned(),
        "ipv4" => format!("10.{b}.{a}.{c}"),
        "ipv6" if first => "::".to_owned(),
        "ipv6" => format!("2001:db8::{:x}:{:x}", n >> 16, n & 0xffff),
        "uuid" => format!("{:08x}-0000-4000-8000-{n:012x}", number >> 32),
        "email" | "idn-email" => format!("user{n}@example.com"),
        "hostname" | "idn-hostname" if first => "a".to_owned(),
        "hostname" | "idn-hostname" => format!("host-{n}.example.com"),
        "uri" | "iri" => format!("https://example.com:8443/a/{n}?q=1#f"),
        "uri-reference" | "iri-reference" => format!("../a/{n}"),
        "uri-template" => format!("/a/{{name}}/{n}"),
        "json-pointer" if first => String::new(),
        "json-pointer" => format!("/a~1b/{n}"),
        "relative-json-pointer" => format!("{n}/a"),
        "regex" => format!("^[a-z]{{{}}}$", n % 10),
        _ => return None,
    })
}
