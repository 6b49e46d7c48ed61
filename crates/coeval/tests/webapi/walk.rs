//! Every route, walked by those who should not get further: without credentials, with ones that
//! have ended, from another tenant, and with too few rights.

use crate::stage::app_files;
use crate::visit::{V1, v1};
use crate::world::{Reply, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Who gets an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Everybody, without a word of who they are.
    All,
    /// Whoever is logged in, about what is their own.
    User,
    /// Administrators of any organization.
    Administrator,
    /// Those of the tenant, and nobody of another.
    Tenant,
    /// The provider alone.
    Provider,
}

use For::{Administrator, All, Provider, Tenant, User};

/// All routes. One that is not here fails the test.
pub(crate) const ROUTES: &[(For, &str)] = &[
    (All, "GET /release"),
    (All, "GET /openapi.json"),
    (All, "POST /sessions"),
    (User, "GET /server"),
    (User, "GET /deprecations"),
    (User, "GET /sessions"),
    (User, "GET /sessions/current"),
    (User, "DELETE /sessions/current"),
    (User, "PUT /sessions/current/password"),
    (Tenant, "DELETE /sessions/{id}"),
    (Tenant, "DELETE /users/{id}/sessions"),
    (User, "POST /tokens"),
    (User, "GET /types"),
    (Provider, "POST /types"),
    (Tenant, "GET /types/{type}"),
    (Tenant, "GET /types/{type}/counts"),
    (Tenant, "GET /types/{type}/versions/{version}"),
    (Provider, "PUT /types/{type}/versions/{version}"),
    (Provider, "DELETE /types/{type}/versions/{version}"),
    (Provider, "PUT /types/{type}/versions/{version}/annotations"),
    (Tenant, "GET /types/{type}/versions/{version}/behaviors"),
    (Tenant, "GET /types/{type}/versions/{version}/acl"),
    (Provider, "POST /types/{type}/versions/{version}/acl"),
    (
        Provider,
        "DELETE /types/{type}/versions/{version}/acl/{member}",
    ),
    (Tenant, "POST /types/{type}/migrations"),
    (User, "GET /interfaces"),
    (Provider, "POST /interfaces"),
    (User, "GET /interfaces/{id}"),
    (Provider, "PATCH /interfaces/{id}"),
    (Provider, "DELETE /interfaces/{id}"),
    (Administrator, "GET /interfaces/{id}/behaviors"),
    (Tenant, "GET /resources/{kind}"),
    (Tenant, "POST /resources/{kind}"),
    (Tenant, "GET /resources/{kind}/{name}"),
    (Tenant, "PUT /resources/{kind}/{name}"),
    (Tenant, "PATCH /resources/{kind}/{name}"),
    (Tenant, "DELETE /resources/{kind}/{name}"),
    (Tenant, "PUT /resources/{kind}/{name}/status"),
    (Tenant, "GET /resources/{kind}/{name}/history"),
    (Tenant, "POST /resources/{kind}/{name}/restore"),
    (Tenant, "POST /resources/{kind}/{name}/upgrade"),
    (Tenant, "POST /resources/{kind}/upgrade"),
    (Tenant, "GET /resources/{kind}/{name}/acl"),
    (Tenant, "POST /resources/{kind}/{name}/acl"),
    (Tenant, "DELETE /resources/{kind}/{name}/acl/{member}"),
    (Tenant, "GET /resources/{kind}/{name}/access"),
    (Tenant, "POST /resources/{kind}/{name}/secrets"),
    (
        Tenant,
        "POST /resources/{kind}/{name}/behaviors/{behavior}/invocations",
    ),
    (Tenant, "GET /watch/{kind}"),
    (User, "GET /tasks"),
    (Tenant, "GET /tasks/{id}"),
    (Tenant, "POST /tasks/{id}/cancel"),
    (Provider, "GET /servers"),
    (Provider, "GET /migrations"),
    (Provider, "POST /migrations"),
    (Provider, "GET /migrations/{type}"),
    (Provider, "PATCH /migrations/{type}"),
    (Provider, "GET /migrations/{type}/plan"),
    (Provider, "GET /migrations/{type}/verify"),
    (Provider, "GET /migrations/{type}/loss"),
    (Provider, "GET /migrations/{type}/failed"),
    (Provider, "POST /migrations/{type}/advance"),
    (Provider, "POST /migrations/{type}/back"),
    (Provider, "POST /migrations/{type}/undo"),
    (Provider, "POST /migrations/{type}/failed/{id}/retry"),
    (User, "GET /organizations"),
    (Provider, "POST /organizations"),
    (Tenant, "GET /organizations/{id}"),
    (Provider, "PATCH /organizations/{id}"),
    (Provider, "DELETE /organizations/{id}"),
    (Administrator, "GET /users"),
    (Administrator, "POST /users"),
    (Tenant, "GET /users/{id}"),
    (Tenant, "PATCH /users/{id}"),
    (Tenant, "DELETE /users/{id}"),
    (Tenant, "PUT /users/{id}/password"),
    (User, "GET /rights"),
    (Administrator, "GET /roles"),
    (Administrator, "POST /roles"),
    (Tenant, "GET /roles/{id}"),
    (Tenant, "PATCH /roles/{id}"),
    (Tenant, "DELETE /roles/{id}"),
    (Provider, "GET /bundles"),
    (Provider, "POST /bundles"),
    (Provider, "GET /bundles/{id}"),
    (Provider, "PATCH /bundles/{id}"),
    (Provider, "DELETE /bundles/{id}"),
    (Provider, "POST /bundles/{id}/publish"),
    (Provider, "POST /bundles/{id}/unpublish"),
    (Administrator, "GET /audit"),
];

