//! The comparison with every kept release.
//!
//! The newest one is compared whole. From older ones only those changes count that the newest can't
//! show: a number, a type or a meaning that comes back as another one. What went, came or changed
//! between two kept releases was judged when the second of them was kept, and is not told again.

use crate::compare::{SurfaceDifference, additions, differences};
use crate::model::{KeptRelease, ReleaseSurface};
use crate::rules::{RuleContext, RuleSet};
use crate::violation::RuleViolation;
use std::collections::BTreeSet;

/// What breaks: everything that the rules refuse, each thing once, in order.
#[must_use]
pub fn check(kept: &[KeptRelease], served: &ReleaseSurface, rules: &RuleSet) -> Vec<RuleViolation> {
    let mut kept: Vec<&KeptRelease> = kept.iter().collect();
    // Newest first: that one is compared whole, and each older one knows its successor.
    kept.sort_by_key(|one| std::cmp::Reverse(one.release()));
    let mut found = judge(&additions(&kept, served), &kept, None, served, rules);
    let mut newer: Option<&KeptRelease> = None;
    for one in kept.iter().copied() {
        let all = differences(&one.surface, served);
        let Some(successor) = newer.replace(one) else {
            found.extend(judge(&all, &kept, Some(one), served, rules));
            continue;
        };
        let lasting = lasting(all);
        let told = lasting_between(&kept, one, successor, rules);
        let more = judge(&lasting, &kept, Some(one), served, rules);
        found.extend(
            more.into_iter()
                .filter(|violation| !told.contains(&violation.key())),
        );
    }
    // Several releases may show the same; it is told once, and of the newest.
    let mut seen = BTreeSet::new();
    found.retain(|violation| seen.insert(violation.key()));
    found.sort_by_key(RuleViolation::key);
    found
}

/// Those that more than the newest release can show.
fn lasting(all: Vec<SurfaceDifference<'_>>) -> Vec<SurfaceDifference<'_>> {
    let all = all.into_iter();
    all.filter(|one| !one.change.concerns_newest_only())
        .collect()
}

/// What was already so when the next release was kept.
fn lasting_between(
    kept: &[&KeptRelease],
    old: &KeptRelease,
    successor: &KeptRelease,
    rules: &RuleSet,
) -> BTreeSet<(crate::ReleaseRule, crate::SurfaceArea, String, String)> {
    let all = lasting(differences(&old.surface, &successor.surface));
    let found = judge(&all, kept, Some(old), &successor.surface, rules);
    found.iter().map(RuleViolation::key).collect()
}

fn judge(
    all: &[SurfaceDifference<'_>],
    kept: &[&KeptRelease],
    against: Option<&KeptRelease>,
    served: &ReleaseSurface,
    rules: &RuleSet,
) -> Vec<RuleViolation> {
    let release = against.map(KeptRelease::release);
    let context = RuleContext {
        current: served.release,
        against: release,
        kept,
        served,
    };
    let mut found = Vec::new();
    for difference in all {
        for rule in rules.iter() {
            found.extend(rule.judge(difference, &context).map(|what| RuleViolation {
                rule,
                place: difference.place.clone(),
                release,
                what,
            }));
        }
    }
    found
}
