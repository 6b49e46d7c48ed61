//! Values of flags that are more than a number or a path.

use coeval_core::phases::Phase;
use coeval_core::version::Version;
use coeval_engine::{OwnKinds, TypeKey, VENDOR};

/// What absolute URLs begin with: a scheme, a host, perhaps a path; nothing after it.
pub(super) fn public_url(text: &str) -> Result<String, String> {
    Ok(crate::url::place(text, "https://coeval.example.com")?.1)
}

/// The newest version of a type that a server is to know.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EmulatedVersion {
    pub(super) of: TypeKey,
    pub(super) version: Version,
}

/// `acme:app=1.1.0`
pub(super) fn emulated(text: &str) -> Result<EmulatedVersion, String> {
    let bad = || "use TYPE=VERSION, such as acme:app=1.1.0".to_owned();
    let (of, version) = text.split_once('=').ok_or_else(bad)?;
    let of = TypeKey::parse(of.trim()).ok_or_else(bad)?;
    let version = Version::parse_full(version.trim()).map_err(|error| error.to_string())?;
    // A misspelled name would let be stored what the release before can't read.
    let built_in: Vec<String> = built_in_names();
    if &*of.vendor == VENDOR && !built_in.contains(&of.to_string()) {
        return Err(format!(
            "there is no {of}: use one of {}",
            built_in.join(", ")
        ));
    }
    Ok(EmulatedVersion { of, version })
}

/// What a server stores of itself: its kinds, and the level of records.
fn built_in_names() -> Vec<String> {
    let kinds = OwnKinds::default();
    let mut all: Vec<String> = kinds.names().map(ToString::to_string).collect();
    all.push(format!("{VENDOR}:record"));
    all
}

/// The phase of a type's migration that a server is to work at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AskedPhase {
    pub(super) of: TypeKey,
    pub(super) phase: Phase,
}

/// `acme:app=mirror`
pub(super) fn phase(text: &str) -> Result<AskedPhase, String> {
    let bad = || "use TYPE=PHASE, such as acme:app=mirror".to_owned();
    let (of, phase) = text.split_once('=').ok_or_else(bad)?;
    let of = TypeKey::parse(of.trim()).ok_or_else(bad)?;
    let phase = phase.trim().parse();
    let phase = phase.map_err(|error: coeval_core::phases::UnknownPhase| error.to_string())?;
    Ok(AskedPhase { of, phase })
}

/// When types that have resources at an older major are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MigrateWhen {
    /// When somebody asks for it
    Asked,
    /// Before the server is ready, up to the newest major
    OnStart,
}

/// More than the semaphore can count is no limit at all.
pub(super) fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(number),
        _ => Err("use a number from 1 to 1000000".to_owned()),
    }
}

/// Bytes of a body. More than the store takes would be refused there.
pub(super) fn body(text: &str) -> Result<usize, String> {
    within(text, 1 << 10, 64 << 20, "1KiB to 64MiB")
}

/// Bytes of headers. hyper can't read with less than 8 KiB.
pub(super) fn headers(text: &str) -> Result<u32, String> {
    let bytes = within(text, 8 << 10, 1 << 20, "8KiB to 1MiB")?;
    u32::try_from(bytes).map_err(|error| error.to_string())
}

fn within(text: &str, from: u64, to: u64, range: &str) -> Result<usize, String> {
    let bytes = crate::quantity::bytes(text)?;
    if (from..=to).contains(&bytes) {
        usize::try_from(bytes).map_err(|error| error.to_string())
    } else {
        Err(format!("use {range}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_a_place_and_nothing_more() {
        for (text, kept) in [
            ("https://coeval.example.com", "https://coeval.example.com"),
            ("http://10.0.0.1:8080/", "http://10.0.0.1:8080"),
            ("https://example.com/coeval/", "https://example.com/coeval"),
            ("https://[::1]:8443", "https://[::1]:8443"),
            ("https://[::1]", "https://[::1]"),
        ] {
            assert_eq!(public_url(text).as_deref(), Ok(kept));
        }
        for bad in [
            "",
            "coeval.example.com",
            "ftp://example.com",
            "https://",
            "/path",
            "https://example.com?x=1",
            "https://example.com/#x",
            "https://me:secret@example.com",
            "https://exa mple.com",
            "https://example.com:http",
            "https://example.com:70000",
            "https://example.com:",
        ] {
            assert!(public_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_built_in_kind_that_there_is_not_is_refused_with_those_that_there_are() {
        for known in [
            "coeval:record=1.0.0",
            "coeval:role=1.0.0",
            "acme:recrod=1.0.0",
        ] {
            assert!(emulated(known).is_ok(), "{known}");
        }
        let refused = emulated("coeval:recrod=1.0.0").unwrap_err();
        assert!(
            refused.contains("coeval:record") && refused.contains("coeval:role"),
            "{refused}"
        );
    }

    #[test]
    fn a_type_is_emulated_up_to_a_whole_version() {
        let expected = EmulatedVersion {
            of: TypeKey::new("acme", "app"),
            version: Version::new(1, 1, 0),
        };
        assert_eq!(emulated("acme:app=1.1.0"), Ok(expected));
        for bad in [
            "acme:app",
            "app=1.0.0",
            "acme:app=1",
            "acme:app=1.0.0-alpha",
            "=",
            "",
        ] {
            assert!(emulated(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_within_what_can_be_served() {
        assert_eq!(body("512KiB"), Ok(512 << 10));
        assert_eq!(headers("64KiB"), Ok(64 << 10));
        for bad in ["0", "1GiB", "x"] {
            assert!(body(bad).is_err(), "{bad}");
            assert!(headers(bad).is_err(), "{bad}");
        }
    }
}
