//! `coeval migrate plan`.

use super::action::MajorPair;
use super::ask::{CLEANUP, CUTOVER};
use super::words;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, print, print_one, sanitize_line, say};
use coeval_proto::migrations::v1 as pb;
use serde_json::{Value, json};

pub(super) async fn run(
    session: &ClientSession,
    kind: String,
    majors: MajorPair,
    output: OutputOptions,
) -> Result<(), Failure> {
    let asked = pb::PlanMigrationRequest {
        kind: kind.clone(),
        from_major: majors.from,
        to_major: majors.to,
    };
    let plan = session.client.migrations().plan_migration(asked).await;
    let plan = plan
        .map_err(|error| words::with_advice(error, &kind))?
        .into_inner();
    let plan = plan.plan.unwrap_or_default();
    if output.output.is_table() {
        print(&text(&plan))?;
    } else {
        print_one(&output.output, &plan.r#type, &[], &value(&plan))?;
    }
    // The next command only if it would be accepted.
    if plan.held.is_empty() {
        let mut next = format!("next: coeval migrate start {}", plan.r#type);
        for version in &plan.meaning_changed {
            next.push_str(&format!(" --meaning-changed {version}"));
        }
        say(&next);
    }
    Ok(())
}

fn text(plan: &pb::MigrationPlan) -> String {
    let to = plan.to_version.split('.').next().unwrap_or_default();
    let mut lines = vec![format!(
        "{} from major {} to {to}: resources become {}",
        plan.r#type, plan.from_major, plan.to_version
    )];
    if !plan.held.is_empty() {
        lines.push(format!("It can't be begun: {}.", plan.held));
    }
    let total: u64 = plan.versions.iter().map(|one| one.count).sum();
    lines.push(String::new());
    for one in &plan.versions {
        lines.push(format!("  {:>10}  at {}", one.count, one.version));
    }
    lines.push(format!(
        "  {total:>10}  in all, {} of them tried:",
        plan.tried
    ));
    lines.push(format!("  {:>10}  convert exactly", plan.exact));
    lines.push(format!(
        "  {:>10}  keep something beside the new record, for the way back",
        plan.keeps
    ));
    lines.push(format!("  {:>10}  can't be converted", plan.refused));
    for one in &plan.examples {
        let name = match one.name.as_str() {
            "" => &one.id,
            name => name,
        };
        lines.push(format!(
            "              {name} ({}): {}",
            one.code, one.reason
        ));
    }
    if plan.refused > 0 {
        lines.push(
            "              They hold it before soak until they are changed or deleted.".to_owned(),
        );
    }
    lines.push(String::new());
    lines.push(format!(
        "The backfill takes about {}, at full speed.",
        words::seconds(plan.seconds)
    ));
    if !plan.meaning_changed.is_empty() {
        lines.push(format!(
            "What a field means is changed by {}: agree with --meaning-changed.",
            plan.meaning_changed.join(", ")
        ));
    }
    lines.extend(without_access(&plan.without_access));
    lines.push("Up to soak it can be undone at any time.".to_owned());
    lines.push(CUTOVER.to_owned());
    lines.push(CLEANUP.to_owned());
    let lines: Vec<String> = lines.iter().map(|line| sanitize_line(line)).collect();
    lines.join("\n") + "\n"
}

/// Those who would lose access, and what to do about it.
fn without_access(all: &[pb::MemberWithoutAccess]) -> Vec<String> {
    let Some(first) = all.first() else {
        return Vec::new();
    };
    let version = &first.type_version;
    let mut lines = vec![format!(
        "Cutover waits for those who don't see {version}, which resources become:"
    )];
    let grants = all.iter().map(|one| format!("  {}", words::grant(one)));
    lines.extend(grants);
    lines.push(
        "Grant it to them, or name them with --without-access when you advance to cutover: they lose access at cleanup."
            .to_owned(),
    );
    lines
}

fn value(plan: &pb::MigrationPlan) -> Value {
    let versions = plan.versions.iter();
    let versions: Vec<Value> = versions
        .map(|one| json!({"version": one.version, "resources": one.count}))
        .collect();
    let examples: Vec<Value> = plan.examples.iter().map(words::failed_value).collect();
    let held = Some(&plan.held).filter(|held| !held.is_empty());
    json!({
        "type": plan.r#type, "from": plan.from_major, "toVersion": plan.to_version,
        "versions": versions, "tried": plan.tried, "exact": plan.exact, "keeps": plan.keeps,
        "refused": plan.refused, "examples": examples, "seconds": plan.seconds,
        "meaningChanged": plan.meaning_changed, "held": held,
        "withoutAccess": words::without_access(&plan.without_access),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_what_converts_how_and_what_can_not_be_undone() {
        let plan = pb::MigrationPlan {
            r#type: "acme:app".to_owned(),
            from_major: 1,
            to_version: "2.0.0".to_owned(),
            versions: vec![pb::VersionCount {
                version: "1.1.0".to_owned(),
                count: 7,
            }],
            tried: 7,
            exact: 4,
            keeps: 2,
            refused: 1,
            examples: vec![pb::FailedResource {
                name: "web".to_owned(),
                code: "COEVAL-2106".to_owned(),
                reason: "too long\u{1b}[2J".to_owned(),
                ..Default::default()
            }],
            seconds: 300.0,
            meaning_changed: vec!["2.0.0".to_owned()],
            without_access: vec![pb::MemberWithoutAccess {
                member: "urn:vcloud:role:1".to_owned(),
                name: "role:Night Shift".to_owned(),
                level: 2,
                type_version: "acme:app:2.0.0".to_owned(),
            }],
            ..Default::default()
        };
        let told = text(&plan);
        for part in [
            "from major 1 to 2: resources become 2.0.0",
            "7  at 1.1.0",
            "4  convert exactly",
            "2  keep something",
            "1  can't be converted",
            "web (COEVAL-2106): too long",
            "about 5 min",
            "--meaning-changed",
            "  coeval type grant acme:app:2.0.0 'role:Night Shift' read-write",
            "--without-access",
            "no way back",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains('\u{1b}'), "{told:?}");
    }
}
