//! The commands of both releases against servers of both: four pairs, and all do the same.

use crate::installation::{Installation, Server, register_types};
use crate::release::{BOTH, Release};
use serde_json::{Value, json};

/// Somebody who has the commands of one release, and a server of one.
struct Desk<'i> {
    on: &'i Installation,
    release: Release,
    server: &'i Server,
    token: &'i str,
}

impl Desk<'_> {
    fn does(&self, arguments: &[&str]) -> String {
        self.on
            .does(self.release, self.server, self.token, arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let text = self.does(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Exit code, stdout and stderr.
    fn ends(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self
            .on
            .run(self.release, self.server, self.token, arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.on.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

/// What somebody does with one resource from its file to its end.
fn work_with_a_resource(desk: &Desk<'_>, name: &str) {
    let spec = json!({"image": "web:1", "replicas": 2, "region": "eu"});
    let declared =
        json!({"kind": "app", "version": "v1.1", "metadata": {"name": name}, "spec": spec});
    let file = desk.file(&format!("{name}.json"), &declared.to_string());
    let (code, shown, _) = desk.ends(&["diff", "-f", &file]);
    assert_eq!(code, Some(1), "{shown}");
    desk.does(&["apply", "-f", &file]);
    assert_eq!(desk.ends(&["diff", "-f", &file]).0, Some(0));
    assert_eq!(desk.json(&["get", "app", name, "-o", "json"])["spec"], spec);
    // A client of 1.0 edits what it sees, and what it does not see stays.
    let (code, view, told) = desk.ends(&["get", "app", name, "--version", "1.0", "-o", "yaml"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(view.contains("web:1") && !view.contains("region"), "{view}");
    assert!(told.contains("/region"), "{told}");
    let edited = desk.file(&format!("{name}.yaml"), &view.replace("web:1", "web:2"));
    let (code, shown, _) = desk.ends(&["diff", "-f", &edited]);
    assert_eq!(code, Some(1));
    assert!(shown.contains("+  image: web:2"), "{shown}");
    let (code, _, told) = desk.ends(&["apply", "-f", &edited]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("kept: /region"), "{told}");
    let whole = json!({"image": "web:2", "replicas": 2, "region": "eu"});
    assert_eq!(
        desk.json(&["get", "app", name, "-o", "json"])["spec"],
        whole
    );
    let history = desk.does(&["history", "app", name]);
    assert!(
        history.contains("(created)") && history.contains("/image"),
        "{history}"
    );
    desk.json(&["history", "app", name, "-o", "json"]);
    let listed = desk.does(&["get", "app"]);
    assert!(listed.contains(name), "{listed}");
    desk.json(&["get", "app", "-o", "json"]);
    let explained = desk.does(&["explain", "app", "--version", "1.0", "--diff", "1.1"]);
    assert!(explained.contains("+ region"), "{explained}");
    desk.does(&["explain", "app.spec.replicas"]);
    desk.does(&["delete", "app", name]);
    let (code, _, told) = desk.ends(&["get", "app", name]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("COEVAL-"), "{told}");
}

/// What the provider looks at.
fn look_at_types(desk: &Desk<'_>) {
    let listed = desk.does(&["type", "list"]);
    assert!(listed.contains("acme:app"), "{listed}");
    desk.json(&["type", "list", "-o", "json"]);
    let status = desk.does(&["migrate", "status", "acme:app"]);
    assert!(status.contains("acme:app"), "{status}");
    let status = desk.json(&["migrate", "status", "acme:app", "-o", "json"]);
    assert_eq!(status["state"], "running", "{status}");
    let servers = desk.does(&["server", "list"]);
    for release in BOTH {
        assert!(servers.contains(&release.number()), "{servers}");
    }
}

fn four_pairs(on: &Installation) {
    let servers = BOTH.map(|release| on.start(release));
    for (server, release) in servers.iter().zip(BOTH) {
        server.is_of(release);
    }
    let admin = servers[1].log_in("administrator", "System");
    register_types(on, Release::Previous, &servers[1], &admin);
    let alice = servers[0].log_in("alice", "acme");
    let start = ["migrate", "start", "acme:app"];
    let stays = json!({"kind": "acme:app", "version": "v1", "metadata": {"name": "stays"}, "spec": {"image": "a"}});
    servers[0].post("resources/app", &alice, &stays);
    on.does(Release::Previous, &servers[1], &admin, &start);
    for release in BOTH {
        for (server, of) in servers.iter().zip(BOTH) {
            let desk = |token| Desk {
                on,
                release,
                server,
                token,
            };
            let name = format!("{release:?}-at-{of:?}").to_lowercase();
            work_with_a_resource(&desk(&alice), &name);
            look_at_types(&desk(&admin));
        }
    }
}

#[test]
fn previous_and_current_commands_work_with_both_servers_on_postgres() {
    four_pairs(&Installation::on_postgres());
}

#[test]
fn previous_and_current_commands_work_with_both_servers_on_etcd() {
    four_pairs(&Installation::on_etcd());
}
