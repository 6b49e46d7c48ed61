//! What kind of change lies between two schemas.

use super::direction::{Depth, Direction, Prepared};
use super::fields::{DefaultChange, Fields};
use super::finding::{Bump, Contained, Finding, Kind, Side, Verdict, Witness};
use super::readers;
use super::rule::Rule;
use crate::convert::inclusion::Gap;
use crate::types::{PathPattern, Schema};

const WHOLE: Depth = Depth {
    examples: 50,
    names: true,
};

/// The change from one schema to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What kind of change it is.
    pub kind: Kind,
    /// How sure that is.
    pub verdict: Verdict,
    /// Whether new readers can read every old document.
    pub old_documents: Contained,
    /// Whether old readers can read every new document.
    pub new_documents: Contained,
    /// Why: what breaks first, then what is undecided, then what is added.
    pub findings: Vec<Finding>,
}

impl Change {
    /// Compares two schemas, each as a whole.
    ///
    /// ```
    /// # use coeval_core::compat::{Bump, Change, Kind, Verdict};
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let schema = |fields| Schema::compile(json!({"type": "object", "properties": fields})).unwrap();
    /// let (old, new) = (schema(json!({"size": {}})), schema(json!({"size": {}, "gpu": {"type": "integer"}})));
    /// let change = Change::between(&old, &new);
    /// assert_eq!((change.kind, change.bump()), (Kind::Additive, Bump::Minor));
    /// // Strictly, {"gpu": "none"} fitted before: a new optional field is an addition by policy.
    /// assert_eq!(change.verdict, Verdict::ByPolicy);
    /// ```
    #[must_use]
    pub fn between(old: &Schema, new: &Schema) -> Self {
        Self::of(&Prepared::of(old), &Prepared::of(new))
    }

    pub(super) fn of(old: &Prepared<'_>, new: &Prepared<'_>) -> Self {
        let backward = Direction::of(old, new, Side::Old, WHOLE);
        let forward = Direction::of(new, old, Side::New, WHOLE);
        let fields = Fields::of(old.schema, new.schema);
        let mut findings = broken(&backward);
        // A name that was never declared is forbidden, not removed.
        for finding in &mut findings {
            let path = PathPattern::parse(&finding.path);
            if finding.rule == Rule::FieldRemoved
                && path.is_ok_and(|path| !old.schema.declares_some(&path))
            {
                finding.rule = Rule::Forbidden;
                finding.sentence = Rule::Forbidden.sentence().to_owned();
            }
        }
        findings.extend(removed(&fields, &findings, &forward));
        findings.extend(defaults(&fields));
        findings.extend(added(&fields, &findings, &backward, &forward));
        findings.extend(widened(&findings, &forward));
        readers::tell(old.schema, &mut findings);
        if !fields.complete {
            findings.push(unclear());
        }
        Self::told(backward.contained(), forward.contained(), findings)
    }

    pub(super) fn told(
        old_documents: Contained,
        new_documents: Contained,
        mut findings: Vec<Finding>,
    ) -> Self {
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.kind), finding.verdict));
        let same = old_documents == Contained::Yes && new_documents == Contained::Yes;
        let least = if same {
            Kind::Identical
        } else {
            Kind::Additive
        };
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
    pub const fn bump(&self) -> Bump {
        self.kind.bump()
    }
}

/// A break is as sure as its surest reason; an addition is as sure as its least sure part.
pub(super) fn verdict(kind: Kind, findings: &[Finding]) -> Verdict {
    let of_kind = findings.iter().filter(|finding| finding.kind == kind);
    let verdicts = of_kind.map(|finding| finding.verdict);
    let decided = match kind {
        Kind::Breaking => verdicts.min(),
        Kind::Identical | Kind::Additive => verdicts.max(),
        Kind::Undecided => Some(Verdict::Undecided),
    };
    decided.unwrap_or(Verdict::Proven)
}

/// What no longer fits, or may not.
pub(super) fn broken(backward: &Direction) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (gap, witness) in &backward.gaps {
        let path = gap.about();
        findings.push(of_gap(gap, &path, witness.clone(), true));
    }
    if let Some(witness) = &backward.stray {
        let place = witness
            .violations
            .first()
            .map(|violation| violation.pointer.clone());
        findings.push(Finding {
            rule: Rule::NoLongerFits,
            kind: Kind::Breaking,
            verdict: Verdict::Proven,
            path: place.unwrap_or_default(),
            sentence: Rule::NoLongerFits.sentence().to_owned(),
            witness: Some(witness.clone()),
        });
    }
    findings
}

fn of_gap(gap: &Gap, path: &PathPattern, witness: Option<Witness>, narrowed: bool) -> Finding {
    let rule = match Rule::of(gap.why, &gap.at, narrowed) {
        Rule::Unclear if witness.is_some() => Rule::NoLongerFits,
        rule => rule,
    };
    let (kind, verdict) = match (&witness, narrowed) {
        (Some(_), true) => (Kind::Breaking, Verdict::Proven),
        (None, true) => (Kind::Undecided, Verdict::Undecided),
        (_, false) => (Kind::Additive, Verdict::Proven),
    };
    let sentence = match (kind, rule) {
        (Kind::Undecided, Rule::Unclear) => rule.sentence().to_owned(),
        (Kind::Undecided, _) => {
            "It is neither proven that all documents still fit, nor was one found that does not."
                .to_owned()
        }
        _ => rule.sentence().to_owned(),
    };
    Finding {
        rule,
        kind,
        verdict,
        path: path.to_string(),
        sentence,
        witness,
    }
}

