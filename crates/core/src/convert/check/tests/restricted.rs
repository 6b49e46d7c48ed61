//! Restricted fields: they may move, and nobody may see more of them.

use super::{ConversionError, Pair, object};
use coeval_codes::Coded;
use serde_json::{Value, json};

fn marked(marks: Value) -> Value {
    json!({"type": "string", "x-vcloud-restricted": marks})
}

fn plain() -> Value {
    json!({"type": "string"})
}

/// The places that are marked weaker, forward and backward.
fn weaker(pair: &Pair) -> (Vec<String>, Vec<String>) {
    let of = |errors: &[ConversionError]| {
        let told = errors.iter().map(|error| match error {
            ConversionError::Weaker {
                path_from, path_to, ..
            } => format!("{path_from} at {path_to}"),
            other => panic!("{other}"),
        });
        told.collect::<Vec<_>>()
    };
    (of(&pair.forward.weaker), of(&pair.backward.weaker))
}

fn found(old: Value, new: Value, steps: Value) -> (Vec<String>, Vec<String>) {
    weaker(&Pair::open(old, new, steps))
}

fn nothing() -> (Vec<String>, Vec<String>) {
    (Vec::new(), Vec::new())
}

#[test]
fn a_private_field_must_not_move_to_a_public_place() {
    let steps = json!([{"move": {"from": "/password", "to": "/status/note"}}]);
    let status = |schema: Value| json!({"status": object(json!({"note": schema}))});
    let old = || json!({"password": marked(json!("private"))});
    let pair = Pair::open(old(), status(plain()), steps.clone());
    assert_eq!(
        weaker(&pair),
        (vec!["/password at /status/note".to_owned()], vec![])
    );
    let error = pair.forward.weaker.first().unwrap();
    assert_eq!(error.code(), coeval_codes::CONVERSION_WEAKENS);
    assert_eq!(
        error.to_string(),
        "/password is private in version 1.0.0, and can be seen in version 2.0.0 at /status/note, which is public"
    );
    let private = json!("private");
    assert_eq!(found(old(), status(marked(private)), steps), nothing());
}

#[test]
fn an_object_that_is_private_protects_what_is_moved_into_it() {
    let steps = json!([{"move": {"from": "/password", "to": "/vault/password"}}]);
    let vault = json!({
        "type": "object", "x-vcloud-restricted": "private", "properties": {"password": plain()},
    });
    let old = json!({"password": marked(json!("private"))});
    assert_eq!(found(old, json!({"vault": vault}), steps), nothing());
}

#[test]
fn renaming_within_the_same_mark_is_fine_and_weakening_is_not() {
    let steps = json!([{"rename": {"path": "/a", "to": "b"}}]);
    for (old, new, weak) in [
        ("private", "private", false),
        ("private", "protected", true),
        ("protected", "public", true),
    ] {
        let (forward, backward) = found(
            json!({"a": marked(json!(old))}),
            json!({"b": marked(json!(new))}),
            steps.clone(),
        );
        assert_eq!(!forward.is_empty(), weak, "{old} {new}");
        assert!(backward.is_empty(), "{old} {new}");
    }
    // A mark that is stronger in the newer version is weaker on the way back.
    let (forward, backward) = found(
        json!({"a": plain()}),
        json!({"b": marked(json!("private"))}),
        steps,
    );
    assert!(forward.is_empty());
    assert_eq!(backward, ["/b at /a"]);
}

#[test]
fn secure_stays_secure() {
    let secure = || json!(["private", "secure"]);
    let steps = json!([{"rename": {"path": "/a", "to": "b"}}]);
    let (forward, _) = found(
        json!({"a": marked(secure())}),
        json!({"b": marked(json!("private"))}),
        steps.clone(),
    );
    assert_eq!(forward, ["/a at /b"]);
    assert_eq!(
        found(
            json!({"a": marked(secure())}),
            json!({"b": marked(secure())}),
            steps
        ),
        nothing()
    );
}

#[test]
fn a_private_field_must_not_be_joined_into_a_public_string() {
    let join = json!({"paths": ["/user", "/password"], "with": ":", "into": "/login"});
    let steps = json!([{"join": join}]);
    let old = || json!({"user": plain(), "password": marked(json!("private"))});
    let (forward, backward) = found(old(), json!({"login": plain()}), steps.clone());
    assert_eq!(forward, ["/password at /login"]);
    assert!(backward.is_empty());
    // The other way, all of the string is private, and so must be its parts.
    let (forward, backward) = found(old(), json!({"login": marked(json!("private"))}), steps);
    assert!(forward.is_empty());
    assert_eq!(backward, ["/login at /user"]);
}

#[test]
fn all_parts_of_a_private_string_are_private() {
    let split = json!({"path": "/login", "at": ":", "into": ["/user", "/password"]});
    let steps = json!([{"split": split}]);
    let new = json!({"user": marked(json!("private")), "password": plain()});
    let (forward, _) = found(json!({"login": marked(json!("private"))}), new, steps);
    assert_eq!(forward, ["/login at /password"]);
}

