//! What was found, as it is printed: the same for a terminal and for programs.

use coeval_core::compat::{
    ChangeKind, CompatFinding, Counterexample, FindingVerdict, HistoryCheck, SchemaChange,
    SchemaContainment, SchemaSide, VersionBump, VersionComparison,
};
use coeval_core::convert::KeylessList;
use coeval_core::types::TypeVersion;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;

#[derive(Debug, Serialize)]
pub(super) struct CheckReport {
    /// The version, or the file, that is new.
    pub(super) new: String,
    /// What it is compared with first.
    pub(super) old: String,
    pub(super) kind: &'static str,
    pub(super) verdict: &'static str,
    pub(super) bump: BumpReport,
    /// Whether new readers can read every old document, and old readers every new one.
    pub(super) old_documents_fit_new: DirectionFit,
    pub(super) new_documents_fit_old: DirectionFit,
    /// How many versions it was compared with.
    pub(super) compared: usize,
    pub(super) findings: Vec<FindingReport>,
    /// What breaks nothing and should be known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<CheckNote>,
    #[serde(skip)]
    decided: ChangeKind,
}

#[derive(Debug, Serialize)]
pub(super) struct CheckNote {
    /// The code of what it can lead to.
    pub(super) rule: String,
    pub(super) path: String,
    pub(super) message: String,
}

#[derive(Debug, Serialize)]
pub(super) struct BumpReport {
    pub(super) needed: &'static str,
    pub(super) given: Option<&'static str>,
    pub(super) enough: Option<bool>,
}

/// One direction, as JSON Schema has it.
#[derive(Debug, Serialize)]
pub(super) struct DirectionFit {
    /// `yes`, `no` or `undecided`.
    pub(super) answer: &'static str,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<ShownCounterexample>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) undecided_at: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct FindingReport {
    pub(super) rule: &'static str,
    pub(super) kind: &'static str,
    pub(super) verdict: &'static str,
    pub(super) path: String,
    /// The version that it is found against.
    pub(super) against: String,
    pub(super) message: String,
    pub(super) page: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<ShownCounterexample>,
    /// Whether that version is higher: then it is the one that must take the documents.
    #[serde(skip)]
    pub(super) against_higher: bool,
    #[serde(skip)]
    rank: (Reverse<ChangeKind>, FindingVerdict),
}

#[derive(Debug, Serialize)]
pub(super) struct ShownCounterexample {
    /// `old` or `new`; the other one rejects it.
    pub(super) accepted_by: &'static str,
    pub(super) document: Value,
    pub(super) rejected_because: Vec<String>,
}

impl ShownCounterexample {
    /// What the other one says of the place that it is about comes first.
    fn of(witness: &Counterexample, accepted_by: SchemaSide, about: &str) -> Self {
        let mut violations: Vec<_> = witness.violations.iter().collect();
        // The nearest first: others may be about what surrounds it.
        violations.sort_by_key(|violation| distance(about, &violation.pointer));
        Self {
            accepted_by: accepted_by.name(),
            document: witness.document.clone(),
            rejected_because: violations.iter().map(ToString::to_string).collect(),
        }
    }
}

/// 0 at a place and inside of it, 1 around it, 2 elsewhere.
fn distance(path: &str, pointer: &str) -> u8 {
    let mut pointer = pointer.split('/');
    // Step by step; `*` stands for any item or key.
    for step in path.split('/') {
        match pointer.next() {
            Some(token) if step == token || step == "*" => {}
            Some(_) => return 2,
            None => return 1,
        }
    }
    0
}

impl DirectionFit {
    fn of(contained: &SchemaContainment) -> Self {
        let (answer, witness, undecided_at) = match contained {
            SchemaContainment::Yes => ("yes", None, Vec::new()),
            SchemaContainment::No(witness) => {
                let shown = ShownCounterexample::of(witness, witness.accepted_by, "");
                ("no", Some(shown), Vec::new())
            }
            SchemaContainment::Unknown(places) => ("undecided", None, places.clone()),
        };
        Self {
            answer,
            verdict: contained.verdict().name(),
            witness,
            undecided_at,
        }
    }
}

impl FindingReport {
    fn of(finding: &CompatFinding, against: &str) -> Self {
        let shown = |witness: &Counterexample| {
            ShownCounterexample::of(witness, witness.accepted_by, &finding.path)
        };
        Self {
            rule: finding.rule.id(),
            kind: finding.kind.name(),
            verdict: finding.verdict.name(),
            path: finding.path.clone(),
            against: against.to_owned(),
            message: finding.sentence.clone(),
            page: finding.rule.page(),
            witness: finding.witness.as_ref().map(shown),
            against_higher: false,
            rank: (Reverse(finding.kind), finding.verdict),
        }
    }

