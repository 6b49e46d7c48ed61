//! One scanner for all forms of a version.

use super::{Excerpt, MarkedVersion, Version, VersionError, VersionFlaw, VersionMark};

/// Three numbers of ten digits, two dots, a `v` and the mark, with room to spare.
const LONGEST: usize = 64;

/// Which of the forms a place allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VersionForm {
    /// `1.1.0`.
    Full,
    /// `1.1.0`, `v1`, `v1.1`, `v1.1.0`.
    Written,
    /// `1`, `1.1`, `1.1.0`, each maybe with a `v`.
    Header,
    /// `1`, `1.1`, `1.1.0`.
    Prefix,
}

/// How many numbers were written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenParts {
    One,
    Two,
    Three,
}

struct ScannedVersion {
    version: Version,
    parts: WrittenParts,
    mark: VersionMark,
}

/// A version where a mark has no place.
pub(super) fn unmarked(text: &str, form: VersionForm) -> Result<Version, VersionError> {
    without_mark(text, form).map(|scanned| scanned.version)
}

/// A version of a body, maybe marked.
pub(super) fn marked(text: &str) -> Result<MarkedVersion, VersionError> {
    let ScannedVersion { version, mark, .. } = explained(text, scan(text, VersionForm::Written))?;
    Ok(MarkedVersion { version, mark })
}

/// A version cut short, and after how many numbers.
pub(super) fn prefix(text: &str) -> Result<(Version, WrittenParts), VersionError> {
    without_mark(text, VersionForm::Prefix).map(|scanned| (scanned.version, scanned.parts))
}

fn without_mark(text: &str, form: VersionForm) -> Result<ScannedVersion, VersionError> {
    let scanned = scan(text, form).and_then(|scanned| match scanned.mark {
        VersionMark::Plain => Ok(scanned),
        VersionMark::Downgraded => Err(VersionFlaw::MarkNotAllowed),
    });
    explained(text, scanned)
}

fn explained<T>(text: &str, scanned: Result<T, VersionFlaw>) -> Result<T, VersionError> {
    scanned.map_err(|flaw| VersionError {
        text: Excerpt::of(text),
        flaw,
    })
}

fn scan(text: &str, form: VersionForm) -> Result<ScannedVersion, VersionFlaw> {
    // Each mistake that people make has a message of its own; the order is that of reading.
    if text.is_empty() {
        return Err(VersionFlaw::Empty);
    }
    // Before anything is scanned, because the text comes from outside and goes into messages.
    if text.len() > LONGEST {
        return Err(VersionFlaw::TooLong);
    }
    if text.contains(char::is_whitespace) {
        return Err(VersionFlaw::Space);
    }
    // The mark first: its `+` would else be taken for build metadata.
    let (numbers, mark) = split_mark(text)?;
    let (numbers, short) = split_v(numbers, form)?;
    match numbers.split_once('-') {
        // A hyphen behind a number is a pre-release; one at the beginning is no digit.
        Some((before, label)) if !before.is_empty() => {
            return Err(VersionFlaw::PreRelease(Excerpt::of(label)));
        }
        _ => {}
    }
    let (version, parts) = read_numbers(numbers)?;
    // Headers and prefixes may leave numbers out.
    let may_be_cut = short || matches!(form, VersionForm::Header | VersionForm::Prefix);
    if parts != WrittenParts::Three && !may_be_cut {
        return Err(VersionFlaw::TooFewNumbers);
    }
    Ok(ScannedVersion {
        version,
        parts,
        mark,
    })
}

fn split_mark(text: &str) -> Result<(&str, VersionMark), VersionFlaw> {
    match text.split_once('+') {
        None => Ok((text, VersionMark::Plain)),
        Some((numbers, VersionMark::TEXT)) => Ok((numbers, VersionMark::Downgraded)),
        Some((_, other)) => Err(VersionFlaw::BuildMetadata(Excerpt::of(other))),
    }
}

fn split_v(text: &str, form: VersionForm) -> Result<(&str, bool), VersionFlaw> {
    if text.starts_with('V') {
        return Err(VersionFlaw::CapitalV);
    }
    match (text.strip_prefix('v'), form) {
        (None, _) => Ok((text, false)),
        (Some(numbers), VersionForm::Written | VersionForm::Header) => Ok((numbers, true)),
        (Some(_), VersionForm::Full | VersionForm::Prefix) => Err(VersionFlaw::UnexpectedV),
    }
}

fn read_numbers(text: &str) -> Result<(Version, WrittenParts), VersionFlaw> {
    let mut parts = text.split('.');
    let major = read_number(parts.next().unwrap_or_default())?;
    let minor = parts.next().map(read_number).transpose()?;
    let patch = parts.next().map(read_number).transpose()?;
    // Counted after they are read, so that the first wrong number is told.
    if parts.next().is_some() {
        return Err(VersionFlaw::TooManyNumbers);
    }
    let count = match (minor, patch) {
        (_, Some(_)) => WrittenParts::Three,
        (Some(_), None) => WrittenParts::Two,
        (None, None) => WrittenParts::One,
    };
    // Missing numbers are 0: that is what a short form means.
    let version = Version::new(major, minor.unwrap_or(0), patch.unwrap_or(0));
    Ok((version, count))
}

