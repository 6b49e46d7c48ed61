//! Rights, and what has some: rights bundles, global roles, roles of an organization.

mod bundles;
mod publication;
mod right;
mod roles;

pub(crate) use right::references;

use crate::route::{CloudBody, CloudHandler, CloudRoute, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    let mut all = vec![
        CloudRoute::get("/cloudapi/1.0.0/rights", handler!(right::list))
            .about("The rights that there are where the caller acts.")
            .listing()
            .answers(200, CloudBody::Page("Right")),
        CloudRoute::get("/cloudapi/1.0.0/rights/{id}", handler!(right::get))
            .about("One right.")
            .answers(200, CloudBody::One("Right")),
        CloudRoute::get(
            "/cloudapi/1.0.0/rightsCategories",
            handler!(right::categories),
        )
        .about("What rights are sorted into.")
        .listing()
        .answers(200, CloudBody::Page("RightsCategory")),
    ];
    all.extend(bundle_routes());
    all.extend(global_role_routes());
    all.extend(role_routes());
    all
}

/// What can be done with one kind of things that have rights.
struct RightsContainer {
    model: &'static str,
    collection: &'static str,
    one: &'static str,
    rights: &'static str,
    list: CloudHandler,
    create: CloudHandler,
    get: CloudHandler,
    update: CloudHandler,
    delete: CloudHandler,
    get_rights: CloudHandler,
    add_rights: CloudHandler,
    set_rights: CloudHandler,
}

impl RightsContainer {
    fn routes(self) -> Vec<CloudRoute> {
        let model = self.model;
        vec![
            CloudRoute::get(self.collection, self.list)
                .about("All of them.")
                .listing()
                .answers(200, CloudBody::Page(model)),
            CloudRoute::post(self.collection, self.create)
                .about("Makes one, without rights.")
                .takes(CloudBody::One(model))
                .answers(201, CloudBody::One(model)),
            CloudRoute::get(self.one, self.get)
                .about("One of them.")
                .answers(200, CloudBody::One(model)),
            CloudRoute::put(self.one, self.update)
                .about("Changes name and description.")
                .takes(CloudBody::One(model))
                .answers(200, CloudBody::One(model)),
            CloudRoute::delete(self.one, self.delete)
                .about("Deletes one.")
                .answers(204, CloudBody::Empty),
            CloudRoute::get(self.rights, self.get_rights)
                .about("Its rights.")
                .listing()
                .answers(200, CloudBody::Page("Right")),
            CloudRoute::post(self.rights, self.add_rights)
                .about("Adds rights.")
                .takes(CloudBody::One("References"))
                .answers(200, CloudBody::Page("Right")),
            CloudRoute::put(self.rights, self.set_rights)
                .about("Replaces its rights.")
                .takes(CloudBody::One("References"))
                .answers(200, CloudBody::Page("Right")),
        ]
    }
}

fn bundle_routes() -> Vec<CloudRoute> {
    let mut all = RightsContainer {
        model: "RightsBundle",
        collection: "/cloudapi/1.0.0/rightsBundles",
        one: "/cloudapi/1.0.0/rightsBundles/{id}",
        rights: "/cloudapi/1.0.0/rightsBundles/{id}/rights",
        list: handler!(bundles::list),
        create: handler!(bundles::create),
        get: handler!(bundles::get),
        update: handler!(bundles::update),
        delete: handler!(bundles::delete),
        get_rights: handler!(bundles::get_rights),
        add_rights: handler!(bundles::add_rights),
        set_rights: handler!(bundles::set_rights),
    }
    .routes();
    all.extend(tenants(
        [
            "/cloudapi/1.0.0/rightsBundles/{id}/tenants",
            "/cloudapi/1.0.0/rightsBundles/{id}/tenants/publish",
            "/cloudapi/1.0.0/rightsBundles/{id}/tenants/unpublish",
            "/cloudapi/1.0.0/rightsBundles/{id}/tenants/publishAll",
            "/cloudapi/1.0.0/rightsBundles/{id}/tenants/unpublishAll",
        ],
        [
            handler!(publication::tenants),
            handler!(publication::replace),
            handler!(publication::publish),
            handler!(publication::unpublish),
            handler!(publication::publish_all),
            handler!(publication::unpublish_all),
        ],
    ));
    all
}

fn global_role_routes() -> Vec<CloudRoute> {
    let mut all = RightsContainer {
        model: "GlobalRole",
        collection: "/cloudapi/1.0.0/globalRoles",
        one: "/cloudapi/1.0.0/globalRoles/{id}",
        rights: "/cloudapi/1.0.0/globalRoles/{id}/rights",
        list: handler!(roles::list_global),
        create: handler!(roles::create_global),
        get: handler!(roles::get_global),
        update: handler!(roles::update_global),
        delete: handler!(roles::delete_global),
        get_rights: handler!(roles::get_rights),
        add_rights: handler!(roles::add_rights),
        set_rights: handler!(roles::set_rights),
    }
    .routes();
    all.extend(tenants(
        [
            "/cloudapi/1.0.0/globalRoles/{id}/tenants",
            "/cloudapi/1.0.0/globalRoles/{id}/tenants/publish",
            "/cloudapi/1.0.0/globalRoles/{id}/tenants/unpublish",
            "/cloudapi/1.0.0/globalRoles/{id}/tenants/publishAll",
            "/cloudapi/1.0.0/globalRoles/{id}/tenants/unpublishAll",
        ],
        [
            handler!(publication::role_tenants),
            handler!(publication::role_replace),
            handler!(publication::role_tenants),
            handler!(publication::role_unpublish),
            handler!(publication::role_tenants),
            handler!(publication::role_unpublish),
        ],
    ));
    all
}

fn role_routes() -> Vec<CloudRoute> {
    RightsContainer {
        model: "Role",
        collection: "/cloudapi/1.0.0/roles",
        one: "/cloudapi/1.0.0/roles/{id}",
        rights: "/cloudapi/1.0.0/roles/{id}/rights",
        list: handler!(roles::list),
        create: handler!(roles::create),
        get: handler!(roles::get),
        update: handler!(roles::update),
        delete: handler!(roles::delete),
        get_rights: handler!(roles::get_rights),
        add_rights: handler!(roles::add_rights),
        set_rights: handler!(roles::set_rights),
    }
    .routes()
}

/// To whom it is published. The answers are never empty: a client reads each of them.
fn tenants(paths: [&'static str; 5], handlers: [CloudHandler; 6]) -> Vec<CloudRoute> {
    let [all, publish, unpublish, publish_all, unpublish_all] = paths;
    let [get, replace, to, from, to_all, from_all] = handlers;
    let page = CloudBody::Page("Reference");
    let orgs = CloudBody::One("References");
    vec![
        CloudRoute::get(all, get)
            .about("The organizations that it is published to.")
            .listing()
            .answers(200, page),
        CloudRoute::put(all, replace)
            .about("Publishes it to exactly these organizations.")
            .takes(orgs)
            .answers(200, page),
        CloudRoute::post(publish, to)
            .about("Publishes it to these organizations too.")
            .takes(orgs)
            .answers(200, page),
        CloudRoute::post(unpublish, from)
            .about("Takes it from these organizations.")
            .takes(orgs)
            .answers(200, page),
        CloudRoute::post(publish_all, to_all)
            .about("Publishes it to all organizations, also to those that come later.")
            .answers(200, page),
        CloudRoute::post(unpublish_all, from_all)
            .about("Takes it from all organizations.")
            .answers(200, page),
    ]
}
