//! Interfaces, behaviors and types.

mod behavior_body;
mod interface_behaviors;
mod interfaces;
mod represent;
pub(crate) mod type_access;
mod type_behaviors;
mod type_body;
mod types;

use crate::route::{CloudBody, CloudRoute, ParamKind, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    let mut all = of_interfaces();
    all.extend(of_interface_behaviors());
    all.extend(of_types());
    all.extend(of_type_behaviors());
    all.extend(of_type_access());
    all
}

fn paged(route: CloudRoute) -> CloudRoute {
    route
        .param(
            "page",
            "Which page, from 1 on",
            ParamKind::Number(1, 1_000_000),
        )
        .param("pageSize", "How many on a page", ParamKind::Number(0, 128))
}

fn of_interfaces() -> Vec<CloudRoute> {
    let (all, one) = (
        "/cloudapi/1.0.0/interfaces",
        "/cloudapi/1.0.0/interfaces/{id}",
    );
    let shape = CloudBody::One("DefinedInterface");
    vec![
        CloudRoute::get(all, handler!(interfaces::list))
            .about("All interfaces.")
            .listing()
            .answers(200, CloudBody::Page("DefinedInterface")),
        CloudRoute::post(all, handler!(interfaces::create))
            .about("Defines an interface. The provider's alone.")
            .takes(shape)
            .answers(201, shape),
        CloudRoute::get(one, handler!(interfaces::get))
            .about("One interface.")
            .answers(200, shape),
        CloudRoute::put(one, handler!(interfaces::update))
            .about("Gives an interface that is not in use another name.")
            .takes(shape)
            .answers(200, shape),
        CloudRoute::delete(one, handler!(interfaces::delete))
            .about("Deletes an interface that no type implements.")
            .answers(204, CloudBody::Empty),
    ]
}

fn of_interface_behaviors() -> Vec<CloudRoute> {
    let (all, one) = (
        "/cloudapi/1.0.0/interfaces/{id}/behaviors",
        "/cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}",
    );
    let shape = CloudBody::One("Behavior");
    vec![
        paged(CloudRoute::get(all, handler!(interface_behaviors::list)))
            .about("The behaviors of an interface.")
            .answers(200, CloudBody::Page("Behavior")),
        CloudRoute::post(all, handler!(interface_behaviors::create))
            .about("Adds a behavior to an interface that is not in use.")
            .takes(shape)
            .answers(200, shape),
        CloudRoute::put(all, handler!(interface_behaviors::replace))
            .about("Replaces all behaviors of an interface; of one in use only executions change.")
            .takes(CloudBody::Page("Behavior"))
            .answers(200, CloudBody::Page("Behavior")),
        CloudRoute::get(one, handler!(interface_behaviors::get))
            .about("One behavior, by id or name.")
            .answers(200, shape),
        CloudRoute::put(one, handler!(interface_behaviors::update))
            .about("Changes a behavior's description and execution, by id or name.")
            .takes(shape)
            .answers(200, shape),
        CloudRoute::delete(one, handler!(interface_behaviors::delete))
            .about("Removes a behavior from an interface that is not in use, by id or name.")
            .answers(204, CloudBody::Empty),
    ]
}

fn of_types() -> Vec<CloudRoute> {
    let (all, one) = (
        "/cloudapi/1.0.0/entityTypes",
        "/cloudapi/1.0.0/entityTypes/{id}",
    );
    let shape = CloudBody::One("DefinedEntityType");
    vec![
        CloudRoute::get(all, handler!(types::list))
            .about("The type versions that the caller sees.")
            .listing()
            .answers(200, CloudBody::Page("DefinedEntityType")),
        CloudRoute::post(all, handler!(types::create))
            .about("Registers a type version. The provider's alone.")
            .takes(shape)
            .answers(201, shape),
        CloudRoute::get(one, handler!(types::get))
            .about("One type version.")
            .answers(200, shape),
        CloudRoute::put(one, handler!(types::update))
            .about("Changes a type version that has no entities; what is left out stays.")
            .takes(shape)
            .answers(200, shape),
        CloudRoute::delete(one, handler!(types::delete))
            .about("Deletes a type version that has no entities.")
            .answers(204, CloudBody::Empty),
    ]
}