/// Declared fields that are gone, where documents with them still fit: readers miss them.
fn removed(fields: &Fields, known: &[Finding], forward: &Direction) -> Vec<Finding> {
    let told = |path: &PathPattern| {
        let path_text = path.to_string();
        let same = |finding: &Finding| finding.path == path_text && finding.kind == Kind::Breaking;
        known.iter().any(same) || is_retyped(known, path)
    };
    let gone = fields.removed.iter().filter(|path| !told(path));
    let gone = gone.map(|path| Finding {
        rule: Rule::FieldRemoved,
        kind: Kind::Breaking,
        verdict: Verdict::ByPolicy,
        path: path.to_string(),
        sentence: "The field is no longer declared: documents with it still fit, but whoever reads it misses it.".to_owned(),
        witness: at(forward, path),
    });
    gone.collect()
}

/// Whether a path leads through a field that has another type.
fn is_retyped(known: &[Finding], path: &PathPattern) -> bool {
    let path = path.to_string();
    let around = |finding: &Finding| {
        let retyped = finding.rule == Rule::TypeNarrowed;
        retyped && path.starts_with(&format!("{}/", finding.path))
    };
    known.iter().any(around)
}

/// A document about a place.
fn at(direction: &Direction, path: &PathPattern) -> Option<Witness> {
    let of_names = direction.unused.iter().filter(|(place, _)| place == path);
    let of_names = of_names.filter_map(|(_, witness)| witness.clone());
    let of_gaps = direction
        .gaps
        .iter()
        .filter(|(gap, _)| gap.about() == *path);
    let of_gaps = of_gaps.filter_map(|(_, witness)| witness.clone());
    of_names.chain(of_gaps).next()
}

fn defaults(fields: &Fields) -> Vec<Finding> {
    let found = fields.defaults.iter().map(|(path, change)| {
        let (rule, kind) = match change {
            DefaultChange::Added => (Rule::DefaultAdded, Kind::Additive),
            DefaultChange::Changed => (Rule::DefaultChanged, Kind::Breaking),
            DefaultChange::Removed => (Rule::DefaultRemoved, Kind::Breaking),
        };
        Finding {
            rule,
            kind,
            verdict: Verdict::ByPolicy,
            path: path.to_string(),
            sentence: rule.sentence().to_owned(),
            witness: None,
        }
    });
    found.collect()
}

/// New fields that may be left out.
fn added(
    fields: &Fields,
    known: &[Finding],
    backward: &Direction,
    forward: &Direction,
) -> Vec<Finding> {
    let required = |path: &PathPattern| {
        let path = path.to_string();
        known
            .iter()
            .any(|finding| finding.path == path && finding.rule == Rule::RequiredAdded)
    };
    let unused = |path: &PathPattern| backward.unused.iter().any(|(place, _)| place == path);
    let mut findings = Vec::new();
    for path in fields.added.iter().filter(|path| !required(path)) {
        if is_retyped(known, path) {
            continue;
        }
        if !unused(path) {
            findings.push(Finding {
                rule: Rule::FieldAdded,
                kind: Kind::Additive,
                verdict: Verdict::Proven,
                path: path.to_string(),
                sentence: Rule::FieldAdded.sentence().to_owned(),
                witness: at(forward, path),
            });
        }
    }
    for (path, witness) in backward.unused.iter().filter(|(path, _)| !required(path)) {
        findings.push(Finding {
            rule: Rule::FieldAdded,
            kind: Kind::Additive,
            verdict: Verdict::ByPolicy,
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
fn widened(known: &[Finding], forward: &Direction) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (gap, witness) in &forward.gaps {
        if witness.is_none() {
            continue;
        }
        let path = gap.about();
        let finding = of_gap(gap, &path, witness.clone(), false);
        if finding.rule == Rule::NoLongerFits {
            continue;
        }
        let same = |other: &Finding| other.rule == finding.rule && other.path == finding.path;
        // What was removed or added is told already.
        let inside = |other: &Finding| {
            let steps = [Rule::FieldRemoved, Rule::FieldAdded].contains(&other.rule);
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
    let known_at = |path: &str| known.iter().any(|finding| finding.path == path);
    for (path, witness) in &forward.unused {
        let path = path.to_string();
        if witness.is_some() && !known_at(&path) {
            findings.push(Finding {
                rule: Rule::TypeWidened,
                kind: Kind::Additive,
                verdict: Verdict::Proven,
                path,
                sentence: "Anything may be there now.".to_owned(),
                witness: witness.clone(),
            });
        }
    }
    findings
}

fn unclear() -> Finding {
    Finding {
        rule: Rule::Unclear,
        kind: Kind::Undecided,
        verdict: Verdict::Undecided,
        path: String::new(),
        sentence: "The schemas declare too many fields to compare all of them.".to_owned(),
        witness: None,
    }
}
