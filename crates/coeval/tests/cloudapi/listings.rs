//! Pages of entities: filters, orders, links.

use crate::stage::{at, minor, type_file};
use crate::world::{Reply, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const APPS: &str = "/cloudapi/1.0.0/entities/types/acme/app/1.0.0";

fn names(reply: &Reply) -> Vec<String> {
    let values = reply.json["values"].as_array();
    let values = values.unwrap_or_else(|| panic!("{reply:?}"));
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    values.iter().map(name).collect()
}

/// The address of a relation in a `Link` header.
fn link(reply: &Reply, rel: &str) -> Option<String> {
    let links = reply.header("link").split(",<");
    let found = links.into_iter().find(|link| {
        let rels = link.split("rel=\"").nth(1).unwrap_or_default();
        rels.split('"')
            .next()
            .unwrap_or_default()
            .split(' ')
            .any(|one| one == rel)
    })?;
    Some(found.trim_start_matches('<').split('>').next()?.to_owned())
}

pub(crate) fn pages_are_followed_by_links_and_by_numbers(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let empty = world.get(APPS).by(&alice).send();
    assert_eq!(
        empty.text,
        r#"{"resultTotal":0,"pageCount":0,"page":1,"pageSize":25,"associations":null,"values":[]}"#
    );
    for number in 0..7 {
        world.make(
            &alice,
            "1.0.0",
            &format!("e{number}"),
            &json!({"image": "a"}),
        );
    }
    let all: BTreeSet<String> = (0..7).map(|number| format!("e{number}")).collect();
    // As govcd does: the links, as they are.
    let (mut next, mut seen, mut pages) = (
        Some(format!(
            "{APPS}?pageSize=3&filter=state==PRE_CREATED&sortDesc=name"
        )),
        Vec::new(),
        0,
    );
    while let Some(path) = next {
        let page = world.get(&path).by(&alice).send();
        pages += 1;
        assert_eq!(
            (
                &page.json["resultTotal"],
                &page.json["pageCount"],
                &page.json["page"]
            ),
            (&json!(7), &json!(3), &json!(pages)),
            "{page:?}"
        );
        if let Some(link) = link(&page, "nextPage") {
            assert!(
                link.starts_with(world.url())
                    && link.contains("sortDesc=name")
                    && link.contains("filter="),
                "{link}"
            );
        }
        next = link(&page, "nextPage");
        seen.extend(names(&page));
    }
    let descending: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!((pages, &seen), (3, &descending));
    // As CSE does: numbers, until a page is empty.
    let mut seen = Vec::new();
    for number in 1.. {
        let page = world
            .get(&format!("{APPS}/?page={number}&pageSize=3"))
            .by(&alice)
            .version("35.0")
            .send();
        assert_eq!((page.status, &page.json["resultTotal"]), (200, &json!(7)));
        if names(&page).is_empty() {
            assert_eq!(number, 4, "{page:?}");
            break;
        }
        seen.extend(names(&page));
    }
    assert_eq!(seen.len(), 7);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    let middle = world
        .get(&format!("{APPS}?page=2&pageSize=3"))
        .by(&alice)
        .send();
    for rel in ["firstPage", "previousPage", "nextPage", "lastPage"] {
        assert!(link(&middle, rel).is_some(), "{rel} {middle:?}");
    }
    let none = world.get(&format!("{APPS}?pageSize=0")).by(&alice).send();
    assert_eq!(
        (
            &none.json["resultTotal"],
            names(&none).len(),
            none.header("link")
        ),
        (&json!(7), 0, "")
    );
    for wrong in [
        "pageSize=129",
        "pageSize=-1",
        "page=0",
        "page=x",
        "cursor=x",
        "sortAsc=name&sortDesc=name",
    ] {
        let refused = world.get(&format!("{APPS}?{wrong}")).by(&alice).send();
        assert_eq!(refused.status, 400, "{wrong} {refused:?}");
    }
}

pub(crate) fn a_filter_finds_by_what_clients_ask_for(mut world: World) {
    world.add_app();
    let alice = world.login("alice@acme");
    let me = world.user_id(&alice);
    let one = world.make_resolved(
        &alice,
        "1.0.0",
        "one",
        &json!({"image": "a", "metadata": {"orgName": "x"}, "list": [{"k": 1}]}),
    );
    world.make(
        &alice,
        "1.1.0",
        "two",
        &json!({"image": "b", "region": "eu"}),
    );
    let third = json!({"name": "th(r,e);e *", "entity": {"image": "a"}});
    let path = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.1.0";
    assert_eq!(world.post(path).by(&alice).json(&third).send().status, 202);
    let put = world
        .put(&at(&one))
        .by(&alice)
        .json(&json!({"externalId": "ext 1"}))
        .send();
    assert_eq!(put.status, 200);
    let org = put.json["org"]["id"].as_str().unwrap();
    let mine = |filter: &str| {
        filter
            .replace("ME", &me)
            .replace("ORG", org)
            .replace("ID", &one)
    };
    for (filter, expected) in [
        ("name==one", &["one"][..]),
        ("name==*o*", &["one", "two"]),
        ("name==th\\(r\\,e\\)\\;e \\*", &["th(r,e);e *"]),
        ("id==ID", &["one"]),
        (
            "id==urn:vcloud:entity:acme:app:00000000-0000-4000-8000-000000000000",
            &[],
        ),
        ("id==x", &[]),
        ("externalId==ext 1", &["one"]),
        ("state==RESOLVED", &["one"]),
        ("entityState==PRE_CREATED;name==two", &["two"]),
        ("entityType==urn:vcloud:type:acme:app:1.0.0", &["one"]),
        (
            "entityType!=urn:vcloud:type:acme:app:1.0.0",
            &["th(r,e);e *", "two"],
        ),
        ("vendor==acme;nss==app;version==1.0.0", &["one"]),
        ("version=ge=1.1.0", &["th(r,e);e *", "two"]),
        ("vendor==other", &[]),
        (
            "owner.name==alice;owner.id==ME",
            &["one", "th(r,e);e *", "two"],
        ),
        ("owner.name==bob", &[]),
        ("org.name==acme;org.id==ORG", &["one", "th(r,e);e *", "two"]),
        ("entity.metadata.orgName==x", &["one"]),
        ("entity.image==a;(name==one,name==two)", &["one"]),
        (
            "entity.region==eu,entity.metadata.orgName==x",
            &["one", "two"],
        ),
        (
            "creationDate=gt=2020-01-01T00:00:00.000Z;name==one",
            &["one"],
        ),
        ("lastModificationDate=lt=2020-01-01T00:00:00.000Z", &[]),
    ] {
        let filter = mine(filter);
        let encoded: String = filter
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
                b' ' => "+".to_owned(),
                other => format!("%{other:02X}"),
            })
            .collect();
        let path = format!(
            "/cloudapi/1.0.0/entities/types/acme/app/1?sortAsc=name&filter={encoded}&filterEncoded=true"
        );
        let found = world.get(&path).by(&alice).send();
        assert_eq!(names(&found), expected, "{filter}");
        assert_eq!(found.json["resultTotal"], expected.len(), "{filter}");
    }
    // As CSE sends it: raw.
    let raw =
        "/cloudapi/1.0.0/entities/types/acme/app/1?filter=name==one;entity.metadata.orgName==x";
    assert_eq!(
        names(&world.get(raw).by(&alice).version("36.0").send()),
        ["one"]
    );
}

