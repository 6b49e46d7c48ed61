//! As `OpenAPI`, for both REST APIs.

use super::RulePair;
use crate::surfaces::{NEW, OLD, due, rest, sound};
use coeval_release_check::{ApiStyle, ReleaseRule, ReleaseSurface, SurfaceArea};
use serde_json::{Value, json};

fn prefix(style: ApiStyle) -> &'static str {
    match style {
        ApiStyle::Webapi => "/v1/webapi",
        _ => "/cloudapi/1.0.0",
    }
}

/// What both releases have: a list that is there already, and something to change.
fn base(style: ApiStyle) -> Value {
    let whole = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string" },
            "size": { "type": "integer" },
            "color": { "enum": ["red", "green"] },
            "parent": { "anyOf": [{ "$ref": "#/components/schemas/Foo" }, { "type": "null" }] },
            "tags": { "type": "object", "additionalProperties": { "type": "string" } },
        },
    });
    let input = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": { "type": "string", "maxLength": 100 },
            "color": { "enum": ["red", "green"] },
        },
        "additionalProperties": false,
    });
    json!({
        "paths": { format!("{}/foos", prefix(style)): {
            "get": {
                "parameters": [{ "name": "startKey", "in": "query", "schema": { "type": "string" } }],
                "responses": { "200": answered(json!({ "type": "object", "properties": {
                    "foos": { "type": "array", "items": { "$ref": "#/components/schemas/Foo" } },
                } })) },
            },
            "post": {
                "requestBody": body(json!({ "$ref": "#/components/schemas/FooInput" })),
                "responses": {
                    "201": answered(json!({ "$ref": "#/components/schemas/Foo" })),
                    "400": answered(json!({ "$ref": "#/components/schemas/Error" })),
                },
            },
        } },
        "components": { "schemas": {
            "Foo": whole,
            "FooInput": input,
            "Error": { "type": "object", "required": ["code"], "properties": { "code": { "type": "string" } } },
        } },
    })
}

fn answered(schema: Value) -> Value {
    json!({ "description": "Done.", "content": { "application/json": { "schema": schema } } })
}

fn body(schema: Value) -> Value {
    json!({ "content": { "application/json": { "schema": schema } } })
}

/// `base`, with changes by JSON pointer; null removes. `GET` and `POST` stand for the operations.
fn changed(style: ApiStyle, changes: &[(&str, Value)]) -> Value {
    let mut document = base(style);
    let path = prefix(style).replace('/', "~1");
    for (pointer, value) in changes {
        let pointer = pointer.replace("GET", &format!("/paths/{path}~1foos/get"));
        let pointer = pointer.replace("POST", &format!("/paths/{path}~1foos/post"));
        let pointer = pointer.replace("SCHEMAS", "/components/schemas");
        let (around, key) = pointer.rsplit_once('/').unwrap();
        let key = key.replace("~1", "/");
        match document
            .pointer_mut(around)
            .unwrap_or_else(|| panic!("{pointer}"))
        {
            Value::Array(all) => all.push(value.clone()),
            Value::Object(map) if value.is_null() => drop(map.remove(&key).unwrap()),
            Value::Object(map) => drop(map.insert(key, value.clone())),
            _ => panic!("{pointer}"),
        }
    }
    document
}

