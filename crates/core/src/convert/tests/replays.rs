//! What went wrong elsewhere, played again here. Each test is named after where it happened.

use super::*;
use crate::convert::ConversionObstacle;
use crate::decide::{
    CallerControl, ContentChange, Force, RevisionCheck, StoreAt, StoredVersions, VersionedRead,
    VersionedWrite, ViewRendering, WantedVersion, decide_read, decide_write,
};
use crate::version::{ClientVersion, KnownVersions, StoredVersion, WriteVersion};
use coeval_codes::{Code, Coded};

/// Versions of one type from their files: the version, and the rest of its spec.
fn types(files: &[(&str, &str)]) -> Versions {
    let file = |(version, spec): &(&str, &str)| {
        let text = format!(
            "kind: type\nversion: v1\nmetadata: {{name: 'acme:thing:{version}'}}\n\
             spec:\n  vendor: acme\n  nss: thing\n  version: {version}\n{spec}"
        );
        TypeVersion::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    versions(files.iter().map(file).collect())
}

/// A server of a release that has these versions.
fn server(known: &[&str]) -> KnownVersions {
    known.iter().map(|version| v(version)).collect()
}

/// What a client that understands versions up to `client` gets, as the server prints its version,
/// and whether the server could convert it.
fn read_version(stored: &str, known: &KnownVersions, client: &str) -> (String, ViewRendering) {
    let view = decide_read(&VersionedRead {
        stored: StoredVersions::Alone(StoredVersion(v(stored))),
        known,
        wanted: WantedVersion::AtMost(ClientVersion(v(client))),
        restricted_below: None,
    });
    let view = view.unwrap();
    (view.version().to_string(), view.shown)
}

/// A save of what was read, without any insisting.
fn save<'a>(stored: &str, body: &str, known: &'a KnownVersions) -> VersionedWrite<'a> {
    VersionedWrite {
        stored: Some(StoredVersions::Alone(StoredVersion(v(stored)))),
        body: WriteVersion::parse(body).unwrap(),
        known,
        store_at: StoreAt::Unsaid,
        revision: RevisionCheck::Current,
        skew: crate::decide::SkewRule::Merge,
        control: CallerControl::Write,
        force: Force::No,
        restricted_below: None,
        barrier: None,
    }
}

/// The code that a save is refused with.
fn refused(writing: &VersionedWrite<'_>) -> Code {
    decide_write(writing).unwrap_err().code()
}

/// Whether a save is an edit of what is stored, and leaves its version.
fn is_carried(writing: &VersionedWrite<'_>) -> bool {
    let write = decide_write(writing).unwrap();
    matches!(write.change, ContentChange::Edit { written_at, stored_at } if written_at != stored_at)
}

// An object that is stored at a newer version was patched through an older one. The server pruned
// it to the older schema, applied the patch and stored the result: fields of the newer were gone.
#[test]
fn kubernetes_111703_a_patch_through_an_older_version() {
    let types = types(&[
        (
            "1.0.0",
            "  schema: {properties: {spec: {properties: {cmd: {type: string}}},
               status: {properties: {phase: {type: string}}}}}\n",
        ),
        (
            "2.0.0",
            "  schema: {properties: {spec: {properties: {command: {type: string}, retries: {type: integer}}},
               status: {properties: {phase: {type: string}, conditions: {type: array}}}}}
  conversion: {from: 1.0.0, steps: [{rename: {path: /spec/cmd, to: command}}]}\n",
        ),
    ]);
    let stored = record(
        "2.0.0",
        json!({
            "spec": {"command": "run", "retries": 3},
            "status": {"phase": "new", "conditions": [{"type": "Ready"}]},
        }),
    );
    let mut view = types.see(&stored, "1.0.0");
    assert_eq!(
        view,
        json!({"spec": {"cmd": "run"}, "status": {"phase": "new"}})
    );
    view["status"]["phase"] = json!("done");
    let put = types.put(stored, v("1.0.0"), view).unwrap();
    let expected = json!({
        "spec": {"command": "run", "retries": 3},
        "status": {"phase": "done", "conditions": [{"type": "Ready"}]},
    });
    assert_eq!(put.record, record("2.0.0", expected));
    assert_eq!(put.kept, ["/spec/retries", "/status/conditions"]);
    assert!(put.dropped.is_empty());
}

