//! Every route, walked by those who should not get further: without credentials, with ones that
//! have ended, from another tenant, and with too few rights.

use crate::world::{Reply, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Who gets an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Everybody, without a word of who they are.
    All,
    /// Who has a user's password.
    Password,
    /// Whoever is logged in, about what is their own.
    User,
    /// Administrators of any organization, who may look at definitions.
    Viewer,
    /// Administrators of the tenant, and nobody of another.
    Tenant,
    /// The provider alone.
    Provider,
}

use For::{All, Password, Provider, Tenant, User, Viewer};

/// All routes. One that is not here fails the test.
pub(crate) const ROUTES: &[(For, &str)] = &[
    (All, "GET /api/versions"),
    (All, "GET /cloudapi/openapi.json"),
    (All, "POST /oauth/provider/token"),
    (All, "POST /oauth/tenant/{org}/token"),
    (Password, "POST /cloudapi/1.0.0/sessions"),
    (Password, "POST /cloudapi/1.0.0/sessions/provider"),
    (Password, "POST /api/sessions"),
    (User, "GET /cloudapi/1.0.0/sessions/current"),
    (User, "DELETE /cloudapi/1.0.0/sessions/current"),
    (User, "GET /api/session"),
    (User, "DELETE /api/session"),
    (Provider, "POST /oauth/provider/register"),
    (User, "POST /oauth/tenant/{org}/register"),
    (User, "GET /cloudapi/1.0.0/tokens"),
    (Tenant, "GET /cloudapi/1.0.0/tokens/{id}"),
    (Tenant, "DELETE /cloudapi/1.0.0/tokens/{id}"),
    (User, "GET /cloudapi/1.0.0/orgs"),
    (Provider, "POST /cloudapi/1.0.0/orgs"),
    (User, "GET /cloudapi/1.0.0/orgs/{id}"),
    (Provider, "PUT /cloudapi/1.0.0/orgs/{id}"),
    (Provider, "DELETE /cloudapi/1.0.0/orgs/{id}"),
    (User, "GET /api/org"),
    (User, "GET /api/org/{id}"),
    (User, "GET /api/admin"),
    (User, "GET /api/admin/org/{id}"),
    (User, "GET /api/vdc/{id}"),
    (User, "GET /api/admin/vdc/{id}"),
    (User, "GET /api/query"),
    (User, "GET /cloudapi/1.0.0/users"),
    (Tenant, "POST /cloudapi/1.0.0/users"),
    (Tenant, "GET /cloudapi/1.0.0/users/{id}"),
    (Tenant, "PUT /cloudapi/1.0.0/users/{id}"),
    (Tenant, "DELETE /cloudapi/1.0.0/users/{id}"),
    (Tenant, "GET /api/admin/user/{id}"),
    (User, "GET /cloudapi/1.0.0/rights"),
    (User, "GET /cloudapi/1.0.0/rights/{id}"),
    (User, "GET /cloudapi/1.0.0/rightsCategories"),
    (Provider, "GET /cloudapi/1.0.0/rightsBundles"),
    (Provider, "POST /cloudapi/1.0.0/rightsBundles"),
    (Provider, "GET /cloudapi/1.0.0/rightsBundles/{id}"),
    (Provider, "PUT /cloudapi/1.0.0/rightsBundles/{id}"),
    (Provider, "DELETE /cloudapi/1.0.0/rightsBundles/{id}"),
    (Provider, "GET /cloudapi/1.0.0/rightsBundles/{id}/rights"),
    (Provider, "POST /cloudapi/1.0.0/rightsBundles/{id}/rights"),
    (Provider, "PUT /cloudapi/1.0.0/rightsBundles/{id}/rights"),
    (Provider, "GET /cloudapi/1.0.0/rightsBundles/{id}/tenants"),
    (Provider, "PUT /cloudapi/1.0.0/rightsBundles/{id}/tenants"),
    (
        Provider,
        "POST /cloudapi/1.0.0/rightsBundles/{id}/tenants/publish",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/rightsBundles/{id}/tenants/unpublish",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/rightsBundles/{id}/tenants/publishAll",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/rightsBundles/{id}/tenants/unpublishAll",
    ),
    (Provider, "GET /cloudapi/1.0.0/globalRoles"),
    (Provider, "POST /cloudapi/1.0.0/globalRoles"),
    (Provider, "GET /cloudapi/1.0.0/globalRoles/{id}"),
    (Provider, "PUT /cloudapi/1.0.0/globalRoles/{id}"),
    (Provider, "DELETE /cloudapi/1.0.0/globalRoles/{id}"),
    (Viewer, "GET /cloudapi/1.0.0/globalRoles/{id}/rights"),
    (Provider, "POST /cloudapi/1.0.0/globalRoles/{id}/rights"),
    (Provider, "PUT /cloudapi/1.0.0/globalRoles/{id}/rights"),
    (Provider, "GET /cloudapi/1.0.0/globalRoles/{id}/tenants"),
    (Provider, "PUT /cloudapi/1.0.0/globalRoles/{id}/tenants"),
    (
        Provider,
        "POST /cloudapi/1.0.0/globalRoles/{id}/tenants/publish",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/globalRoles/{id}/tenants/unpublish",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/globalRoles/{id}/tenants/publishAll",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/globalRoles/{id}/tenants/unpublishAll",
    ),
    (User, "GET /cloudapi/1.0.0/roles"),
    (Tenant, "POST /cloudapi/1.0.0/roles"),
    (Tenant, "GET /cloudapi/1.0.0/roles/{id}"),
    (Tenant, "PUT /cloudapi/1.0.0/roles/{id}"),
    (Tenant, "DELETE /cloudapi/1.0.0/roles/{id}"),
    (Tenant, "GET /cloudapi/1.0.0/roles/{id}/rights"),
    (Tenant, "POST /cloudapi/1.0.0/roles/{id}/rights"),
    (Tenant, "PUT /cloudapi/1.0.0/roles/{id}/rights"),
    (Tenant, "GET /api/task/{id}"),
    (Tenant, "POST /api/task/{id}/action/cancel"),
    (User, "GET /cloudapi/1.0.0/interfaces"),
    (Provider, "POST /cloudapi/1.0.0/interfaces"),
    (User, "GET /cloudapi/1.0.0/interfaces/{id}"),
    (Provider, "PUT /cloudapi/1.0.0/interfaces/{id}"),
    (Provider, "DELETE /cloudapi/1.0.0/interfaces/{id}"),
    (Viewer, "GET /cloudapi/1.0.0/interfaces/{id}/behaviors"),
    (Provider, "POST /cloudapi/1.0.0/interfaces/{id}/behaviors"),
    (Provider, "PUT /cloudapi/1.0.0/interfaces/{id}/behaviors"),
    (
        Viewer,
        "GET /cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}",
    ),
    (
        Provider,
        "PUT /cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}",
    ),
    (
        Provider,
        "DELETE /cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}/invocations",
    ),
    (
        Provider,
        "GET /cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}/invocations/{invocation}/log",
    ),
    (User, "GET /cloudapi/1.0.0/entityTypes"),
    (Provider, "POST /cloudapi/1.0.0/entityTypes"),
    (User, "GET /cloudapi/1.0.0/entityTypes/{id}"),
    (Provider, "PUT /cloudapi/1.0.0/entityTypes/{id}"),
    (Provider, "DELETE /cloudapi/1.0.0/entityTypes/{id}"),
    (User, "POST /cloudapi/1.0.0/entityTypes/{id}"),
    (Viewer, "GET /cloudapi/1.0.0/entityTypes/{id}/behaviors"),
    (
        Viewer,
        "GET /cloudapi/1.0.0/entityTypes/{id}/behaviors/{behavior}",
    ),
    (
        Provider,
        "PUT /cloudapi/1.0.0/entityTypes/{id}/behaviors/{behavior}",
    ),
    (
        Provider,
        "DELETE /cloudapi/1.0.0/entityTypes/{id}/behaviors/{behavior}",
    ),
    (
        Viewer,
        "GET /cloudapi/1.0.0/entityTypes/{id}/behaviorAccessControls",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/entityTypes/{id}/behaviorAccessControls",
    ),
    (
        Provider,
        "PUT /cloudapi/1.0.0/entityTypes/{id}/behaviorAccessControls",
    ),
    (
        Provider,
        "GET /cloudapi/1.0.0/entityTypes/{id}/accessControls",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/entityTypes/{id}/accessControls",
    ),
    (
        Provider,
        "POST /cloudapi/1.0.0/entityTypes/{id}/accessControls/sync",
    ),
    (
        Provider,
        "GET /cloudapi/1.0.0/entityTypes/{id}/accessControls/{acl}",
    ),
    (
        Provider,
        "PUT /cloudapi/1.0.0/entityTypes/{id}/accessControls/{acl}",
    ),
    (
        Provider,
        "DELETE /cloudapi/1.0.0/entityTypes/{id}/accessControls/{acl}",
    ),
    (
        User,
        "POST /cloudapi/1.0.0/entityTypes/{id}/migrateEntities",
    ),
    (User, "GET /cloudapi/1.0.0/accessLevels"),
    (User, "GET /cloudapi/1.0.0/accessLevels/{id}"),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}"),
    (Tenant, "PUT /cloudapi/1.0.0/entities/{id}"),
    (Tenant, "DELETE /cloudapi/1.0.0/entities/{id}"),
    (Tenant, "POST /cloudapi/1.0.0/entities/{id}/resolve"),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}/fullContents"),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}/access"),
    (
        User,
        "GET /cloudapi/1.0.0/entities/types/{vendor}/{nss}/{version}",
    ),
    (User, "GET /cloudapi/1.0.0/entities/types/{vendor}/{nss}"),
    (User, "GET /cloudapi/1.0.0/entities/types/{typeId}"),
    (
        User,
        "GET /cloudapi/1.0.0/entities/interfaces/{vendor}/{nss}/{version}",
    ),
    (
        User,
        "GET /cloudapi/1.0.0/entities/interfaces/{interfaceId}",
    ),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}/accessControls"),
    (Tenant, "POST /cloudapi/1.0.0/entities/{id}/accessControls"),
    (
        Tenant,
        "GET /cloudapi/1.0.0/entities/{id}/accessControls/{acl}",
    ),
    (
        Tenant,
        "PUT /cloudapi/1.0.0/entities/{id}/accessControls/{acl}",
    ),
    (
        Tenant,
        "DELETE /cloudapi/1.0.0/entities/{id}/accessControls/{acl}",
    ),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}/metadata"),
    (Tenant, "POST /cloudapi/1.0.0/entities/{id}/metadata"),
    (Tenant, "GET /cloudapi/1.0.0/entities/{id}/metadata/{entry}"),
    (Tenant, "PUT /cloudapi/1.0.0/entities/{id}/metadata/{entry}"),
    (
        Tenant,
        "DELETE /cloudapi/1.0.0/entities/{id}/metadata/{entry}",
    ),
    (
        Tenant,
        "POST /cloudapi/1.0.0/entities/{id}/behaviors/{behavior}/invocations",
    ),
    (
        Tenant,
        "GET /cloudapi/1.0.0/entities/{id}/behaviors/{behavior}/invocations/{invocation}/log",
    ),
];

