//! Users, in JSON and as far as older clients look them up in XML.

mod json;
mod legacy;

use crate::api::CloudState;
use crate::error::ApiError;
use crate::route::{CloudBody, CloudRoute, handler};
use coeval_engine::Caller;
use coeval_engine::identity::User;

pub(crate) fn routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/cloudapi/1.0.0/users", handler!(json::list))
            .about("The users of the organization that the caller acts in.")
            .listing()
            .answers(200, CloudBody::Page("User")),
        CloudRoute::post("/cloudapi/1.0.0/users", handler!(json::create))
            .about("Makes a user.")
            .takes(CloudBody::One("User"))
            .answers(201, CloudBody::One("User")),
        CloudRoute::get("/cloudapi/1.0.0/users/{id}", handler!(json::get))
            .about("One user.")
            .answers(200, CloudBody::One("User")),
        CloudRoute::put("/cloudapi/1.0.0/users/{id}", handler!(json::update))
            .about("Changes a user; with a password its sessions end.")
            .takes(CloudBody::One("User"))
            .answers(200, CloudBody::One("User")),
        CloudRoute::delete("/cloudapi/1.0.0/users/{id}", handler!(json::delete))
            .about("Deletes a user with its sessions and tokens.")
            .answers(204, CloudBody::Empty),
        CloudRoute::get("/api/admin/user/{id}", handler!(legacy::get))
            .about("One user.")
            .answers(200, CloudBody::Xml),
    ]
}

/// How many are read at once.
const AT_ONCE: usize = 500;

/// All users of an organization, by name.
pub(crate) async fn of_org(
    api: &CloudState,
    caller: &Caller,
    org: &str,
) -> Result<Vec<User>, ApiError> {
    let mut all: Vec<User> = Vec::new();
    loop {
        let after = all.last().map(|user| user.id.clone());
        let page = api
            .engine
            .list_users(caller, org, after.as_deref(), AT_ONCE);
        let page = page.await?;
        // Users that can't be read are left out of a page, so that only an empty one is surely the last.
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}
