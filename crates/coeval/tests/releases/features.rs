//! What came with this release, asked of a server of the previous one: nobody is left guessing.

use crate::installation::Installation;
use crate::release::Release;
use coeval_client::{Client, ClientError, ClientErrorKind};
use coeval_proto::releases::v1::ListDeprecationsRequest;
use coeval_proto::tasks::v1::ListTasksRequest;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn needed(what: &str, previous: &str) -> String {
    let current = env!("CARGO_PKG_VERSION");
    format!("{what} needs a server of release {current} or later (this one is {previous})")
}

#[test]
fn the_commands_say_what_a_previous_server_lacks_and_do_the_rest() {
    let on = Installation::on_sqlite();
    let server = on.start(Release::Previous);
    let (previous, token) = (
        Release::Previous.number(),
        server.log_in("administrator", "System"),
    );
    let run = |arguments: &[&str]| {
        let output = on.run(Release::Current, &server, &token, arguments);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, shown, _) = run(&["version", "-o", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((code, &shown["server"]), (Some(0), &json!(previous)));
    let lacks = json!({"feature": "listing deprecations", "since": env!("CARGO_PKG_VERSION")});
    assert!(
        shown["serverLacks"].as_array().unwrap().contains(&lacks),
        "{shown}"
    );
    let (code, _, told) = run(&["server", "deprecations"]);
    assert_eq!(code, Some(1));
    assert!(
        told.contains(&needed("listing deprecations", &previous)),
        "{told}"
    );
    assert!(told.contains("COEVAL-8092"), "{told}");
    let (code, _, told) = run(&["task", "list", "--resource", "urn:vcloud:entity:acme:app:x"]);
    assert_eq!(code, Some(0), "{told}");
    let warned = format!(
        "warning: {}: the server lists tasks of all resources",
        needed("resource", &previous)
    );
    assert!(told.contains(&warned), "{told}");
    // An object that is not there is another thing than a method that is not there.
    let (code, _, told) = run(&["task", "get", "2f4cf7bb-8c24-4a1e-a0a5-8f9a2ae2bb39"]);
    assert_eq!(code, Some(1));
    assert!(
        !told.contains("COEVAL-8092") && !told.contains("release"),
        "{told}"
    );
}

#[test]
fn the_client_library_leaves_out_what_a_previous_server_does_not_know() {
    let on = Installation::on_sqlite();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    for release in [Release::Previous, Release::Current] {
        let server = on.start(release);
        let token = server.log_in("administrator", "System");
        let warned = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&warned);
        let client = Client::builder(&server.url)
            .token(&token)
            .on_warning(move |text| noted.lock().unwrap().push(text.to_owned()))
            .build()
            .unwrap();
        runtime.block_on(async {
            let asked = ListTasksRequest {
                resource: "urn:vcloud:entity:acme:app:x".to_owned(),
                ..ListTasksRequest::default()
            };
            // The first does not know the server's release yet, the second does.
            for _ in 0..2 {
                client.tasks().list_tasks(asked.clone()).await.unwrap();
            }
            let (mut releases, asked) = (client.releases(), ListDeprecationsRequest::default());
            let listed = releases.list_deprecations(asked);
            let listed = listed.await.map_err(ClientError::from);
            assert_eq!(client.server_release(), Some(release.number()));
            match release {
                Release::Current => drop(listed.unwrap()),
                Release::Previous => {
                    let error = listed.unwrap_err();
                    assert_eq!(error.kind(), ClientErrorKind::Unimplemented);
                    let expected = needed("listing deprecations", &release.number());
                    assert_eq!(error.message(), expected);
                    let missing = client.resources("acme:none").get("x").await.unwrap_err();
                    assert_ne!(
                        missing.kind(),
                        ClientErrorKind::Unimplemented,
                        "{missing:?}"
                    );
                }
            }
        });
        let expected = match release {
            Release::Previous => 2,
            Release::Current => 0,
        };
        assert_eq!(warned.lock().unwrap().len(), expected, "{warned:?}");
        server.stop();
    }
}
