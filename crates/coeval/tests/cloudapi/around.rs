//! What clients call before and around everything else, in the order in which they do.

use crate::markup::Element;
use crate::world::{PASSWORD, Sending, World};

const XML: &str = "application/*+xml;version=37.0";
const ORG: &str = "application/vnd.vmware.vcloud.org+xml";
const ORG_LIST: &str = "application/vnd.vmware.vcloud.orgList+xml";
const VDC: &str = "application/vnd.vmware.vcloud.vdc+xml";
const QUERY_LIST: &str = "application/vnd.vmware.vcloud.query.queryList+xml";
const RECORDS: &str = "application/vnd.vmware.vcloud.query.records+xml";

pub(crate) fn xml(sending: Sending<'_>) -> Element {
    let reply = sending.header("accept", XML).send();
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.header("content-type").contains("xml"), "{reply:?}");
    Element::read(&reply.text)
}

pub(crate) fn go_clients_find_their_organization_and_its_data_center(world: World) {
    let versions = xml(world.get("/api/versions"));
    let first = versions.all("VersionInfo")[0];
    let login = first.child("LoginUrl").text.clone();
    assert_eq!(login, format!("{}/cloudapi/1.0.0/sessions", world.url()));
    let reply = world
        .post(&login)
        .basic("alice@acme", PASSWORD)
        .header("accept", "application/*;version=37.0")
        .send();
    let token = reply.header("x-vmware-vcloud-access-token").to_owned();
    // All three headers are sent, and the name of the organization.
    let get = |path: &str| {
        xml(world
            .get(path)
            .header("x-vmware-vcloud-access-token", &token)
            .header("authorization", &format!("bearer {token}"))
            .header("x-vmware-vcloud-token-type", "Bearer")
            .header("x-vmware-vcloud-auth-context", "acme"))
    };
    let list = get("/api/org");
    let orgs = list.all("Org");
    assert_eq!(orgs.len(), 1, "a tenant sees its own");
    assert_eq!(orgs[0].get("name"), "acme");
    let href = orgs[0].get("href");
    let org = get(href);
    assert_eq!((org.name.as_str(), org.get("name")), ("Org", "acme"));
    assert!(org.get("id").starts_with("urn:vcloud:org:"));
    assert_eq!(org.get("href"), href);
    let vdc = get(org.link("down", VDC));
    assert_eq!((vdc.name.as_str(), vdc.get("name")), ("Vdc", "vdc1"));
    // From the address of an organization clients make that of its other side.
    let uuid = href.split("/api/org/").nth(1).unwrap();
    let admin_org = get(&format!("/api/admin/org/{uuid}"));
    assert_eq!(admin_org.name, "AdminOrg");
    let users = admin_org.child("Users").all("UserReference");
    let names: Vec<_> = users.iter().map(|user| user.get("name")).collect();
    assert_eq!(names, ["alice", "bob"]);
    let admin_vdc = get(admin_org.child("Vdcs").child("Vdc").get("href"));
    assert_eq!(admin_vdc.name, "AdminVdc");
    assert_eq!(admin_vdc.get("id"), vdc.get("id"));
    let admin = get("/api/admin");
    let release = &admin.child("Description").text;
    assert_eq!(release, "10.6.1.24000000 Tue Oct 01 10:00:00 UTC 2024");
}

pub(crate) fn python_clients_go_on_from_their_session(world: World) {
    let admin = world.admin();
    let get = |path: &str| xml(world.get(path).by(&admin));
    let session = get("/api/session");
    assert_eq!(session.get("user"), "administrator");
    assert_eq!(session.get("org"), "System");
    assert!(session.get("userId").starts_with("urn:vcloud:user:"));
    let own = get(session.link("down", ORG));
    assert_eq!(own.get("name"), "System");
    let list = get(session.link("down", ORG_LIST));
    let mut names: Vec<_> = list.all("Org").iter().map(|org| org.get("name")).collect();
    names.sort_unstable();
    assert_eq!(names, ["System", "acme", "other"]);
    let acme = list.all("Org");
    let acme = acme.iter().find(|org| org.get("name") == "acme").unwrap();
    // Data centers are behind a query that the organization links to.
    let vdcs = get(get(acme.get("href")).link("down", RECORDS));
    assert_eq!(vdcs.child("OrgVdcRecord").get("name"), "vdc1");
    // A query is looked up by name and format.
    let queries = get(session.link("down", QUERY_LIST));
    let references = "application/vnd.vmware.vcloud.query.references+xml";
    let links = queries.all("Link").into_iter();
    let mut links =
        links.filter(|link| link.get("name") == "adminUser" && link.get("type") == references);
    let query = links.next().unwrap().get("href").to_owned();
    let found = get(&format!(
        "{query}&page=1&filter=name==bob;org=={}",
        acme.get("href")
    ));
    let user = get(found.child("AdminUserReference").get("href"));
    assert_eq!((user.name.as_str(), user.get("name")), ("User", "bob"));
}

