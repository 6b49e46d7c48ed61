//! Which versions the conversions between others go through.
//!
//! A version that nobody uses any more can be removed from a type, but its steps may lie on the path
//! between two versions that stay. Such a version is a *link*: its definition is kept for its steps,
//! and for nothing else. Whatever is no link can go without a trace: the versions that stay convert
//! into each other by the same steps as before.

use super::versions::Versions;
use crate::types::TypeVersion;
use crate::version::Version;
use std::collections::{BTreeMap, BTreeSet};

/// A version, as far as it decides about paths.
struct VersionLink {
    version: Version,
    /// The parent that it names.
    from: Option<Version>,
    /// Whether passing it means something: it has steps, or nothing automatic passes it.
    counts: bool,
}

impl VersionLink {
    fn of(version: &TypeVersion) -> Self {
        Self {
            version: version.id.version,
            from: version.conversion.as_ref().map(|one| one.from),
            counts: version.conversion.is_some()
                || !version.meaning_changed.is_empty()
                || version.restricted_view.is_some(),
        }
    }
}

/// What is passed on the way to a version, and in which direction.
type PassedVersions = Vec<(Version, bool)>;

impl Versions {
    /// The versions that are needed although they are not `used`: those that the conversions between
    /// used ones go through.
    #[must_use]
    pub fn links(&self, used: &BTreeSet<Version>) -> BTreeSet<Version> {
        let beads: Vec<VersionLink> = self.registered().map(VersionLink::of).collect();
        let mut there: BTreeSet<Version> = beads.iter().map(|bead| bead.version).collect();
        let is_used = |version: &Version| used.contains(version);
        // If a parent is missing the paths are unknown, so nothing may be removed.
        let Some(before) = ways(&beads, &there, used) else {
            return there.into_iter().filter(|one| !is_used(one)).collect();
        };
        // The removal of one can make another superfluous: again until none is.
        loop {
            let candidates: Vec<Version> = there.iter().copied().filter(|v| !is_used(v)).collect();
            // By trying: the parent of a version without a declared conversion depends on which
            // others are there.
            let superfluous = candidates.iter().find(|candidate| {
                let mut fewer = there.clone();
                fewer.remove(candidate);
                ways(&beads, &fewer, used).as_ref() == Some(&before)
            });
            match superfluous {
                Some(version) => there.remove(version),
                None => return candidates.into_iter().collect(),
            };
        }
    }

    /// Whether a version names no parent and descends from one of `these`: without them its parent
    /// would be another one.
    #[must_use]
    pub fn drifts_without(&self, version: Version, these: &BTreeSet<Version>) -> bool {
        let names_none = self
            .get(version)
            .is_some_and(|one| one.conversion.is_none());
        let mut above = std::iter::successors(self.parent(version), |one| self.parent(*one));
        names_none && above.any(|one| these.contains(&one))
    }
}

