//! Pairs after real changes, with what is expected of them.

use crate::judge::compare;
use crate::record;
use crate::tally::Answer;
use coeval_core::types::Schema;
use serde_json::Value;

mod alternatives;
mod crd;
mod drafts;
mod objects;
mod rde;
mod values;

/// A name, what is expected, the old schema and the new one.
///
/// Expected are, in words: whether old documents fit, whether new ones fit the old schema (`yes?`
/// and `no?` may be undecided), the kind, the verdict, the bump, a rule and its path. A line may end
/// early, and `-` says nothing.
pub(crate) type Row = (&'static str, &'static str, Value, Value);

fn all() -> Vec<Row> {
    let mut rows = objects::rows();
    rows.extend(values::rows());
    rows.extend(alternatives::rows());
    rows.extend(drafts::rows());
    rows.extend(crd::rows());
    rows.extend(rde::rows());
    rows
}

#[test]
fn real_changes_are_what_people_know_them_to_be() {
    let (mut faults, mut witnesses) = (Vec::new(), Vec::new());
    let rows = all();
    for (name, expected, old, new) in &rows {
        let draft = |schema: &Value| Schema::compile(schema.clone()).unwrap().draft();
        let judged = compare(old, new, (draft(old), draft(new)));
        let change = &judged.change;
        let answers = [&change.old_documents, &change.new_documents].map(Answer::of);
        let mut words = expected.split(' ');
        for answer in answers {
            let word = words.next().unwrap();
            let may_be_open = word.ends_with('?') && answer == Answer::Undecided;
            if !may_be_open && word.trim_end_matches('?') != answer.word() {
                faults.push(format!("{name}: {} instead of {word}", answer.word()));
            }
        }
        let said = [
            change.kind.name(),
            change.verdict.name(),
            change.bump().name(),
        ];
        let undecided = answers.contains(&Answer::Undecided);
        for said in said {
            let word = words.next().unwrap_or("-").replace('_', " ");
            if word != "-" && word != said && !undecided {
                faults.push(format!("{name}: {said} instead of {word}"));
            }
        }
        if let Some(rule) = words.next() {
            let path = words.next().unwrap_or_default();
            let found = change
                .findings
                .iter()
                .map(|finding| (finding.rule.id(), finding.path.as_str()));
            let found: Vec<_> = found.collect();
            if !found.contains(&(rule, path)) {
                faults.push(format!("{name}: no {rule} {path} in {found:?}"));
            }
        }
        faults.extend(judged.faults.iter().map(|fault| format!("{name}: {fault}")));
        witnesses.extend(judged.witnesses);
    }
    record::write("real", &witnesses);
    println!("{} real changes, {} witnesses", rows.len(), witnesses.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