// During an upgrade servers of two releases shared a store. Tolerations that had been set through the
// newer one were gone; presumably a component of the older release had saved a status in between.
#[test]
fn kubernetes_46073_servers_of_two_releases_on_one_store() {
    let types = types(&[
        (
            "1.0.0",
            "  schema: {properties: {replicas: {type: integer}, ready: {type: integer}}}\n",
        ),
        (
            "1.1.0",
            "  schema: {properties: {replicas: {type: integer}, ready: {type: integer},
               tolerations: {type: array, items: {type: object, properties: {key: {type: string}}}}}}\n",
        ),
    ]);
    let content = json!({"replicas": 2, "ready": 0, "tolerations": [{"key": "gpu"}]});
    let stored = record("1.1.0", content);

    // The older server can show it, and knows that it does not see all of it.
    let older = server(&["1.0.0"]);
    let (version, shown) = read_version("1.1.0", &older, "1.0.0");
    assert_eq!(version, "v1+downgraded");
    assert!(matches!(shown, ViewRendering::Pruned { .. }));
    let marked = save("1.1.0", &version, &older);
    assert_eq!(refused(&marked), coeval_codes::MARKED_BODY);
    let plain = save("1.1.0", "v1", &older);
    assert_eq!(refused(&plain), coeval_codes::STORED_VERSION_UNKNOWN);

    // The newer one carries the same save onto what is stored.
    let newer = server(&["1.0.0", "1.1.0"]);
    let (version, shown) = read_version("1.1.0", &newer, "1.0.0");
    assert_eq!(
        (version.as_str(), shown),
        ("v1+downgraded", ViewRendering::Converted)
    );
    assert!(is_carried(&save("1.1.0", &version, &newer)));
    let mut view = types.see(&stored, "1.0.0");
    assert_eq!(view, json!({"replicas": 2, "ready": 0}));
    view["ready"] = json!(2);
    let put = types.put(stored, v("1.0.0"), view).unwrap();
    let expected = json!({"replicas": 2, "ready": 2, "tolerations": [{"key": "gpu"}]});
    assert_eq!(put.record, record("1.1.0", expected));
    assert_eq!(put.kept, ["/tolerations"]);
}

// Versions of single fields were asked for, because clients that are out of date read an object into
// types without its new fields and write it back, which clears whatever they could not decode.
#[test]
fn kubernetes_34508_clients_of_three_releases_save_in_turn() {
    let types = types(&[
        (
            "1.0.0",
            "  schema: {properties: {image: {type: string}}}\n",
        ),
        (
            "1.1.0",
            "  schema: {properties: {image: {type: string}, quota: {type: integer}}}
  since: {/quota: 1.1.0}\n",
        ),
        (
            "1.2.0",
            "  schema: {properties: {image: {type: string}, quota: {type: integer}, seccomp: {type: string}}}
  since: {/quota: 1.1.0, /seccomp: 1.2.0}\n",
        ),
    ]);
    let mut stored = record(
        "1.2.0",
        json!({"image": "a", "quota": 1, "seccomp": "strict"}),
    );
    for (client, field, value) in [
        ("1.0.0", "image", json!("b")),
        ("1.1.0", "quota", json!(2)),
        ("1.0.0", "image", json!("c")),
    ] {
        let mut view = types.see(&stored, client);
        view[field] = value;
        stored = types.put(stored, v(client), view).unwrap().record;
    }
    let expected = json!({"image": "c", "quota": 2, "seccomp": "strict"});
    assert_eq!(stored, record("1.2.0", expected));

    // A field that is set at a version which does not have it is named, not dropped.
    let body = json!({"image": "c", "quota": 2, "seccomp": "off"});
    let newest = types.get(v("1.2.0")).unwrap();
    let too_new = newest.check_since(v("1.1.0"), &body, Some(&stored.content));
    assert_eq!(too_new.unwrap_err().code(), coeval_codes::FIELD_TOO_NEW);
    let refusal = types.put(stored.clone(), v("1.1.0"), body).unwrap_err();
    assert_eq!(refusal.code(), coeval_codes::BODY_UNEXPRESSED);
    // What comes back as it was is no setting of it.
    let echo = stored.content.clone();
    let same = types.put(stored.clone(), v("1.1.0"), echo).unwrap();
    assert_eq!(same.record, stored);
}

