//! Whether the verdicts on a pair are right.

use crate::pair::{Expected, Pair, Truth};
use crate::tally::{Answer, Tally};
use crate::truth::validator;
use coeval_core::compat::{
    ChangeKind, CompatFinding, CompatRule, Counterexample, FindingVerdict, SchemaChange,
    SchemaContainment, SchemaSide,
};
use coeval_core::types::Schema;
use jsonschema::Draft;
use serde_json::{Value, json};

/// What a pair of schemas came to.
pub(crate) struct Judged {
    pub(crate) change: SchemaChange,
    pub(crate) faults: Vec<String>,
    /// As the second validator reads them.
    pub(crate) witnesses: Vec<Value>,
}

pub(crate) fn compared(old: &Value, new: &Value) -> SchemaChange {
    let compile = |schema: &Value| {
        Schema::compile(schema.clone()).unwrap_or_else(|errors| panic!("{errors:?}: {schema}"))
    };
    SchemaChange::between(&compile(old), &compile(new))
}

/// Compares, and asks the validator about every witness.
pub(crate) fn compare(old: &Value, new: &Value, (before, after): (Draft, Draft)) -> Judged {
    let change = compared(old, new);
    let mut faults = Vec::new();
    let mut witnesses: Vec<Value> = Vec::new();
    let of_directions = [&change.old_documents, &change.new_documents].into_iter();
    let of_directions = of_directions.filter_map(|contained| match contained {
        SchemaContainment::No(witness) => Some(witness),
        _ => None,
    });
    let of_findings = change
        .findings
        .iter()
        .filter_map(|finding| finding.witness.as_ref());
    let validators = [validator(old, before), validator(new, after)];
    for witness in of_directions.chain(of_findings) {
        let [by_old, by_new] = validators
            .each_ref()
            .map(|one| one.is_valid(&witness.document));
        let right = match witness.accepted_by {
            SchemaSide::Old => by_old && !by_new,
            SchemaSide::New => by_new && !by_old,
        };
        if !right {
            faults.push(format!("no witness: {witness:?}"));
        }
        let line = written(old, new, witness);
        if !witnesses.contains(&line) {
            witnesses.push(line);
        }
    }
    for (contained, side) in [
        (&change.old_documents, SchemaSide::Old),
        (&change.new_documents, SchemaSide::New),
    ] {
        if let SchemaContainment::No(witness) = contained
            && witness.accepted_by != side
        {
            faults.push(format!("a witness of the other side: {witness:?}"));
        }
    }
    Judged {
        change,
        faults,
        witnesses,
    }
}

fn written(old: &Value, new: &Value, witness: &Counterexample) -> Value {
    json!({
        "old": old,
        "new": new,
        "witness": witness.document,
        "accepted_by": witness.accepted_by.name(),
    })
}

/// All that is wrong about a pair's verdicts.
pub(crate) fn judge(pair: &Pair, tally: &mut Tally) -> Judged {
    let drafts = (pair.old.draft, pair.new.draft);
    let mut judged = compare(&pair.old_schema, &pair.new_schema, drafts);
    let directions = [
        (
            "old documents",
            &judged.change.old_documents,
            &pair.old_fits,
        ),
        (
            "new documents",
            &judged.change.new_documents,
            &pair.new_fits,
        ),
    ];
    let mut answers = Vec::new();
    for (name, contained, truth) in directions {
        let answer = Answer::of(contained);
        answers.push(answer);
        match (contained, truth) {
            (SchemaContainment::Yes, Truth::No(document)) => {
                judged
                    .faults
                    .push(format!("{name}: yes, but for {document}"));
            }
            (SchemaContainment::No(witness), Truth::Yes) => {
                judged.faults.push(format!(
                    "{name}: no, but all fit, also {}",
                    witness.document
                ));
            }
            _ => {}
        }
    }
    tally.add(&pair.sorts, &answers);
    judged.faults.extend(of_policy(pair, &judged.change));
    judged
}

fn of_policy(pair: &Pair, change: &SchemaChange) -> Option<String> {
    if matches!(change.old_documents, SchemaContainment::Unknown(_)) {
        let counts = change.kind >= ChangeKind::Undecided;
        return (!counts).then(|| format!("undecided, and yet {}", change.kind));
    }
    let is = |kind: ChangeKind, verdict: FindingVerdict, rule: Option<(CompatRule, &str)>| {
        let told = rule.is_none_or(|(rule, name)| {
            change
                .findings
                .iter()
                .any(|finding| is_about(finding, rule, name))
        });
        let right = change.kind == kind && change.verdict == verdict && told;
        let found: Vec<String> = change
            .findings
            .iter()
            .map(|f| format!("{} {} {} {}", f.kind, f.verdict, f.rule, f.path))
            .collect();
        (!right).then(|| {
            format!(
                "{:?}: {} {}, and not {kind} {verdict} {rule:?}: {found:?}",
                pair.expected, change.kind, change.verdict
            )
        })
    };
    match &pair.expected {
        Expected::Open => None,
        Expected::Plain => match (&pair.old_fits, &pair.new_fits) {
            (Truth::No(_), _) => is(ChangeKind::Breaking, FindingVerdict::Proven, None),
            (Truth::Yes, Truth::No(_)) => is(ChangeKind::Additive, FindingVerdict::Proven, None),
            (Truth::Yes, Truth::Yes)
                if matches!(change.new_documents, SchemaContainment::Unknown(_)) =>
            {
                None
            }
            (Truth::Yes, Truth::Yes) => is(ChangeKind::Identical, FindingVerdict::Proven, None),
        },
        Expected::AddedToOpen(name) => {
            let finding = change
                .findings
                .iter()
                .find(|finding| is_about(finding, CompatRule::FieldAdded, name));
            let witness = finding.and_then(|finding| finding.witness.as_ref());
            let uses = witness.is_some_and(|witness| {
                witness
                    .document
                    .to_string()
                    .contains(&format!("\"{name}\":"))
            });
            is(
                ChangeKind::Additive,
                FindingVerdict::ByPolicy,
                Some((CompatRule::FieldAdded, name)),
            )
            .or_else(|| (!uses).then(|| format!("no witness uses {name}")))
        }
        Expected::RemovedFromOpen(name) => is(
            ChangeKind::Breaking,
            FindingVerdict::ByPolicy,
            Some((CompatRule::FieldRemoved, name)),
        ),
        Expected::AddedToClosed(name) => is(
            ChangeKind::Additive,
            FindingVerdict::Proven,
            Some((CompatRule::FieldAdded, name)),
        ),
        Expected::RemovedFromClosed(name) => is(
            ChangeKind::Breaking,
            FindingVerdict::Proven,
            Some((CompatRule::FieldRemoved, name)),
        ),
        Expected::RequiredAdded(name) => is(
            ChangeKind::Breaking,
            FindingVerdict::Proven,
            Some((CompatRule::RequiredAdded, name)),
        ),
        Expected::DefaultChanged => is(
            ChangeKind::Breaking,
            FindingVerdict::ByPolicy,
            Some((CompatRule::DefaultChanged, "")),
        ),
        Expected::DefaultRemoved => is(
            ChangeKind::Breaking,
            FindingVerdict::ByPolicy,
            Some((CompatRule::DefaultRemoved, "")),
        ),
    }
}

fn is_about(finding: &CompatFinding, rule: CompatRule, name: &str) -> bool {
    let about = name.is_empty() || finding.path.ends_with(&format!("/{name}"));
    finding.rule == rule && about
}
