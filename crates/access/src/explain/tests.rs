use super::*;
use crate::{Acl, AclMember, Rights, VersionFacts};
use coeval_core::version::{TypeName, UrnName, Version};

fn facts(acl: AclFacts<'_>) -> ResourceFacts<'_> {
    ResourceFacts {
        of: TypeName {
            vendor: UrnName::parse("acme").unwrap(),
            nss: UrnName::parse("app").unwrap(),
        },
        version: VersionFacts {
            version: Version::new(1, 0, 0),
            level: Some(AccessLevel::ReadWrite),
            max_implicit: Some(AccessLevel::ReadOnly),
        },
        home: ResourceHome::Tenant("t1"),
        owner: None,
        acl,
    }
}

fn told(explanation: &AccessExplanation) -> Vec<String> {
    let line = |requirement: &AccessRequirement| {
        let met = match &requirement.met {
            RequirementMet::By(bases) => {
                let words: Vec<_> = bases.iter().map(ToString::to_string).collect();
                format!("yes: {}", words.join("; "))
            }
            RequirementMet::No(reason) => format!("no: {reason}"),
            RequirementMet::NotKnown => "not known".to_owned(),
        };
        format!("{} - {met}", requirement.needs)
    };
    explanation.requirements.iter().map(line).collect()
}

fn ann(rights: &[&str]) -> AccessSubject {
    let rights = Rights::from_names(rights.iter().copied());
    AccessSubject::tenant("ann", "t1", vec!["dev".to_owned()], rights)
}

#[test]
fn every_requirement_is_told_with_all_that_meets_it() {
    let grant = |member, level| Grant { member, level };
    let acl = Acl::from(vec![
        grant(AclMember::Role("dev".to_owned()), AccessLevel::ReadOnly),
        grant(AclMember::Org("t1".to_owned()), AccessLevel::ReadWrite),
        grant(AclMember::User("bob".to_owned()), AccessLevel::FullControl),
    ]);
    let facts = facts(AclFacts::Loaded(&acl));
    let subject = ann(&["acme:app: Administrator View"]);
    assert_eq!(
        told(&explain(ResourceAction::Read, &subject, &facts)),
        [
            "its organization is within reach - yes: the caller's own organization",
            "the type version acme:app:1.0.0 is visible - yes: the type version's ACL grants ReadWrite",
            "the right `acme:app: View` - yes: the right `acme:app: View`; the type version's ACL grants ReadOnly, which implies the right; the right `acme:app: Administrator View`",
            "ReadOnly on the resource - yes: a grant of ReadOnly to role dev; a grant of ReadWrite to organization t1; the right `acme:app: Administrator View`",
        ]
    );
    assert_eq!(
        told(&explain(ResourceAction::Delete, &subject, &facts))[2..],
        [
            "the right `acme:app: Full Access` - no: the right `acme:app: Full Access` is missing",
            "FullControl on the resource - no: the ACL grants ReadWrite, and FullControl is needed",
        ]
    );
}

#[test]
fn an_acl_that_was_not_read_is_not_guessed() {
    let facts = facts(AclFacts::NotLoaded);
    let explanation = explain(ResourceAction::Modify, &ann(&["acme:app: Modify"]), &facts);
    assert_eq!(explanation.decision, AccessDecision::NeedsAcl);
    assert_eq!(
        told(&explanation)[3],
        "ReadWrite on the resource - not known"
    );
}
