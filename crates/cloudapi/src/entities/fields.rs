//! What entities are filtered and sorted by, as clients of this API name it.

use coeval_filter::{FilterError, FilterField};

/// The field that a key means. What is unknown at the first level is refused; what is unknown
/// below one that is known is a field that no entity has.
pub(super) fn field(key: &str) -> Result<FilterField, FilterError> {
    let field = match key {
        "entityState" | "state" => FilterField::State,
        "owner.id" => FilterField::Owner,
        "org.id" => FilterField::Org,
        "creationDate" => FilterField::Created,
        "lastModificationDate" => FilterField::Modified,
        "id" | "name" | "externalId" | "entityType" | "vendor" | "nss" | "version"
        | "owner.name" | "org.name" => FilterField::parse(key, "entity")?,
        "owner" | "org" => {
            return Err(FilterError::no_field(key, "say .name or .id of it"));
        }
        _ if key.starts_with("entity.") => FilterField::parse(key, "entity")?,
        _ => {
            let first = key.split_once('.').map(|(first, _)| first);
            if first.is_some_and(|first| FIRST.contains(&first)) {
                // No label has this key.
                FilterField::Label("=".to_owned())
            } else {
                return Err(FilterError::no_field(
                    key,
                    "entities can't be filtered or sorted by it",
                ));
            }
        }
    };
    Ok(field)
}

const FIRST: [&str; 13] = [
    "id",
    "name",
    "externalId",
    "entityType",
    "state",
    "entityState",
    "vendor",
    "nss",
    "version",
    "owner",
    "org",
    "creationDate",
    "lastModificationDate",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_clients_are_known_and_others_refused() {
        for key in [
            "id",
            "name",
            "externalId",
            "entityType",
            "state",
            "entityState",
            "vendor",
            "nss",
            "version",
            "owner.name",
            "owner.id",
            "org.name",
            "org.id",
            "creationDate",
            "lastModificationDate",
            "entity.metadata.orgName",
            "owner.nothing",
            "name.nothing",
        ] {
            assert!(field(key).is_ok(), "{key}");
        }
        for key in [
            "",
            "nothing",
            "nothing.name",
            "entity",
            "entity.",
            "owner",
            "org",
            "labels.a",
        ] {
            assert!(field(key).is_err(), "{key}");
        }
    }
}