#[test]
fn a_copy_of_a_private_field_is_private() {
    let steps = json!([{"copy": {"from": "/token", "to": "/secret"}}]);
    let old = || json!({"secret": marked(json!("private"))});
    let new = |token: Value| json!({"secret": marked(json!("private")), "token": token});
    let (forward, _) = found(old(), new(plain()), steps.clone());
    assert_eq!(forward, ["/secret at /token"]);
    assert_eq!(
        found(old(), new(marked(json!("private"))), steps),
        nothing()
    );
}

#[test]
fn a_string_with_private_json_in_it_is_private() {
    let steps = json!([{"parse": {"path": "/config"}}]);
    let inner = json!({"type": "object", "properties": {"password": marked(json!("private"))}});
    let (_, backward) = found(json!({"config": plain()}), json!({"config": inner}), steps);
    assert_eq!(backward, ["/config/password at /config"]);
}

#[test]
fn what_is_picked_out_of_private_items_is_private() {
    let pick = json!({
        "path": "/env", "key": "name", "equals": "HOME", "field": "value", "into": "/home",
    });
    let items = |value: Value| {
        let item = json!({"type": "object", "properties": {"name": plain(), "value": value}});
        json!({"type": "array", "items": item})
    };
    let steps = json!([{"pick": pick}]);
    let private = || marked(json!("private"));
    let new = json!({"env": items(private()), "home": plain()});
    let (forward, _) = found(json!({"env": items(private())}), new, steps);
    assert_eq!(forward, ["/env/*/value at /home"]);
}

#[test]
fn a_private_key_must_not_become_the_name_under_which_items_are_found() {
    let steps = json!([{"keyed": {"path": "/users", "key": "token"}}]);
    let item = json!({"type": "object", "properties": {"token": marked(json!("private"))}});
    let map = json!({"type": "object", "additionalProperties": {"type": "object"}});
    let (forward, _) = found(
        json!({"users": {"type": "array", "items": item}}),
        json!({"users": map}),
        steps,
    );
    assert_eq!(forward, ["/users/*/token at /users"]);
}

#[test]
fn free_form_content_of_a_private_object_is_private_too() {
    let vault = json!({"type": "object", "x-vcloud-restricted": "private"});
    let steps = json!([{"move": {"from": "/vault/key", "to": "/key"}}]);
    let new = json!({"vault": vault, "key": plain()});
    let (forward, _) = found(json!({"vault": vault}), new, steps);
    assert_eq!(forward, ["/vault/key at /key"]);
}

#[test]
fn a_private_field_must_not_be_shown_by_an_object_that_takes_anything() {
    let vault = object(json!({"key": marked(json!("private"))}));
    let free = json!({"type": "object"});
    let (forward, _) = found(json!({"vault": vault}), json!({"vault": free}), json!([]));
    assert_eq!(forward, ["/vault/key at /vault/key"]);
}

#[test]
fn a_field_that_is_hidden_or_removed_is_not_shown() {
    let old = || json!({"password": marked(json!("private")), "name": plain()});
    assert_eq!(found(old(), json!({"name": plain()}), json!([])), nothing());
    let steps = json!([{"remove": {"path": "/password"}}]);
    assert_eq!(found(old(), json!({"name": plain()}), steps), nothing());
}

#[test]
fn items_of_lists_keep_their_marks() {
    let users = |schema: Value| {
        let item = json!({"type": "object", "properties": {"key": schema}});
        json!({"users": {"type": "array", "items": item}})
    };
    let private = || marked(json!("private"));
    assert_eq!(
        found(users(private()), users(private()), json!([])),
        nothing()
    );
    let (forward, _) = found(users(private()), users(plain()), json!([]));
    assert_eq!(forward, ["/users/*/key at /users/*/key"]);
    let inner = json!([{"rename": {"path": "/key", "to": "token"}}]);
    let steps = json!([{"each": {"path": "/users", "steps": inner}}]);
    let tokens = json!({"users": {"type": "array", "items": object(json!({"token": plain()}))}});
    let (forward, _) = found(users(private()), tokens, steps);
    assert_eq!(forward, ["/users/*/key at /users/*/token"]);
}

#[test]
fn in_either_branch_a_private_field_stays_private() {
    let steps = json!([{"when": {
        "path": "/kind", "is": "a",
        "steps": [{"rename": {"path": "/key", "to": "one"}}],
        "otherwise": [{"rename": {"path": "/key", "to": "two"}}],
    }}]);
    let old = json!({"kind": plain(), "key": marked(json!("private"))});
    let new = json!({"kind": plain(), "one": marked(json!("private")), "two": plain()});
    let (forward, _) = found(old, new, steps);
    assert_eq!(forward, ["/key at /two"]);
}
