//! Resources: the standard methods, and what is around them.

mod body;
mod history;
mod read;
pub(crate) mod represent;
mod target;
mod write;

pub(crate) use body::millis;
pub(crate) use target::{named, selector};

use crate::route::{ParamKind, WebBody, WebRoute, handler};

const ALL: &str = "/resources/{kind}";
const ONE: &str = "/resources/{kind}/{name}";

/// How a resource is found, and shown.
pub(crate) fn one(route: WebRoute) -> WebRoute {
    route.text(
        "namespace",
        "The organization's name; the caller's own if nothing is said",
    )
}

fn versioned(route: WebRoute) -> WebRoute {
    route.text("version", "Shown at exactly this version")
}

pub(crate) fn routes() -> Vec<WebRoute> {
    let mut all = reads();
    all.extend(writes());
    all
}

fn reads() -> Vec<WebRoute> {
    vec![
        versioned(selecting(
            WebRoute::get(ALL, handler!(read::list)).listing(),
        ))
        .about("A page of the resources of a type.")
        .param(
            "page",
            "Which page, for those who count them",
            ParamKind::Number(1, 1_000_000),
        )
        .param(
            "count",
            "Whether to say how many there are",
            ParamKind::Flag,
        )
        .answers(200, WebBody::One("ResourcePage")),
        versioned(one(WebRoute::get(ONE, handler!(read::get))))
            .about("One resource, by name or id, with what the view leaves out.")
            .gives("ResourceShown"),
        versioned(one(WebRoute::get(
            "/resources/{kind}/{name}/history",
            handler!(history::list),
        )))
        .about("The revisions of a resource that are kept, newest first.")
        .gives("ResourceHistory"),
    ]
}

fn writes() -> Vec<WebRoute> {
    vec![
        one(WebRoute::post(ALL, handler!(write::create)))
            .about("Makes a resource; no other may have its name.")
            .param("strict", "Fields that no version of the type declares are refused, not stored with a warning", ParamKind::Flag)
            .ignorable("the server stores fields that no version declares")
            .takes("ResourceInput")
            .answers(201, WebBody::One("ResourceWritten")),
        one(WebRoute::put(ONE, handler!(write::replace)))
            .about("Changes a resource, on condition of the revision that was read; or with upsert makes it.")
            .param("upsert", "No revision is needed, and what is not there is made", ParamKind::Flag)
            .param("strict", "Fields that no version of the type declares are refused, not stored with a warning", ParamKind::Flag)
            .ignorable("the server stores fields that no version declares")
            .takes("ResourceInput")
            .answers(200, WebBody::One("ResourceWritten"))
            .answers(201, WebBody::One("ResourceWritten"))
            .answers(202, WebBody::One("ResourceWritten")),
        one(WebRoute::patch(ONE, handler!(write::patch)))
            .about("Changes the fields that the mask names; the server merges.")
            .param("strict", "Fields that no version of the type declares are refused, not stored with a warning", ParamKind::Flag)
            .ignorable("the server stores fields that no version declares")
            .takes("ResourcePatch")
            .answers(200, WebBody::One("ResourceWritten"))
            .answers(202, WebBody::One("ResourceWritten")),
        one(WebRoute::delete(ONE, handler!(write::delete)))
            .about("Deletes a resource; with a revision only if it has that one.")
            .text("revision", "The revision that was read")
            .gives("ResourceDeleted")
            .answers(202, WebBody::One("ResourceDeleted")),
        one(WebRoute::put("/resources/{kind}/{name}/status", handler!(write::status)))
            .about("Says how a resource is doing; its content stays.")
            .takes("StatusInput")
            .answers(200, WebBody::One("ResourceWritten"))
            .answers(202, WebBody::One("ResourceWritten")),
        one(WebRoute::post("/resources/{kind}/{name}/restore", handler!(history::restore)))
            .about("Writes an earlier revision again.")
            .takes("RestoreInput")
            .gives("ResourceWritten"),
        one(WebRoute::post("/resources/{kind}/{name}/upgrade", handler!(write::upgrade)))
            .about("Stores a resource at another version, which needs full control; its id and its name stay.")
            .since("0.2.0")
            .takes("UpgradeInput")
            .answers(200, WebBody::One("ResourceWritten"))
            .answers(202, WebBody::One("ResourceWritten")),
        versioned(selecting(WebRoute::post("/resources/{kind}/upgrade", handler!(write::upgrade_many)).among(ONE)))
            .about("Stores the resources that a filter matches at another version, in the background; only those that the caller has full control of are touched or counted.")
            .since("0.2.0")
            .text("filter", "Which ones: FIQL, such as name==web*")
            .takes("UpgradeManyInput")
            .answers(202, WebBody::One("Task")),
    ]
}

/// Which resources, in listings and watches.
pub(crate) fn selecting(route: WebRoute) -> WebRoute {
    route
        .text(
            "namespace",
            "The organization's name; the caller's own if nothing is said; - for all",
        )
        .text("namePrefix", "Only those whose name begins so")
        .param(
            "label",
            "Only those with this label: KEY=VALUE",
            ParamKind::Texts,
        )
        .text(
            "storedVersion",
            "Only those stored at a version that begins so: 1 or 1.1",
        )
}