fn roles(key: &str) -> Versions {
    let older = "  schema: {properties: {logins: {type: array}, app_resources: {type: array, items:
               {type: object, properties: {name: {type: string}, paths: {type: array}}}}}}\n";
    let newer = format!(
        "  schema: {{properties: {{logins: {{type: array}}, app_resources: {{type: array, items:
               {{type: object, properties: {{name: {{type: string}}, paths: {{type: array}}, header_filter: {{type: string}}}}}}}}}}}}
  conversion: {{from: 7.0.0, steps: [{{each: {{path: /app_resources, {key}steps: [{{add: {{path: /header_filter}}}}]}}}}]}}\n"
    );
    types(&[("7.0.0", older), ("7.1.0", &newer)])
}

// An older client does not see the filter of a role's rule, and saves the role without it. The server
// can't tell that from an admin's wish, so the rule would silently grant more; the client had to refuse.
#[test]
fn teleport_69406_a_role_is_saved_by_a_client_that_does_not_see_its_filter() {
    let known = server(&["7.0.0", "7.1.0"]);
    let (version, _) = read_version("7.1.0", &known, "7.0.0");
    assert_eq!(version, "v7+downgraded");
    assert!(is_carried(&save("7.1.0", &version, &known)));
    let strict = VersionedWrite {
        skew: crate::decide::SkewRule::Strict,
        ..save("7.1.0", "v7", &known)
    };
    assert_eq!(refused(&strict), coeval_codes::SKEW_STRICT);

    let filtered = json!({"name": "api", "paths": ["/api/**"], "header_filter": "x-env: dev"});
    let open = json!({"name": "docs", "paths": ["/docs"]});
    let stored = record(
        "7.1.0",
        json!({"logins": ["a"], "app_resources": [filtered, open]}),
    );
    let roles = roles("");
    let view = roles.see(&stored, "7.0.0");
    assert_eq!(
        view["app_resources"][0],
        json!({"name": "api", "paths": ["/api/**"]})
    );

    // Something else is changed, and a rule is put before it: the filter is where it was.
    let mut body = view.clone();
    body["logins"] = json!(["a", "b"]);
    let added = json!({"name": "new", "paths": ["/new"]});
    let rules = body["app_resources"].as_array_mut().unwrap();
    rules.insert(0, added.clone());
    let put = roles.put(stored.clone(), v("7.0.0"), body).unwrap();
    let expected = json!({"logins": ["a", "b"], "app_resources": [added, filtered, open]});
    assert_eq!(put.record, record("7.1.0", expected));
    assert_eq!(put.kept, ["/app_resources/1/header_filter"]);

    // The rule itself is changed: without a key it might be another one. It is not made wider.
    let mut body = view.clone();
    body["app_resources"][0]["paths"] = json!(["/api/**", "/admin"]);
    let refusal = roles
        .put(stored.clone(), v("7.0.0"), body.clone())
        .unwrap_err();
    assert!(matches!(
        refusal.reason,
        ConversionObstacle::Ambiguous { .. }
    ));
    assert_eq!(refusal.code(), coeval_codes::LIST_NEEDS_KEY);

    // With a key it is the same rule, and keeps its filter.
    let by_name = self::roles("key: name, ");
    let put = by_name.put(stored.clone(), v("7.0.0"), body).unwrap();
    let rule = &put.record.content["app_resources"][0];
    assert_eq!(rule["header_filter"], "x-env: dev");
    assert_eq!(rule["paths"], json!(["/api/**", "/admin"]));

    // A rule that is deleted takes its filter along, and the answer says so.
    let mut body = view;
    body["app_resources"].as_array_mut().unwrap().remove(0);
    let put = roles.put(stored, v("7.0.0"), body).unwrap();
    assert_eq!(put.dropped, ["/app_resources/0/header_filter"]);
    assert_eq!(put.record.content["app_resources"], json!([open]));
}

