//! Users, in JSON and as far as older clients look them up in XML.

mod json;
mod old;

use crate::api::Api;
use crate::error::ApiError;
use crate::route::{Route, Shape, handler};
use coeval_engine::Caller;
use coeval_engine::identity::User;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/cloudapi/1.0.0/users", handler!(json::list))
            .about("The users of the organization that the caller acts in.")
            .listing()
            .answers(200, Shape::Page("User")),
        Route::post("/cloudapi/1.0.0/users", handler!(json::create))
            .about("Makes a user.")
            .takes(Shape::One("User"))
            .answers(201, Shape::One("User")),
        Route::get("/cloudapi/1.0.0/users/{id}", handler!(json::get))
            .about("One user.")
            .answers(200, Shape::One("User")),
        Route::put("/cloudapi/1.0.0/users/{id}", handler!(json::update))
            .about("Changes a user; with a password its sessions end.")
            .takes(Shape::One("User"))
            .answers(200, Shape::One("User")),
        Route::delete("/cloudapi/1.0.0/users/{id}", handler!(json::delete))
            .about("Deletes a user with its sessions and tokens.")
            .answers(204, Shape::Empty),
        Route::get("/api/admin/user/{id}", handler!(old::get))
            .about("One user.")
            .answers(200, Shape::Xml),
    ]
}

/// How many are read at once.
const AT_ONCE: usize = 500;

/// All users of an organization, by name.
pub(crate) async fn of_org(api: &Api, caller: &Caller, org: &str) -> Result<Vec<User>, ApiError> {
    let mut all: Vec<User> = Vec::new();
    loop {
        let after = all.last().map(|user| user.id.clone());
        let page = api
            .engine
            .list_users(caller, org, after.as_deref(), AT_ONCE);
        let page = page.await?;
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}
