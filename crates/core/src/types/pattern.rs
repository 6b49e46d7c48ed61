//! Patterns of a schema: a linear engine, bounded in size, the same language as the validator's.

use super::limits::{PATTERN_BYTES, PATTERN_COST};
use super::schema_error::SchemaFlaw;
use regex::{Regex, RegexBuilder};
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Bytes of one compiled pattern; what [`PATTERN_COST`] lets through fits.
pub(crate) const COMPILED_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of the cache that matching may fill.
pub(crate) const CACHE_BYTES: usize = 2 * 1024 * 1024;

/// A pattern and what it costs.
pub(crate) struct CompiledPattern {
    pub(crate) regex: Regex,
    pub(crate) cost: u64,
}

/// Reads a pattern as ECMA-262 says and compiles it for the linear engine.
pub(crate) fn compile(pattern: &str) -> Result<CompiledPattern, SchemaFlaw> {
    let shown = || pattern.chars().take(80).collect::<String>();
    if pattern.len() > PATTERN_BYTES {
        return Err(SchemaFlaw::PatternCost(shown()));
    }
    let invalid = || SchemaFlaw::PatternInvalid(shown());
    let rust = jsonschema_regex::to_rust_regex(pattern).map_err(|()| {
        let error = regex_syntax::ast::parse::Parser::new().parse(pattern).err();
        let nested = |error: &regex_syntax::ast::Error| {
            matches!(error.kind(), ErrorKind::NestLimitExceeded(_))
        };
        if error.as_ref().is_some_and(nested) {
            SchemaFlaw::PatternCost(shown())
        } else {
            invalid()
        }
    })?;
    let hir = match regex_syntax::parse(&rust) {
        Ok(hir) => hir,
        Err(regex_syntax::Error::Parse(error)) if is_beyond_linear(error.kind()) => {
            return Err(SchemaFlaw::PatternUnsupported(shown()));
        }
        Err(_) => return Err(invalid()),
    };
    let cost = cost(&hir);
    if cost > PATTERN_COST {
        return Err(SchemaFlaw::PatternCost(shown()));
    }
    let built = RegexBuilder::new(&rust)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(CACHE_BYTES)
        .build();
    match built {
        Ok(regex) => Ok(CompiledPattern { regex, cost }),
        Err(regex::Error::CompiledTooBig(_)) => Err(SchemaFlaw::PatternCost(shown())),
        Err(_) => Err(invalid()),
    }
}

fn is_beyond_linear(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference
    )
}

/// Roughly the states of the automaton. The parser bounds how deep a pattern nests.
fn cost(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Capture(capture) => cost(&capture.sub).saturating_add(2),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            cost(&repetition.sub)
                .saturating_add(1)
                .saturating_mul(u64::from(times.max(1)))
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            let costs = parts.iter().map(cost);
            costs.fold(1, u64::saturating_add)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw(pattern: &str) -> Option<SchemaFlaw> {
        compile(pattern).err()
    }

    #[test]
    fn usual_patterns_compile() {
        for pattern in [
            r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
            r"^\d{1,3}(\.\d{1,3}){3}$",
            r"^\w{1,128}$",
            r"^\p{L}+$",
            "",
        ] {
            assert_eq!(flaw(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn look_around_and_back_references_have_an_error_of_their_own() {
        for pattern in ["(?=a)b", "(?!a)b", "(?<=a)b", r"(a)\1"] {
            let found = flaw(pattern);
            assert!(
                matches!(found, Some(SchemaFlaw::PatternUnsupported(_))),
                "{pattern} {found:?}"
            );
        }
    }

    #[test]
    fn broken_patterns_are_named() {
        for pattern in ["(", "[a", "a{2,1}", "*", r"\"] {
            let found = flaw(pattern);
            assert!(
                matches!(found, Some(SchemaFlaw::PatternInvalid(_))),
                "{pattern} {found:?}"
            );
        }
    }

    #[test]
    fn a_pattern_that_would_explode_is_refused_quickly() {
        let nested = format!("{}a{}", "(".repeat(200), "{9}){9}".repeat(200));
        let long = "a".repeat(5_000);
        for pattern in [
            "(((a{100}){100}){100}){100}",
            "[^a]{99999}",
            r"\p{L}{1000}",
            &nested,
            &long,
        ] {
            let found = flaw(pattern);
            assert!(
                matches!(found, Some(SchemaFlaw::PatternCost(_))),
                "{found:?}"
            );
        }
    }
}