// A migration has an `up` and a `down`, any two expressions. Where `up` makes one value of several, or
// fills what was empty, `down` can only invent what was there; a dropped column comes back as a constant.
#[test]
fn pgroll_a_down_that_invents_what_up_forgot() {
    let types = types(&[
        (
            "1.0.0",
            "  schema: {properties: {size: {type: string}, review: {type: string}, price: {type: integer},
               seconds: {type: integer}}}\n",
        ),
        (
            "2.0.0",
            "  schema: {required: [review], properties: {size: {type: string}, review: {type: string, default: none yet},
               minutes: {type: integer}}}
  conversion:
    from: 1.0.0
    steps:
      - map: {path: /size, table: {tiny: S, small: S, large: L}}
      - remove: {path: /price, value: 0}
      - scale: {path: /seconds, by: 1/60}
      - rename: {path: /seconds, to: minutes}\n",
        ),
    ]);
    let old = record(
        "1.0.0",
        json!({"size": "small", "price": 42, "seconds": 90}),
    );
    let new = types.moved(old.clone(), v("2.0.0")).unwrap();
    assert_eq!(
        new.content,
        json!({"size": "S", "review": "none yet", "minutes": 1})
    );
    assert_eq!(types.moved(new.clone(), v("1.0.0")).unwrap(), old);

    // Also through the form in which a record is stored, and after an edit of something else.
    let kept = crate::convert::KeptValues::from_json(&new.kept.to_json()).unwrap();
    let new = ContentRecord { kept, ..new };
    let body = json!({"size": "S", "review": "good", "minutes": 1});
    let edited = types.put(new.clone(), v("2.0.0"), body).unwrap().record;
    let back = types.moved(edited, v("1.0.0")).unwrap();
    let expected = json!({"size": "small", "price": 42, "seconds": 90, "review": "good"});
    assert!(crate::types::same(&back.content, &expected), "{back:?}");

    // What was changed there is what was changed, and nothing older returns in its place.
    let body = json!({"size": "L", "review": "none yet", "minutes": 2});
    let edited = types.put(new, v("2.0.0"), body).unwrap().record;
    let back = types.moved(edited, v("1.0.0")).unwrap();
    let expected = json!({"size": "large", "price": 42, "seconds": 120});
    assert!(crate::types::same(&back.content, &expected), "{back:?}");

    // Only a document that never had a price gets the constant.
    let fresh = types.create(v("2.0.0"), json!({"size": "L", "review": "good"}));
    assert_eq!(types.see(&fresh.unwrap(), "1.0.0")["price"], 0);
}

fn issues() -> Versions {
    types(&[
        (
            "1.0.0",
            "  schema: {properties: {title: {type: string}, assignee: {type: string}, body: {type: string}}}\n",
        ),
        (
            "2.0.0",
            "  schema: {properties: {title: {type: string}, assignees: {type: array, items: {type: string}}}}
  conversion:
    from: 1.0.0
    steps:
      - rename: {path: /assignee, to: assignees}
      - wrap: {path: /assignees}
      - remove: {path: /body}\n",
        ),
    ])
}