/// What there is to be walked to: all of acme's.
pub(crate) struct Things {
    pub(crate) resource: String,
    user: String,
    org: String,
    role: String,
    bundle: String,
    task: String,
    session: String,
}

impl Things {
    pub(crate) fn new(world: &World, admin: &str, alice: &str) -> Self {
        let made = world.app(alice, "v1", "web", &json!({"image": "web:1"}));
        let who = world.look(alice, "/sessions/current");
        let role = json!({"name": "Walked", "rights": []});
        let role = world.tell(alice, "POST", "/roles", &role);
        let bundles = world.look(admin, "/bundles?filter=type==acme:app");
        let migration = json!({"from": "1.0.0", "to": "1.1.0", "dryRun": true});
        let task = world.tell(alice, "POST", "/types/acme:app/migrations", &migration);
        let token = world.tell(alice, "POST", "/tokens", &json!({"name": "walked"}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            resource: text(&made["metadata"]["id"]),
            user: text(&who["user"]["id"]),
            org: text(&who["organization"]["id"]),
            role: text(&role.json["id"]),
            bundle: text(&bundles["items"][0]["id"]),
            task: text(&task.json["id"]),
            session: text(&token.json["id"]),
        }
    }

    pub(crate) fn path(&self, pattern: &str) -> String {
        let id = match pattern.split('/').nth(1).unwrap() {
            "users" => &self.user,
            "organizations" => &self.org,
            "roles" => &self.role,
            "bundles" => &self.bundle,
            "tasks" => &self.task,
            "sessions" => &self.session,
            "migrations" => &self.resource,
            _ => "vmware:k8s:1.0.0",
        };
        pattern
            .replace("{id}", id)
            .replace("{type}", "acme:app")
            .replace("{version}", "1.0.0")
            .replace("{kind}", "app")
            .replace("{name}", &self.resource)
            .replace("{member}", &self.user)
            .replace(
                "{behavior}",
                "urn:vcloud:behavior-interface:x:vmware:k8s:1.0.0",
            )
    }
}

pub(crate) fn body(route: &str, things: &Things) -> Value {
    let (method, path) = route.split_once(' ').unwrap();
    match path.rsplit('/').next().unwrap() {
        "acl" => json!({"member": things.user, "level": "ReadOnly"}),
        "status" => json!({"message": "m"}),
        "upgrade" => json!({"dryRun": true}),
        "annotations" => json!({"deprecated": null}),
        "restore" => json!({"revision": "0123456789abcdef0123456789abcdef"}),
        "migrations" if path.starts_with("/types") => json!({"from": "1.0.0", "to": "1.1.0"}),
        "migrations" => json!({"type": "acme:app"}),
        "{type}" => json!({"paused": true}),
        "advance" | "back" | "undo" | "retry" => json!({}),
        "password" if path.starts_with("/users") => json!({"password": "taken"}),
        "password" => json!({"old": "x", "new": "y"}),
        "publish" | "unpublish" => json!({"all": true}),
        "types" => json!({"file": app_files()[0].replace("app", "walked")}),
        "{version}" => json!({"file": app_files()[0]}),
        "{id}" if path.starts_with("/organizations") => json!({"description": "walked"}),
        "interfaces" => json!({"vendor": "a", "nss": "b", "version": "1.0.0", "name": "n"}),
        "secrets" | "cancel" | "invocations" => json!({}),
        "{kind}" => json!({"version": "v1", "metadata": {"name": "n"}, "spec": {"image": "x"}}),
        "{name}" if method == "PATCH" => json!({"mask": ["spec.image"], "spec": {"image": "x"}}),
        "{name}" => {
            json!({"version": "v1", "spec": {"image": "x"}, "metadata": {"revision": "0123456789abcdef0123456789abcdef"}})
        }
        _ => json!({"name": "walked2"}),
    }
}

fn walk(world: &World, things: &Things, route: &str, token: Option<&str>) -> Reply {
    let (method, pattern) = route.split_once(' ').unwrap();
    let mut path = v1(&things.path(pattern));
    if pattern.starts_with("/resources/{kind}") && !pattern.contains("{name}")
        || pattern.starts_with("/watch")
    {
        path.push_str("?namespace=acme");
    }
    if pattern.ends_with("{kind}/upgrade") {
        path.push_str("&filter=name==*");
    }
    let mut sending = world.sending(method, &path);
    if matches!(method, "POST" | "PUT" | "PATCH") {
        sending = sending.json(&body(route, things));
    }
    if let Some(token) = token {
        sending = sending.by(token);
    }
    sending.send()
}

pub(crate) fn every_route_keeps_out_who_should_not_come_in(mut world: World) {
    world.add_app();
    let (admin, alice) = (
        world.enter("administrator@System"),
        world.enter("alice@acme"),
    );
    let things = Things::new(&world, &admin, &alice);
    let listed: BTreeSet<String> = ROUTES
        .iter()
        .map(|(_, route)| (*route).to_owned())
        .collect();
    let document = world.get(&v1("/openapi.json")).send().json;
    let mut there = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let path = path.strip_prefix(V1).unwrap();
            there.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    assert_eq!(
        listed, there,
        "the list of this test is not that of the routes"
    );
    let ended = world.enter("alice@acme");
    let logout = world.ask(&ended, "DELETE", "/sessions/current").send();
    assert_eq!(logout.status, 204);
    let uuid = things.resource.rsplit(':').next().unwrap();
    let mut wrong = Vec::new();
    for (of, route) in ROUTES {
        let tries: &[(&str, Option<&str>, &[u16])] = match of {
            All => &[("nobody", None, &[200, 400])],
            _ => &[
                ("nobody", None, &[401]),
                ("ended", Some(&ended), &[401]),
                ("made up", Some("cvs_x"), &[401]),
            ],
        };
        for (who, token, statuses) in tries {
            let reply = walk(&world, &things, route, *token);
            if !statuses.contains(&reply.status) {
                wrong.push(format!("{route} by {who}: {} {}", reply.status, reply.text));
            }
        }
        let outsiders: &[&str] = match of {
            All => &[],
            User => &["oscar@other", "bob@acme"],
            Administrator => &["bob@acme"],
            Tenant => &["oscar@other", "bob@acme"],
            Provider => &["oscar@other", "alice@acme", "bob@acme"],
        };
        for who in outsiders {
            // A watch of one's own organization never ends; what it tells is tested elsewhere.
            if *who == "bob@acme" && route.contains("/watch/") {
                continue;
            }
            let token = world.enter(who);
            let reply = walk(&world, &things, route, Some(&token));
            // Everybody of acme knows its own organization, and sees the types and resources that
            // are published to it, as far as rights go.
            let kept_out = [403, 404].contains(&reply.status);
            let allowed = match (of, *who, *route) {
                (User, ..) => {
                    reply.status < 500 && (reply.status != 401 || route.contains("password"))
                }
                (_, "bob@acme", "GET /organizations/{id}") => reply.status == 200,
                // What everybody sees of a type that is published, and of resources nothing.
                (
                    _,
                    _,
                    "GET /types/{type}"
                    | "GET /types/{type}/counts"
                    | "GET /types/{type}/versions/{version}",
                ) => reply.status == 200,
                (_, "oscar@other", "GET /types/{type}/versions/{version}/behaviors") => {
                    reply.status == 200
                }
                (_, _, "GET /types/{type}/versions/{version}/acl") => {
                    reply.status == 200 || kept_out
                }
                // It moves what its sender may move: nothing.
                (_, _, "POST /types/{type}/migrations")
                | (_, "bob@acme", "POST /resources/{kind}/upgrade") => reply.status == 202,
                (_, "bob@acme", "GET /resources/{kind}") => {
                    reply.json["items"] == json!([]) && reply.status == 200
                }
                _ => kept_out,
            };
            let tells = reply.status < 400 && reply.text.contains(uuid);
            if !allowed || tells {
                wrong.push(format!("{route} by {who}: {} {}", reply.status, reply.text));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let still = world.look(&alice, &format!("/resources/app/{}", things.resource));
    assert_eq!(still["spec"]["image"], "web:1", "nobody changed it");
}