pub(crate) fn the_old_door_is_for_everybody_and_has_the_old_header(world: World) {
    for user in ["administrator@System", "alice@acme"] {
        let reply = world
            .post("/api/sessions")
            .basic(user, PASSWORD)
            .header("accept", "application/*+xml;version=35.0")
            .send();
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = Element::read(&reply.text);
        assert!(user.ends_with(session.get("org")));
        let token = reply.header("x-vcloud-authorization");
        let again = world
            .get("/api/session")
            .header("x-vcloud-authorization", token)
            .send();
        assert_eq!(again.status, 200, "{again:?}");
        let ended = world.delete("/api/session").by(token).send();
        assert_eq!(ended.status, 204, "{ended:?}");
        let gone = world.get("/api/session").by(token).send();
        assert_eq!(gone.status, 401, "{gone:?}");
        let error = Element::read(&gone.text);
        assert_eq!(error.name, "Error");
        assert_eq!(error.get("majorErrorCode"), "401");
        assert_eq!(error.get("minorErrorCode"), "UNAUTHORIZED");
    }
    let wrong = world.post("/api/sessions").basic("alice@acme", "x").send();
    assert_eq!(wrong.status, 401);
    assert_eq!(Element::read(&wrong.text).name, "Error");
}

pub(crate) fn the_organization_acted_for_is_named_in_three_ways(world: World) {
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let orgs = world.get("/cloudapi/1.0.0/orgs").by(&admin).send();
    let id = |name: &str| {
        let all = orgs.json["values"].as_array().unwrap();
        let found = all.iter().find(|org| org["name"] == name).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let (acme, other) = (id("acme"), id("other"));
    let bare = |id: &str| id.rsplit(':').next().unwrap().to_owned();
    let tenant = "x-vmware-vcloud-tenant-context";
    let auth = "x-vmware-vcloud-auth-context";
    let acts = |who: &str, header: &str, value: &str| {
        let reply = world.get("/cloudapi/1.0.0/users").by(who);
        let reply = reply.header(header, value).send();
        let first = reply.json["values"][0]["username"].as_str();
        (reply.status, first.map(str::to_owned))
    };
    let alices = Some("alice".to_owned());
    for (header, value) in [
        (tenant, acme.clone()),
        (tenant, bare(&acme)),
        (auth, "acme".into()),
    ] {
        // Harmless for those who are there anyway.
        for who in [&admin, &alice] {
            assert_eq!(acts(who, header, &value), (200, alices.clone()), "{value}");
        }
    }
    for (header, value) in [
        (tenant, other.clone()),
        (tenant, bare(&other)),
        (auth, "other".into()),
        (auth, "nowhere".into()),
        (tenant, "urn:vcloud:user:x".into()),
    ] {
        assert_eq!(acts(&alice, header, &value), (403, None), "{value}");
    }
    assert_eq!(acts(&admin, auth, "nowhere").0, 403);
    // The id counts where both are said.
    let reply = world.get("/cloudapi/1.0.0/users").by(&admin);
    let reply = reply.header(tenant, &acme).header(auth, "other").send();
    assert_eq!(reply.json["values"][0]["username"], "alice");
}

pub(crate) fn errors_under_api_are_xml_unless_json_is_asked_for(world: World) {
    let alice = world.login("alice@acme");
    for (path, status) in [
        ("/api/task/56bacbaa-8ddc-4bef-b7a5-e8f6758aff25", 403),
        ("/api/task/x", 400),
        ("/api/org/56bacbaa-8ddc-4bef-b7a5-e8f6758aff25", 403),
        ("/api/vdc/56bacbaa-8ddc-4bef-b7a5-e8f6758aff25", 403),
        ("/api/vdc/x", 400),
        ("/api/query?type=vApp", 400),
        ("/api/query?type=orgVdc&format=x", 400),
        ("/api/query?type=orgVdc&filter=nope==1", 400),
        ("/api/query?type=orgVdc&pageSize=1000", 400),
    ] {
        let reply = world.get(path).by(&alice).header("accept", XML).send();
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        let error = Element::read(&reply.text);
        assert_eq!(error.get("majorErrorCode"), status.to_string());
        assert!(error.get("message").starts_with("[ "), "{error:?}");
        let reply = world.get(path).by(&alice).version("37.0").send();
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        assert!(reply.json["minorErrorCode"].is_string(), "{reply:?}");
    }
}

pub(crate) fn somebody_without_any_right_finds_their_own_organization_and_no_more(world: World) {
    let bob = world.login("bob@acme");
    let list = xml(world.get("/api/org").by(&bob));
    assert_eq!(list.child("Org").get("name"), "acme");
    let admin_org = list
        .child("Org")
        .get("href")
        .replace("/api/", "/api/admin/");
    let admin_org = xml(world.get(&admin_org).by(&bob));
    assert!(admin_org.child("Users").children.is_empty());
    for path in ["users", "roles", "globalRoles", "rightsBundles"] {
        let path = format!("/cloudapi/1.0.0/{path}");
        let reply = world.get(&path).by(&bob).send();
        assert_eq!(reply.status, 403, "{path}: {reply:?}");
    }
}
