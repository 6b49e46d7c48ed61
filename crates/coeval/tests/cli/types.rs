//! `coeval type`: from a file to a type that tenants use, and back.

use crate::stage::{app_files, type_file};
use crate::world::World;
use serde_json::Value;

/// A version that takes a field away without a word.
fn breaking() -> String {
    let schema = "  schema: {type: object, required: [image, gpu], properties: {image: {type: integer}, gpu: {type: string}}}\n";
    type_file("acme:app", "1.2.0", schema)
}

#[test]
fn a_type_is_registered_looked_at_published_and_deleted() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    let [first, second] = app_files().try_into().unwrap();
    world.write("app.yaml", &format!("# both\n---\n{first}---\n{second}"));
    world.write("second.yaml", &second);

    let done = admin.runs(&["type", "register", "app.yaml"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.err
            .contains("registered acme:app:1.0.0 (the first of its type)"),
        "{done:?}"
    );
    assert!(
        done.err
            .contains("registered acme:app:1.1.0 (compared with 1.0.0)"),
        "{done:?}"
    );

    // Again is no error, a differing one is.
    let again = admin.runs(&["type", "register", "second.yaml"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(
        again
            .err
            .contains("acme:app:1.1.0 is registered already, and is the same"),
        "{again:?}"
    );
    world.write(
        "other.yaml",
        &second.replace(
            "region: {type: string}",
            "region: {type: string, maxLength: 9}",
        ),
    );
    admin.is_refused(
        &["type", "register", "other.yaml"],
        1,
        &[
            "is another one",
            "COEVAL-2303",
            "coeval type delete acme:app:1.1.0",
        ],
    );

    let table = admin.does(&["type", "list"]);
    assert!(table.starts_with("TYPE "), "{table}");
    let line = table
        .lines()
        .find(|line| line.starts_with("acme:app "))
        .unwrap();
    assert!(line.contains("1.0.0, 1.1.0"), "{table}");
    assert!(
        admin
            .does(&["type", "list", "-o", "name"])
            .contains("acme:app\n")
    );
    let versions = admin.does(&["type", "versions", "app", "-o", "json"]);
    let versions: Value = serde_json::from_str(&versions).unwrap();
    assert_eq!(versions["items"][1]["id"], "acme:app:1.1.0", "{versions}");
    assert_eq!(versions["items"][1]["unproven"], false, "{versions}");
    admin.is_refused(
        &["type", "versions", "nothing"],
        1,
        &["no type nothing", "coeval type list"],
    );

    // A tenant sees it once it is published to it.
    let alice = world.person("alice@acme");
    alice.is_refused(&["type", "versions", "app"], 1, &["no type app"]);
    let done = admin.runs(&["type", "publish", "app", "--org", "acme"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.err.contains("acme:app is published to acme"),
        "{done:?}"
    );
    assert!(
        alice
            .does(&["type", "versions", "app"])
            .contains("acme:app:1.0.0")
    );
    let oscar = world.person("oscar@other");
    oscar.is_refused(&["type", "versions", "app"], 1, &["no type app"]);
    admin.does(&["type", "unpublish", "app", "--org", "acme"]);
    alice.is_refused(&["type", "versions", "app"], 1, &["no type app"]);
    admin.is_refused(
        &["type", "publish", "nothing", "--all"],
        1,
        &["no type nothing"],
    );
    let neither = admin.runs(&["type", "publish", "app"]);
    assert_eq!(neither.code, Some(2), "{neither:?}");

    let neither = admin.runs(&["type", "delete", "acme-app"]);
    assert_eq!(neither.code, Some(2), "{neither:?}");
    let deleted = admin.runs(&["type", "delete", "app:1.1.0"]);
    assert!(
        deleted.err.contains("acme:app:1.1.0 deleted"),
        "{deleted:?}"
    );
    admin.is_refused(&["type", "delete", "acme:app:1.1.0"], 1, &["COEVAL-"]);
}

#[test]
fn what_breaks_is_refused_with_its_findings_and_can_be_insisted_on() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    for (number, file) in app_files().iter().enumerate() {
        world.write("file.yaml", file);
        let done = admin.runs(&["type", "register", "file.yaml"]);
        assert_eq!(done.code, Some(0), "{number}: {done:?}");
    }
    world.write("breaking.yaml", &breaking());

    let checked = admin.runs(&["type", "check", "--registered", "breaking.yaml"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(
        checked.out.starts_with("acme:app:1.2.0: refused\n"),
        "{checked:?}"
    );
    assert!(checked.out.contains("/image"), "{checked:?}");
    let json = admin.runs(&["type", "check", "--registered", "--json", "breaking.yaml"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json[0]["verdict"], "refused", "{json}");

    let refused = admin.runs(&["type", "register", "breaking.yaml"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.err.contains("COEVAL-2") && refused.err.contains("next:  "),
        "{refused:?}"
    );
    assert!(
        refused.out.contains("refuses    ") && refused.out.contains("/image"),
        "{refused:?}"
    );
    // Nothing was written by either.
    assert!(!admin.does(&["type", "versions", "app"]).contains("1.2.0"));

    let done = admin.runs(&["type", "register", "--warn", "breaking.yaml"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.err.contains("acme:app:1.2.0") && done.err.contains("unproven"),
        "{done:?}"
    );
    let versions = admin.does(&["type", "versions", "app"]);
    let line = versions
        .lines()
        .find(|line| line.contains("1.2.0"))
        .unwrap();
    assert!(line.contains(" no "), "{versions}");
}

#[test]
fn what_nobody_can_decide_ends_with_its_own_code_and_can_be_accepted() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    // Which of two large languages is inside of the other takes too long to find out.
    let schema = |pattern: &str| {
        format!(
            "  schema: {{type: object, properties: {{image: {{type: string, pattern: '{pattern}'}}}}}}\n"
        )
    };
    let old = schema("^(a|b)*a(a|b){24}$");
    let new = schema("^(a|b)*(a|c)(a|b){24}$");
    world.write("old.yaml", &type_file("acme:app", "1.0.0", &old));
    world.write("new.yaml", &type_file("acme:app", "1.0.1", &new));
    let offline = admin.runs(&["type", "check", "old.yaml", "new.yaml"]);
    assert_eq!(
        offline.code,
        Some(4),
        "a change that can't be decided is needed: {offline:?}"
    );
    admin.does(&["type", "register", "old.yaml"]);
    let checked = admin.runs(&["type", "check", "--registered", "new.yaml"]);
    assert_eq!(checked.code, Some(4), "{checked:?}");
    let refused = admin.runs(&["type", "register", "new.yaml"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.err.contains("--accept-undecided"), "{refused:?}");
    let done = admin.runs(&["type", "register", "--accept-undecided", "new.yaml"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn files_that_are_no_types_and_callers_who_may_not_are_refused() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    let alice = world.person("alice@acme");
    world.write("nonsense.yaml", "a: [");
    world.write("app.yaml", &app_files()[0]);
    admin.is_refused(
        &["type", "register", "nowhere.yaml"],
        1,
        &["nowhere.yaml", "COEVAL-4025"],
    );
    admin.is_refused(&["type", "register", "nonsense.yaml"], 1, &["COEVAL-2"]);
    alice.is_refused(&["type", "register", "app.yaml"], 1, &["COEVAL-5"]);
    admin.is_refused(&["type", "delete", "no:sen:se"], 1, &["COEVAL-"]);
}

#[test]
fn the_files_of_typed_services_come_from_the_server_that_is_meant() {
    let mut world = World::sqlite();
    world.add_app();
    let alice = world.person("alice@acme");
    let proto = alice.does(&["type", "proto", "acme:app"]);
    assert!(proto.contains("package acme.app.v1;"), "{proto}");
    assert_eq!(alice.does(&["type", "proto", "app"]), proto);
    // The environment's server is not asked where files are meant.
    let offline = alice.does(&["type", "proto", "type-0.yaml", "type-1.yaml"]);
    assert_eq!(proto, offline);
    alice.is_refused(
        &["type", "proto", "acme:nothing"],
        1,
        &["acme:nothing", "coeval login"],
    );
    alice.is_refused(&["type", "proto", "nothing"], 1, &["no type nothing"]);
    alice.is_refused(&["type", "proto", "no.yaml"], 1, &["COEVAL-4025"]);
}

/// Rules that nothing tells apart, with these properties and more said of the list.
fn rules(version: &str, properties: &str, more: &str) -> String {
    let items = format!("{{type: object, required: [port], properties: {{{properties}}}}}");
    let schema = format!(
        "  schema: {{type: object, properties: {{rules: {{type: array, items: {items}{more}}}}}}}\n"
    );
    type_file("acme:wall", version, &schema)
}

#[test]
fn whoever_registers_a_list_without_a_key_is_told_how_to_declare_one() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    let (port, gpu) = ("port: {type: integer}", "port: {type: integer}, color: {}");
    world.write("old.yaml", &rules("1.0.0", port, ""));
    world.write("new.yaml", &rules("1.1.0", gpu, ""));
    let key = ", x-coeval-list-key: port";
    world.write("keyed.yaml", &rules("1.1.0", gpu, key));
    world.write(
        "wrong.yaml",
        &rules("1.1.0", gpu, ", x-coeval-list-key: prot"),
    );
    let advice = "`x-coeval-list-key: port` at /properties/rules of acme:wall:1.1.0";
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");

    // Without a server, and by the server.
    let noted = admin.runs(&["type", "check", "old.yaml", "new.yaml"]);
    assert_eq!(noted.code, Some(0), "{noted:?}");
    assert!(one_line(&noted.out).contains(advice), "{noted:?}");
    let quiet = admin.does(&["type", "check", "old.yaml", "keyed.yaml"]);
    assert!(!quiet.contains("COEVAL-3202"), "{quiet}");
    let why = "/properties/rules/x-coeval-list-key: x-coeval-list-key is no key: the items declare no field \"prot\"";
    admin.is_refused(
        &["type", "check", "old.yaml", "wrong.yaml"],
        1,
        &[why, "COEVAL-2115"],
    );

    admin.does(&["type", "register", "old.yaml"]);
    let refused = admin.runs(&["type", "register", "wrong.yaml"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(one_line(&refused.out).contains(why), "{refused:?}");
    assert!(refused.out.contains("COEVAL-2115"), "{refused:?}");
    let checked = admin.runs(&["type", "check", "--registered", "new.yaml"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(one_line(&checked.out).contains(advice), "{checked:?}");
    let noted = admin.runs(&["type", "register", "new.yaml"]);
    assert_eq!(noted.code, Some(0), "{noted:?}");
    assert!(
        noted.out.contains("note       COEVAL-3202  /rules"),
        "{noted:?}"
    );
    assert!(one_line(&noted.out).contains(advice), "{noted:?}");
    assert!(admin.does(&["explain", "acme:wall"]).contains("no key"));

    // As it was advised, in a version that comes later.
    world.write("next.yaml", &rules("1.1.1", gpu, key));
    admin.does(&["type", "register", "next.yaml"]);
    for version in ["1.0", "1.1", "1.1.1"] {
        let explained = admin.does(&["explain", "acme:wall", "--version", version]);
        assert!(explained.contains("key port (declared)"), "{explained}");
    }
    let json = admin.does(&["explain", "acme:wall", "--version", "1.0", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["fields"][0]["listKey"]["fields"][0], "port");
    assert_eq!(json["fields"][0]["listKey"]["origin"], "declared");
}

/// Three versions: the second is converted from the first, the third from the second.
fn line_of_versions() -> [String; 3] {
    let [first, second] = app_files().try_into().unwrap();
    let third = "  schema: {type: object, required: [image], properties: {image: {type: string}, replicas: {type: integer}, place: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /region, to: place}}]}\n";
    [first, second, type_file("acme:app", "2.0.0", third)]
}

#[test]
fn a_version_is_deprecated_retired_and_registered_again() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    for (number, file) in line_of_versions().iter().enumerate() {
        world.write(&format!("{number}.yaml"), file);
        admin.does(&["type", "register", &format!("{number}.yaml")]);
    }
    let resource =
        "kind: app\nversion: v1.1\nmetadata: {name: web}\nspec: {image: a, region: eu}\n";
    world.write("web.yaml", resource);
    admin.does(&["apply", "-f", "web.yaml"]);

    let done = admin.runs(&[
        "type",
        "deprecate",
        "app:1.1.0",
        "--since",
        "2026-11-18",
        "--sunset",
        "2027-06-01",
        "--message",
        "Use 2.0.0.",
    ]);
    let told =
        "acme:app:1.1.0 is deprecated since 2026-11-18, to be retired on 2027-06-01: Use 2.0.0.";
    assert!(done.code == Some(0) && done.err.contains(told), "{done:?}");
    let versions = admin.does(&["type", "versions", "app"]);
    let line = versions
        .lines()
        .find(|line| line.contains(":1.1.0"))
        .unwrap();
    assert!(line.contains("until 2027-06-01"), "{versions}");
    let versions = admin.does(&["type", "versions", "app", "-o", "json"]);
    let versions: Value = serde_json::from_str(&versions).unwrap();
    assert_eq!(versions["items"][1]["deprecated"]["message"], "Use 2.0.0.");
    assert_eq!(versions["items"][0]["deprecated"], Value::Null);
    // Whoever reads at it is told so, once, however many there are.
    world.write("api.yaml", &resource.replace("web", "api"));
    let again = admin.runs(&["apply", "-f", "api.yaml", "-f", "web.yaml"]);
    assert_eq!(again.err.matches("Use 2.0.0.").count(), 1, "{again:?}");
    for read in [
        &["get", "app"][..],
        &["get", "app", "web"],
        &["get", "app/web", "app/api"],
        &["get", "app", "-o", "json"],
        &["history", "app", "web"],
        &["describe", "app", "web"],
    ] {
        let done = admin.runs(read);
        assert_eq!(done.code, Some(0), "{read:?} {done:?}");
        assert_eq!(
            done.err.matches("Use 2.0.0.").count(),
            1,
            "{read:?} {done:?}"
        );
        assert!(!done.out.contains("warning"), "{done:?}");
    }
    let other = admin.runs(&["get", "app", "web", "--version", "1.0"]);
    assert!(!other.err.contains("Use 2.0.0."), "{other:?}");
    admin.does(&["delete", "app", "api"]);
    // Whoever writes at it is told so.
    world.write("web.yaml", &resource.replace("eu", "us"));
    let applied = admin.runs(&["apply", "-f", "web.yaml"]);
    assert!(
        applied.code == Some(0) && applied.err.contains("Use 2.0.0."),
        "{applied:?}"
    );
    let explained = admin.does(&["explain", "app", "--version", "1.1"]);
    assert!(
        explained.contains("deprecated") && explained.contains("2027-06-01"),
        "{explained}"
    );
    admin.is_refused(
        &["type", "deprecate", "app:1.1.0", "--since", "tomorrow"],
        1,
        &["COEVAL-2316", "2026-11-18"],
    );
    let done = admin.runs(&["type", "deprecate", "app:1.1.0", "--clear"]);
    assert!(
        done.err.contains("acme:app:1.1.0 is not deprecated"),
        "{done:?}"
    );

    // It goes once nothing is stored at it, and others are still converted through it.
    admin.is_refused(
        &["type", "retire", "app:1.1.0"],
        1,
        &["COEVAL-2304", "has resources"],
    );
    admin.does(&["upgrade", "app", "web", "--to", "2.0.0"]);
    let done = admin.runs(&["type", "retire", "app:1.1.0"]);
    assert!(
        done.code == Some(0) && done.err.contains("acme:app:1.1.0 retired"),
        "{done:?}"
    );
    assert!(!admin.does(&["type", "versions", "app"]).contains("1.1.0"));
    admin.is_refused(&["get", "app", "web", "--version", "1.1"], 1, &["COEVAL-"]);
    let old = admin.does(&["get", "app", "web", "--version", "1.0", "-o", "json"]);
    let old: Value = serde_json::from_str(&old).unwrap();
    assert_eq!(old["spec"], serde_json::json!({"image": "a"}));

    world.write(
        "other.yaml",
        &line_of_versions()[1].replace(
            "region: {type: string}",
            "region: {type: string, maxLength: 9}",
        ),
    );
    admin.is_refused(&["type", "register", "other.yaml"], 1, &["COEVAL-2315"]);
    admin.does(&["type", "register", "1.yaml"]);
    let back = admin.does(&["get", "app", "web", "--version", "1.1", "-o", "json"]);
    let back: Value = serde_json::from_str(&back).unwrap();
    assert_eq!(
        back["spec"],
        serde_json::json!({"image": "a", "region": "us"})
    );
}

#[test]
fn a_list_shows_the_columns_of_its_type() {
    let world = World::sqlite();
    let admin = world.person("administrator@System");
    let [first, second, _] = line_of_versions();
    world.write(
        "0.yaml",
        &format!("{first}  columns: [{{name: Image, path: /image}}]\n"),
    );
    world.write("1.yaml", &second);
    for file in ["0.yaml", "1.yaml"] {
        admin.does(&["type", "register", file]);
    }
    world.write(
        "apps.yaml",
        "kind: app\nversion: v1\nmetadata: {name: one}\nspec: {image: nginx}\n---\nkind: app\nversion: v1.1\nmetadata: {name: two}\nspec: {image: redis, region: eu}\n",
    );
    admin.does(&["apply", "-f", "apps.yaml"]);
    let cells = |text: &str| -> Vec<Vec<String>> {
        let line = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        text.lines().map(line).collect()
    };
    let table = cells(&admin.does(&["get", "app"]));
    assert_eq!(table[0].last().unwrap(), "IMAGE", "{table:?}");
    assert_eq!(table[1].last().unwrap(), "nginx");
    assert_eq!(
        table[2].last().unwrap(),
        "redis",
        "also where its version declares none"
    );

    let one = cells(&admin.does(&["get", "app", "two"]));
    assert_eq!(one, [table[0].clone(), table[2].clone()], "one by name too");

    // While there are resources; what is printed for programs is as ever.
    let json = admin.does(&["get", "app", "-o", "json"]);
    let set = ["--set", "Image=/image", "--set", "Place=/region:string"];
    let shown = admin.does(&[&["type", "columns", "app:v1.1"], &set[..]].concat());
    assert!(
        shown.starts_with("NAME ") && shown.contains("/region"),
        "{shown}"
    );
    let table = cells(&admin.does(&["get", "app"]));
    assert_eq!(table[0][4..], ["IMAGE", "PLACE"], "{table:?}");
    assert_eq!(table[1][4..], ["nginx"]);
    assert_eq!(table[2][4..], ["redis", "eu"]);
    let mut watch = admin.command(&["get", "app", "-w"]);
    let mut watch = watch.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufReader::new(watch.stdout.take().unwrap());
    let lines = std::io::BufRead::lines(lines).take(3);
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    watch.kill().unwrap();
    watch.wait().unwrap();
    let watched = cells(&lines.join("\n"));
    assert_eq!(watched[0][5..], ["IMAGE", "PLACE"], "{watched:?}");
    assert_eq!(watched[1][5..], ["nginx"]);
    assert_eq!(watched[2][5..], ["redis", "eu"]);
    let old = cells(&admin.does(&["get", "app", "--version", "1.0"]));
    assert_eq!(old[0][4..], ["IMAGE"], "{old:?}");
    assert_eq!(admin.does(&["get", "app", "-o", "json"]), json);
    admin.is_refused(
        &["type", "columns", "app:1.1.0", "--set", "Zone=/zone"],
        1,
        &["COEVAL-2316", "/zone"],
    );
    let wrong = admin.runs(&["type", "columns", "app:1.1.0", "--set", "Zone"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");

    // A file that differs in nothing else sets them too; one without them leaves them.
    world.write("again.yaml", &format!("{second}  columns: []\n"));
    admin.does(&["type", "register", "1.yaml"]);
    assert_eq!(cells(&admin.does(&["get", "app"]))[0].len(), 6);
    admin.does(&["type", "register", "again.yaml"]);
    assert_eq!(cells(&admin.does(&["get", "app"]))[0][4..], ["IMAGE"]);
}
