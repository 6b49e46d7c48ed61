//! What kind of change lies between two schemas.

use super::direction::{DirectionFindings, PreparedSchema, SearchDepth};
use super::fields::{DefaultChange, FieldChanges};
use super::finding::{
    ChangeKind, CompatFinding, Counterexample, FindingVerdict, SchemaContainment, SchemaSide,
    VersionBump,
};
use super::readers;
use super::rule::CompatRule;
use crate::convert::inclusion::InclusionGap;
use crate::types::{PathPattern, Schema};

const WHOLE: SearchDepth = SearchDepth {
    examples: 50,
    names: true,
};

/// The change from one schema to another.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaChange {
    /// What kind of change it is.
    pub kind: ChangeKind,
    /// How sure that is.
    pub verdict: FindingVerdict,
    /// Whether new readers can read every old document.
    pub old_documents: SchemaContainment,
    /// Whether old readers can read every new document.
    pub new_documents: SchemaContainment,
    /// Why: what breaks first, then what is undecided, then what is added.
    pub findings: Vec<CompatFinding>,
}

impl SchemaChange {
    /// Compares two schemas, each as a whole.
    ///
    /// ```
    /// # use coeval_core::compat::{VersionBump, SchemaChange, ChangeKind, FindingVerdict};
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let schema = |fields| Schema::compile(json!({"type": "object", "properties": fields})).unwrap();
    /// let (old, new) = (schema(json!({"size": {}})), schema(json!({"size": {}, "gpu": {"type": "integer"}})));
    /// let change = SchemaChange::between(&old, &new);
    /// assert_eq!((change.kind, change.bump()), (ChangeKind::Additive, VersionBump::Minor));
    /// // Strictly, {"gpu": "none"} fitted before: a new optional field is an addition by policy.
    /// assert_eq!(change.verdict, FindingVerdict::ByPolicy);
    /// ```
    #[must_use]
    pub fn between(old: &Schema, new: &Schema) -> Self {
        Self::of(&PreparedSchema::of(old), &PreparedSchema::of(new))
    }

    pub(super) fn of(old: &PreparedSchema<'_>, new: &PreparedSchema<'_>) -> Self {
        // Each direction is a question of its own: a change can break old documents and let new
        // ones through, or the other way round.
        let backward = DirectionFindings::of(old, new, SchemaSide::Old, WHOLE);
        let forward = DirectionFindings::of(new, old, SchemaSide::New, WHOLE);
        let fields = FieldChanges::of(old.schema, new.schema);
        let mut findings = broken(&backward);
        // A name that was never declared is forbidden, not removed.
        for finding in &mut findings {
            // A finding's path is a text by now. One that can't be read again names no field, so
            // its rule stays.
            let path = PathPattern::parse(&finding.path);
            if finding.rule == CompatRule::FieldRemoved
                && path.is_ok_and(|path| !old.schema.declares_some(&path))
            {
                finding.rule = CompatRule::Forbidden;
                finding.sentence = CompatRule::Forbidden.sentence().to_owned();
            }
        }
        // In this order, because each of these looks at what was found before and does not say it
        // twice.
        findings.extend(removed(&fields, &findings, &forward));
        findings.extend(defaults(&fields));
        findings.extend(added(&fields, &findings, &backward, &forward));
        findings.extend(widened(&findings, &forward));
        readers::note_older_readers(old.schema, &mut findings);
        // A walk that was cut may have missed a field; the kind must not look surer than it is.
        if !fields.complete {
            findings.push(unclear());
        }
        Self::of_findings(backward.contained(), forward.contained(), findings)
    }

    pub(super) fn of_findings(
        old_documents: SchemaContainment,
        new_documents: SchemaContainment,
        mut findings: Vec<CompatFinding>,
    ) -> Self {
        // The worst first, and of equals the surest: people read from the top.
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.kind), finding.verdict));
        // Both directions contained: the schemas say the same, whatever words they use.
        let same =
            old_documents == SchemaContainment::Yes && new_documents == SchemaContainment::Yes;
        let least = if same {
            ChangeKind::Identical
        } else {
            ChangeKind::Additive
        };
        // No finding can make a change better than what the containment says.
        let worst = findings.iter().map(|finding| finding.kind).max();
        let kind = worst.map_or(least, |worst| worst.max(least));
        let verdict = verdict(kind, &findings);
        Self {
            kind,
            verdict,
            old_documents,
            new_documents,
            findings,
        }
    }

    /// The least bump that the change needs.
    #[must_use]
    pub const fn bump(&self) -> VersionBump {
        self.kind.bump()
    }
}