fn of_type_behaviors() -> Vec<CloudRoute> {
    let (all, one, access) = (
        "/cloudapi/1.0.0/entityTypes/{id}/behaviors",
        "/cloudapi/1.0.0/entityTypes/{id}/behaviors/{behavior}",
        "/cloudapi/1.0.0/entityTypes/{id}/behaviorAccessControls",
    );
    let (shape, level) = (CloudBody::One("Behavior"), CloudBody::One("BehaviorAccess"));
    let levels = CloudBody::Page("BehaviorAccess");
    vec![
        paged(CloudRoute::get(all, handler!(type_behaviors::list)))
            .about("The behaviors of a type version's interfaces, as it does them.")
            .answers(200, CloudBody::Page("Behavior")),
        CloudRoute::get(one, handler!(type_behaviors::get))
            .about("One behavior, by its id at the interface or at the type.")
            .answers(200, shape),
        CloudRoute::put(one, handler!(type_behaviors::update))
            .about("Lets the type version do a behavior otherwise than its interface says.")
            .takes(shape)
            .answers(200, shape),
        CloudRoute::delete(one, handler!(type_behaviors::delete))
            .about("Lets the type version do a behavior as its interface says again.")
            .answers(204, CloudBody::Empty),
        paged(CloudRoute::get(
            access,
            handler!(type_behaviors::list_access),
        ))
        .about("Which level on an entity is needed to invoke which behavior.")
        .answers(200, levels),
        CloudRoute::post(access, handler!(type_behaviors::add_access))
            .about("Says it of one behavior.")
            .takes(level)
            .answers(200, level),
        CloudRoute::put(access, handler!(type_behaviors::set_access))
            .about("Says it of all behaviors; those that are left out can't be invoked.")
            .takes(levels)
            .answers(200, levels),
    ]
}

fn of_type_access() -> Vec<CloudRoute> {
    let (all, one, sync) = (
        "/cloudapi/1.0.0/entityTypes/{id}/accessControls",
        "/cloudapi/1.0.0/entityTypes/{id}/accessControls/{acl}",
        "/cloudapi/1.0.0/entityTypes/{id}/accessControls/sync",
    );
    let shape = CloudBody::One("AccessControlGrant");
    vec![
        paged(CloudRoute::get(all, handler!(type_access::list)))
            .about("Who sees a type version.")
            .since(35, 2)
            .answers(200, CloudBody::Page("AccessControlGrant")),
        CloudRoute::post(all, handler!(type_access::create))
            .about("Grants a type version; a member that has a grant gets this one instead.")
            .since(35, 2)
            .takes(shape)
            .answers(201, shape),
        CloudRoute::post(sync, handler!(type_access::sync))
            .about("Grants a type version to all organizations that its type is published to.")
            .answers(200, CloudBody::One("AccessSynced")),
        CloudRoute::get(one, handler!(type_access::get))
            .about("One grant.")
            .since(35, 2)
            .answers(200, shape),
        CloudRoute::put(one, handler!(type_access::update))
            .about("Changes the level of a grant.")
            .since(35, 2)
            .takes(shape)
            .answers(200, shape),
        CloudRoute::delete(one, handler!(type_access::delete))
            .about("Takes a grant away.")
            .since(35, 2)
            .answers(204, CloudBody::Empty),
        paged(CloudRoute::get(
            "/cloudapi/1.0.0/accessLevels",
            handler!(type_access::levels),
        ))
        .about("The three levels of access.")
        .answers(200, CloudBody::Page("AccessLevel")),
        CloudRoute::get(
            "/cloudapi/1.0.0/accessLevels/{id}",
            handler!(type_access::one_level),
        )
        .about("One level of access.")
        .answers(200, CloudBody::One("AccessLevel")),
    ]
}