    /// Against a higher version: the new version's documents must fit that one.
    fn of_higher(finding: &CompatFinding, against: &str) -> Self {
        let shown = |witness: &Counterexample| {
            ShownCounterexample::of(witness, SchemaSide::New, &finding.path)
        };
        Self {
            witness: finding.witness.as_ref().map(shown),
            against_higher: true,
            ..Self::of(finding, against)
        }
    }
}

impl CheckReport {
    /// Of bare schemas: there are no numbers, so any bump is enough. `None` if there is nothing to
    /// compare with.
    pub(super) fn of_schemas(new: String, changes: Vec<(String, SchemaChange)>) -> Option<Self> {
        let (old, first) = changes.first()?;
        let kind = changes.iter().map(|(_, change)| change.kind).max()?;
        let of_kind = changes.iter().filter(|(_, change)| change.kind == kind);
        let verdicts = of_kind.map(|(_, change)| change.verdict);
        // One proof is enough for a break, and all are needed for anything else.
        let verdict = match kind {
            ChangeKind::Breaking => verdicts.min()?,
            _ => verdicts.max()?,
        };
        let mut report = Self::about(new, old.clone(), first, kind, verdict);
        report.compared = changes.len();
        for (name, change) in changes.iter().skip(1) {
            let new = beyond(&change.findings, first);
            let told = new.map(|finding| FindingReport::of(finding, name));
            report.findings.extend(told);
        }
        Some(report.sorted())
    }

    pub(super) fn of_types(new: &TypeVersion, checked: HistoryCheck) -> Option<Self> {
        let (kind, verdict) = (checked.kind(), checked.verdict());
        let (needed, given) = (checked.needed(), checked.given());
        let enough = !checked.is_too_small();
        let name = |version| format!("{}:{}:{version}", new.id.vendor, new.id.nss);
        let (change, parent) = (checked.change?, checked.parent?);
        let mut report = Self::about(new.id.to_string(), name(parent), &change, kind, verdict);
        report.compared = checked.compared;
        report.bump = BumpReport {
            needed: needed.name(),
            given: given.map(VersionBump::name),
            enough: Some(enough),
        };
        for VersionComparison {
            version, findings, ..
        } in &checked.against
        {
            let other = name(*version);
            let higher = *version > new.id.version;
            let told = if higher {
                let all = findings.iter();
                all.map(|finding| FindingReport::of_higher(finding, &other))
                    .collect::<Vec<_>>()
            } else {
                let new = beyond(findings, &change);
                new.map(|finding| FindingReport::of(finding, &other))
                    .collect()
            };
            report.findings.extend(told);
        }
        Some(report.sorted())
    }

    fn about(
        new: String,
        old: String,
        change: &SchemaChange,
        kind: ChangeKind,
        verdict: FindingVerdict,
    ) -> Self {
        let findings = change.findings.iter();
        Self {
            findings: findings
                .map(|finding| FindingReport::of(finding, &old))
                .collect(),
            new,
            old,
            kind: kind.name(),
            verdict: verdict.name(),
            bump: BumpReport {
                needed: kind.bump().name(),
                given: None,
                enough: None,
            },
            old_documents_fit_new: DirectionFit::of(&change.old_documents),
            new_documents_fit_old: DirectionFit::of(&change.new_documents),
            compared: 1,
            notes: Vec::new(),
            decided: kind,
        }
    }

    pub(super) fn with_notes(mut self, lists: &[KeylessList]) -> Self {
        let note = |list: &KeylessList| CheckNote {
            rule: list.code().to_string(),
            path: list.list.to_string(),
            message: list.to_string(),
        };
        self.notes.extend(lists.iter().map(note));
        self
    }

    /// What breaks first, whichever version it is found against.
    fn sorted(mut self) -> Self {
        self.findings.sort_by_key(|told| told.rank);
        self
    }

    pub(super) const fn kind(&self) -> ChangeKind {
        self.decided
    }

    /// Whether the version's number says enough; `None` where there are no numbers.
    pub(super) const fn enough(&self) -> Option<bool> {
        self.bump.enough
    }
}

/// Findings against another version that matter and were not found against the first.
fn beyond<'f>(
    findings: &'f [CompatFinding],
    first: &SchemaChange,
) -> impl Iterator<Item = &'f CompatFinding> {
    findings.iter().filter(|finding| {
        let same = |other: &CompatFinding| other.rule == finding.rule && other.path == finding.path;
        finding.kind > ChangeKind::Additive && !first.findings.iter().any(same)
    })
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn what_is_said_of_the_place_itself_comes_first() {
        for (path, pointer, expected) in [
            ("/a", "/a", 0),
            ("/a", "/a/b", 0),
            ("/nodes/*/size", "/nodes/0/size", 0),
            ("", "/a", 0),
            ("/a/b", "/a", 1),
            ("/a", "", 1),
            ("/a", "/ab", 2),
            ("/nodes/*/size", "/nodes/0/name", 2),
        ] {
            assert_eq!(distance(path, pointer), expected, "{path} {pointer}");
        }
    }
}