/// A break is as sure as its surest reason; an addition is as sure as its least sure part.
pub(super) fn verdict(kind: ChangeKind, findings: &[CompatFinding]) -> FindingVerdict {
    let of_kind = findings.iter().filter(|finding| finding.kind == kind);
    let verdicts = of_kind.map(|finding| finding.verdict);
    let decided = match kind {
        ChangeKind::Breaking => verdicts.min(),
        ChangeKind::Identical | ChangeKind::Additive => verdicts.max(),
        ChangeKind::Undecided => Some(FindingVerdict::Undecided),
    };
    decided.unwrap_or(FindingVerdict::Proven)
}

/// What no longer fits, or may not.
pub(super) fn broken(backward: &DirectionFindings) -> Vec<CompatFinding> {
    let mut findings: Vec<CompatFinding> = Vec::new();
    // Every gap is told, with or without a counterexample, because what is not proven may break.
    for (gap, witness) in &backward.gaps {
        let path = gap.about();
        findings.push(of_gap(gap, &path, witness.clone(), true));
    }
    // A document that breaks for a reason that no gap has named.
    if let Some(witness) = &backward.stray {
        let place = witness
            .violations
            .first()
            .map(|violation| violation.pointer.clone());
        findings.push(CompatFinding {
            rule: CompatRule::NoLongerFits,
            kind: ChangeKind::Breaking,
            verdict: FindingVerdict::Proven,
            path: place.unwrap_or_default(),
            sentence: CompatRule::NoLongerFits.sentence().to_owned(),
            witness: Some(witness.clone()),
        });
    }
    findings
}

fn of_gap(
    gap: &InclusionGap,
    path: &PathPattern,
    witness: Option<Counterexample>,
    narrowed: bool,
) -> CompatFinding {
    let rule = match CompatRule::of(gap.why, &gap.at, narrowed) {
        // With a counterexample it is certain that documents break, only not by which keyword.
        CompatRule::Unclear if witness.is_some() => CompatRule::NoLongerFits,
        rule => rule,
    };
    let (kind, verdict) = match (&witness, narrowed) {
        (Some(_), true) => (ChangeKind::Breaking, FindingVerdict::Proven),
        (None, true) => (ChangeKind::Undecided, FindingVerdict::Undecided),
        // What lets more through breaks no document, whether one was found or not.
        (_, false) => (ChangeKind::Additive, FindingVerdict::Proven),
    };
    // The rule's own sentence would claim what is not proven.
    let sentence = match (kind, rule) {
        (ChangeKind::Undecided, CompatRule::Unclear) => rule.sentence().to_owned(),
        (ChangeKind::Undecided, _) => {
            "It is neither proven that all documents still fit, nor was one found that does not."
                .to_owned()
        }
        _ => rule.sentence().to_owned(),
    };
    CompatFinding {
        rule,
        kind,
        verdict,
        path: path.to_string(),
        sentence,
        witness,
    }
}

/// Declared fields that are gone, where documents with them still fit: readers miss them.
fn removed(
    fields: &FieldChanges,
    known: &[CompatFinding],
    forward: &DirectionFindings,
) -> Vec<CompatFinding> {
    // Told as breaking under the same path, or as another type: once is enough.
    let told = |path: &PathPattern| {
        let path_text = path.to_string();
        let same = |finding: &CompatFinding| {
            // An additive finding at the path says something else.
            finding.path == path_text && finding.kind == ChangeKind::Breaking
        };
        known.iter().any(same) || is_retyped(known, path)
    };
    let gone = fields.removed.iter().filter(|path| !told(path));
    let gone = gone.map(|path| CompatFinding {
        rule: CompatRule::FieldRemoved,
        kind: ChangeKind::Breaking,
        verdict: FindingVerdict::ByPolicy,
        path: path.to_string(),
        sentence: "The field is no longer declared: documents with it still fit, but whoever reads it misses it.".to_owned(),
        witness: at(forward, path),
    });
    gone.collect()
}

/// Whether a path leads through a field that has another type.
fn is_retyped(known: &[CompatFinding], path: &PathPattern) -> bool {
    let path = path.to_string();
    let around = |finding: &CompatFinding| {
        let retyped = finding.rule == CompatRule::TypeNarrowed;
        retyped && path.starts_with(&format!("{}/", finding.path))
    };
    known.iter().any(around)
}

/// A document about a place.
fn at(direction: &DirectionFindings, path: &PathPattern) -> Option<Counterexample> {
    let of_names = direction.unused.iter().filter(|(place, _)| place == path);
    let of_names = of_names.filter_map(|(_, witness)| witness.clone());
    let of_gaps = direction
        .gaps
        .iter()
        .filter(|(gap, _)| gap.about() == *path);
    let of_gaps = of_gaps.filter_map(|(_, witness)| witness.clone());
    of_names.chain(of_gaps).next()
}