/// What stands for the parts of a path that vary: things of the tenant acme.
pub(crate) struct Things(Vec<(&'static str, &'static str, String)>);

const INTERFACE: &str = "urn:vcloud:interface:acme:deployable:1.0.0";
const BEHAVIOR: &str = "urn:vcloud:behavior-interface:echo:acme:deployable:1.0.0";
const TYPE: &str = "urn:vcloud:type:acme:app:1.0.0";
const READ_ONLY: &str = "urn:vcloud:accessLevel:ReadOnly";

impl Things {
    /// Makes them.
    pub(crate) fn new(world: &World, admin: &str, alice: &str) -> Self {
        let base = "/cloudapi/1.0.0";
        let interface =
            json!({"name": "I", "vendor": "acme", "nss": "deployable", "version": "1.0.0"});
        let made = |reply: Reply| {
            assert!((200..300).contains(&reply.status), "{reply:?}");
            reply
        };
        let post = |path: &str, by: &str, body: &Value| {
            made(
                world
                    .post(&format!("{base}{path}"))
                    .by(by)
                    .json(body)
                    .send(),
            )
        };
        post("/interfaces", admin, &interface);
        let behavior = json!({"name": "echo", "execution": {"type": "noop"}});
        post(
            &format!("/interfaces/{INTERFACE}/behaviors"),
            admin,
            &behavior,
        );
        let new = json!({"name": "web", "entity": {"image": "web:1"}});
        let task = post(&format!("/entityTypes/{TYPE}"), alice, &new);
        let task = task
            .header("location")
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        let entity = world.id_of(alice, "web");
        made(
            world
                .post(&format!("{base}/entities/{entity}/resolve"))
                .by(alice)
                .send(),
        );
        let entry = json!({"keyValue": {"domain": "TENANT", "key": "k", "value": {"type": "StringEntry", "value": "v"}}});
        let entry = post(&format!("/entities/{entity}/metadata"), alice, &entry);
        let first = |path: &str, by: &str, name: &str| {
            let page = made(world.get(&format!("{base}{path}")).by(by).send());
            let all = page.json["values"].as_array().unwrap();
            let named = |one: &&Value| one["name"] == name || one["username"] == name;
            let found = all
                .iter()
                .find(named)
                .unwrap_or_else(|| panic!("{name}: {page:?}"));
            found["id"].as_str().unwrap().to_owned()
        };
        let token = world.post("/oauth/tenant/acme/register").by(alice);
        made(token.json(&json!({"client_name": "ci"})).send());
        let role = json!({"name": "Local", "description": ""});
        post("/roles", alice, &role);
        let acl = format!("/entities/{entity}/accessControls");
        let acl = made(world.get(&format!("{base}{acl}")).by(alice).send());
        let acl = acl.json["values"][0]["id"].as_str().unwrap().to_owned();
        let invocation = "00000000-0000-4000-8000-000000000000".to_owned();
        Self(vec![
            ("/entities/", "{id}", entity),
            ("/entityTypes/", "{id}", TYPE.to_owned()),
            ("/interfaces/", "{id}", INTERFACE.to_owned()),
            ("/task/", "{id}", task),
            ("/tokens/", "{id}", first("/tokens", alice, "ci")),
            ("/users/", "{id}", first("/users", alice, "alice")),
            ("/user/", "{id}", first("/users", alice, "alice")),
            ("/orgs/", "{id}", first("/orgs", alice, "acme")),
            ("/org/", "{id}", first("/orgs", alice, "acme")),
            ("/vdc/", "{id}", invocation.clone()),
            (
                "/rights/",
                "{id}",
                first("/rights?pageSize=128", admin, "acme:app: View"),
            ),
            (
                "/rightsBundles/",
                "{id}",
                first("/rightsBundles?pageSize=128", admin, "acme:app Entitlement"),
            ),
            (
                "/globalRoles/",
                "{id}",
                first("/globalRoles?pageSize=128", admin, "Reader"),
            ),
            ("/roles/", "{id}", first("/roles", alice, "Local")),
            ("/accessLevels/", "{id}", READ_ONLY.to_owned()),
            ("/entities/interfaces/", "{nss}", "deployable".to_owned()),
            ("", "{org}", "acme".to_owned()),
            ("", "{vendor}", "acme".to_owned()),
            ("", "{nss}", "app".to_owned()),
            ("", "{version}", "1.0.0".to_owned()),
            ("", "{typeId}", TYPE.to_owned()),
            ("", "{interfaceId}", INTERFACE.to_owned()),
            ("", "{behavior}", BEHAVIOR.to_owned()),
            ("", "{acl}", acl),
            ("", "{entry}", entry.json["id"].as_str().unwrap().to_owned()),
            ("", "{invocation}", invocation),
        ])
    }

