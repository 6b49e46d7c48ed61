//! Invocations of behaviors: on an entity, or of an interface alone. Each is a task.

mod invoke;
mod log;

use crate::route::{CloudBody, CloudRoute, handler};

pub(crate) fn routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::post(
            "/cloudapi/1.0.0/entities/{id}/behaviors/{behavior}/invocations",
            handler!(invoke::on_entity),
        )
        .about("Invokes a behavior on an entity; the task is at the Location.")
        .takes(CloudBody::One("BehaviorInvocation"))
        .answers(202, CloudBody::Empty),
        CloudRoute::get(
            "/cloudapi/1.0.0/entities/{id}/behaviors/{behavior}/invocations/{invocation}/log",
            handler!(log::of_entity),
        )
        .about("The log of an invocation; behaviors that run here have none.")
        .since(37, 0)
        .answers(200, CloudBody::Text),
        CloudRoute::post(
            "/cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}/invocations",
            handler!(invoke::of_interface),
        )
        .about("Invokes a behavior of an interface, on no entity; the task is at the Location.")
        .takes(CloudBody::One("BehaviorInvocation"))
        .answers(202, CloudBody::Empty),
        CloudRoute::get(
            "/cloudapi/1.0.0/interfaces/{id}/behaviors/{behavior}/invocations/{invocation}/log",
            handler!(log::of_interface),
        )
        .about("The log of an invocation; behaviors that run here have none.")
        .since(37, 0)
        .answers(200, CloudBody::Text),
    ]
}
