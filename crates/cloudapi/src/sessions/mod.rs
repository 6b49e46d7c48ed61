//! What clients call before everything else: versions, sessions, and tokens for programs.

mod login;
mod oauth;
mod old;
mod tokens;
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
        Route::post("/api/sessions", handler!(old::login))
            .about("Logs anybody in, as older clients do.")
            .needs(Needs::Password)
            .answers(200, Shape::Xml),
        Route::get("/api/session", handler!(old::current))
            .about("Who the caller is, and where its organization is.")
            .answers(200, Shape::Xml),
        Route::delete("/api/session", handler!(login::end))
            .about("Ends the session that the request is sent with.")
            .answers(204, Shape::Empty),
        register("/oauth/provider/register"),
        register("/oauth/tenant/{org}/register"),
        token("/oauth/provider/token"),
        token("/oauth/tenant/{org}/token"),
        Route::get("/cloudapi/1.0.0/tokens", handler!(tokens::list))
            .about("The caller's API tokens, without their secrets.")
            .listing()
            .answers(200, Shape::Page("Token")),
        Route::get("/cloudapi/1.0.0/tokens/{id}", handler!(tokens::get))
            .about("One of the caller's API tokens.")
            .answers(200, Shape::One("Token")),
        Route::delete("/cloudapi/1.0.0/tokens/{id}", handler!(tokens::delete))
            .about("Revokes an API token, and ends the sessions that began with it.")
            .answers(204, Shape::Empty),
    ]
}

fn register(path: &'static str) -> Route {
    Route::post(path, handler!(oauth::register))
        .about("Registers a client by name; its token is asked for afterwards, once.")
        .takes(Shape::One("OAuthClient"))
        .answers(201, Shape::One("OAuthClient"))
}

fn token(path: &'static str) -> Route {
    Route::post(path, handler!(oauth::token))
        .about("Begins a session with an API token, or gives a registered client its API token.")
        .needs(Needs::Nothing)
        .takes(Shape::Form)
        .answers(200, Shape::One("OAuthToken"))
}
