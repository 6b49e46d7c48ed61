//! Versions of a route are counted, so that a client can tell which ones a server may have.

use super::{RuleContext, RuleEntry};
use crate::compare::{SurfaceArea, SurfaceChange, SurfaceDifference};
use crate::model::{ApiDocument, ApiStyle};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "versioned-route",
    statement: "A new route begins at `/v1/webapi/` (gRPC: package `.v1`), and version N stands beside version N-1.",
    how_to_go_on: "Add the route under the next version of its path, or under `/v1/webapi/` if it is new; in gRPC the same with the package.",
    areas: &[SurfaceArea::Webapi, SurfaceArea::Grpc],
    judge,
};

fn judge(difference: &SurfaceDifference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let SurfaceChange::NewOperation { api, name, .. } = &difference.change else {
        return None;
    };
    let kept = context.kept.iter().filter_map(|kept| kept.surface.api(api.style));
    // What is served counts too: two versions may come with one release.
    let known: Vec<&ApiDocument> = kept.chain(context.served.api(api.style)).collect();
    match api.style {
        ApiStyle::Webapi => judge_route(name, &known),
        ApiStyle::Grpc => judge_package(name, &known),
        ApiStyle::Cloudapi => None,
    }
}

fn judge_route(name: &str, known: &[&ApiDocument]) -> Option<String> {
    let (method, path) = name.split_once(' ')?;
    let Some((version, rest)) = route_version(path) else {
        return Some("its path does not begin with /v1/webapi/".to_owned());
    };
    // Version 1 has none before it.
    let before = version.checked_sub(1).filter(|before| *before > 0)?;
    let before = without_names(&format!("{method} /v{before}/webapi/{rest}"));
    let mut all = known.iter().flat_map(|api| api.operations.keys());
    let stands = all.any(|operation| without_names(operation) == before);
    (!stands).then(|| format!("there is no {before} that it would be the next version of"))
}

/// The version and what follows it: `/v2/webapi/foos` is 2 and `foos`.
fn route_version(path: &str) -> Option<(u32, &str)> {
    let (version, rest) = path.strip_prefix("/v")?.split_once("/webapi/")?;
    let version = version.parse().ok().filter(|version| *version > 0)?;
    Some((version, rest))
}

/// What a parameter of the path is called makes no difference to its version.
fn without_names(operation: &str) -> String {
    let parts = operation.split('/');
    let parts = parts.map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn judge_package(name: &str, known: &[&ApiDocument]) -> Option<String> {
    let (package, version) = package_version(name)?;
    let Some(version) = version else {
        return Some(format!("its package {package} does not end with .v1"));
    };
    // Version 1 has none before it.
    let before = version.checked_sub(1).filter(|before| *before > 0)?;
    let mut all = known.iter().flat_map(|api| api.operations.keys());
    let stands = all.any(|operation| package_version(operation) == Some((package, Some(before))));
    (!stands).then(|| format!("there is no {package}.v{before} that it would be the next version of"))
}

/// `coeval.tasks.v1.TaskService/GetTask` is of `coeval.tasks`, version 1.
fn package_version(name: &str) -> Option<(&str, Option<u32>)> {
    let (service, _) = name.split_once('/')?;
    let package = service.rsplit_once('.').map_or("", |(package, _)| package);
    let versioned = package.rsplit_once(".v");
    let versioned = versioned.and_then(|(base, version)| Some((base, version.parse().ok()?)));
    match versioned {
        Some((base, version)) if version > 0 => Some((base, Some(version))),
        _ => Some((package, None)),
    }
}
