//! What clients call before and around everything else: versions, sessions, organizations, rights,
//! tasks.

mod login;
mod versions;

use crate::route::{Needs, Route, Shape, handler};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/versions", handler!(versions::get))
            .about("The API versions that are served, and where to log in.")
            .needs(Needs::Nothing)
            .answers(200, Shape::Xml),
        Route::post("/cloudapi/1.0.0/sessions", handler!(login::tenant))
            .about(
                "Logs a tenant's user in; the token is in the header X-VMWARE-VCLOUD-ACCESS-TOKEN.",
            )
            .needs(Needs::Password)
            .answers(200, Shape::One("Session")),
        Route::post(
            "/cloudapi/1.0.0/sessions/provider",
            handler!(login::provider),
        )
        .about("Logs one of the provider's users in.")
        .needs(Needs::Password)
        .answers(200, Shape::One("Session")),
        Route::get("/cloudapi/1.0.0/sessions/current", handler!(login::current))
            .about("Who the caller is.")
            .answers(200, Shape::One("Session")),
        Route::delete("/cloudapi/1.0.0/sessions/current", handler!(login::end))
            .about("Ends the session that the request is sent with.")
            .answers(204, Shape::Empty),
    ]
}