pub(crate) fn versions_cut_short_types_by_id_and_all_versions_are_listed(mut world: World) {
    let mut files = crate::stage::app_files();
    files.push(type_file("acme:job", "1.0.0", "  schema: {type: object}\n"));
    world.add_types(&["acme:app", "acme:job"], &files);
    let alice = world.login("alice@acme");
    world.make(&alice, "1.0.0", "old", &json!({"image": "a"}));
    world.make(&alice, "1.1.0", "new", &json!({"image": "a"}));
    for (path, expected) in [
        ("types/acme/app/1", &["new", "old"][..]),
        ("types/acme/app/1.0", &["old"]),
        ("types/acme/app/1.0.0", &["old"]),
        ("types/acme/app/1.1.0/", &["new"]),
        ("types/acme/app/2", &[]),
        ("types/acme/app", &["new", "old"]),
        ("types/urn:vcloud:type:acme:app:1.1.0", &["new"]),
        ("types/acme/job/1.0.0", &[]),
    ] {
        let path = format!("/cloudapi/1.0.0/entities/{path}?sortAsc=name");
        assert_eq!(
            names(&world.get(&path).by(&alice).send()),
            expected,
            "{path}"
        );
    }
    for path in [
        "interfaces/acme/nothing/1.0.0",
        "interfaces/urn:vcloud:interface:acme:nothing:1.0.0",
    ] {
        let path = format!("/cloudapi/1.0.0/entities/{path}");
        assert_eq!(world.get(&path).by(&alice).send().status, 403, "{path}");
    }
}

