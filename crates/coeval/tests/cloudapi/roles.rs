//! Global roles and those of an organization.

use crate::rights::{names, values, with_a_type};
use crate::world::World;
use serde_json::json;

const GLOBAL: &str = "/cloudapi/1.0.0/globalRoles";
const ROLES: &str = "/cloudapi/1.0.0/roles";

pub(crate) fn the_administrator_s_role_takes_any_right_and_stays_as_it_is(mut world: World) {
    with_a_type(&mut world);
    let admin = world.admin();
    let path = format!("{GLOBAL}?filter=name%3D%3DOrganization+Administrator&pageSize=128");
    let found = world.get(&path).by(&admin).version("37.0").send();
    let role = values(&found).remove(0);
    assert_eq!(role["readOnly"], true);
    let path = format!("{GLOBAL}/{}", role["id"].as_str().unwrap());
    let rights = || {
        names(
            &world
                .get(&format!("{path}/rights?pageSize=128"))
                .by(&admin)
                .send(),
        )
    };
    let before = rights();
    assert!(!before.contains(&"vmware:testType: View".to_owned()));
    let added = json!({ "values": [{ "name": "vmware:testType: View" }] });
    let post = world.post(&format!("{path}/rights")).by(&admin);
    assert_eq!(post.json(&added).send().status, 200);
    assert_eq!(
        rights(),
        before,
        "it holds what is published, and nothing else"
    );
    let put = world.put(&format!("{path}/rights")).by(&admin);
    assert_eq!(put.json(&added).send().status, 400);
    let publish = "/cloudapi/1.0.0/rightsBundles?filter=name==vmware:testType%20Entitlement";
    let bundle = values(&world.get(publish).by(&admin).send()).remove(0);
    let bundle = bundle["id"].as_str().unwrap();
    let publish = format!("/cloudapi/1.0.0/rightsBundles/{bundle}/tenants/publishAll");
    assert_eq!(world.post(&publish).by(&admin).send().status, 200);
    assert!(rights().contains(&"vmware:testType: View".to_owned()));
}

pub(crate) fn a_global_role_is_made_changed_and_deleted_and_is_there_for_all(world: World) {
    let admin = world.admin();
    let made = world.post(GLOBAL).by(&admin);
    let made = made
        .json(&json!({ "name": "Operator", "description": "d" }))
        .send();
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("{GLOBAL}/{}", made.json["id"].as_str().unwrap());
    let rights = json!({ "values": [{ "name": "Task: View" }] });
    let post = world.post(&format!("{path}/rights")).by(&admin);
    assert_eq!(names(&post.json(&rights).send()), ["Task: View"]);
    let more = json!({ "values": [{ "name": "Audit: View" }] });
    let post = world.post(&format!("{path}/rights")).by(&admin);
    assert_eq!(
        names(&post.json(&more).send()),
        ["Audit: View", "Task: View"]
    );
    let put = world.put(&format!("{path}/rights")).by(&admin);
    assert_eq!(names(&put.json(&rights).send()), ["Task: View"]);
    let put = world
        .put(&path)
        .by(&admin)
        .json(&json!({ "name": "Looker" }));
    assert_eq!(put.send().json["name"], "Looker");
    let tenants = |what: &str| world.post(&format!("{path}/tenants/{what}")).by(&admin);
    assert_eq!(names(&tenants("publishAll").send()), ["acme", "other"]);
    let some = json!({ "values": [{ "name": "acme" }] });
    assert_eq!(
        names(&tenants("publish").json(&some).send()),
        ["acme", "other"]
    );
    for refused in [
        tenants("unpublish").json(&some),
        tenants("unpublishAll"),
        world.put(&format!("{path}/tenants")).by(&admin).json(&some),
    ] {
        let refused = refused.send();
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json["code"], "COEVAL-8080");
    }
    let alice = world.login("alice@acme");
    let usable = world
        .get(&format!("{ROLES}?filter=name==Looker"))
        .by(&alice);
    assert_eq!(names(&usable.send()), ["Looker"]);
    assert_eq!(world.delete(&path).by(&alice).send().status, 403);
    assert_eq!(world.delete(&path).by(&admin).send().status, 204);
    assert_eq!(world.get(&path).by(&admin).send().status, 403);
}

pub(crate) fn a_tenant_s_role_gives_no_more_than_its_maker_has(world: World) {
    let (alice, oscar) = (world.login("alice@acme"), world.login("oscar@other"));
    let made = world
        .post(ROLES)
        .by(&alice)
        .json(&json!({ "name": "Ours" }));
    let made = made.send();
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("{ROLES}/{}", made.json["id"].as_str().unwrap());
    let add = |by: &str, right: &str| {
        let body = json!({ "values": [{ "name": right }] });
        world
            .post(&format!("{path}/rights"))
            .by(by)
            .json(&body)
            .send()
            .status
    };
    assert_eq!(add(&alice, "User: View"), 200);
    assert_eq!(add(&alice, "Rights Bundle: View"), 403, "the provider's");
    assert_eq!(add(&oscar, "User: View"), 403, "another's role");
    assert_eq!(world.get(&path).by(&oscar).send().status, 403);
    let rights = world.get(&format!("{path}/rights")).by(&alice).send();
    assert_eq!(names(&rights), ["User: View"]);
    assert_eq!(world.delete(&path).by(&alice).send().status, 204);
}
