//! Organizations and users, in JSON, and records of them in XML.

use crate::around::xml;
use crate::world::{PASSWORD, World};
use serde_json::json;

const ORGS: &str = "/cloudapi/1.0.0/orgs";
const USERS: &str = "/cloudapi/1.0.0/users";

pub(crate) fn an_organization_and_its_users_are_made_changed_and_deleted(world: World) {
    let admin = world.admin();
    let made = world.post(ORGS).by(&admin);
    let body = json!({ "name": "new", "displayName": "The new one", "isEnabled": true });
    let made = made.json(&body).send();
    assert_eq!(made.status, 201, "{made:?}");
    let org = made.json["id"].as_str().unwrap().to_owned();
    let taken = world.post(ORGS).by(&admin).json(&body).send();
    assert_eq!(taken.status, 400, "{taken:?}");
    // What was read is sent back, changed.
    let mut read = world.get(&format!("{ORGS}/{org}")).by(&admin).send().json;
    read["description"] = json!("for tests");
    let put = world.put(&format!("{ORGS}/{org}")).by(&admin);
    let put = put.json(&read).send();
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(put.json["description"], "for tests");
    assert_eq!(put.json["displayName"], "The new one");
    read["name"] = json!("another");
    let renamed = world.put(&format!("{ORGS}/{org}")).by(&admin);
    assert_eq!(renamed.json(&read).send().status, 400);

    let bare = org.rsplit(':').next().unwrap();
    let context = ("x-vmware-vcloud-tenant-context", bare);
    let user = world.post(USERS).by(&admin).header(context.0, context.1);
    let user = user
        .json(&json!({
            "username": "nora", "password": PASSWORD, "fullName": "Nora",
            "roleEntityRefs": [{ "name": "Organization Administrator" }],
        }))
        .send();
    assert_eq!(user.status, 201, "{user:?}");
    assert_eq!(user.json["orgEntityRef"]["name"], "new");
    assert!(user.json.get("password").is_none());
    let nora = world.login("nora@new");
    let id = user.json["id"].as_str().unwrap();
    let own = world.get(&format!("{USERS}/{id}")).by(&nora).send();
    assert_eq!(own.json["fullName"], "Nora");
    let mut read = own.json;
    read["enabled"] = json!(false);
    let put = world.put(&format!("{USERS}/{id}")).by(&admin);
    let put = put.json(&read).send();
    assert_eq!(put.status, 200, "{put:?}");
    assert_eq!(
        put.json["roleEntityRefs"][0]["name"],
        "Organization Administrator"
    );
    let out = world
        .get("/cloudapi/1.0.0/sessions/current")
        .by(&nora)
        .send();
    assert_eq!(out.status, 401);

    let full = world.delete(&format!("{ORGS}/{org}")).by(&admin).send();
    assert_eq!(full.status, 400, "it still has a user: {full:?}");
    for path in [format!("{USERS}/{id}"), format!("{ORGS}/{org}")] {
        assert_eq!(world.delete(&path).by(&admin).send().status, 204, "{path}");
        assert_eq!(world.get(&path).by(&admin).send().status, 403, "{path}");
    }
}

pub(crate) fn tenants_neither_see_nor_touch_other_organizations(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let all = world.get(&format!("{ORGS}?sortAsc=name")).by(&admin).send();
    let names = all.json["values"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|org| org["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["System", "acme", "other"]);
    let other = all.json["values"][2]["id"].as_str().unwrap();
    let own = world.get(ORGS).by(&alice).send();
    assert_eq!(own.json["resultTotal"], 1);
    assert_eq!(own.json["values"][0]["name"], "acme");
    let path = format!("{ORGS}/{other}");
    let body = json!({ "name": "other" });
    for method in ["GET", "PUT", "DELETE"] {
        let reply = world.sending(method, &path).by(&alice);
        let reply = reply.json(&body).send();
        assert_eq!(reply.status, 403, "{method}: {reply:?}");
    }
    let made = world.post(ORGS).by(&alice).json(&json!({ "name": "x" }));
    assert_eq!(made.send().status, 403);
}

pub(crate) fn records_are_filtered_sorted_and_paged(world: World) {
    let admin = world.admin();
    let get = |query: &str| xml(world.get(&format!("/api/query?{query}")).by(&admin));
    let acme = get("type=organization&filter=name==acme");
    let acme = acme.child("OrgRecord");
    assert_eq!(acme.get("isEnabled"), "true");
    let uuid = acme.get("href").rsplit('/').next().unwrap();
    for org in [
        acme.get("href").to_owned(),
        acme.get("href").replace("/api/org", "/api/admin/org"),
        acme.get("id").to_owned(),
        uuid.to_owned(),
    ] {
        let vdcs = get(&format!("type=adminOrgVdc&filter=(name==vdc1;org=={org})"));
        let vdc = vdcs.child("AdminVdcRecord");
        assert_eq!(vdc.get("orgName"), "acme", "{org}");
        assert!(vdc.get("href").contains("/api/admin/vdc/"));
        let none = get(&format!("type=orgVdc&filter=name==x;org=={org}"));
        assert_eq!((none.get("total"), none.children.len()), ("0", 0));
    }
    // Page by page, along the links.
    let mut page = get("type=user&pageSize=2&sortAsc=name&page=1&filterEncoded=true");
    assert_eq!(page.get("total"), "4");
    let mut names = Vec::new();
    loop {
        let users = page.all("UserRecord").into_iter();
        names.extend(users.map(|user| user.get("name").to_owned()));
        let links = page.all("Link");
        let Some(next) = links.iter().find(|link| link.get("rel") == "nextPage") else {
            break;
        };
        page = xml(world.get(next.get("href")).by(&admin));
    }
    assert_eq!(names, ["administrator", "alice", "bob", "oscar"]);
}
