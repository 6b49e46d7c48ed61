//! The whole matrix of callers, resources, type versions, ACLs and actions, compared with
//! `tests/golden/matrix.txt`. A change of a rule shows there as changed lines. To write it again:
//! `COEVAL_GOLDEN=write cargo nextest run -p coeval-access matrix`, then read the difference.

use crate::world::{
    HOMES, actions, app, facts, granting, members, named, organization_administrator, roles,
    system_administrator, user, version,
};
use coeval_access::{
    AccessDecision, AccessLevel, AccessSubject, Acl, GeneralRight, ResourceFacts, ResourceHome,
    TypeAction, VersionFacts, decide, decide_general, decide_type,
};
use std::fmt::Write as _;
use std::path::Path;

const LEGEND: &str = "\
The matrix of access. A letter: allowed. `-`: denied, the caller may know that it exists. `.`: hidden.

resources: R read, M modify, S resolve, D delete, V change the version, W change it to a version that is
           not visible, O change the owner, F force, L read the ACL, 1 2 3 grant ReadOnly, ReadWrite,
           FullControl, X read secrets; then the caller's level: RO, RW, FC
home:      whose the resource is
version:   hidden: its type version is not visible to the caller; seen: visible; implied: its ACL stands
           in for the right to modify
acl:       none; owner: the caller owns the resource; else the level and to whom it is granted
types:     R see, C create a resource, K skip hooks, E edit, D delete, L read the ACL, G change the ACL

";

fn callers() -> Vec<(&'static str, AccessSubject)> {
    let acting = |org| system_administrator().in_context(org).unwrap();
    let auditor = named(&["acme:app: Administrator View"]);
    vec![
        ("System Administrator", system_administrator()),
        ("System Administrator acting for t1", acting("t1")),
        (
            "provider with Administrator View",
            AccessSubject::provider("root", "sys", roles(), auditor),
        ),
        (
            "Organization Administrator of t1",
            organization_administrator("ann", "t1"),
        ),
        (
            "Organization Administrator of t2",
            organization_administrator("tom", "t2"),
        ),
        ("t1 without rights", user(&[])),
        ("t1 with View", user(&["acme:app: View"])),
        ("t1 with Modify", user(&["acme:app: Modify"])),
        ("t1 with Full Access", user(&["acme:app: Full Access"])),
        (
            "t1 with Full Access and secrets",
            user(&["acme:app: Full Access", "Custom entity: View secrets"]),
        ),
        (
            "t1 with Administrator View",
            user(&["acme:app: Administrator View"]),
        ),
        (
            "t1 with Administrator View and Modify",
            user(&["acme:app: Administrator View", "acme:app: Modify"]),
        ),
        (
            "t1 with Administrator Full access",
            user(&["acme:app: Administrator Full access"]),
        ),
        (
            "t1 with rights of another type",
            user(&["acme:db: Administrator Full access"]),
        ),
    ]
}

fn letter(letter: char, decision: &AccessDecision) -> char {
    match decision {
        AccessDecision::Allowed(_) => letter,
        AccessDecision::Denied(denied) if denied.hidden => '.',
        AccessDecision::Denied(_) => '-',
        AccessDecision::NeedsAcl => '?',
    }
}

fn short(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::ReadOnly => "RO",
        AccessLevel::ReadWrite => "RW",
        AccessLevel::FullControl => "FC",
    }
}

fn row(subject: &AccessSubject, facts: &ResourceFacts<'_>) -> String {
    let mut row = String::new();
    let mut level = None;
    for (name, action) in actions() {
        let decision = decide(action, subject, facts);
        row.push(letter(name, &decision));
        row.push(' ');
        if let AccessDecision::Allowed(allowed) = decision {
            assert!(
                level.is_none_or(|level| level == allowed.level),
                "{facts:?}"
            );
            level = Some(allowed.level);
        }
    }
    row + level.map_or("", short)
}

fn versions() -> [(&'static str, VersionFacts); 3] {
    let write = Some(AccessLevel::ReadWrite);
    [
        ("hidden", version(None, None)),
        ("seen", version(write, None)),
        ("implied", version(write, write)),
    ]
}

/// Whom an ACL grants what: its name, the owner, the ACL.
fn acls(subject: &AccessSubject) -> Vec<(String, Option<&str>, Acl)> {
    let mut acls = vec![
        ("none".to_owned(), Some("somebody"), Acl::default()),
        ("owner".to_owned(), Some(subject.user()), Acl::default()),
    ];
    for level in AccessLevel::ALL {
        for (name, member) in members(subject) {
            let name = format!("{} {name}", short(level));
            acls.push((name, Some("somebody"), granting(member, level)));
        }
    }
    acls
}

fn home_name(home: ResourceHome<'_>) -> &str {
    match home {
        ResourceHome::Provider => "System",
        ResourceHome::Tenant(org) => org,
    }
}

fn resources(text: &mut String, subject: &AccessSubject) {
    for home in HOMES {
        for (seen, version) in versions() {
            for (acl_name, owner, acl) in acls(subject) {
                let row = row(subject, &facts(home, version, owner, &acl));
                let home = home_name(home);
                let line = format!("{home:<6} {seen:<7} {acl_name:<7} {row}");
                writeln!(text, "{}", line.trim_end()).unwrap();
            }
        }
    }
}

fn types(text: &mut String, subject: &AccessSubject) {
    let levels = std::iter::once(None).chain(AccessLevel::ALL.map(Some));
    let granted = levels.map(|level| (level.map_or("hidden", short), version(level, None)));
    let implied = ("implied", versions()[2].1);
    for (name, version) in granted.chain([implied]) {
        write!(text, "type   {name:<7}").unwrap();
        for (action, name) in TypeAction::ALL.into_iter().zip("RCKEDLG".chars()) {
            let decision = decide_type(action, subject, app(), version);
            write!(text, " {}", letter(name, &decision)).unwrap();
        }
        text.push('\n');
    }
}

fn general(text: &mut String, callers: &[(&str, AccessSubject)]) {
    text.push_str("\n== General rights: at t1, at t2, in the installation\n");
    for (number, (name, _)) in callers.iter().enumerate() {
        writeln!(text, "{:>4} {name}", number + 1).unwrap();
    }
    for right in GeneralRight::ALL {
        write!(text, "{:<55}", right.name()).unwrap();
        for (_, subject) in callers {
            let at = |org| match decide_general(*right, subject, org) {
                Ok(()) => 'x',
                Err(denied) if denied.hidden => '.',
                Err(_) => '-',
            };
            let [one, two, all] = [Some("t1"), Some("t2"), None].map(at);
            write!(text, " {one}{two}{all}").unwrap();
        }
        text.push('\n');
    }
}

fn matrix() -> String {
    let mut text = LEGEND.to_owned();
    let callers = callers();
    for (name, subject) in &callers {
        writeln!(text, "== {name}").unwrap();
        types(&mut text, subject);
        resources(&mut text, subject);
    }
    general(&mut text, &callers);
    text
}

#[test]
fn the_matrix_is_the_one_that_was_agreed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/matrix.txt");
    let now = matrix();
    if std::env::var_os("COEVAL_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, &now).unwrap();
    }
    let agreed = std::fs::read_to_string(&path).unwrap();
    let changed: Vec<_> = agreed
        .lines()
        .zip(now.lines())
        .filter(|(before, after)| before != after)
        .take(20)
        .map(|(before, after)| format!("- {before}\n+ {after}"))
        .collect();
    assert!(changed.is_empty(), "changed:\n{}", changed.join("\n"));
    assert_eq!(agreed.lines().count(), now.lines().count());
}
