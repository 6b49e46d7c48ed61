//! Error codes, commands, settings, metrics, kinds, levels and outputs.

use super::MutationTally;
use crate::surfaces::releases;
use coeval_release_check::{CatalogKind, ReleaseRule, ReleaseSurface, read_surface};
use serde_json::json;

fn first() -> ReleaseSurface {
    let mut surface = read_surface(&releases().join("0.1.0")).unwrap();
    // What is compared in other tests would only take its time.
    surface.apis.clear();
    surface
}

fn rule_of(kind: CatalogKind) -> ReleaseRule {
    match kind {
        CatalogKind::ErrorCode => ReleaseRule::ErrorCodeStays,
        CatalogKind::Command => ReleaseRule::CommandStays,
        CatalogKind::Setting => ReleaseRule::SettingStays,
        CatalogKind::Metric => ReleaseRule::MetricStays,
        CatalogKind::KindVersion => ReleaseRule::KindStays,
        CatalogKind::Level => ReleaseRule::LevelStays,
    }
}

#[test]
fn no_item_goes_or_changes_unnoticed() {
    let mut served = first();
    served.outputs = None;
    let mut tally = MutationTally::new(&served);
    let keys: Vec<String> = served.catalog.keys().cloned().collect();
    for key in keys {
        let item = served.catalog[&key].clone();
        let rule = [rule_of(item.kind)];
        let mut changed = Vec::new();
        for fact in item.facts.keys() {
            let mut one = item.clone();
            one.facts.insert(fact.clone(), json!("another"));
            changed.push((format!("{key}: {fact} is another"), one.clone()));
            one.facts.remove(fact);
            changed.push((format!("{key}: {fact} went"), one));
        }
        for (set, values) in &item.sets {
            for value in values {
                let mut one = item.clone();
                one.sets.get_mut(set).unwrap().remove(value);
                changed.push((format!("{key}: {value} went from {set}"), one));
            }
        }
        for value in item.choices.iter().flatten() {
            let mut one = item.clone();
            one.choices.as_mut().unwrap().remove(value);
            changed.push((format!("{key}: {value} is no choice"), one));
        }
        if item.choices.is_none() && item.parent.is_some() {
            let mut one = item.clone();
            one.choices = Some(["only".to_owned()].into());
            changed.push((format!("{key}: only some values"), one));
        }
        if !item.required && item.parent.is_some() {
            let mut one = item.clone();
            one.required = true;
            changed.push((format!("{key}: required"), one));
        }
        for (what, one) in changed {
            if !tally.is_next() {
                continue;
            }
            served.catalog.insert(key.clone(), one);
            tally.expect(&what, &rule, &served);
        }
        served.catalog.remove(&key);
        if tally.is_next() {
            tally.expect(&format!("{key} went"), &rule, &served);
        }
        served.catalog.insert(key, item);
    }
    tally.finish("items", 4500);
}

#[test]
fn no_path_of_an_output_goes_or_changes_unnoticed() {
    let mut served = first();
    served.catalog.clear();
    let mut tally = MutationTally::new(&served);
    tally.one_in = 1;
    let outputs = served.outputs.clone().unwrap();
    for (command, paths) in &outputs {
        for (path, types) in paths {
            if types.iter().all(|kind| kind == "null" || kind == "absent") {
                continue;
            }
            let mut one = outputs.clone();
            one.get_mut(command)
                .unwrap()
                .insert(path.clone(), ["brand new".to_owned()].into());
            served.outputs = Some(one.clone());
            tally.expect(
                &format!("{command}: {path} is another"),
                &[ReleaseRule::OutputStays],
                &served,
            );
            if types.contains("absent") {
                continue;
            }
            one.get_mut(command).unwrap().remove(path);
            served.outputs = Some(one);
            tally.expect(
                &format!("{command}: {path} went"),
                &[ReleaseRule::OutputStays],
                &served,
            );
        }
    }
    tally.finish("outputs", 300);
}
