//! Names of protobuf: which file declares one, and of which package it could be.

use prost_reflect::{DescriptorPool, FileDescriptor};

/// The file that declares a name: a message, an enumeration, a service, or what is inside of one.
pub(crate) fn declared(pool: &DescriptorPool, name: &str) -> Option<FileDescriptor> {
    if let Some(message) = pool.get_message_by_name(name) {
        return Some(message.parent_file());
    }
    if let Some(enumeration) = pool.get_enum_by_name(name) {
        return Some(enumeration.parent_file());
    }
    if let Some(service) = pool.get_service_by_name(name) {
        return Some(service.parent_file());
    }
    let (around, inside) = name.rsplit_once('.')?;
    if let Some(message) = pool.get_message_by_name(around) {
        let oneof = message.oneofs().any(|oneof| oneof.name() == inside);
        let has = oneof || message.get_field_by_name(inside).is_some();
        return has.then(|| message.parent_file());
    }
    if let Some(service) = pool.get_service_by_name(around) {
        let has = service.methods().any(|method| method.name() == inside);
        return has.then(|| service.parent_file());
    }
    // Values of an enumeration are named beside it.
    let enums = pool.all_enums();
    let mut enums = enums.filter(|one| {
        let scope = one.full_name().rsplit_once('.').map(|(scope, _)| scope);
        scope == Some(around) && one.get_value_by_name(inside).is_some()
    });
    enums.next().map(|one| one.parent_file())
}

/// The package of a type that a name could be of: `acme.app.v1` of `acme.app.v1.App`.
pub(crate) fn package_of_name(name: &str) -> Option<&str> {
    let mut dots = name.match_indices('.').map(|(at, _)| at);
    let end = dots.nth(2)?;
    let package = name.get(..end)?;
    coeval_typed::names::split_package(package).map(|_| package)
}

/// The package of a type that a file could be of: `acme.app.v1` of `acme/app/v1/app.proto`.
pub(crate) fn package_of_path(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let package = folder.replace('/', ".");
    let known = file.ends_with(".proto") && !folder.contains('.');
    coeval_typed::names::split_package(&package).filter(|_| known)?;
    Some(package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::FIXED;

    #[test]
    fn a_name_leads_to_the_file_that_declares_it() {
        let header = "coeval/header/v1/header.proto";
        let resources = "coeval/resources/v1/resources.proto";
        for (name, file) in [
            ("coeval.header.v1.Metadata", header),
            ("coeval.header.v1.Metadata.labels", header),
            ("coeval.header.v1.WatchKind", header),
            ("coeval.header.v1.WATCH_KIND_LIVE", header),
            ("coeval.resources.v1.ResourceService", resources),
            ("coeval.resources.v1.ResourceService.GetResource", resources),
            ("coeval.resources.v1.ResourceChange.change", resources),
            ("google.protobuf.Struct", "google/protobuf/struct.proto"),
        ] {
            let found = declared(&FIXED, name).map(|file| file.name().to_owned());
            assert_eq!(found.as_deref(), Some(file), "{name}");
        }
        for name in [
            "",
            "coeval",
            "coeval.header.v1",
            "coeval.header.v1.Metadata.x",
            "Metadata",
            ".",
        ] {
            assert!(declared(&FIXED, name).is_none(), "{name}");
        }
    }

    #[test]
    fn names_and_paths_lead_to_packages() {
        assert_eq!(package_of_name("acme.app.v1.App"), Some("acme.app.v1"));
        assert_eq!(
            package_of_name("acme.app.v1.App.Inner.x"),
            Some("acme.app.v1")
        );
        for name in ["", "acme.app.v1", "acme.app.App", "acme.app.x1.App", "..."] {
            assert_eq!(package_of_name(name), None, "{name}");
        }
        let path = "acme/app/v1/app.proto";
        assert_eq!(package_of_path(path).as_deref(), Some("acme.app.v1"));
        for path in [
            "",
            "app.proto",
            "acme.app/v1/x.proto",
            "a/b/c/v1/x.proto",
            "acme/app/v1/app",
        ] {
            assert_eq!(package_of_path(path), None, "{path}");
        }
    }
}
