//! A version against the whole history of its type.

use super::change::{SchemaChange, broken, verdict};
use super::direction::{DirectionFindings, PreparedSchema, SearchDepth};
use super::fields::is_inside;
use super::finding::{ChangeKind, CompatFinding, FindingVerdict, SchemaSide, VersionBump};
use super::rule::CompatRule;
use crate::types::{PathPattern, Schema, TypeVersion};
use crate::version::Version;

/// For versions other than the parent.
const BREAKS: SearchDepth = SearchDepth {
    examples: 0,
    names: false,
};

/// What is found against a version that is not the parent.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionComparison {
    /// That version.
    pub version: Version,
    /// Undecided or breaking; what is fine is not told.
    pub kind: ChangeKind,
    /// How sure that is.
    pub verdict: FindingVerdict,
    /// Why.
    pub findings: Vec<CompatFinding>,
}

/// What is found against all versions that are there.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryCheck {
    /// The version that was checked.
    pub version: Version,
    /// The version that it comes from: the one that its conversion names, or the next lower one.
    pub parent: Option<Version>,
    /// The change from there; none for a type's first version.
    pub change: Option<SchemaChange>,
    /// How many versions it was compared with.
    pub compared: usize,
    /// What is found against others: documents of every lower version of the same major must fit
    /// it, its own must fit every higher one, and no name may come back with another meaning.
    pub against: Vec<VersionComparison>,
}

impl HistoryCheck {
    /// The worst of all.
    #[must_use]
    pub fn kind(&self) -> ChangeKind {
        let change = self.change.as_ref().map(|change| change.kind);
        let others = self.against.iter().map(|against| against.kind);
        change
            .into_iter()
            .chain(others)
            .max()
            .unwrap_or(ChangeKind::Identical)
    }

    /// How sure that is.
    #[must_use]
    pub fn verdict(&self) -> FindingVerdict {
        let kind = self.kind();
        let change = self
            .change
            .as_ref()
            .map(|change| (change.kind, change.verdict));
        let others = self
            .against
            .iter()
            .map(|against| (against.kind, against.verdict));
        // The parent counts like any other version that is compared.
        let verdicts = change.into_iter().chain(others);
        // Below, the surest of those with the worst kind: one proof is enough.
        let verdicts = verdicts.filter(|(found, _)| *found == kind);
        verdicts
            .map(|(_, verdict)| verdict)
            .min()
            .unwrap_or(FindingVerdict::Proven)
    }

    /// The least bump that is needed from the parent.
    #[must_use]
    pub fn needed(&self) -> VersionBump {
        self.kind().bump()
    }

    /// The bump from the parent that the version's number makes.
    #[must_use]
    pub fn given(&self) -> Option<VersionBump> {
        self.parent.map(|parent| bump(parent, self.version))
    }

    /// Whether the version's number says less than what has changed.
    #[must_use]
    pub fn is_too_small(&self) -> bool {
        let change = self
            .change
            .as_ref()
            .map_or(VersionBump::Patch, SchemaChange::bump);
        self.given().is_some_and(|given| given < change) || !self.against.is_empty()
    }
}

/// The part of the number in which two versions differ first.
fn bump(from: Version, to: Version) -> VersionBump {
    if from.major != to.major {
        VersionBump::Major
    } else if from.minor != to.minor {
        VersionBump::Minor
    } else {
        VersionBump::Patch
    }
}