/// The way from the first used version to each other one. In a tree these decide about the way
/// between any two. `None`: a parent that is named is missing.
fn ways(
    beads: &[VersionLink],
    there: &BTreeSet<Version>,
    used: &BTreeSet<Version>,
) -> Option<BTreeMap<Version, PassedVersions>> {
    let mut parents: BTreeMap<Version, Option<Version>> = BTreeMap::new();
    let mut counts: BTreeSet<Version> = BTreeSet::new();
    for bead in beads.iter().filter(|bead| there.contains(&bead.version)) {
        let parent = match bead.from {
            // In the order of registration, as `Versions::new` finds parents: one that comes later
            // does not count.
            Some(from) => Some(parents.contains_key(&from).then_some(from)?),
            // The nearest below, or else above: the same rule as in `Versions::new`, and it has to
            // stay the same.
            None => {
                let below = parents.range(..bead.version).next_back();
                let nearest = below.or_else(|| parents.range(bead.version..).next());
                nearest.map(|(version, _)| *version)
            }
        };
        parents.insert(bead.version, parent);
        if bead.counts {
            counts.insert(bead.version);
        }
    }
    let ancestry = |version: Version| {
        let next = |one: &Version| parents.get(one).copied().flatten();
        std::iter::successors(Some(version), next).collect::<Vec<_>>()
    };
    // None of the used versions is registered: any way will do.
    let Some(first) = used.iter().find(|version| parents.contains_key(version)) else {
        return Some(BTreeMap::new());
    };
    let up = ancestry(*first);
    let mut ways = BTreeMap::new();
    for version in used.iter().filter(|one| parents.contains_key(one)) {
        let down = ancestry(*version);
        // Towards the common ancestor conversions are undone, so the direction is part of what is
        // compared.
        let risen = up.iter().take_while(|one| !down.contains(one));
        let fallen = down.iter().take_while(|one| !up.contains(one));
        let passed = risen
            .map(|one| (*one, true))
            .chain(fallen.map(|one| (*one, false)));
        let passed = passed.filter(|(one, _)| counts.contains(one));
        ways.insert(*version, passed.collect());
    }
    Some(ways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// `1.1.0 from 1.0.0`, in the order in which they were registered; `!` changes a meaning.
    fn versions(said: &[&str]) -> Versions {
        let file = |said: &&str| {
            let changed = said.contains('!');
            let plain = said.replace('!', "");
            let (version, from) = match plain.split_once(" from ") {
                Some((version, from)) => (version, Some(from)),
                None => (plain.as_str(), None),
            };
            let mut text = format!(
                "kind: type\nversion: v1\nmetadata: {{name: \"acme:app:{version}\"}}\nspec:\n  vendor: acme\n  nss: app\n  version: {version}\n  schema: {{type: object, properties: {{a: {{type: string}}}}}}\n"
            );
            if let Some(from) = from {
                text += &format!("  conversion: {{from: {from}, steps: []}}\n");
            }
            if changed {
                text += "  meaningChanged: [/a]\n";
            }
            Arc::new(TypeVersion::parse(&text).unwrap())
        };
        Versions::new(said.iter().map(file).collect()).unwrap()
    }

    fn set(said: &[&str]) -> BTreeSet<Version> {
        let read = said.iter().map(|text| Version::parse_full(text).unwrap());
        read.collect()
    }

    #[test]
    fn what_a_conversion_goes_through_is_a_link() {
        for (all, used, links) in [
            // Nothing is declared: nothing is needed.
            (&["1.0.0", "1.1.0", "2.0.0"][..], &["2.0.0"][..], &[][..]),
            (&["1.0.0", "1.1.0", "1.2.0"], &["1.0.0", "1.2.0"], &[]),
            (&["1.0.0", "0.9.0"], &["0.9.0"], &[]),
            // A parent that is named.
            (&["1.0.0", "2.0.0 from 1.0.0"], &["2.0.0"], &["1.0.0"]),
            // In the middle, named or not.
            (
                &["1.0.0", "2.0.0 from 1.0.0", "3.0.0 from 2.0.0"],
                &["1.0.0", "3.0.0"],
                &["2.0.0"],
            ),
            (
                &["1.0.0", "2.0.0 from 1.0.0", "2.1.0"],
                &["1.0.0", "2.1.0"],
                &["2.0.0"],
            ),
            // A leaf is needed by nobody, and then neither is what only it descends from.
            (&["1.0.0", "2.0.0 from 1.0.0"], &["1.0.0"], &[]),
            (
                &["1.0.0", "2.0.0 from 1.0.0", "3.0.0 from 2.0.0"],
                &["1.0.0"],
                &[],
            ),
            // A change of meaning is passed, steps or not.
            (
                &["1.0.0", "2.0.0!", "2.1.0"],
                &["1.0.0", "2.1.0"],
                &["2.0.0"],
            ),
            // With the last one everything goes.
            (&["1.0.0", "2.0.0 from 1.0.0"], &[], &[]),
        ] {
            let found = versions(all).links(&set(used));
            assert_eq!(found, set(links), "{all:?} {used:?}");
        }
    }

    #[test]
    fn only_what_names_no_parent_gets_another_one() {
        let all = versions(&[
            "1.0.0",
            "2.0.0 from 1.0.0",
            "2.1.0",
            "3.0.0 from 2.1.0",
            "3.1.0",
        ]);
        let drifts = |version: &str, these: &[&str]| {
            all.drifts_without(Version::parse_full(version).unwrap(), &set(these))
        };
        assert!(drifts("2.1.0", &["2.0.0"]));
        assert!(drifts("3.1.0", &["2.0.0"]), "whatever is between");
        assert!(!drifts("3.0.0", &["2.0.0"]), "it names its parent");
        assert!(!drifts("1.0.0", &["2.0.0"]));
        assert!(!drifts("2.0.0", &["2.1.0"]));
    }
}