pub(crate) fn an_unknown_first_level_key_is_refused_and_a_nested_one_finds_nothing(
    mut world: World,
) {
    world.add_app();
    let alice = world.login("alice@acme");
    world.make(&alice, "1.0.0", "one", &json!({"image": "a"}));
    for filter in [
        "nothing==a",
        "nothing.name==a",
        "owner==a",
        "name=a",
        "(name==a",
        "name==a;",
    ] {
        let refused = world
            .get(&format!("{APPS}?filter={filter}"))
            .by(&alice)
            .send();
        assert_eq!(refused.status, 400, "{filter} {refused:?}");
        assert_eq!(minor(&refused), "INVALID_FILTER", "{filter}");
    }
    for filter in [
        "entity.nothing==a",
        "entity.image.deeper==a",
        "owner.nothing==a",
        "name.nothing==a",
    ] {
        let found = world
            .get(&format!("{APPS}?filter={filter}"))
            .by(&alice)
            .send();
        assert_eq!(
            (found.status, names(&found).len()),
            (200, 0),
            "{filter} {found:?}"
        );
        let warned = found.header("coeval-warning");
        let undeclared = filter.starts_with("entity.");
        assert_eq!(warned.contains("COEVAL-6104"), undeclared, "{found:?}");
        assert_eq!(found.json["resultTotal"], 0, "{filter}");
    }
    let all = "/cloudapi/1.0.0/entities/types/acme/app";
    let some = world
        .get(&format!("{all}?filter=entity.region==eu"))
        .by(&alice)
        .send();
    let warned = some.header("coeval-warning");
    assert!(
        warned.starts_with("entity.region is declared by v1.1 only"),
        "{some:?}"
    );
    let refused = world
        .get(&format!("{APPS}?sortAsc=nothing"))
        .by(&alice)
        .send();
    assert_eq!(refused.status, 400, "{refused:?}");
}

pub(crate) fn what_can_t_be_shown_at_a_version_is_named_in_the_envelope(mut world: World) {
    let open = type_file(
        "acme:app",
        "1.0.0",
        "  schema: {type: object, properties: {size: {type: string}}}\n",
    );
    let strict = type_file(
        "acme:app",
        "2.0.0",
        "  schema: {type: object, properties: {size: {type: integer}}}\n  conversion: {from: 1.0.0, steps: [{convert: {path: /size, to: integer}}]}\n",
    );
    world.add_types(&["acme:app"], &[open, strict]);
    let alice = world.login("alice@acme");
    world.make(&alice, "1.0.0", "good", &json!({"size": "7"}));
    let bad = world.make(&alice, "1.0.0", "bad", &json!({"size": "large"}));
    let plain = world.get(APPS).by(&alice).send();
    assert_eq!(
        (names(&plain).len(), plain.json.get("quarantined")),
        (2, None)
    );
    let shown = world
        .get(&format!("{APPS}?acceptType=urn:vcloud:type:acme:app:2.0.0"))
        .by(&alice)
        .send();
    assert_eq!(names(&shown), ["good"], "{shown:?}");
    assert_eq!(shown.json["values"][0]["entity"], json!({"size": 7}));
    assert_eq!(
        shown.json["values"][0]["entityType"],
        "urn:vcloud:type:acme:app:2.0.0"
    );
    let quarantined = shown.json["quarantined"].as_array().unwrap();
    assert_eq!((quarantined.len(), &quarantined[0]["id"]), (1, &json!(bad)));
    assert!(
        quarantined[0]["code"]
            .as_str()
            .unwrap()
            .starts_with("COEVAL-3"),
        "{quarantined:?}"
    );
    assert!(
        quarantined[0]["reason"].as_str().unwrap().contains("size"),
        "{quarantined:?}"
    );
    let wrong = world
        .get(&format!("{APPS}?acceptType=urn:vcloud:type:acme:job:2.0.0"))
        .by(&alice)
        .send();
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

pub(crate) fn a_listing_is_of_one_organization(mut world: World) {
    world.add_app();
    let (admin, alice, oscar) = (
        world.admin(),
        world.login("alice@acme"),
        world.login("oscar@other"),
    );
    world.make(&alice, "1.0.0", "of-acme", &json!({"image": "a"}));
    world.make(&oscar, "1.0.0", "of-other", &json!({"image": "a"}));
    world.make(&admin, "1.0.0", "of-system", &json!({"image": "a"}));
    let list = |token: &str| names(&world.get(APPS).by(token).send());
    assert_eq!(
        (list(&alice), list(&oscar), list(&admin)),
        (
            vec!["of-acme".into()],
            vec!["of-other".into()],
            vec!["of-system".into()]
        )
    );
    let session = world
        .get("/cloudapi/1.0.0/sessions/current")
        .by(&alice)
        .send();
    let org = session.json["org"]["id"].as_str().unwrap().to_owned();
    let acting = world
        .get(APPS)
        .by(&admin)
        .header("x-vmware-vcloud-tenant-context", &org)
        .send();
    assert_eq!(names(&acting), ["of-acme"]);
    // A page token is its reader's own.
    world.make(&alice, "1.0.0", "more", &json!({"image": "a"}));
    let first = world.get(&format!("{APPS}?pageSize=1")).by(&alice).send();
    let next = link(&first, "nextPage").unwrap();
    assert_eq!(world.get(&next).by(&oscar).send().status, 400);
    assert_eq!(world.get(&next).by(&alice).send().status, 200);
}
