//! `coeval-accept: acme:app=1.1, role=6` and `version: 14.2.0`.

use crate::negotiation::error::HeaderError;
use crate::negotiation::names;
use coeval_core::version::Version;
use coeval_engine::{AcceptedType, TypeKey, WantedVersions};

/// How many types one header may name.
const MOST: usize = 100;

/// What the two headers say. In them a version cut short has zeros: `6` is 6.0.0.
///
/// # Errors
/// If one can't be read.
pub fn wanted_versions(
    accept: Option<&str>,
    release: Option<&str>,
) -> Result<WantedVersions, HeaderError> {
    let accept = match accept {
        None => Vec::new(),
        Some(text) => accepted(text).map_err(|why| HeaderError::new(names::ACCEPT, why))?,
    };
    let release = match release {
        None => None,
        Some(text) => {
            let bad = |error| HeaderError::new(names::RELEASE, format!("{error}"));
            Some(semver::Version::parse(text).map_err(bad)?)
        }
    };
    Ok(WantedVersions {
        accept,
        release,
        ..WantedVersions::default()
    })
}

fn accepted(text: &str) -> Result<Vec<(AcceptedType, Version)>, String> {
    // Empty parts are passed over: a comma at the end is no mistake.
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let mut all = Vec::new();
    for part in parts {
        let (of, version) = part
            .split_once('=')
            .ok_or_else(|| format!("{part:?} is not TYPE=VERSION"))?;
        let (of, version) = (of.trim(), version.trim());
        let version = Version::parse_header(version).map_err(|error| error.to_string())?;
        // With a colon it is a whole name, else an nss that any vendor may have.
        let of = if of.contains(':') {
            AcceptedType::Full(TypeKey::parse(of).ok_or_else(|| format!("{of:?} is no type"))?)
        } else {
            AcceptedType::Nss(of.to_owned())
        };
        all.push((of, version));
        // Counted on the way, so that a long header costs no more than its first entries.
        if all.len() > MOST {
            return Err(format!("it names more than {MOST} types"));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_in_full_or_by_their_last_part_and_short_versions_have_zeros() {
        let wanted = wanted_versions(Some("acme:app=1.1, role=6"), Some("14.2.0")).unwrap();
        assert_eq!(
            wanted.accept,
            [
                (
                    AcceptedType::Full(TypeKey::new("acme", "app")),
                    Version::new(1, 1, 0)
                ),
                (AcceptedType::Nss("role".into()), Version::new(6, 0, 0)),
            ]
        );
        assert_eq!(wanted.release, Some(semver::Version::new(14, 2, 0)));
        assert_eq!(wanted_versions(None, None), Ok(WantedVersions::default()));
    }

    #[test]
    fn what_can_t_be_read_is_refused_with_the_part_that_is_wrong() {
        for bad in ["app", "app=", "app=1.0.0-alpha", "a:b:c=1", "app=x"] {
            assert!(wanted_versions(Some(bad), None).is_err(), "{bad}");
        }
        assert!(wanted_versions(None, Some("fourteen")).is_err());
        let many = "a=1,".repeat(MOST + 1);
        assert!(wanted_versions(Some(&many), None).is_err());
    }
}