fn defaults(fields: &FieldChanges) -> Vec<CompatFinding> {
    // Defaults change what readers see, not which documents fit, so this is policy and needs no
    // counterexample.
    let found = fields.defaults.iter().map(|(path, change)| {
        let (rule, kind) = match change {
            DefaultChange::Added => (CompatRule::DefaultAdded, ChangeKind::Additive),
            DefaultChange::Changed => (CompatRule::DefaultChanged, ChangeKind::Breaking),
            DefaultChange::Removed => (CompatRule::DefaultRemoved, ChangeKind::Breaking),
        };
        CompatFinding {
            rule,
            kind,
            verdict: FindingVerdict::ByPolicy,
            path: path.to_string(),
            sentence: rule.sentence().to_owned(),
            witness: None,
        }
    });
    found.collect()
}

/// New fields that may be left out.
fn added(
    fields: &FieldChanges,
    known: &[CompatFinding],
    backward: &DirectionFindings,
    forward: &DirectionFindings,
) -> Vec<CompatFinding> {
    // A required field was told as breaking.
    let required = |path: &PathPattern| {
        let path = path.to_string();
        known
            .iter()
            .any(|finding| finding.path == path && finding.rule == CompatRule::RequiredAdded)
    };
    let unused = |path: &PathPattern| backward.unused.iter().any(|(place, _)| place == path);
    let mut findings = Vec::new();
    for path in fields.added.iter().filter(|path| !required(path)) {
        // A field of another type at the same place counts as retyped and not as new.
        if is_retyped(known, path) {
            continue;
        }
        // Names that old documents may use already are told below, with a warning.
        if !unused(path) {
            findings.push(CompatFinding {
                rule: CompatRule::FieldAdded,
                kind: ChangeKind::Additive,
                verdict: FindingVerdict::Proven,
                path: path.to_string(),
                sentence: CompatRule::FieldAdded.sentence().to_owned(),
                witness: at(forward, path),
            });
        }
    }
    // The policy that such names are unused is named in the finding, so that nobody takes it for a
    // proof.
    for (path, witness) in backward.unused.iter().filter(|(path, _)| !required(path)) {
        findings.push(CompatFinding {
            rule: CompatRule::FieldAdded,
            kind: ChangeKind::Additive,
            verdict: FindingVerdict::ByPolicy,
            path: path.to_string(),
            sentence: "The field is new, and may be left out; but old documents may already use \
                       its name for something else."
                .to_owned(),
            witness: witness.clone(),
        });
    }
    findings
}

/// What fits now and did not.
fn widened(known: &[CompatFinding], forward: &DirectionFindings) -> Vec<CompatFinding> {
    let mut findings: Vec<CompatFinding> = Vec::new();
    for (gap, witness) in &forward.gaps {
        // Without a document that shows it, nobody would see what became possible.
        if witness.is_none() {
            continue;
        }
        let path = gap.about();
        let finding = of_gap(gap, &path, witness.clone(), false);
        // An unclear keyword with a document becomes this rule, and its sentence would be wrong of
        // what fits more.
        if finding.rule == CompatRule::NoLongerFits {
            continue;
        }
        let same = |other: &CompatFinding| other.rule == finding.rule && other.path == finding.path;
        // What was removed or added is told already.
        let inside = |other: &CompatFinding| {
            let steps = [CompatRule::FieldRemoved, CompatRule::FieldAdded].contains(&other.rule);
            steps && other.path == finding.path
        };
        if !known
            .iter()
            .chain(&findings)
            .any(|other| same(other) || inside(other))
        {
            findings.push(finding);
        }
    }
    // At a path with a finding already, another one would only repeat it.
    let known_at = |path: &str| known.iter().any(|finding| finding.path == path);
    for (path, witness) in &forward.unused {
        let path = path.to_string();
        // The old schema said nothing of this name, and the new one lets anything through.
        if witness.is_some() && !known_at(&path) {
            findings.push(CompatFinding {
                rule: CompatRule::TypeWidened,
                kind: ChangeKind::Additive,
                verdict: FindingVerdict::Proven,
                path,
                sentence: "Anything may be there now.".to_owned(),
                witness: witness.clone(),
            });
        }
    }
    findings
}

fn unclear() -> CompatFinding {
    CompatFinding {
        rule: CompatRule::Unclear,
        kind: ChangeKind::Undecided,
        verdict: FindingVerdict::Undecided,
        path: String::new(),
        sentence: "The schemas declare too many fields to compare all of them.".to_owned(),
        witness: None,
    }
}
