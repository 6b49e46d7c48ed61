//! For every rule, in every part that it applies to: two releases that obey it, and two that break
//! it and nothing else.

mod catalog;
mod grpc;
mod rest;

use crate::surfaces::{judged, listed};
use coeval_release_check::{ApiStyle, ReleaseRule, ReleaseSurface, RuleSet, SurfaceArea};

pub(crate) struct RulePair {
    rule: ReleaseRule,
    area: SurfaceArea,
    /// What changes, for messages.
    about: &'static str,
    obeys: (ReleaseSurface, ReleaseSurface),
    breaks: (ReleaseSurface, ReleaseSurface),
}

fn all() -> Vec<RulePair> {
    let mut all = rest::pairs(ApiStyle::Webapi);
    all.extend(rest::pairs(ApiStyle::Cloudapi));
    all.extend(grpc::pairs());
    all.extend(catalog::pairs());
    all
}

fn named(pair: &RulePair) -> String {
    format!("{} in {}, {}", pair.rule, pair.area, pair.about)
}

#[test]
fn every_rule_has_a_pair_for_every_part_that_it_applies_to() {
    let all = all();
    for rule in ReleaseRule::ALL {
        for area in rule.areas() {
            let has = all
                .iter()
                .any(|pair| pair.rule == *rule && pair.area == *area);
            assert!(has, "{rule} has no pair for {area}");
        }
    }
    println!("{} pairs for {} rules", all.len(), ReleaseRule::ALL.len());
}

#[test]
fn what_obeys_a_rule_passes_and_what_breaks_it_is_refused_by_that_rule_alone() {
    for pair in all() {
        let found = judged(&pair.obeys.0, &pair.obeys.1, &RuleSet::all());
        assert!(
            found.is_empty(),
            "{} obeys:\n{}",
            named(&pair),
            listed(&found)
        );
        let found = judged(&pair.breaks.0, &pair.breaks.1, &RuleSet::all());
        assert!(!found.is_empty(), "{} breaks", named(&pair));
        for violation in &found {
            assert_eq!(violation.rule, pair.rule, "{}:\n{violation}", named(&pair));
            assert_eq!(violation.place.area, pair.area, "{violation}");
            assert!(pair.rule.areas().contains(&pair.area), "{violation}");
        }
    }
}

#[test]
fn a_rule_that_is_off_lets_its_own_pairs_through_and_no_other() {
    let all = all();
    for off in ReleaseRule::ALL {
        let rules = RuleSet::all().without(*off);
        for pair in &all {
            let found = judged(&pair.breaks.0, &pair.breaks.1, &rules);
            let through = found.is_empty();
            assert_eq!(through, pair.rule == *off, "without {off}: {}", named(pair));
        }
    }
}

#[test]
fn a_violation_says_the_rule_the_place_the_release_and_how_to_go_on() {
    for pair in all() {
        for violation in judged(&pair.breaks.0, &pair.breaks.1, &RuleSet::all()) {
            let text = violation.to_string();
            assert!((2..=4).contains(&text.lines().count()), "{text}");
            assert!(text.starts_with(pair.rule.id()), "{text}");
            assert!(text.contains(pair.rule.how_to_go_on()), "{text}");
            assert!(text.contains(&violation.place.anchor), "{text}");
        }
    }
}
