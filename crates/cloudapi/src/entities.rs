//! Entities: what the engine calls resources.

mod access;
mod acl;
mod fields;
mod lists;
mod metadata;
mod migrate;
mod read;
mod represent;
mod target;
mod write;

use crate::route::{CloudBody, CloudRoute, ParamKind, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    let mut all = single();
    all.extend(many());
    all.extend(shared());
    all.extend(noted());
    all
}

/// The parameters that ask for a version.
fn versioned(route: CloudRoute) -> CloudRoute {
    route
        .param(
            "acceptType",
            "Converted to this version: a type's id or a bare version",
            ParamKind::Text,
        )
        .param(
            "entityVersion",
            "The same under its other name",
            ParamKind::Text,
        )
}

fn hooked(route: CloudRoute) -> CloudRoute {
    route.param(
        "invokeHooks",
        "Whether the type's hooks run; they do if nothing is said",
        ParamKind::Flag,
    )
}

/// One entity.
fn single() -> Vec<CloudRoute> {
    let entity = "/cloudapi/1.0.0/entities/{id}";
    vec![
        hooked(CloudRoute::post(
            "/cloudapi/1.0.0/entityTypes/{id}",
            handler!(write::create),
        ))
        .about("Makes an entity of a type version; Location leads to the task of its creation.")
        .param(
            "resolveEntity",
            "Whether it is resolved at once",
            ParamKind::Flag,
        )
        .takes(CloudBody::One("DefinedEntity"))
        .answers(202, CloudBody::Empty),
        versioned(CloudRoute::get(entity, handler!(read::get)))
            .about("One entity, with its ETag.")
            .answers(200, CloudBody::One("DefinedEntity")),
        hooked(versioned(CloudRoute::put(entity, handler!(write::update))))
            .about("Changes an entity; If-Match guards against writing over a newer change.")
            .takes(CloudBody::One("DefinedEntity"))
            .answers(200, CloudBody::One("DefinedEntity")),
        hooked(CloudRoute::delete(entity, handler!(write::delete)))
            .about("Deletes an entity that was resolved; with coeval-force: true any.")
            .answers(204, CloudBody::Empty),
        CloudRoute::post(
            "/cloudapi/1.0.0/entities/{id}/resolve",
            handler!(read::resolve),
        )
        .about("Compares an entity with its type's schema and sets its state.")
        .answers(200, CloudBody::One("EntityState")),
        CloudRoute::get(
            "/cloudapi/1.0.0/entities/{id}/fullContents",
            handler!(read::full_contents),
        )
        .about("One entity with its secure fields in clear; that they were read is recorded.")
        .answers(200, CloudBody::One("DefinedEntity")),
        CloudRoute::get(
            "/cloudapi/1.0.0/entities/{id}/access",
            handler!(access::get),
        )
        .about("What the caller may do with an entity, and why.")
        .param(
            "explain",
            "Whether to say what each action takes",
            ParamKind::Flag,
        )
        .param(
            "user",
            "Another user's id, for those who may ask",
            ParamKind::Text,
        )
        .answers(200, CloudBody::One("EntityAccess")),
    ]
}

/// Pages of entities, and moving all of a version.
fn many() -> Vec<CloudRoute> {
    let page = |route: CloudRoute| {
        versioned(route.listing())
            .param(
                "cursor",
                "Where the page before ended; links to the next page have it",
                ParamKind::Text,
            )
            .answers(200, CloudBody::Page("DefinedEntity"))
    };
    vec![
        page(CloudRoute::get(
            "/cloudapi/1.0.0/entities/types/{vendor}/{nss}/{version}",
            handler!(lists::of_type),
        ))
        .about("Entities of a type; 1 and 1.0 stand for all versions that begin so."),
        page(CloudRoute::get(
            "/cloudapi/1.0.0/entities/types/{vendor}/{nss}",
            handler!(lists::of_all_versions),
        ))
        .about("Entities of all versions of a type.")
        .since(37, 0),
        page(CloudRoute::get(
            "/cloudapi/1.0.0/entities/types/{typeId}",
            handler!(lists::of_type_id),
        ))
        .about("Entities of a type version, by its id."),
        page(CloudRoute::get(
            "/cloudapi/1.0.0/entities/interfaces/{vendor}/{nss}/{version}",
            handler!(lists::of_interface),
        ))
        .about("Entities of all types that implement an interface."),
        page(CloudRoute::get(
            "/cloudapi/1.0.0/entities/interfaces/{interfaceId}",
            handler!(lists::of_interface_id),
        ))
        .about("Entities of all types that implement an interface, by its id."),
        CloudRoute::post(
            "/cloudapi/1.0.0/entityTypes/{id}/migrateEntities",
            handler!(migrate::start),
        )
        .about("Moves all entities of a type version to another one; Location leads to the task.")
        .since(38, 0)
        .takes(CloudBody::One("DefinedEntitiesVersionMigrate"))
        .answers(202, CloudBody::Empty),
    ]
}

/// Who may do what.
fn shared() -> Vec<CloudRoute> {
    let all = "/cloudapi/1.0.0/entities/{id}/accessControls";
    let one = "/cloudapi/1.0.0/entities/{id}/accessControls/{acl}";
    let grant = CloudBody::One("AccessControlGrant");
    vec![
        CloudRoute::get(all, handler!(acl::list))
            .about("Who has access to an entity; its owner always has.")
            .listing()
            .answers(200, CloudBody::Page("AccessControlGrant")),
        CloudRoute::post(all, handler!(acl::create))
            .about("Gives a user, a role or an organization access, or changes it.")
            .takes(grant)
            .answers(201, grant),
        CloudRoute::get(one, handler!(acl::get))
            .about("One grant.")
            .answers(200, grant),
        CloudRoute::put(one, handler!(acl::update))
            .about("Changes the level of a grant.")
            .takes(grant)
            .answers(200, grant),
        CloudRoute::delete(one, handler!(acl::delete))
            .about("Takes a grant away.")
            .answers(204, CloudBody::Empty),
    ]
}

/// Metadata entries.
fn noted() -> Vec<CloudRoute> {
    let all = "/cloudapi/1.0.0/entities/{id}/metadata";
    let one = "/cloudapi/1.0.0/entities/{id}/metadata/{entry}";
    let entry = CloudBody::One("MetadataEntry");
    let since = |route: CloudRoute| route.since(37, 0);
    vec![
        since(CloudRoute::get(all, handler!(metadata::list)))
            .about("The metadata entries of an entity that the caller may see.")
            .listing()
            .answers(200, CloudBody::Page("MetadataEntry")),
        since(CloudRoute::post(all, handler!(metadata::create)))
            .about("Notes an entry.")
            .takes(entry)
            .answers(201, entry),
        since(CloudRoute::get(one, handler!(metadata::get)))
            .about("One entry, with its ETag.")
            .answers(200, entry),
        since(CloudRoute::put(one, handler!(metadata::update)))
            .about("Changes the value of an entry, and whether it is persistent.")
            .takes(entry)
            .answers(200, entry),
        since(CloudRoute::delete(one, handler!(metadata::delete)))
            .about("Deletes an entry.")
            .answers(204, CloudBody::Empty),
    ]
}