// Turning a list into a single value takes the head of the list. Who edits the single value and sends
// the document back replaces a list of several by a list of one.
#[test]
fn cambria_head_forgets_the_rest_of_a_list() {
    let stored = record("2.0.0", json!({"title": "t", "assignees": ["a", "b", "c"]}));
    let issues = issues();
    let mut view = issues.see(&stored, "1.0.0");
    assert_eq!(view, json!({"title": "t", "assignee": "a"}));
    view["assignee"] = json!("z");
    let put = issues.put(stored.clone(), v("1.0.0"), view).unwrap();
    assert_eq!(put.record.content["assignees"], json!(["z", "b", "c"]));
    assert_eq!(put.kept, ["/assignees/1", "/assignees/2"]);
    // Without the field the list is gone, as it was asked for, and the answer names what went along.
    let put = issues
        .put(stored, v("1.0.0"), json!({"title": "t"}))
        .unwrap();
    assert_eq!(put.record.content, json!({"title": "t"}));
    assert_eq!(put.dropped, ["/assignee"]);
}

// A lens that removes a field gives a default on the way back. A document that passes through a version
// without the field returns with the default in place of what had been written.
#[test]
fn cambria_remove_forgets_the_field() {
    let stored = record("1.0.0", json!({"title": "t", "body": "a long story"}));
    let issues = issues();
    let mut view = issues.see(&stored, "2.0.0");
    assert_eq!(view, json!({"title": "t"}));
    view["title"] = json!("u");
    let put = issues.put(stored.clone(), v("2.0.0"), view).unwrap();
    let expected = json!({"title": "u", "body": "a long story"});
    assert!(crate::types::same(&put.record.content, &expected));
    assert_eq!(put.record.version, v("1.0.0"));
    assert_eq!(put.kept, ["/body"]);
    let there = issues.moved(stored.clone(), v("2.0.0")).unwrap();
    assert_eq!(issues.moved(there, v("1.0.0")).unwrap(), stored);
}

// Several components keep their state in one entity. The storage driver read it into its own types,
// upgraded its part, wrote the entity back whole, and the status of the cluster's manager was wiped.
#[test]
fn cloud_director_csi_driver_148_one_components_save_wipes_anothers_status() {
    let types = types(&[
        (
            "1.0.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {pvs: {type: array}}}}}}}\n",
        ),
        (
            "1.1.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {pvs: {type: array}}},
               manager: {properties: {phase: {type: string}, nodes: {type: object}}}}}}}\n",
        ),
        (
            "2.0.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {volumes: {type: array}}},
               manager: {properties: {phase: {type: string}, nodes: {type: object}}}}}}}
  conversion: {from: 1.1.0, steps: [{rename: {path: /status/csi/pvs, to: volumes}}]}\n",
        ),
    ]);
    let manager = json!({"phase": "ready", "nodes": {"n1": "up"}});
    let stored = record(
        "2.0.0",
        json!({"status": {"csi": {"volumes": ["a"]}, "manager": manager}}),
    );

    // The driver knows the version at which there was nothing but its own part.
    let body = json!({"status": {"csi": {"pvs": ["a", "b"]}}});
    let put = types.put(stored.clone(), v("1.0.0"), body).unwrap();
    let expected = json!({"status": {"csi": {"volumes": ["a", "b"]}, "manager": manager}});
    assert!(crate::types::same(&put.record.content, &expected));
    assert_eq!(put.kept, ["/status/manager"]);

    // A driver that knows the manager's part and leaves it out asks for its removal. If that is
    // because it read before the manager wrote, the revision tells.
    let known = server(&["1.0.0", "1.1.0", "2.0.0"]);
    for body in ["v2", "v1.1", "v1+downgraded"] {
        let late = VersionedWrite {
            revision: RevisionCheck::Stale,
            ..save("2.0.0", body, &known)
        };
        assert_eq!(refused(&late), coeval_codes::CONFLICT, "{body}");
        let forced = VersionedWrite {
            force: Force::Yes,
            control: CallerControl::Full,
            ..late
        };
        assert_eq!(refused(&forced), coeval_codes::CONFLICT, "{body}");
    }
}
