//! Entities: what the engine calls resources.

mod read;
mod represent;

use crate::route::{ParamKind, Route, Shape, handler};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/cloudapi/1.0.0/entities/{id}", handler!(read::get))
            .about("One entity, with its ETag.")
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
            .answers(200, Shape::One("DefinedEntity")),
    ]
}
