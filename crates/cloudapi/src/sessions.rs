//! What clients call before everything else: versions, sessions, and tokens for programs.

mod legacy;
mod login;
mod oauth;
mod tokens;
mod versions;

use crate::route::{CloudBody, CloudRoute, RequiredCredentials, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/api/versions", handler!(versions::get))
            .about("The API versions that are served, and where to log in.")
            .needs(RequiredCredentials::Nothing)
            .answers(200, CloudBody::Xml),
        CloudRoute::post("/cloudapi/1.0.0/sessions", handler!(login::tenant))
            .about(
                "Logs a tenant's user in; the token is in the header X-VMWARE-VCLOUD-ACCESS-TOKEN.",
            )
            .needs(RequiredCredentials::Password)
            .answers(200, CloudBody::One("Session")),
        CloudRoute::post(
            "/cloudapi/1.0.0/sessions/provider",
            handler!(login::provider),
        )
        .about("Logs one of the provider's users in.")
        .needs(RequiredCredentials::Password)
        .answers(200, CloudBody::One("Session")),
        CloudRoute::get("/cloudapi/1.0.0/sessions/current", handler!(login::current))
            .about("Who the caller is.")
            .answers(200, CloudBody::One("Session")),
        CloudRoute::delete("/cloudapi/1.0.0/sessions/current", handler!(login::end))
            .about("Ends the session that the request is sent with.")
            .answers(204, CloudBody::Empty),
        CloudRoute::post("/api/sessions", handler!(legacy::login))
            .about("Logs anybody in, as older clients do.")
            .needs(RequiredCredentials::Password)
            .answers(200, CloudBody::Xml),
        CloudRoute::get("/api/session", handler!(legacy::current))
            .about("Who the caller is, and where its organization is.")
            .answers(200, CloudBody::Xml),
        CloudRoute::delete("/api/session", handler!(login::end))
            .about("Ends the session that the request is sent with.")
            .answers(204, CloudBody::Empty),
        register("/oauth/provider/register"),
        register("/oauth/tenant/{org}/register"),
        token("/oauth/provider/token"),
        token("/oauth/tenant/{org}/token"),
        CloudRoute::get("/cloudapi/1.0.0/tokens", handler!(tokens::list))
            .about("The caller's API tokens, without their secrets.")
            .listing()
            .answers(200, CloudBody::Page("Token")),
        CloudRoute::get("/cloudapi/1.0.0/tokens/{id}", handler!(tokens::get))
            .about("One of the caller's API tokens.")
            .answers(200, CloudBody::One("Token")),
        CloudRoute::delete("/cloudapi/1.0.0/tokens/{id}", handler!(tokens::delete))
            .about("Revokes an API token, and ends the sessions that began with it.")
            .answers(204, CloudBody::Empty),
    ]
}

fn register(path: &'static str) -> CloudRoute {
    CloudRoute::post(path, handler!(oauth::register))
        .about("Registers a client by name; its token is asked for afterwards, once.")
        .takes(CloudBody::One("OAuthClient"))
        .answers(201, CloudBody::One("OAuthClient"))
}

fn token(path: &'static str) -> CloudRoute {
    CloudRoute::post(path, handler!(oauth::token))
        .about("Begins a session with an API token, or gives a registered client its API token.")
        .needs(RequiredCredentials::Nothing)
        .takes(CloudBody::Form)
        .answers(200, CloudBody::One("OAuthToken"))
}
