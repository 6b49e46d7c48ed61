//! Organizations and their virtual data centers: in JSON, and in XML as far as clients look before
//! they come to entities.

mod admin;
mod json;
pub(crate) mod places;
mod queries;
mod records;
mod vdcs;

use crate::route::{CloudBody, CloudRoute, ParamKind, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    let mut all = json_routes();
    all.extend(xml_routes());
    all
}

fn json_routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/cloudapi/1.0.0/orgs", handler!(json::list))
            .about("The organizations that the caller may see.")
            .listing()
            .answers(200, CloudBody::Page("Org")),
        CloudRoute::post("/cloudapi/1.0.0/orgs", handler!(json::create))
            .about("Makes an organization.")
            .takes(CloudBody::One("Org"))
            .answers(201, CloudBody::One("Org")),
        CloudRoute::get("/cloudapi/1.0.0/orgs/{id}", handler!(json::get))
            .about("One organization.")
            .answers(200, CloudBody::One("Org")),
        CloudRoute::put("/cloudapi/1.0.0/orgs/{id}", handler!(json::update))
            .about("Changes an organization; its name never changes.")
            .takes(CloudBody::One("Org"))
            .answers(200, CloudBody::One("Org")),
        CloudRoute::delete("/cloudapi/1.0.0/orgs/{id}", handler!(json::delete))
            .about("Deletes an organization that has nothing any more.")
            .answers(204, CloudBody::Empty),
    ]
}

fn xml_routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/api/org", handler!(admin::org_list))
            .about("The organizations that the caller may see.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/org/{id}", handler!(admin::org))
            .about("One organization, with links to its virtual data centers.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/admin", handler!(admin::root))
            .about("The release that clients take this server for, and its organizations.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/admin/org/{id}", handler!(admin::admin_org))
            .about("One organization, with its users, roles and virtual data centers.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/vdc/{id}", handler!(vdcs::get))
            .about("One virtual data center.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/admin/vdc/{id}", handler!(vdcs::admin_get))
            .about("One virtual data center, as administrators see it.")
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/query", handler!(queries::run))
            .about("Records of one type; without a type, which types there are.")
            .param(
                "type",
                "orgVdc, organization, user, role, task, …",
                ParamKind::Text,
            )
            .param(
                "format",
                "records, idrecords or references",
                ParamKind::Text,
            )
            .param(
                "fields",
                "Accepted; all fields are answered",
                ParamKind::Text,
            )
            .param(
                "filterEncoded",
                "Accepted; it changes nothing",
                ParamKind::Text,
            )
            .listing()
            .answers(200, CloudBody::Xml),
    ]
}