    pub(crate) fn path(&self, pattern: &str) -> String {
        let fill = |path: String, (within, part, value): &(&str, &str, String)| {
            if pattern.contains(within) {
                path.replace(part, value)
            } else {
                path
            }
        };
        self.0.iter().fold(pattern.to_owned(), fill)
    }
}

/// A body that is all right, so that only who sends it matters.
pub(crate) fn body(route: &str) -> Value {
    let (_, path) = route.split_once(' ').unwrap();
    let path = path.trim_start_matches("/cloudapi/1.0.0");
    let role = json!({"name": "Mine", "description": "d"});
    match path {
        "/orgs" => json!({"name": "new", "displayName": "new"}),
        "/orgs/{id}" => json!({"name": "acme", "displayName": "new"}),
        "/users" | "/users/{id}" => {
            json!({"username": "new", "password": "secret", "enabled": true})
        }
        "/interfaces" | "/interfaces/{id}" => {
            json!({"name": "n", "vendor": "acme", "nss": "new", "version": "1.0.0"})
        }
        "/entityTypes" | "/entityTypes/{id}"
            if !route.starts_with("POST /cloudapi/1.0.0/entityTypes/") =>
        {
            json!({"name": "n", "vendor": "acme", "nss": "app", "version": "1.0.0", "schema": {"type": "object"}})
        }
        "/entities/{id}" | "/entityTypes/{id}" => json!({"name": "n", "entity": {"image": "x"}}),
        "/entityTypes/{id}/migrateEntities" => {
            json!({"targetEntityType": "urn:vcloud:type:acme:app:1.1.0"})
        }
        _ if path.ends_with("/behaviors") && route.starts_with("PUT") => json!({"values": []}),
        _ if path.ends_with("/behaviors") || path.ends_with("/{behavior}") => {
            json!({"name": "b", "execution": {"type": "noop"}})
        }
        _ if path.ends_with("behaviorAccessControls") && route.starts_with("PUT") => {
            json!({"values": []})
        }
        _ if path.ends_with("behaviorAccessControls") => {
            json!({"behaviorId": BEHAVIOR, "accessLevelId": READ_ONLY})
        }
        _ if path.contains("accessControls") => {
            json!({"grantType": "MembershipAccessControlGrant", "accessLevelId": READ_ONLY, "memberId": "urn:vcloud:org:a93c9db9-7471-3192-8d09-a8f7eeda85f9"})
        }
        _ if path.contains("/metadata") => {
            json!({"keyValue": {"domain": "TENANT", "key": "n", "value": {"type": "StringEntry", "value": "v"}}})
        }
        _ if path.ends_with("/rights") || path.contains("/tenants") => json!({"values": []}),
        _ if path.ends_with("register") => json!({"client_name": "mine"}),
        _ => role,
    }
}

