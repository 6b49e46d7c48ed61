//! Organizations and their virtual data centers: in JSON, and in XML as far as clients look before
//! they come to entities.

mod admin;
mod json;
pub(crate) mod places;
mod queries;
mod records;
mod vdcs;

use crate::route::{ParamKind, Route, Shape, handler};

pub(crate) fn routes() -> Vec<Route> {
    let mut all = json_routes();
    all.extend(xml_routes());
    all
}

fn json_routes() -> Vec<Route> {
    vec![
        Route::get("/cloudapi/1.0.0/orgs", handler!(json::list))
            .about("The organizations that the caller may see.")
            .listing()
            .answers(200, Shape::Page("Org")),
        Route::post("/cloudapi/1.0.0/orgs", handler!(json::create))
            .about("Makes an organization.")
            .takes(Shape::One("Org"))
            .answers(201, Shape::One("Org")),
        Route::get("/cloudapi/1.0.0/orgs/{id}", handler!(json::get))
            .about("One organization.")
            .answers(200, Shape::One("Org")),
        Route::put("/cloudapi/1.0.0/orgs/{id}", handler!(json::update))
            .about("Changes an organization; its name never changes.")
            .takes(Shape::One("Org"))
            .answers(200, Shape::One("Org")),
        Route::delete("/cloudapi/1.0.0/orgs/{id}", handler!(json::delete))
            .about("Deletes an organization that has nothing any more.")
            .answers(204, Shape::Empty),
    ]
}

fn xml_routes() -> Vec<Route> {
    vec![
        Route::get("/api/org", handler!(admin::org_list))
            .about("The organizations that the caller may see.")
            .answers(200, Shape::Xml),
        Route::get("/api/org/{id}", handler!(admin::org))
            .about("One organization, with links to its virtual data centers.")
            .answers(200, Shape::Xml),
        Route::get("/api/admin", handler!(admin::root))
            .about("The release that clients take this server for, and its organizations.")
            .answers(200, Shape::Xml),
        Route::get("/api/admin/org/{id}", handler!(admin::admin_org))
            .about("One organization, with its users, roles and virtual data centers.")
            .answers(200, Shape::Xml),
        Route::get("/api/vdc/{id}", handler!(vdcs::get))
            .about("One virtual data center.")
            .answers(200, Shape::Xml),
        Route::get("/api/admin/vdc/{id}", handler!(vdcs::admin_get))
            .about("One virtual data center, as administrators see it.")
            .answers(200, Shape::Xml),
        Route::get("/api/query", handler!(queries::run))
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
            .answers(200, Shape::Xml),
    ]
}
