//! For each step: schemas between which it is right, and schemas between which it is not.

use super::{ConversionFit, Pair, object};
use serde_json::{Value, json};

fn string() -> Value {
    json!({"type": "string"})
}

fn integer() -> Value {
    json!({"type": "integer"})
}

#[test]
fn rename() {
    let steps = json!([{"rename": {"path": "/img", "to": "image"}}]);
    Pair::open(
        json!({"img": string()}),
        json!({"image": string()}),
        steps.clone(),
    )
    .fits();
    let pair = Pair::open(json!({"img": string()}), json!({"image": integer()}), steps);
    pair.breaks_forward(json!({"img": ""}), json!({"image": ""}), "/image");
    pair.breaks_backward(json!({"image": 0}), json!({"img": 0}), "/img");
}

#[test]
fn a_field_that_is_required_in_an_optional_object_is_required_under_its_new_name() {
    let spec = |name: &str| {
        object(
            json!({"spec": {"type": "object", "properties": {name: string()}, "required": [name]}}),
        )
    };
    let steps = json!([{"rename": {"path": "/spec/img", "to": "image"}}]);
    Pair::of(spec("img"), spec("image"), steps).fits();
}

#[test]
fn move_to_another_place() {
    let old = || json!({"type": "object", "properties": {"cidr": string()}, "required": ["cidr"]});
    let net = |required: Value| {
        let net = json!({"type": "object", "properties": {"cidr": string()}, "required": required});
        json!({"type": "object", "properties": {"net": net}, "required": ["net"]})
    };
    let steps = json!([{"move": {"from": "/cidr", "to": "/net/cidr"}}]);
    Pair::of(old(), net(json!(["cidr"])), steps.clone()).fits();
    let pair = Pair::of(old(), net(json!([])), steps);
    pair.fits_forward();
    pair.breaks_backward(json!({"net": {}}), json!({}), "/cidr");
}

#[test]
fn an_object_that_is_made_for_a_field_has_it() {
    let net = json!({"type": "object", "properties": {"cidr": string()}, "required": ["cidr"]});
    let steps = json!([{"move": {"from": "/cidr", "to": "/net/cidr"}}]);
    Pair::open(json!({"cidr": string()}), json!({"net": net}), steps).fits();
}

#[test]
fn add() {
    let new = |schema: Value| json!({"type": "object", "properties": {"gpu": schema}, "required": ["gpu"]});
    let steps = |value: Value| json!([{"add": {"path": "/gpu", "value": value}}]);
    Pair::of(object(json!({})), new(integer()), steps(json!(0))).fits();
    let pair = Pair::of(object(json!({})), new(integer()), steps(json!("none")));
    pair.breaks_forward(json!({}), json!({"gpu": "none"}), "/gpu");
    let pair = Pair::of(
        object(json!({})),
        new(integer()),
        json!([{"add": {"path": "/gpu"}}]),
    );
    pair.breaks_forward(json!({}), json!({}), "/gpu");
}

#[test]
fn remove() {
    let old = || json!({"type": "object", "properties": {"old": string()}, "required": ["old"]});
    let steps = |value: Value| json!([{"remove": {"path": "/old", "value": value}}]);
    Pair::of(old(), object(json!({})), steps(json!("none"))).fits();
    let pair = Pair::of(old(), object(json!({})), steps(json!(5)));
    pair.fits_forward();
    pair.breaks_backward(json!({}), json!({"old": 5}), "/old");
}

#[test]
fn copy() {
    let steps = json!([{"copy": {"from": "/image", "to": "/img"}}]);
    let both = |schema: Value| json!({"img": string(), "image": schema});
    Pair::open(json!({"img": string()}), both(string()), steps.clone()).fits();
    let pair = Pair::open(json!({"img": string()}), both(integer()), steps);
    pair.breaks_forward(
        json!({"img": ""}),
        json!({"img": "", "image": ""}),
        "/image",
    );
    pair.breaks_backward(json!({"image": 0}), json!({"img": 0}), "/img");
}

#[test]
fn wrap() {
    let list = |items: Value| json!({"zone": {"type": "array", "items": items}});
    let steps = json!([{"wrap": {"path": "/zone"}}]);
    Pair::open(json!({"zone": string()}), list(string()), steps.clone()).fits();
    let pair = Pair::open(json!({"zone": string()}), list(integer()), steps.clone());
    pair.breaks_forward(json!({"zone": ""}), json!({"zone": [""]}), "/zone/0");
    // An empty list has no first item.
    let mut old = object(json!({"zone": string()}));
    old["required"] = json!(["zone"]);
    let mut new = object(list(string()));
    new["required"] = json!(["zone"]);
    let pair = Pair::of(old, new, steps);
    pair.fits_forward();
    pair.breaks_backward(json!({"zone": []}), json!({}), "/zone");
}