type Changes<'a> = &'a [(&'a str, Value)];

struct RestPairs {
    style: ApiStyle,
    all: Vec<RulePair>,
}

impl RestPairs {
    fn surfaces(&self, (old, new): (Changes<'_>, Changes<'_>)) -> (ReleaseSurface, ReleaseSurface) {
        (
            rest(OLD, self.style, &changed(self.style, old)),
            rest(NEW, self.style, &changed(self.style, new)),
        )
    }

    fn add(
        &mut self,
        rule: ReleaseRule,
        about: &'static str,
        obeys: (Changes<'_>, Changes<'_>),
        breaks: (Changes<'_>, Changes<'_>),
    ) {
        self.all.push(RulePair {
            rule,
            area: SurfaceArea::from(self.style),
            about,
            obeys: self.surfaces(obeys),
            breaks: self.surfaces(breaks),
        });
    }
}

pub(super) fn pairs(style: ApiStyle) -> Vec<RulePair> {
    let mut pairs = RestPairs {
        style,
        all: Vec::new(),
    };
    new_operations(&mut pairs);
    answers(&mut pairs);
    requests(&mut pairs);
    deprecations(&mut pairs);
    pairs.all
}

fn new_operations(pairs: &mut RestPairs) {
    let style = pairs.style;
    let path = format!("/paths/{}~1bars", prefix(style).replace('/', "~1"));
    let bars = |parameters: &[&str], schema: Value| {
        let query =
            |name: &&str| json!({ "name": name, "in": "query", "schema": { "type": "string" } });
        let parameters: Vec<Value> = parameters.iter().map(query).collect();
        json!({ "get": { "parameters": parameters, "responses": { "200": answered(schema) } } })
    };
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let wrapped = json!({ "type": "object", "properties": { "bars": texts } });
    pairs.add(
        ReleaseRule::ObjectAnswer,
        "a list of texts",
        (&[], &[(&path, bars(&[], wrapped))]),
        (&[], &[(&path, bars(&[], texts))]),
    );
    let foos = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Foo" } });
    let (sent, fields): (&[&str], &[&str]) = match style {
        ApiStyle::Webapi => (&["pageSize", "pageToken"], &["nextPageToken"]),
        _ => (
            &["page", "pageSize"],
            &["page", "pageSize", "pageCount", "resultTotal"],
        ),
    };
    let list = if style == ApiStyle::Webapi {
        "items"
    } else {
        "values"
    };
    let mut properties = json!({ list: foos });
    for name in fields {
        properties[name] = json!({ "type": "string" });
    }
    let paged = json!({ "type": "object", "properties": properties });
    let unpaged = json!({ "type": "object", "properties": { list: foos } });
    let mut bounded = bars(&[], unpaged.clone());
    bounded["get"]["x-bounded"] = json!("there are as many as servers");
    pairs.add(
        ReleaseRule::PagedList,
        "a list of objects",
        (&[], &[(&path, bars(sent, paged.clone()))]),
        (&[], &[(&path, bars(sent, unpaged))]),
    );
    pairs.add(
        ReleaseRule::PagedList,
        "a list that takes no size",
        (&[], &[(&path, bounded)]),
        (&[], &[(&path, bars(&[], paged))]),
    );
    if style == ApiStyle::Webapi {
        let one = bars(&[], json!({ "type": "object" }));
        for (about, fine, wrong) in [
            (
                "no version",
                "/paths/~1v1~1webapi~1bars",
                "/paths/~1webapi~1bars",
            ),
            (
                "no version before it",
                "/paths/~1v2~1webapi~1foos",
                "/paths/~1v2~1webapi~1bars",
            ),
            (
                "a version too far",
                "/paths/~1v2~1webapi~1foos",
                "/paths/~1v3~1webapi~1foos",
            ),
        ] {
            let (fine, wrong) = ([(fine, one.clone())], [(wrong, one.clone())]);
            pairs.add(
                ReleaseRule::VersionedRoute,
                about,
                (&[], &fine),
                (&[], &wrong),
            );
        }
    }
}

fn answers(pairs: &mut RestPairs) {
    let gone: Changes<'_> = &[("GET", Value::Null)];
    pairs.add(
        ReleaseRule::OperationStays,
        "in time, and undeclared",
        (&[("GET/x-deprecated", due())], gone),
        (&[], gone),
    );
    pairs.add(
        ReleaseRule::OperationStays,
        "in time, and too early",
        (&[("GET/x-deprecated", due())], gone),
        (&[("GET/x-deprecated", sound())], gone),
    );
    pairs.add(
        ReleaseRule::AnswerStays,
        "another status",
        (&[], &[("GET/responses/404", answered(json!({})))]),
        (
            &[],
            &[("GET/responses/202", json!({ "description": "Begun." }))],
        ),
    );
    pairs.add(
        ReleaseRule::AnswerStays,
        "no body",
        (&[], &[]),
        (
            &[],
            &[("POST/responses/201", json!({ "description": "Done." }))],
        ),
    );
    let name: &str = "SCHEMAS/Foo/properties/size";
    pairs.add(
        ReleaseRule::FieldStays,
        "in time, and undeclared",
        (
            &[("SCHEMAS/Foo/properties/size/x-deprecated", due())],
            &[(name, Value::Null)],
        ),
        (&[], &[(name, Value::Null)]),
    );
    pairs.add(
        ReleaseRule::FieldStays,
        "a field of errors",
        (
            &[],
            &[("SCHEMAS/Error/properties/more", json!({ "type": "string" }))],
        ),
        (
            &[("SCHEMAS/Error/properties/more", json!({ "type": "string" }))],
            &[],
        ),
    );
    pairs.add(
        ReleaseRule::FieldStaysPopulated,
        "a field that is left out sometimes",
        (&[], &[("SCHEMAS/Foo/required", json!(["name", "size"]))]),
        (&[], &[("SCHEMAS/Foo/required", json!([]))]),
    );
    for (about, fine, wrong) in [
        (
            "a type",
            json!({ "type": "integer", "description": "How large" }),
            json!({ "type": "string" }),
        ),
        (
            "a null",
            json!({ "type": "integer" }),
            json!({ "type": ["integer", "null"] }),
        ),
        (
            "anything",
            json!({ "type": "integer", "minimum": 0 }),
            json!({}),
        ),
        (
            "a list",
            json!({ "type": "integer" }),
            json!({ "type": "array", "items": { "type": "integer" } }),
        ),
    ] {
        let (fine, wrong) = ([(name, fine)], [(name, wrong)]);
        pairs.add(
            ReleaseRule::FieldKeepsType,
            about,
            (&[], &fine),
            (&[], &wrong),
        );
    }
    let color = "SCHEMAS/Foo/properties/color/enum";
    pairs.add(
        ReleaseRule::FieldKeepsType,
        "values of answers",
        (&[], &[(color, json!(["red"]))]),
        (&[], &[(color, json!(["red", "green", "blue"]))]),
    );
    let tags = "SCHEMAS/Foo/properties/tags/additionalProperties";
    pairs.add(
        ReleaseRule::FieldKeepsType,
        "values of a map",
        (&[], &[]),
        (&[], &[(tags, json!({ "type": "integer" }))]),
    );
}

fn requests(pairs: &mut RestPairs) {
    let color = "SCHEMAS/FooInput/properties/color/enum";
    pairs.add(
        ReleaseRule::FieldKeepsType,
        "values of requests",
        (&[], &[(color, json!(["red", "green", "blue"]))]),
        (&[], &[(color, json!(["red"]))]),
    );
    let length = "SCHEMAS/FooInput/properties/name/maxLength";
    pairs.add(
        ReleaseRule::FieldKeepsType,
        "a limit",
        (&[], &[(length, json!(200))]),
        (&[], &[(length, json!(50))]),
    );
    let query =
        |name: &str| json!({ "name": name, "in": "query", "schema": { "type": "boolean" } });
    let with = |mut parameter: Value, key: &str, value: Value| {
        parameter[key] = value;
        parameter
    };
    let only = query("connectedOnly");
    pairs.add(
        ReleaseRule::NoNewRequiredField,
        "a new parameter",
        (
            &[],
            &[(
                "GET/parameters/-",
                with(only.clone(), "x-ignorable", json!(true)),
            )],
        ),
        (
            &[],
            &[(
                "GET/parameters/-",
                with(only.clone(), "required", json!(true)),
            )],
        ),
    );
    pairs.add(
        ReleaseRule::NoNewRequiredField,
        "an optional field that is needed now",
        (&[], &[("SCHEMAS/FooInput/required", json!([]))]),
        (
            &[],
            &[("SCHEMAS/FooInput/required", json!(["name", "color"]))],
        ),
    );
    let says = json!("all of them are listed");
    pairs.add(
        ReleaseRule::NewFieldIgnorable,
        "a new parameter",
        (
            &[],
            &[("GET/parameters/-", with(only.clone(), "x-ignorable", says))],
        ),
        (&[], &[("GET/parameters/-", only)]),
    );
    let field = "SCHEMAS/FooInput/properties/note";
    pairs.add(
        ReleaseRule::NewFieldIgnorable,
        "a new field of the body",
        (
            &[],
            &[(field, json!({ "type": "string", "x-ignorable": true }))],
        ),
        (&[], &[(field, json!({ "type": "string" }))]),
    );
    let color = "SCHEMAS/FooInput/properties/color";
    pairs.add(
        ReleaseRule::RequestFieldStays,
        "a field of the body",
        (
            &[("SCHEMAS/FooInput/properties/color/x-deprecated", due())],
            &[(color, Value::Null)],
        ),
        (&[], &[(color, Value::Null)]),
    );
    pairs.add(
        ReleaseRule::RequestFieldStays,
        "a parameter",
        (
            &[(
                "GET/parameters/0",
                with(query("old"), "x-deprecated", due()),
            )],
            &[],
        ),
        (&[("GET/parameters/0", query("old"))], &[]),
    );
}

fn deprecations(pairs: &mut RestPairs) {
    let early =
        json!({ "since": "0.2.0", "lastUsedIn": "0.2.0", "removedIn": "0.3.0", "instead": "x" });
    for (about, wrong) in [
        ("too early", early),
        ("no releases", json!({ "instead": "x" })),
        (
            "since a later release",
            json!({ "since": "0.3.0", "lastUsedIn": "0.2.0", "removedIn": "0.4.0", "instead": "x" }),
        ),
        (
            "no day",
            json!({ "since": "0.2.0", "lastUsedIn": "0.1.0", "removedIn": "0.99.0", "instead": "x" }),
        ),
    ] {
        for place in [
            "GET/x-deprecated",
            "SCHEMAS/Foo/properties/size/x-deprecated",
        ] {
            let (fine, wrong) = ([(place, sound())], [(place, wrong.clone())]);
            pairs.add(
                ReleaseRule::DeprecationSound,
                about,
                (&[], &fine),
                (&[], &wrong),
            );
        }
    }
    pairs.add(
        ReleaseRule::DeprecationSound,
        "deprecated without releases",
        (&[], &[]),
        (&[], &[("GET/deprecated", json!(true))]),
    );
    let place = "SCHEMAS/Foo/properties/size/x-deprecated";
    pairs.add(
        ReleaseRule::RemovalDue,
        "a field whose time has come",
        (&[], &[(place, sound())]),
        (&[(place, due())], &[(place, due())]),
    );
    pairs.add(
        ReleaseRule::RemovalDue,
        "an operation whose time has come",
        (&[], &[("GET/x-deprecated", sound())]),
        (&[], &[("GET/x-deprecated", due())]),
    );
}
