//! `coeval explain`: the fields of a kind, and what became of them.

use crate::stage::type_file;
use crate::world::World;
use serde_json::Value;

fn files() -> Vec<String> {
    let node = "nodes: {type: array, description: The machines., items: {type: object, required: [name], properties: {name: {type: string}, SIZE}}}";
    let old = node.replace(
        "SIZE",
        "size: {type: string, description: How large a machine is.}",
    );
    let new = node.replace(
        "SIZE",
        "class: {type: string, description: How large a machine is.}",
    );
    vec![
        type_file(
            "acme:cluster",
            "1.0.0",
            &format!(
                "  title: Cluster\n  schema: {{type: object, properties: {{{old}, note: {{type: string}}}}}}\n"
            ),
        ),
        type_file(
            "acme:cluster",
            "2.0.0",
            &format!(
                "  title: Cluster\n  schema: {{type: object, properties: {{{new}, region: {{type: string, default: any}}}}}}\n  conversion: {{from: 1.0.0, steps: [{{each: {{path: /nodes, key: name, steps: [{{rename: {{path: /size, to: class}}}}]}}}}, {{remove: {{path: /note}}}}, {{add: {{path: /region}}}}]}}\n"
            ),
        ),
    ]
}

#[test]
fn fields_are_explained_from_a_server_and_from_files_alike() {
    let mut world = World::sqlite();
    world.add_types(&["acme:cluster"], &files());
    let alice = world.person("alice@acme");
    let whole = alice.does(&["explain", "cluster"]);
    assert!(
        whole.starts_with("acme:cluster:2.0.0  Cluster\n"),
        "{whole}"
    );
    for part in ["nodes", "class", "region", "since 2.0.0", "converts from"] {
        assert!(whole.contains(part), "{part}: {whole}");
    }
    let offline = [
        "explain",
        "acme:cluster",
        "-f",
        "type-0.yaml",
        "-f",
        "type-1.yaml",
    ];
    assert_eq!(alice.does(&offline), whole);

    let old = alice.does(&["explain", "cluster", "--version", "1.0"]);
    assert!(old.contains("size") && !old.contains("region"), "{old}");

    let part = alice.does(&["explain", "cluster.spec.nodes", "--version", "v1"]);
    assert!(
        part.starts_with("acme:cluster:1.0.0  /nodes\nThe machines.\n"),
        "{part}"
    );
    assert!(part.contains("size") && !part.contains("note"), "{part}");
    let leaf = alice.does(&["explain", "cluster.spec.nodes.class"]);
    assert_eq!(
        leaf,
        "acme:cluster:2.0.0  /nodes/*/class\nHow large a machine is.\n\nstring, since 2.0.0 (derived)\n"
    );
    let json = alice.does(&["explain", "cluster.spec.nodes", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["fields"][0]["path"], "/nodes", "{json}");
    assert_eq!(json["fields"][0]["description"], "The machines.", "{json}");
}

#[test]
fn a_diff_tells_what_became_of_each_field() {
    let mut world = World::sqlite();
    world.add_types(&["acme:cluster"], &files());
    let alice = world.person("alice@acme");
    let diff = alice.does(&["explain", "cluster", "--version", "1.0", "--diff", "2.0"]);
    assert_eq!(
        diff,
        "acme:cluster 1.0.0 -> 2.0.0\n\
         conversion: keeps something\n\
         \x20 /note: has no place there and is kept\n\
         \n\
         \x20 nodes         array   the same\n\
         \x20 nodes.*       object  the same\n\
         \x20 nodes.*.name  string  the same\n\
         ~ nodes.*.size  string  renamed to nodes.*.class\n\
         - note          string  removed, kept aside\n\
         + region        string  added                     since 2.0.0 (derived), default \"any\"\n"
    );
    let part = [
        "explain",
        "cluster.spec.nodes.size",
        "--version",
        "1.0",
        "--diff",
        "2.0",
    ];
    let part = alice.does(&part);
    assert!(
        part.ends_with("\n\n~ nodes.*.size  string  renamed to nodes.*.class\n"),
        "{part}"
    );
    let back = ["explain", "cluster", "--diff", "1.0", "-o", "json"];
    let back: Value = serde_json::from_str(&alice.does(&back)).unwrap();
    let fields = back["fields"].as_array().unwrap();
    let class = fields
        .iter()
        .find(|one| one["path"] == "/nodes/*/class")
        .unwrap();
    assert_eq!(
        (class["fate"].as_str(), class["to"][0].as_str()),
        (Some("renamed"), Some("/nodes/*/size"))
    );
}

#[test]
fn what_is_not_there_is_said_with_what_there_is() {
    let mut world = World::sqlite();
    world.add_types(&["acme:cluster"], &files());
    let alice = world.person("alice@acme");
    alice.is_refused(
        &["explain", "nothing"],
        1,
        &["no type nothing", "coeval type list"],
    );
    alice.is_refused(
        &["explain", "cluster", "--version", "3.0"],
        2,
        &["1.0.0, 2.0.0"],
    );
    alice.is_refused(
        &["explain", "cluster", "--diff", "3.0"],
        2,
        &["1.0.0, 2.0.0"],
    );
    alice.is_refused(
        &["explain", "cluster.spec.nodes.x"],
        2,
        &["spec.nodes.x", "coeval explain"],
    );
    let metadata = alice.runs(&["explain", "cluster.metadata"]);
    assert_eq!(metadata.code, Some(2), "{metadata:?}");
    assert!(metadata.err.contains("cluster.spec"), "{metadata:?}");
}