#[test]
fn unwrap() {
    let list = json!({"zone": {"type": "array", "items": string(), "minItems": 1}});
    let steps = json!([{"unwrap": {"path": "/zone"}}]);
    Pair::open(list.clone(), json!({"zone": string()}), steps.clone()).fits();
    let pair = Pair::open(list, json!({"zone": integer()}), steps);
    pair.breaks_forward(json!({"zone": [""]}), json!({"zone": ""}), "/zone");
}

#[test]
fn nest() {
    let flat = |required: Value| {
        let properties = json!({"host": string(), "port": integer()});
        json!({"type": "object", "properties": properties, "required": required})
    };
    let nested = |required: Value, outer: Value| {
        let server = flat(required);
        json!({"type": "object", "properties": {"server": server}, "required": outer})
    };
    let steps = json!([{"nest": {"paths": ["/host", "/port"], "under": "/server"}}]);
    let all = json!(["host"]);
    let server = json!(["server"]);
    Pair::of(
        flat(all.clone()),
        nested(all.clone(), server),
        steps.clone(),
    )
    .fits();
    Pair::of(flat(json!([])), nested(json!([]), json!([])), steps.clone()).fits();
    let pair = Pair::of(flat(json!([])), nested(all, json!([])), steps);
    pair.breaks_forward(
        json!({"port": 0}),
        json!({"server": {"port": 0}}),
        "/server/host",
    );
}

#[test]
fn unnest() {
    let server = json!({"type": "object", "properties": {"host": string()}, "required": ["host"]});
    let old = json!({"type": "object", "properties": {"server": server}, "required": ["server"]});
    let new = json!({"type": "object", "properties": {"host": string()}, "required": ["host"]});
    let steps = json!([{"unnest": {"path": "/server"}}]);
    Pair::of(old.clone(), new, steps.clone()).fits();
    let pair = Pair::of(old, object(json!({"host": string()})), steps);
    pair.fits_forward();
    pair.breaks_backward(json!({}), json!({}), "/server");
}

#[test]
fn map() {
    let sizes = |values: Value| json!({"size": {"enum": values}});
    let table = json!({"small": "S", "large": "L"});
    let steps = json!([{"map": {"path": "/size", "table": table}}]);
    let old = || sizes(json!(["small", "large"]));
    Pair::open(old(), sizes(json!(["S", "L"])), steps.clone()).fits();
    let pair = Pair::open(old(), sizes(json!(["S", "M"])), steps);
    pair.breaks_forward(json!({"size": "large"}), json!({"size": "L"}), "/size");
    // M has no counterpart: it is refused, and that is no error.
    pair.fits_backward();
    assert_eq!(pair.backward.class.words(), "may refuse");
}

#[test]
fn an_enum_is_narrowed_with_a_table_and_not_without() {
    let sizes = |values: Value| json!({"size": {"type": "string", "enum": values}});
    let (old, new) = (json!(["S", "M", "L"]), json!(["S", "L"]));
    let table = json!({"S": "S", "L": "L"});
    let steps = json!([{"map": {"path": "/size", "table": table, "otherwise": "L"}}]);
    Pair::open(sizes(old.clone()), sizes(new.clone()), steps).fits();
    let pair = Pair::open(sizes(old), sizes(new), json!([]));
    pair.breaks_forward(json!({"size": "M"}), json!({"size": "M"}), "/size");
    pair.fits_backward();
}

