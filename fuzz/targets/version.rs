//! Versions, names and ids: no text makes a parser panic, and what is read is printed so that it
//! is read as the same again.
#![no_main]

use coeval_core::types::PathPattern;
use coeval_core::version::{
    Classification, EntityUrn, InterfaceUrn, TypeUrn, UrnName, Uuid, Version, WriteVersion,
};
use libfuzzer_sys::fuzz_target;

/// What a parser reads is printed, and that is read as the same. A refusal can be shown.
macro_rules! round {
    ($text:expr, $parse:expr) => {
        match $parse($text) {
            Ok(read) => {
                let printed = read.to_string();
                assert_eq!($parse(&printed).ok(), Some(read), "printed as {printed:?}");
            }
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
        }
    };
}

fuzz_target!(|text: &str| {
    round!(text, Version::parse_full);
    round!(text, Version::parse_header);
    round!(text, str::parse::<Version>);
    round!(text, WriteVersion::parse);
    round!(text, Classification::parse);
    round!(text, UrnName::parse);
    round!(text, TypeUrn::<Version>::parse);
    round!(text, TypeUrn::<Classification>::parse);
    round!(text, InterfaceUrn::<Version>::parse);
    round!(text, InterfaceUrn::<Classification>::parse);
    round!(text, EntityUrn::parse);
    round!(text, PathPattern::parse);
    if let Some(uuid) = Uuid::parse(text) {
        assert_eq!(Uuid::parse(&uuid.to_string()), Some(uuid));
    }
    short_forms(text);
    plain_ids(text);
});

/// Every way to write one version leads to that version.
fn short_forms(text: &str) {
    let Ok(version) = Version::parse_header(text) else {
        return;
    };
    let short = version.short().to_string();
    assert_eq!(short.parse(), Ok(version));
    assert_eq!(Version::parse_header(&short), Ok(version));
    assert_eq!(Version::parse_full(&version.to_string()), Ok(version));
    if let Ok(all) = Classification::parse(text) {
        assert!(all.matches(version), "{all} does not have {version}");
    }
}

/// An id without its prefix is the same id.
fn plain_ids(text: &str) {
    if let Ok(plain) = TypeUrn::<Version>::parse_plain(text) {
        let whole = plain.to_string();
        assert_eq!(TypeUrn::<Version>::parse(&whole), Ok(plain));
        assert!(whole.ends_with(text));
    }
}
