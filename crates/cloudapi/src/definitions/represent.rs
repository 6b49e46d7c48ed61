//! Definitions as they are answered.

use crate::api_version::ApiVersion;
use crate::urn;
use coeval_core::types::InterfaceId;
use coeval_engine::behaviors::{self, Behavior, BehaviorAccess, TypeBehavior};
use coeval_engine::types::{CatalogEntry, Interface};
use serde_json::{Map, Value, json};

pub(super) fn interface(interface: &Interface) -> Value {
    let Interface {
        vendor,
        nss,
        version,
        ..
    } = interface;
    json!({
        "name": interface.name,
        "id": format!("urn:vcloud:interface:{vendor}:{nss}:{version}"),
        "version": version,
        "vendor": vendor,
        "nss": nss,
        "readonly": interface.built_in,
    })
}

pub(super) fn interface_behavior(of: &InterfaceId, behavior: &Behavior) -> Value {
    let id = behaviors::interface_behavior_id(&behavior.name, of);
    self::behavior(&id, &id, behavior)
}

pub(super) fn type_behavior(found: &TypeBehavior) -> Value {
    behavior(found.id(), &found.reference, &found.behavior)
}

/// Exactly these keys, and nothing that is only written.
fn behavior(id: &str, reference: &str, behavior: &Behavior) -> Value {
    json!({
        "name": behavior.name,
        "id": id,
        "ref": reference,
        "description": behavior.description,
        "execution": behaviors::shown(&behavior.execution),
    })
}

/// Exactly these keys: clients take no other.
pub(super) fn behavior_access(access: &BehaviorAccess) -> Value {
    json!({ "behaviorId": access.behavior, "accessLevelId": access.level.urn() })
}

/// A type version, with the fields that the API version has.
pub(super) fn entity_type(entry: &CatalogEntry, at: ApiVersion) -> Value {
    let version = &entry.version;
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| {
        all.insert(key.to_owned(), value);
    };
    put("id", json!(urn::of_type_version(&version.id)));
    put(
        "name",
        json!(version.title.as_deref().unwrap_or(&version.id.nss)),
    );
    put("description", json!(version.description));
    put("nss", json!(version.id.nss));
    put("version", json!(version.id.version.to_string()));
    if at >= ApiVersion::new(36, 0) {
        put("inheritedVersion", json!(entry.inherited_version));
    }
    put("externalId", json!(entry.external_id));
    put("schema", version.schema.given().clone());
    put("vendor", json!(version.id.vendor));
    let interfaces: Vec<String> = version.interfaces.iter().map(urn::of_interface).collect();
    put("interfaces", json!(interfaces));
    if at >= ApiVersion::new(36, 0) {
        let hooks = version.hooks.iter();
        let hooks: Map<_, _> = hooks
            .map(|(hook, behavior)| (hook.to_string(), json!(behavior)))
            .collect();
        // Clients expect null here, and no empty object.
        let none = hooks.is_empty();
        put(
            "hooks",
            if none {
                Value::Null
            } else {
                Value::Object(hooks)
            },
        );
    }
    put("readonly", json!(entry.built_in));
    if at >= ApiVersion::new(37, 1) {
        let level = entry
            .max_implicit_right
            .map(coeval_access::AccessLevel::urn);
        put("maxImplicitRight", json!(level));
    }
    Value::Object(all)
}