fn read_number(text: &str) -> Result<u32, VersionFlaw> {
    if text.is_empty() {
        return Err(VersionFlaw::MissingNumber);
    }
    // Digits of other scripts look right to people, so they get a message of their own.
    if let Some(stranger) = text.chars().find(|c| !c.is_ascii_digit()) {
        return Err(if stranger.is_numeric() {
            VersionFlaw::ForeignDigit(stranger)
        } else {
            VersionFlaw::NotADigit(stranger)
        });
    }
    // `01` would be a second way to write the same version.
    if text.len() > 1 && text.starts_with('0') {
        return Err(VersionFlaw::LeadingZero);
    }
    // Digits only by now: too many of them is all that can be wrong.
    text.parse().map_err(|_| VersionFlaw::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::WriteVersion;
    use coeval_codes::Coded;

    const V1_1: Version = Version::new(1, 1, 0);

    #[test]
    fn each_place_reads_its_own_forms() {
        let full = |text| Version::parse_full(text).ok();
        let written = |text: &str| text.parse::<Version>().ok();
        let header = |text| Version::parse_header(text).ok();
        let six = Some(Version::new(6, 0, 0));
        for (text, in_full, as_written, in_header) in [
            ("1.1.0", Some(V1_1), Some(V1_1), Some(V1_1)),
            ("v1.1.0", None, Some(V1_1), Some(V1_1)),
            ("v1.1", None, Some(V1_1), Some(V1_1)),
            ("1.1", None, None, Some(V1_1)),
            ("6", None, None, six),
            ("v6", None, six, six),
        ] {
            assert_eq!(full(text), in_full, "{text} in full");
            assert_eq!(written(text), as_written, "{text} written");
            assert_eq!(header(text), in_header, "{text} in a header");
        }
    }

    #[test]
    fn the_mark_may_follow_a_version_in_a_body_and_nowhere_else() {
        let marked = Ok(WriteVersion::downgraded(V1_1));
        assert_eq!(WriteVersion::parse("v1.1+downgraded"), marked);
        assert_eq!(WriteVersion::parse("1.1.0+downgraded"), marked);
        let error = Version::parse_full("1.1.0+downgraded").unwrap_err();
        assert_eq!(error.code(), coeval_codes::MARK_NOT_ALLOWED);
        assert!("v1.1+downgraded".parse::<Version>().is_err());
        assert!(Version::parse_header("1.1+downgraded").is_err());
    }

    #[test]
    fn every_refusal_says_what_is_wrong_in_words() {
        for (text, sentence) in [
            ("", "\"\" is not a version: it is empty"),
            ("1.0.0-alpha", "\"alpha\" is a pre-release label"),
            ("v1-rc.1", "\"rc.1\" is a pre-release label"),
            ("1.0.0+build.5", "\"build.5\" is build metadata"),
            ("1.0.0+Downgraded", "\"Downgraded\" is build metadata"),
            ("1.0.0+downgraded+downgraded", "is build metadata"),
            ("1.0.0-a+b", "\"b\" is build metadata"),
            ("01.0.0", "begins with 0"),
            ("1.00.0", "begins with 0"),
            ("4294967296.0.0", "larger than 4294967295"),
            ("99999999999999999999.0.0", "larger than"),
            (" 1.0.0", "has a space in it"),
            ("1.0.0\n", "has a space in it"),
            ("1. 0.0", "has a space in it"),
            ("١.0.0", "'١' is a digit, but not one of 0 to 9"),
            ("1.0.x", "'x' is not a digit"),
            ("latest", "'l' is not a digit"),
            ("1..0", "a number is missing"),
            (".1.0", "a number is missing"),
            ("1.0.", "a number is missing"),
            ("v", "a number is missing"),
            ("vv1", "'v' is not a digit"),
            ("V1", "small letter"),
            ("1.0.0.0", "more than three numbers"),
            ("1.0", "fewer than three numbers"),
            ("-1.0.0", "'-' is not a digit"),
        ] {
            let error = text.parse::<Version>().unwrap_err();
            let said = error.to_string();
            assert!(said.contains(sentence), "{text:?}: {said}");
            assert!(!error.advice().is_empty());
        }
    }

    #[test]
    fn what_is_quoted_from_a_caller_is_short_and_on_one_line() {
        let error = Version::parse_full(&"9\u{1b}\n".repeat(10_000)).unwrap_err();
        assert_eq!(error.flaw, VersionFlaw::TooLong);
        let said = error.to_string();
        assert!(
            said.len() < 700 && !said.contains(['\n', '\u{1b}']),
            "{said}"
        );
    }

    #[test]
    fn the_code_tells_the_kinds_of_mistakes_apart() {
        for (text, code) in [
            ("1.0.0-alpha", coeval_codes::VERSION_PRE_RELEASE),
            ("1.0.0+x", coeval_codes::VERSION_BUILD_METADATA),
            ("1.0", coeval_codes::VERSION_INCOMPLETE),
            ("4294967296.0.0", coeval_codes::VERSION_TOO_LARGE),
            ("one", coeval_codes::VERSION_INVALID),
        ] {
            assert_eq!(text.parse::<Version>().unwrap_err().code(), code, "{text}");
        }
    }
}
