//! What was found, as it is printed: the same for a terminal and for programs.

use coeval_core::compat::{
    Against, Bump, Change, Checked, Contained, Finding, Kind, Verdict, Witness,
};
use coeval_core::types::TypeVersion;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The version, or the file, that is new.
    pub(super) new: String,
    /// What it is compared with first.
    pub(super) old: String,
    pub(super) kind: &'static str,
    pub(super) verdict: &'static str,
    pub(super) bump: Bumps,
    /// Whether new readers can read every old document, and old readers every new one.
    pub(super) old_documents_fit_new: Fits,
    pub(super) new_documents_fit_old: Fits,
    /// How many versions it was compared with.
    pub(super) compared: usize,
    pub(super) findings: Vec<Told>,
    #[serde(skip)]
    decided: Kind,
}

#[derive(Debug, Serialize)]
pub(super) struct Bumps {
    pub(super) needed: &'static str,
    pub(super) given: Option<&'static str>,
    pub(super) enough: Option<bool>,
}

/// One direction, as JSON Schema has it.
#[derive(Debug, Serialize)]
pub(super) struct Fits {
    /// `yes`, `no` or `undecided`.
    pub(super) answer: &'static str,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<Shown>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) undecided_at: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Told {
    pub(super) rule: &'static str,
    pub(super) kind: &'static str,
    pub(super) verdict: &'static str,
    pub(super) path: String,
    /// The version that it is found against.
    pub(super) against: String,
    pub(super) message: String,
    pub(super) page: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<Shown>,
}

#[derive(Debug, Serialize)]
pub(super) struct Shown {
    /// `old` or `new`; the other one rejects it.
    pub(super) accepted_by: &'static str,
    pub(super) document: Value,
    pub(super) rejected_because: Vec<String>,
}

impl Shown {
    fn of(witness: &Witness) -> Self {
        Self {
            accepted_by: witness.accepted_by.name(),
            document: witness.document.clone(),
            rejected_because: witness.violations.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Fits {
    fn of(contained: &Contained) -> Self {
        let (answer, witness, undecided_at) = match contained {
            Contained::Yes => ("yes", None, Vec::new()),
            Contained::No(witness) => ("no", Some(Shown::of(witness)), Vec::new()),
            Contained::Unknown(places) => ("undecided", None, places.clone()),
        };
        Self {
            answer,
            verdict: contained.verdict().name(),
            witness,
            undecided_at,
        }
    }
}

impl Told {
    fn of(finding: &Finding, against: &str) -> Self {
        Self {
            rule: finding.rule.id(),
            kind: finding.kind.name(),
            verdict: finding.verdict.name(),
            path: finding.path.clone(),
            against: against.to_owned(),
            message: finding.sentence.clone(),
            page: finding.rule.page(),
            witness: finding.witness.as_ref().map(Shown::of),
        }
    }
}

impl Report {
    /// Of bare schemas: there are no numbers, so any bump is enough. `None` if there is nothing to
    /// compare with.
    pub(super) fn of_schemas(new: String, changes: Vec<(String, Change)>) -> Option<Self> {
        let (old, first) = changes.first()?;
        let kind = changes.iter().map(|(_, change)| change.kind).max()?;
        let of_kind = changes.iter().filter(|(_, change)| change.kind == kind);
        let verdict = of_kind.map(|(_, change)| change.verdict).min()?;
        let mut report = Self::about(new, old.clone(), first, kind, verdict);
        report.compared = changes.len();
        for (name, change) in changes.iter().skip(1) {
            report.add(&change.findings, name, first);
        }
        Some(report)
    }

    pub(super) fn of_types(new: &TypeVersion, checked: Checked) -> Option<Self> {
        let (kind, verdict) = (checked.kind(), checked.verdict());
        let (needed, given) = (checked.needed(), checked.given());
        let enough = !checked.is_too_small();
        let name = |version| format!("{}:{}:{version}", new.id.vendor, new.id.nss);
        let (change, parent) = (checked.change?, checked.parent?);
        let mut report = Self::about(new.id.to_string(), name(parent), &change, kind, verdict);
        report.compared = checked.compared;
        report.bump = Bumps {
            needed: needed.name(),
            given: given.map(Bump::name),
            enough: Some(enough),
        };
        for Against {
            version, findings, ..
        } in &checked.against
        {
            report.add(findings, &name(*version), &change);
        }
        Some(report)
    }

    fn about(new: String, old: String, change: &Change, kind: Kind, verdict: Verdict) -> Self {
        let findings = change.findings.iter();
        Self {
            findings: findings.map(|finding| Told::of(finding, &old)).collect(),
            new,
            old,
            kind: kind.name(),
            verdict: verdict.name(),
            bump: Bumps {
                needed: kind.bump().name(),
                given: None,
                enough: None,
            },
            old_documents_fit_new: Fits::of(&change.old_documents),
            new_documents_fit_old: Fits::of(&change.new_documents),
            compared: 1,
            decided: kind,
        }
    }

    /// Findings against another version, unless they were found against the first.
    fn add(&mut self, findings: &[Finding], against: &str, first: &Change) {
        let told = |finding: &&Finding| {
            let same = |other: &Finding| other.rule == finding.rule && other.path == finding.path;
            finding.kind > Kind::Additive && !first.findings.iter().any(same)
        };
        let new = findings.iter().filter(told);
        self.findings
            .extend(new.map(|finding| Told::of(finding, against)));
    }

    pub(super) const fn kind(&self) -> Kind {
        self.decided
    }

    /// Whether the version's number says enough; `None` where there are no numbers.
    pub(super) const fn enough(&self) -> Option<bool> {
        self.bump.enough
    }
}
