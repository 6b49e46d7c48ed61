//! What is hidden from a caller answers as what there is not: every route, and every way to name a
//! version.

use crate::events::Events;
use crate::hidden_types::{ALL, Swap, TYPE, VERSION, swapped, told};
use crate::visit::v1;
use crate::walk::{ROUTES, Things, body};
use crate::world::{Reply, World};
use serde_json::{Value, json};

/// One request: a method, a path, headers and a body.
struct Request {
    method: String,
    path: String,
    header: Option<(&'static str, String)>,
    body: Option<String>,
}

impl Request {
    fn of_route(route: &str, things: &Things) -> Self {
        let (method, pattern) = route.split_once(' ').unwrap();
        let writes = matches!(method, "POST" | "PUT" | "PATCH");
        Self {
            method: method.to_owned(),
            path: v1(&things.path(pattern)),
            header: None,
            body: writes.then(|| body(route, things).to_string()),
        }
    }

    fn new(method: &str, path: &str, body: Value) -> Self {
        Self {
            method: method.to_owned(),
            path: v1(path),
            header: None,
            body: (!body.is_null()).then(|| body.to_string()),
        }
    }

    fn saying(mut self, name: &'static str, value: &str) -> Self {
        self.header = Some((name, value.to_owned()));
        self
    }

    fn mentions(&self, swap: &Swap) -> bool {
        let header = self.header.as_ref().map_or("", |(_, value)| value);
        let texts = [&self.path, self.body.as_deref().unwrap_or_default(), header];
        let mut words = swap.hidden.iter().map(|(from, _)| from);
        words.any(|word| texts.iter().any(|text| text.contains(word)))
    }

    fn send(&self, world: &World, token: &str, with: &[(&str, &str)]) -> Reply {
        let mut sending = world.sending(&self.method, &swapped(&self.path, with));
        if let Some(body) = &self.body {
            let body: Value = serde_json::from_str(&swapped(body, with)).unwrap();
            sending = sending.json(&body);
        }
        if let Some((name, value)) = &self.header {
            sending = sending.header(name, &swapped(value, with));
        }
        sending.by(token).send()
    }
}

/// What no route's own request says of versions.
fn by_hand(revision: &str) -> Vec<Request> {
    let spec = json!({"image": "x"});
    let at =
        json!({"version": "v1", "metadata": {"name": "web", "revision": revision}, "spec": spec});
    let new = json!({"version": "1.0.0", "metadata": {"name": "new"}, "spec": spec});
    let mask = json!({"version": "v1", "mask": ["spec.image"], "spec": spec});
    let get = |path: &str| Request::new("GET", path, Value::Null);
    vec![
        get("/resources/app?version=1.0.0"),
        get("/resources/app?version=v1.0"),
        get("/resources/app?storedVersion=1.0.0&count=true"),
        get("/resources/app/web?version=1.0.0"),
        get("/resources/app/web/history?version=1.0.0"),
        get("/resources/app/web").saying("coeval-accept", "app=1.0.0"),
        get("/resources/app").saying("coeval-accept", "acme:app=1.0.0"),
        Request::new("POST", "/resources/app", new.clone()),
        Request::new("PUT", "/resources/app/new?upsert=true", new),
        Request::new("PUT", "/resources/app/web", at.clone()),
        Request::new("PUT", "/resources/app/web?upsert=true", at.clone()),
        Request::new("PUT", "/resources/app/web", at).saying("coeval-force", "true"),
        Request::new("PATCH", "/resources/app/web", mask),
        Request::new(
            "POST",
            "/resources/app/web/upgrade",
            json!({"version": "1.0.0"}),
        ),
        Request::new(
            "POST",
            "/resources/app/upgrade?filter=name==*",
            json!({"version": "1.0.0", "dryRun": true}),
        ),
        Request::new(
            "POST",
            "/resources/acme:app/upgrade?filter=name==*&version=1.0.0",
            json!({"dryRun": true}),
        ),
        Request::new(
            "POST",
            "/types/acme:app/migrations",
            json!({"from": "1.0.0", "to": "1.1.0", "dryRun": true}),
        ),
        get("/resources/acme:app"),
        get("/resources/acme:app/web"),
        get("/resources/app/web/access?action=read"),
        get("/watch/acme:app"),
    ]
}

/// A watch has no end, so that it is not part of the walk: what it tells of one change is compared.
fn watches_at_a_hidden_version(world: &World, alice: &str, admin: &str) {
    let mut open = Vec::new();
    for version in ["8.0.0", "9.0.0"] {
        let path = format!("/watch/app?version={version}");
        let mut events = Events::open(world, 0, alice, &path, &[]);
        assert_eq!(events.status, 200, "{}", events.head);
        assert_eq!(events.next().unwrap().name, "live");
        open.push(events);
    }
    let spec = json!({"image": "web:1"});
    let new = json!({"version": "v1", "metadata": {"name": "watched", "namespace": "acme"}, "spec": spec});
    let made = world.tell(admin, "POST", "/resources/app?namespace=acme", &new);
    assert_eq!(made.status, 201, "{made:?}");
    let told = open.iter_mut().map(|events| {
        let text = events.changes().data["changes"].to_string();
        text.replace("9.0.0", "8.0.0").replace("v9", "v8")
    });
    let told: Vec<String> = told.collect();
    assert_eq!(told[0], told[1]);
    assert!(!told[0].contains("secretMode"), "{told:?}");
}

pub(crate) fn what_is_hidden_answers_as_what_there_is_not(mut world: World) {
    world.add_app();
    let (admin, alice) = (
        world.enter("administrator@System"),
        world.enter("alice@acme"),
    );
    let bob = world.enter("bob@acme");
    let mut things = Things::new(&world, &admin, &alice);
    let own = world.look(&alice, &format!("/resources/app/{}", things.resource));
    let hidden = world.add_hidden(&admin);
    // Somebody else wrote at the hidden version: something of it is kept.
    let revision = own["metadata"]["revision"].as_str().unwrap();
    let at = json!({"version": "8.0.0", "spec": {"image": "web:1", "secretMode": "bright"},
        "metadata": {"name": "web", "namespace": "acme", "revision": revision}});
    let path = format!("/resources/app/{}", things.resource);
    let written = world.tell(&admin, "PUT", &path, &at);
    assert_eq!(written.status, 200, "{written:?}");
    let own = world.look(&alice, &path);
    assert_eq!(own["spec"], json!({"image": "web:1"}), "as 1.0.0 shows it");
    assert_eq!(own["leftOut"], json!([]));
    let revision = own["metadata"]["revision"].as_str().unwrap().to_owned();
    // The hidden resource's id is that of one of the same kind as what is asked for.
    let uuid = |id: &str| id.rsplit(':').next().unwrap().to_owned();
    let known = things.resource.clone();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for swap in ALL {
        things.resource = if swap.hidden == TYPE.hidden {
            known.replace(&uuid(&known), &uuid(&hidden))
        } else {
            known.clone()
        };
        let routes = ROUTES.iter().filter(|(_, route)| {
            // One of an own kind that never ends.
            !(route.contains("/watch/") && swap.hidden == VERSION.hidden)
        });
        let mut all: Vec<_> = routes
            .map(|(_, route)| Request::of_route(route, &things))
            .collect();
        all.extend(by_hand(&revision));
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
    watches_at_a_hidden_version(&world, &alice, &admin);
    let still = world.look(&alice, &path);
    assert_eq!(
        still["metadata"]["revision"],
        json!(revision),
        "nobody changed it"
    );
}