#[test]
fn convert() {
    let steps = json!([{"convert": {"path": "/port", "to": "integer"}}]);
    Pair::open(
        json!({"port": string()}),
        json!({"port": integer()}),
        steps.clone(),
    )
    .fits();
    let low = json!({"port": {"type": "integer", "maximum": 65535}});
    let pair = Pair::open(json!({"port": string()}), low, steps);
    pair.fits_backward();
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn scale() {
    let of = |least: i64, most: i64| json!({"memory": {"type": "integer", "minimum": least, "maximum": most}});
    let steps = json!([{"scale": {"path": "/memory", "by": 1024}}]);
    Pair::open(of(1, 8), of(1024, 8192), steps.clone()).fits();
    let pair = Pair::open(of(1, 8), of(1024, 4096), steps);
    pair.fits_backward();
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn split() {
    let parts = |host: Value, port: Value, required: Value| {
        let properties = json!({"host": host, "port": port});
        json!({"type": "object", "properties": properties, "required": required})
    };
    let old =
        || json!({"type": "object", "properties": {"address": string()}, "required": ["address"]});
    let split = json!({"path": "/address", "at": ":", "into": ["/host", "/port"]});
    let steps = json!([{"split": split}]);
    Pair::of(
        old(),
        parts(string(), string(), json!(["host"])),
        steps.clone(),
    )
    .fits();
    let both = parts(string(), string(), json!(["host", "port"]));
    let pair = Pair::of(old(), both, steps.clone());
    pair.breaks_forward(json!({"address": ""}), json!({"host": ""}), "/port");
    pair.fits_backward();
    let listed = json!({"type": "object", "required": ["address"],
        "properties": {"address": {"enum": ["a:1", "b:2"]}}});
    let both = parts(
        json!({"enum": ["a", "b"]}),
        string(),
        json!(["host", "port"]),
    );
    Pair::of(listed, both, steps).fits_forward();
}

#[test]
fn join() {
    let join = json!({"paths": ["/major", "/minor"], "with": ".", "into": "/version"});
    let steps = json!([{"join": join}]);
    let old = || json!({"major": string(), "minor": string()});
    Pair::open(old(), json!({"version": string()}), steps.clone()).fits();
    let short = json!({"version": {"type": "string", "maxLength": 2}});
    let pair = Pair::open(old(), short, steps);
    pair.fits_backward();
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn pick() {
    let item = json!({
        "type": "object", "required": ["name", "value"],
        "properties": {"name": string(), "value": string()},
    });
    let env = json!({"type": "array", "items": item});
    let pick = json!({
        "path": "/env", "key": "name", "equals": "HOME", "field": "value", "into": "/home",
    });
    let steps = json!([{"pick": pick}]);
    let new = |home: Value| json!({"env": env.clone(), "home": home});
    Pair::open(json!({"env": env.clone()}), new(string()), steps.clone()).fits();
    let pair = Pair::open(json!({"env": env.clone()}), new(integer()), steps);
    pair.breaks_backward(
        json!({"home": 0}),
        json!({"env": [{"name": "HOME", "value": 0}]}),
        "/env/0/value",
    );
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn keyed() {
    let item = |extra: Value| {
        let mut properties = json!({"size": integer()});
        properties
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        json!({"type": "object", "properties": properties, "required": ["size"]})
    };
    let list = json!({"nodes": {"type": "array", "items": item(json!({"name": string()}))}});
    let map = |item: Value| json!({"nodes": {"type": "object", "additionalProperties": item}});
    let steps = json!([{"keyed": {"path": "/nodes", "key": "name"}}]);
    Pair::open(list.clone(), map(item(json!({}))), steps.clone()).fits();
    let pair = Pair::open(
        list,
        map(json!({"type": "object", "properties": {"size": string()}})),
        steps,
    );
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
    assert!(
        matches!(pair.backward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.backward.fit
    );
}

#[test]
fn parse() {
    let steps = json!([{"parse": {"path": "/config"}}]);
    Pair::open(
        json!({"config": string()}),
        json!({"config": {}}),
        steps.clone(),
    )
    .fits();
    let pair = Pair::open(
        json!({"config": string()}),
        json!({"config": {"type": "object"}}),
        steps,
    );
    pair.fits_backward();
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn each() {
    let nodes = |name: &str, schema: Value| {
        let item = json!({"type": "object", "properties": {name: schema}, "required": [name]});
        json!({"nodes": {"type": "array", "items": item}})
    };
    let inner = json!([{"rename": {"path": "/cpu", "to": "cores"}}]);
    let steps = json!([{"each": {"path": "/nodes", "steps": inner}}]);
    Pair::open(
        nodes("cpu", integer()),
        nodes("cores", integer()),
        steps.clone(),
    )
    .fits();
    let pair = Pair::open(nodes("cpu", integer()), nodes("cores", string()), steps);
    pair.breaks_forward(
        json!({"nodes": [{"cpu": 0}]}),
        json!({"nodes": [{"cores": 0}]}),
        "/nodes/0/cores",
    );
}

#[test]
fn when() {
    let old = || {
        json!({"type": "object", "required": ["kind", "size"], "properties": {
            "kind": {"enum": ["vm", "disk"]}, "size": integer(),
        }})
    };
    let new = |disk: Value| {
        object(json!({
            "kind": {"enum": ["vm", "disk"]}, "memory": integer(), "capacity": disk,
        }))
    };
    let steps = json!([{"when": {
        "path": "/kind", "is": "vm",
        "steps": [{"rename": {"path": "/size", "to": "memory"}}],
        "otherwise": [{"rename": {"path": "/size", "to": "capacity"}}],
    }}]);
    Pair::of(old(), new(integer()), steps.clone()).fits_forward();
    let pair = Pair::of(old(), new(string()), steps);
    pair.breaks_forward(
        json!({"kind": "disk", "size": 0}),
        json!({"kind": "disk", "capacity": 0}),
        "/capacity",
    );
}

#[test]
fn when_the_type_tells() {
    let port = |schema: Value| json!({"port": schema});
    let steps = json!([{"when": {
        "path": "/port", "is": {"type": "string"},
        "steps": [{"convert": {"path": "/port", "to": "integer"}}],
    }}]);
    let either = json!({"type": ["string", "integer"]});
    Pair::open(port(either.clone()), port(integer()), steps.clone()).fits();
    let pair = Pair::open(
        port(json!({"type": ["string", "boolean"]})),
        port(integer()),
        steps,
    );
    pair.breaks_forward(json!({"port": false}), json!({"port": false}), "/port");
}