/// Checks a version against all others of its type, in any order; one with the same number is left
/// out.
///
/// ```
/// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
/// use coeval_core::compat::{VersionBump, check};
/// use coeval_core::types::TypeVersion;
///
/// let versions = TypeVersion::parse_all(APP).unwrap();
/// let checked = check(&versions[..1], &versions[1]);
/// assert_eq!(checked.needed(), VersionBump::Major, "a field has another name");
/// assert!(!checked.is_too_small(), "from 1.0.0 to 2.0.0");
/// ```
#[must_use]
pub fn check<'v>(
    history: impl IntoIterator<Item = &'v TypeVersion>,
    new: &TypeVersion,
) -> HistoryCheck {
    let version = new.id.version;
    let mut others: Vec<&TypeVersion> = history.into_iter().collect();
    // Registered again, a version would be compared with itself.
    others.retain(|other| other.id.version != version);
    others.sort_by_key(|other| other.id.version);
    // A declared conversion names the parent; otherwise it is the nearest version below, as
    // conversions have it.
    let named = new.conversion.as_ref().map(|conversion| conversion.from);
    let below = others.iter().rfind(|other| other.id.version < version);
    let parent = match named {
        Some(named) => others.iter().find(|other| other.id.version == named),
        None => below,
    };
    // Prepared once, since every version of the history is compared with it.
    let prepared = PreparedSchema::of(&new.schema);
    let change = parent.map(|parent| {
        // That the meaning changes no schema can tell: the author declares it.
        let change = SchemaChange::of(&PreparedSchema::of(&parent.schema), &prepared);
        with_meaning(change, &new.meaning_changed)
    });
    // A new major may use any name for anything.
    let same_major = parent.filter(|parent| parent.id.version.major == version.major);
    let added = same_major.map(|parent| names_beyond(&parent.schema, &new.schema));
    let added = added.unwrap_or_default();
    let parent = parent.map(|parent| parent.id.version);
    let mut against = Vec::new();
    for other in &others {
        // The parent was compared in both directions already.
        if Some(other.id.version) != parent {
            against.extend(compared(other, new, &prepared, &added));
        }
    }
    HistoryCheck {
        version,
        parent,
        change,
        compared: others.len(),
        against,
    }
}

fn with_meaning(change: SchemaChange, fields: &[PathPattern]) -> SchemaChange {
    let mut findings = change.findings;
    findings.extend(fields.iter().map(|path| CompatFinding {
        rule: CompatRule::MeaningChanged,
        kind: ChangeKind::Breaking,
        verdict: FindingVerdict::ByPolicy,
        path: path.to_string(),
        sentence: CompatRule::MeaningChanged.sentence().to_owned(),
        witness: None,
    }));
    SchemaChange::of_findings(change.old_documents, change.new_documents, findings)
}

/// Paths that a version declares and its parent does not.
fn names_beyond(parent: &Schema, new: &Schema) -> Vec<PathPattern> {
    let declared = new.declared_paths().paths.into_iter();
    let beyond = declared.filter(|declared| !parent.declares_some(&declared.path));
    beyond.map(|declared| declared.path).collect()
}

fn compared(
    other: &TypeVersion,
    new: &TypeVersion,
    prepared: &PreparedSchema<'_>,
    added: &[PathPattern],
) -> Option<VersionComparison> {
    let (before, after) = (other.id.version, new.id.version);
    let theirs = PreparedSchema::of(&other.schema);
    let same_major = before.major == after.major;
    // A higher version exists already, so documents of this one have to fit there.
    let mut findings = if before > after {
        // Another major promises nothing.
        if !same_major {
            return None;
        }
        broken(&DirectionFindings::of(
            prepared,
            &theirs,
            // Over majors only one thing is looked at: whether a name that was given up comes back
            // with another meaning.
            SchemaSide::New,
            BREAKS,
        ))
    } else {
        let declared = added.iter().filter(|path| other.schema.declares_some(path));
        let returned: Vec<PathPattern> = declared.cloned().collect();
        if !same_major && returned.is_empty() {
            return None;
        }
        let direction = DirectionFindings::of(&theirs, prepared, SchemaSide::Old, BREAKS);
        let mut findings = broken(&direction);
        for finding in &mut findings {
            // Only what is at or inside of such a name, because the rest of an older major may
            // differ.
            let path = PathPattern::parse(&finding.path);
            if path.is_ok_and(|path| returned.iter().any(|outer| is_inside(&path, outer))) {
                finding.rule = CompatRule::NameReturned;
                if finding.kind == ChangeKind::Breaking {
                    finding.sentence = CompatRule::NameReturned.sentence().to_owned();
                }
            }
        }
        findings.retain(|finding| same_major || finding.rule == CompatRule::NameReturned);
        findings
    };
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.kind), finding.verdict));
    // No finding: this version agrees, and is not listed.
    let kind = findings.first()?.kind;
    Some(VersionComparison {
        version: before,
        kind,
        verdict: verdict(kind, &findings),
        findings,
    })
}
