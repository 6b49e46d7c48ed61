//! What is hidden from a caller answers as what there is not: every route of the RDE API, and every
//! way to name a version.

use crate::hidden_types::{ALL, Swap, swapped, told};
use crate::stage::at;
use crate::walk::{ROUTES, Things, body};
use crate::world::{Reply, World};
use serde_json::{Value, json};

const BASE: &str = "/cloudapi/1.0.0";

/// One request: a method, a path, a header and a body.
struct Request {
    method: String,
    path: String,
    accept: Option<String>,
    body: Option<String>,
}

impl Request {
    fn new(method: &str, path: &str, body: Option<Value>) -> Self {
        Self {
            method: method.to_owned(),
            // That of the API is no version of a type.
            path: path.replace(BASE, "BASE"),
            accept: None,
            body: body.map(|body| body.to_string()),
        }
    }

    fn mentions(&self, swap: &Swap) -> bool {
        let accept = self.accept.as_deref().unwrap_or_default();
        let texts = [&self.path, self.body.as_deref().unwrap_or_default(), accept];
        let mut words = swap.hidden.iter().map(|(from, _)| from);
        words.any(|word| texts.iter().any(|text| text.contains(word)))
    }

    fn send(&self, world: &World, token: &str, with: &[(&str, &str)]) -> Reply {
        let path = swapped(&self.path, with).replace("BASE", BASE);
        let mut sending = world.sending(&self.method, &path);
        if let Some(body) = &self.body {
            let body: Value = serde_json::from_str(&swapped(body, with)).unwrap();
            sending = sending.json(&body);
        }
        if let Some(accept) = &self.accept {
            sending = sending.header("coeval-accept", &swapped(accept, with));
        }
        sending.by(token).send()
    }
}

/// What no route's own request says of versions.
fn by_hand(entity: &str) -> Vec<Request> {
    let get = |path: String| Request::new("GET", &path, None);
    let lists = "/cloudapi/1.0.0/entities/types";
    let one = json!({"name": "web", "entity": {"image": "x"}});
    let to = json!({"name": "web", "entity": {"image": "x"}, "entityType": "urn:vcloud:type:acme:app:1.0.0"});
    let mut accepting = get(at(entity));
    accepting.accept = Some("acme:app=1.0.0".to_owned());
    vec![
        get(format!("{}?acceptType=1.0.0", at(entity))),
        get(format!(
            "{}?acceptType=urn:vcloud:type:acme:app:1.0.0",
            at(entity)
        )),
        get(format!("{}?entityVersion=1.0.0", at(entity))),
        get(format!("{lists}/acme/app/1?acceptType=1.0.0")),
        get(format!("{lists}/acme/app?entityVersion=1.0.0")),
        get(format!("{lists}/acme/app/1.0.0?pageSize=0")),
        Request::new(
            "PUT",
            &format!("{}?acceptType=1.0.0", at(entity)),
            Some(one),
        ),
        Request::new("PUT", &at(entity), Some(to)),
        accepting,
        Request::new(
            "POST",
            "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.1.0/migrateEntities",
            Some(json!({"targetEntityType": "urn:vcloud:type:acme:app:1.0.0"})),
        ),
    ]
}

pub(crate) fn what_is_hidden_answers_as_what_there_is_not(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let bob = world.login("bob@acme");
    let things = Things::new(&world, &admin, &alice);
    world.add_hidden(&admin);
    let entity = world.make_resolved(&alice, "1.1.0", "second", &json!({"image": "web:1"}));
    let before = world.fetch(&alice, &entity);
    let mut wrong = Vec::new();
    let mut compared = 0;
    for swap in ALL {
        let routes = ROUTES.iter().map(|(_, route)| {
            let (method, pattern) = route.split_once(' ').unwrap();
            let writes = matches!(method, "POST" | "PUT");
            Request::new(method, &things.path(pattern), writes.then(|| body(route)))
        });
        let all: Vec<_> = routes.chain(by_hand(&entity)).collect();
        for request in all.iter().filter(|request| request.mentions(swap)) {
            for (who, token) in [("alice", &alice), ("bob", &bob)] {
                let one = told(&request.send(&world, token, swap.hidden));
                let other = told(&request.send(&world, token, swap.absent));
                compared += 1;
                if one != other || one.contains("not visible") {
                    let Request {
                        method, path, body, ..
                    } = request;
                    wrong.push(format!(
                        "{method} {path} {body:?} by {who}:\n  {one}\n  {other}"
                    ));
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let after = world.fetch(&alice, &entity);
    assert_eq!(before.text, after.text, "nobody changed it");
}
