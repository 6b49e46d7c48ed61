//! Rights as they are answered. A right has a name and no id of its own; its id follows from the
//! name.

use crate::api::CloudState;
use crate::call::{BodyFields, CloudCall};
use crate::error::ApiError;
use crate::{listing, urn};
use coeval_access::{GeneralRight, Rights, TypeRight};
use coeval_api::rest::RestAnswer;
use coeval_engine::EngineError;
use coeval_engine::identity::IdentityError;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const KEYS: [&str; 6] = [
    "id",
    "name",
    "description",
    "category",
    "rightType",
    "bundleKey",
];

pub(super) async fn list(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let names = api.engine.rights(call.caller()?).await?;
    page(&api, &call, &names)
}

/// A page of these.
pub(super) fn page(
    api: &CloudState,
    call: &CloudCall,
    names: &[String],
) -> Result<RestAnswer, ApiError> {
    let rows = names.iter().map(|name| row(name)).collect();
    listing::answer(api, call, rows, &KEYS, "Rights")
}

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let what = call.param("id");
    urn::uuid(what).ok_or_else(|| ApiError::id(what, "a right's id", "it has no UUID"))?;
    let names = api.engine.rights(call.caller()?).await?;
    let name = named(&names, what).ok_or_else(|| {
        // A right that is not published here does not exist here.
        let name = what.chars().take(100).collect();
        ApiError::from(EngineError::from(IdentityError::RightUnknown { name })).told(
            http::StatusCode::FORBIDDEN,
            "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
        )
    })?;
    Ok(RestAnswer::ok(&row(name)))
}

pub(super) async fn categories(
    api: Arc<CloudState>,
    call: CloudCall,
) -> Result<RestAnswer, ApiError> {
    let names = api.engine.rights(call.caller()?).await?;
    let all: BTreeSet<&str> = names.iter().map(|name| category(name)).collect();
    let rows = all
        .into_iter()
        .map(|name| json!({ "id": category_id(name), "name": name, "parent": null }));
    let rows = rows.collect();
    listing::answer(&api, &call, rows, &["id", "name"], "RightsCategories")
}

/// The name of the right with that id.
fn named<'a>(names: &'a [String], id: &str) -> Option<&'a String> {
    let bare = id.rsplit(':').next()?;
    // Ids are derived from names, so each name is tried.
    let found = |name: &&String| urn::derived("right", name).ends_with(bare);
    names.iter().find(found)
}

/// The names of the rights that a body lists by name, or by id alone.
pub(super) async fn listed(api: &CloudState, call: &CloudCall) -> Result<Vec<String>, ApiError> {
    let body = call.object()?;
    let list = body.list("values")?;
    let list = list.ok_or_else(|| ApiError::request("values is missing"))?;
    let mut known = None;
    let mut names = Vec::new();
    for value in list {
        let reference = value.as_object();
        let wrong = || ApiError::request("each of values must have a name or an id");
        let reference = reference.ok_or_else(wrong)?;
        if let Some(name) = reference.text("name")?.filter(|name| !name.is_empty()) {
            names.push(name);
            continue;
        }
        let id = reference.text("id")?.ok_or_else(wrong)?;
        // Only who names a right by its id alone pays for the list of all.
        let known = match &mut known {
            Some(known) => known,
            None => known.insert(api.engine.rights(call.caller()?).await?),
        };
        let name = named(known, &id).cloned();
        let unknown = || {
            let name = id.chars().take(100).collect();
            EngineError::from(IdentityError::RightUnknown { name })
        };
        names.push(name.ok_or_else(unknown)?);
    }
    Ok(names)
}

/// The ids of what a list refers to, or names where there is none.
pub(crate) fn references(list: &[Value]) -> Result<Vec<String>, ApiError> {
    let wrong = || ApiError::request("each must have an id or a name");
    let mut all = Vec::new();
    for value in list {
        let reference = value.as_object().ok_or_else(wrong)?;
        let id = reference.text("id")?.filter(|id| !id.is_empty());
        let name = reference.text("name")?;
        // Where both are sent, the id is what is meant.
        all.push(id.or(name).ok_or_else(wrong)?);
    }
    Ok(all)
}

fn row(name: &str) -> Value {
    let about = match (GeneralRight::by_name(name), TypeRight::parse(name)) {
        (Some(right), _) => right.about().to_owned(),
        (None, Some((of, right))) => format!("{} of the resources of {of}", right.suffix()),
        (None, None) => String::new(),
    };
    let implied = Rights::from_names([name]).names();
    let implied = implied.iter().filter(|other| *other != name);
    let implied: Vec<Value> = implied
        .map(|name| json!({ "name": name, "id": urn::derived("right", name) }))
        .collect();
    // There is no other word for it: the name is all that a right has.
    let views = name.contains(": View") || name.ends_with(" View");
    json!({
        "name": name,
        "id": urn::derived("right", name),
        "description": about,
        "bundleKey": format!("RIGHT_{}", name.to_uppercase().replace([' ', ':'], "_")),
        "category": category_id(category(name)),
        "serviceNamespace": null,
        "rightType": if views { "VIEW" } else { "MODIFY" },
        "impliedRights": implied,
    })
}

/// What stands before the last colon: the type, or the area.
fn category(name: &str) -> &str {
    name.rsplit_once(": ")
        .map_or(name, |(category, _)| category)
}

fn category_id(category: &str) -> String {
    urn::derived("rightsCategory", category)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_is_found_by_its_id_in_full_or_bare() {
        let names = ["User: View", "acme:app: Full Access"].map(str::to_owned);
        let id = urn::derived("right", "acme:app: Full Access");
        assert_eq!(named(&names, &id), Some(&names[1]));
        let bare = id.rsplit(':').next().unwrap();
        assert_eq!(named(&names, bare), Some(&names[1]));
        assert_eq!(named(&names, &urn::derived("right", "x")), None);
    }

    #[test]
    fn who_only_looks_has_a_right_to_view_and_a_right_implies_lesser_ones() {
        for (name, kind, implied) in [
            ("acme:app: View", "VIEW", vec![]),
            (
                "acme:app: Administrator View",
                "VIEW",
                vec!["acme:app: View"],
            ),
            ("acme:app: Modify", "MODIFY", vec!["acme:app: View"]),
            (
                "Custom entity: View custom entity definitions",
                "VIEW",
                vec![],
            ),
            ("User: Manage", "MODIFY", vec!["User: View"]),
        ] {
            let row = row(name);
            assert_eq!(row["rightType"], kind, "{name}");
            let names = row["impliedRights"].as_array().unwrap().iter();
            let names: Vec<_> = names.map(|one| one["name"].as_str().unwrap()).collect();
            assert_eq!(names, implied, "{name}");
        }
    }
}
