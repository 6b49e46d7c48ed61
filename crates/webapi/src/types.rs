//! Types: their versions, what was found about them, how they convert, who sees them.

mod acl;
mod change;
mod conversion;
mod read;

use crate::call::WebCall;
use crate::error::WebError;
use crate::route::{ParamKind, WebBody, WebRoute, handler};
use coeval_core::version::Version;
use coeval_engine::TypeKey;

const ALL: &str = "/types";
const ONE: &str = "/types/{type}";
const VERSION: &str = "/types/{type}/versions/{version}";

pub(crate) fn routes() -> Vec<WebRoute> {
    let mut all = reads();
    all.extend(changes());
    all
}

fn reads() -> Vec<WebRoute> {
    vec![
        WebRoute::get(ALL, handler!(read::list))
            .about("The types that the caller sees, each with its versions.")
            .listing()
            .answers(200, WebBody::Page("Type")),
        WebRoute::get(ONE, handler!(read::get))
            .about("One type with its versions and how they convert, in plain words.")
            .gives("TypeShown"),
        WebRoute::get("/types/{type}/counts", handler!(read::counts))
            .about("How many resources are stored at each version; of the caller's organization, for the provider of all.")
            .gives("TypeCounts"),
        WebRoute::get(VERSION, handler!(read::version))
            .about("One type version: its file, its schema and what was found about it.")
            .gives("TypeVersion"),
        WebRoute::get("/types/{type}/versions/{version}/behaviors", handler!(read::behaviors))
            .about("The behaviors that can be invoked on resources of a type version.")
            .listing()
            .answers(200, WebBody::Page("Behavior")),
        WebRoute::get("/types/{type}/versions/{version}/acl", handler!(acl::list))
            .about("Who is granted what on a type version.")
            .listing()
            .answers(200, WebBody::Page("Grant")),
    ]
}

fn changes() -> Vec<WebRoute> {
    vec![
        WebRoute::post(ALL, handler!(change::register))
            .about("Registers a type version from its file, YAML or JSON; with dryRun it is only checked.")
            .param("dryRun", "Only check it", ParamKind::Flag)
            .takes("TypeInput")
            .answers(200, WebBody::One("Registered"))
            .answers(201, WebBody::One("Registered")),
        WebRoute::put(VERSION, handler!(change::edit))
            .about("Changes a type version that has no resources.")
            .takes("TypeInput")
            .gives("Registered"),
        WebRoute::delete(VERSION, handler!(change::delete))
            .about("Deletes a type version that has no resources. If others are converted through it, it is retired: nobody sees it, and registering it equally brings it back.")
            .answers(204, WebBody::Empty),
        WebRoute::put("/types/{type}/versions/{version}/annotations", handler!(change::annotate))
            .about("Deprecates a type version and sets its columns, whether or not it has resources; what is absent stays, null takes it away.")
            .since("0.2.0")
            .takes("AnnotationsInput")
            .gives("TypeVersion"),
        WebRoute::post("/types/{type}/versions/{version}/acl", handler!(acl::grant))
            .about("Grants somebody a type version.")
            .takes("GrantInput")
            .gives("Grant"),
        WebRoute::delete(
            "/types/{type}/versions/{version}/acl/{member}",
            handler!(acl::revoke),
        )
        .about("Takes a grant on a type version away.")
        .answers(204, WebBody::Empty),
        WebRoute::post("/types/{type}/migrations", handler!(change::migrate))
            .about("Moves the resources of one version to another, in the background; with dryRun it is only tried.")
            .takes("MigrationInput")
            .answers(202, WebBody::One("Task")),
    ]
}

/// The type that the path names, `vendor:nss`.
pub(crate) fn of(call: &WebCall) -> Result<TypeKey, WebError> {
    let text = call.param("type");
    let bad = || WebError::invalid("that is no type: use vendor:nss");
    TypeKey::parse(text).ok_or_else(bad)
}

/// A version: `1.1.0` or `v1.1`.
pub(crate) fn version_of(text: &str) -> Result<Version, WebError> {
    let version = coeval_api::methods::parse_version(text)?;
    version.ok_or_else(|| WebError::invalid("a version is missing"))
}
