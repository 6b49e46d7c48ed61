use super::*;
use crate::{Acl, Member, Rights, VersionFacts};
use coeval_core::version::{Name, TypeName, Version};

fn facts(acl: AclFacts<'_>) -> Facts<'_> {
    Facts {
        of: TypeName {
            vendor: Name::parse("acme").unwrap(),
            nss: Name::parse("app").unwrap(),
        },
        version: VersionFacts {
            version: Version::new(1, 0, 0),
            level: Some(Level::ReadWrite),
            max_implicit: Some(Level::ReadOnly),
        },
        home: Home::Tenant("t1"),
        owner: None,
        acl,
    }
}

fn told(explanation: &Explanation) -> Vec<String> {
    let line = |requirement: &Requirement| {
        let met = match &requirement.met {
            Met::By(bases) => {
                let words: Vec<_> = bases.iter().map(ToString::to_string).collect();
                format!("yes: {}", words.join("; "))
            }
            Met::No(reason) => format!("no: {reason}"),
            Met::NotKnown => "not known".to_owned(),
        };
        format!("{} - {met}", requirement.needs)
    };
    explanation.requirements.iter().map(line).collect()
}

fn ann(rights: &[&str]) -> Subject {
    let rights = Rights::from_names(rights.iter().copied());
    Subject::tenant("ann", "t1", vec!["dev".to_owned()], rights)
}

#[test]
fn every_requirement_is_told_with_all_that_meets_it() {
    let grant = |member, level| Grant { member, level };
    let acl = Acl::from(vec![
        grant(Member::Role("dev".to_owned()), Level::ReadOnly),
        grant(Member::Org("t1".to_owned()), Level::ReadWrite),
        grant(Member::User("bob".to_owned()), Level::FullControl),
    ]);
    let facts = facts(AclFacts::Loaded(&acl));
    let subject = ann(&["acme:app: Administrator View"]);
    assert_eq!(
        told(&explain(Action::Read, &subject, &facts)),
        [
            "its organization is within reach - yes: the caller's own organization",
            "the type version acme:app:1.0.0 is visible - yes: the type version's ACL grants ReadWrite",
            "the right `acme:app: View` - yes: the right `acme:app: View`; the type version's ACL grants ReadOnly, which implies the right; the right `acme:app: Administrator View`",
            "ReadOnly on the resource - yes: a grant of ReadOnly to role dev; a grant of ReadWrite to organization t1; the right `acme:app: Administrator View`",
        ]
    );
    assert_eq!(
        told(&explain(Action::Delete, &subject, &facts))[2..],
        [
            "the right `acme:app: Full Access` - no: the right `acme:app: Full Access` is missing",
            "FullControl on the resource - no: the ACL grants ReadWrite, and FullControl is needed",
        ]
    );
}

#[test]
fn an_acl_that_was_not_read_is_not_guessed() {
    let facts = facts(AclFacts::NotLoaded);
    let explanation = explain(Action::Modify, &ann(&["acme:app: Modify"]), &facts);
    assert_eq!(explanation.decision, Decision::NeedsAcl);
    assert_eq!(
        told(&explanation)[3],
        "ReadWrite on the resource - not known"
    );
}
