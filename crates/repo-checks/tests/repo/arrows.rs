//! Who may depend on whom. `ARCHITECTURE.md` draws the same.

use crate::files::metadata;
use cargo_metadata::DependencyKind;

/// A crate and those that it may depend on. Crates without content yet are planned here too.
type Plan = &'static [(&'static str, &'static [&'static str])];

const PLAN: Plan = &[
    ("codes-derive", &[]),
    ("codes", &["codes-derive"]),
    // releases as data, for whoever serves or calls
    ("releases", &[]),
    // pure rules, no I/O
    ("core", &["codes"]),
    ("access", &["codes", "core"]),
    ("filter", &["codes", "core"]),
    ("typed", &["codes", "core"]),
    // the contract, the stores, and what opens them
    ("storage", &["codes"]),
    ("storage-sqlite", &["codes", "storage"]),
    ("storage-postgres", &["codes", "storage"]),
    ("storage-etcd", &["codes", "storage"]),
    (
        "stores",
        &[
            "codes",
            "storage",
            "storage-sqlite",
            "storage-postgres",
            "storage-etcd",
        ],
    ),
    // the two meet in the four layers of the engine and nowhere else
    ("records", &["access", "codes", "core", "filter", "storage"]),
    (
        "catalog",
        &[
            "access", "codes", "core", "filter", "records", "storage", "typed",
        ],
    ),
    (
        "resources",
        &[
            "access", "catalog", "codes", "core", "filter", "records", "storage", "typed",
        ],
    ),
    (
        "background",
        &[
            "access",
            "catalog",
            "codes",
            "core",
            "filter",
            "records",
            "resources",
            "storage",
        ],
    ),
    // what is in front of them
    (
        "engine",
        &[
            "access",
            "background",
            "catalog",
            "core",
            "records",
            "resources",
            "storage",
        ],
    ),
    ("server", &["codes", "releases"]),
    // what the gRPC API says, for servers and clients
    ("proto", &[]),
    // what the engine asks to execute behaviors
    ("webhooks", &["codes", "engine"]),
    // what the APIs share, and the APIs
    (
        "api",
        &[
            "access", "codes", "core", "engine", "filter", "server", "storage", "releases",
        ],
    ),
    (
        "cloudapi",
        &[
            "access", "api", "codes", "core", "engine", "filter", "storage", "releases",
        ],
    ),
    (
        "grpc",
        &[
            "access", "api", "codes", "core", "engine", "filter", "proto", "server", "storage",
            "typed", "releases",
        ],
    ),
    (
        "webapi",
        &[
            "access", "api", "codes", "core", "engine", "filter", "server", "storage", "releases",
        ],
    ),
    // the other side: programs that use a server, and people at a terminal
    ("client", &["codes", "proto", "releases"]),
    (
        "cli",
        &["client", "codes", "core", "proto", "releases", "typed"],
    ),
    (
        "coeval",
        &[
            "access", "api", "cli", "client", "codes", "core", "filter", "storage", "stores",
            "engine", "cloudapi", "grpc", "proto", "webapi", "server", "webhooks", "releases",
        ],
    ),
    // tests and measurements
    ("core-suite", &["core"]),
    ("storage-suite", &["codes", "storage"]),
    (
        "bench",
        &[
            "access",
            "core",
            "engine",
            "grpc",
            "storage",
            "storage-suite",
            "stores",
        ],
    ),
    ("phases-model", &["core"]),
    ("repo-checks", &[]),
    ("release-check", &["releases"]),
];

/// What is wrong with the arrows, a sentence each.
fn wrong_arrows(plan: Plan, crates: &[String], arrows: &[(String, String)]) -> Vec<String> {
    let planned = |name: &str| plan.iter().find(|(planned, _)| *planned == name);
    let mut wrong: Vec<_> = crates
        .iter()
        .filter(|name| planned(name).is_none())
        .map(|name| format!("{name} is not in the plan: add it to arrows.rs and ARCHITECTURE.md"))
        .collect();
    for (from, to) in arrows {
        let allowed = planned(from).is_none_or(|(_, allowed)| allowed.contains(&to.as_str()));
        if !allowed {
            wrong.push(format!(
                "{from} depends on {to}, and that arrow points the wrong way"
            ));
        }
    }
    wrong
}

/// A plan in which every crate comes after all that it may use has no circle.
fn out_of_order(plan: Plan) -> Vec<&'static str> {
    let mut seen = Vec::new();
    let mut late = Vec::new();
    for (name, allowed) in plan {
        late.extend(allowed.iter().filter(|used| !seen.contains(*used)));
        seen.push(*name);
    }
    late
}

fn short(name: &str) -> String {
    name.trim_start_matches("coeval-").to_owned()
}

#[test]
fn the_arrows_between_our_crates_point_one_way() {
    let metadata = metadata();
    let ours = metadata.workspace_packages();
    let crates: Vec<_> = ours.iter().map(|package| short(&package.name)).collect();
    let mut arrows = Vec::new();
    for package in &ours {
        for dependency in &package.dependencies {
            let in_the_product = dependency.kind != DependencyKind::Development;
            if in_the_product && crates.contains(&short(&dependency.name)) {
                arrows.push((short(&package.name), short(&dependency.name)));
            }
        }
    }
    assert!(arrows.len() > 5, "the arrows were not found: {arrows:?}");
    let wrong = wrong_arrows(PLAN, &crates, &arrows);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_plan_itself_has_no_circle() {
    let late = out_of_order(PLAN);
    assert!(late.is_empty(), "used before they are planned: {late:?}");
}

#[test]
fn an_arrow_that_points_back_is_found() {
    let crates = ["core", "storage", "engine"].map(str::to_owned);
    let good = ("engine".to_owned(), "core".to_owned());
    assert!(wrong_arrows(PLAN, &crates, std::slice::from_ref(&good)).is_empty());
    for (from, to) in [
        ("core", "storage"),
        ("storage", "core"),
        ("storage", "engine"),
    ] {
        let arrows = [good.clone(), (from.to_owned(), to.to_owned())];
        let wrong = wrong_arrows(PLAN, &crates, &arrows);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(
            wrong[0].starts_with(&format!("{from} depends on {to}")),
            "{wrong:?}"
        );
    }
    let wrong = wrong_arrows(PLAN, &["misc".to_owned()], &[]);
    assert!(wrong[0].starts_with("misc is not in the plan"), "{wrong:?}");
    assert_eq!(out_of_order(&[("a", &["b"]), ("b", &["a"])]), ["b"]);
}
