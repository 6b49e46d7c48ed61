//! How many levels a value of each part needs at least. Where a schema refers to itself this tells
//! the way out, and finds the parts that have none.

use super::kinds::ExampleKinds;
use super::place::PartNumber;
use super::rules::{AdditionalRule, PartRule};

/// More levels than this are as good as endless.
const ROUNDS: usize = 100;

/// For each part; `None` where no value ends.
pub(super) fn heights(rules: &[PartRule<'_>]) -> Vec<Option<usize>> {
    let mut known: Vec<Option<usize>> = vec![None; rules.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (id, rule) in rules.iter().enumerate() {
            let better = height(rule, &known);
            if let Some(place) = known.get_mut(id)
                && better.is_some()
                && *place != better
            {
                *place = better;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    known
}

fn height(rule: &PartRule<'_>, known: &[Option<usize>]) -> Option<usize> {
    if rule.never {
        return None;
    }
    let of = |id: &PartNumber| known.get(*id).copied().flatten();
    let mut most = own(rule, &of)?;
    for id in rule.always {
        most = most.max(of(id)?);
    }
    for choice in &rule.choices {
        most = most.max(choice.iter().filter_map(of).min()?);
    }
    Some(most)
}

/// Of the cheapest kind that is allowed.
fn own(rule: &PartRule<'_>, of: &impl Fn(&PartNumber) -> Option<usize>) -> Option<usize> {
    if let Some(listed) = &rule.listed {
        return (!listed.is_empty()).then_some(0);
    }
    let scalars = ExampleKinds::TEXT
        .or(ExampleKinds::NUMBER)
        .or(ExampleKinds::BOOL)
        .or(ExampleKinds::NULL);
    if rule.kinds.has(scalars) {
        return Some(0);
    }
    let object = rule
        .kinds
        .has(ExampleKinds::OBJECT)
        .then(|| object(rule, of))
        .flatten();
    let list = rule
        .kinds
        .has(ExampleKinds::LIST)
        .then(|| list(rule, of))
        .flatten();
    match (object, list) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

fn object(rule: &PartRule<'_>, of: &impl Fn(&PartNumber) -> Option<usize>) -> Option<usize> {
    let mut most = 0;
    for name in rule.required {
        let given = rule.properties.get(name);
        let each = match rule.additional {
            AdditionalRule::Each(id) => Some(id),
            AdditionalRule::Open | AdditionalRule::Closed => None,
        };
        // A pattern is not looked up here: it can only add to what is needed.
        let inner = match given.copied().or(each.filter(|_| rule.patterns.is_empty())) {
            Some(id) => of(&id)?,
            None => 0,
        };
        most = most.max(inner + 1);
    }
    Some(most)
}

fn list(rule: &PartRule<'_>, of: &impl Fn(&PartNumber) -> Option<usize>) -> Option<usize> {
    let least = rule.count("minItems").unwrap_or(0);
    let mut most = 0;
    // All items after the prefix have the same schema.
    for index in 0..least.min(rule.prefix.len() + 1) {
        let inner = rule.of_item(index).map_or(Some(0), |id| of(&id))?;
        most = most.max(inner + 1);
    }
    Some(most)
}