fn walk(world: &World, things: &Things, route: &str, token: Option<&str>) -> Reply {
    let (method, pattern) = route.split_once(' ').unwrap();
    let query = match pattern {
        "/api/query" => "?type=organization",
        _ => "",
    };
    let path = format!("{}{query}", things.path(pattern));
    let mut sending = world.sending(method, &path);
    if matches!(method, "POST" | "PUT") {
        sending = sending.json(&body(route));
    }
    if let Some(token) = token {
        sending = sending.by(token);
    }
    sending.send()
}

pub(crate) fn every_route_keeps_out_who_should_not_come_in(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let things = Things::new(&world, &admin, &alice);
    let listed: BTreeSet<&str> = ROUTES.iter().map(|(_, route)| *route).collect();
    let document = world.get("/cloudapi/openapi.json").send().json;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let route = format!("{} {path}", method.to_uppercase());
            assert!(
                listed.contains(route.as_str()),
                "{route} is not in the list of this test"
            );
        }
    }
    let ended = world.login("alice@acme");
    let logout = world
        .delete("/cloudapi/1.0.0/sessions/current")
        .by(&ended)
        .send();
    assert_eq!(logout.status, 204);
    let entity = things.path("/cloudapi/1.0.0/entities/{id}");
    let uuid = entity.rsplit(':').next().unwrap();
    let mut wrong = Vec::new();
    for (of, route) in ROUTES {
        let expected: &[(&str, Option<&str>, &[u16])] = match of {
            All => &[("nobody", None, &[200, 400])],
            Password => &[("nobody", None, &[401])],
            _ => &[
                ("nobody", None, &[401]),
                ("ended", Some(&ended), &[401]),
                ("made up", Some("cvs_x"), &[401]),
            ],
        };
        for (who, token, statuses) in expected {
            let reply = walk(&world, &things, route, *token);
            if !statuses.contains(&reply.status) {
                wrong.push(format!("{route} by {who}: {} {}", reply.status, reply.text));
            }
        }
        let outsiders: &[&str] = match of {
            All | Password => &[],
            User => &["oscar@other", "bob@acme"],
            Viewer => &["bob@acme"],
            Tenant => &["oscar@other", "bob@acme"],
            Provider => &["oscar@other", "alice@acme", "bob@acme"],
        };
        for who in outsiders {
            let token = world.login(who);
            let reply = walk(&world, &things, route, Some(&token));
            // In their own organization administrators make users and roles, each their own.
            let own = *who == "oscar@other"
                && ["POST /cloudapi/1.0.0/users", "POST /cloudapi/1.0.0/roles"].contains(route);
            let refused = match of {
                User => true,
                _ if own => reply.status == 201,
                _ => reply.status == 403,
            };
            let tells = reply.json.to_string().contains(uuid) && reply.status < 400;
            if !refused || tells || reply.status >= 500 || reply.status == 401 {
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
    let still = world.get(&entity).by(&alice).send();
    assert_eq!(still.json["entity"]["image"], "web:1", "nobody changed it");
}
