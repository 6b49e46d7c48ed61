//! The example that is loaded: the files of `examples/cluster`, inside of the binary.

use coeval_cli::Failure;
use coeval_client::Resource;
use coeval_engine::identity::{Bootstrap, Publication};
use serde::Deserialize as _;

/// The organization that the type is published to.
pub(super) const ORGANIZATION: &str = "acme";

/// The type, by its full name.
pub(super) const TYPE: &str = "acme:cluster";

const TYPES: [&str; 2] = [
    include_str!("../../../../examples/cluster/types/cluster-1.0.0.yaml"),
    include_str!("../../../../examples/cluster/types/cluster-1.1.0.yaml"),
];

const RESOURCES: [&str; 2] = [
    include_str!("../../../../examples/cluster/resources/teams.yaml"),
    include_str!("../../../../examples/cluster/resources/payments.yaml"),
];

/// The name of the file with the version that is left to be registered.
pub(super) const NEXT_FILE: &str = "cluster-2.0.0.yaml";

/// That version.
pub(super) const NEXT: &str = include_str!("../../../../examples/cluster/next/cluster-2.0.0.yaml");

/// The versions that are registered, and published to the organization.
pub(super) fn types() -> Bootstrap {
    Bootstrap {
        types: TYPES.map(str::to_owned).to_vec(),
        publish: vec![Publication {
            bundle: format!("{TYPE} Entitlement"),
            orgs: vec![ORGANIZATION.to_owned()],
        }],
        ..Bootstrap::default()
    }
}

/// The resources.
pub(super) fn resources() -> Result<Vec<Resource>, Failure> {
    let documents = RESOURCES.into_iter();
    let documents = documents.flat_map(serde_norway::Deserializer::from_str);
    let read = documents.map(Resource::deserialize);
    let read: Result<_, _> = read.collect();
    read.map_err(|error| Failure::internal(format!("the example can't be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::types::TypeVersion;
    use coeval_core::version::WriteVersion;

    #[test]
    fn the_files_are_type_versions_and_resources_of_them() {
        let mut known = Vec::new();
        for file in TYPES {
            let read = TypeVersion::parse(file).unwrap();
            assert!(read.id.to_string().starts_with(TYPE), "{}", read.id);
            known.push(read);
        }
        let next = TypeVersion::parse(NEXT).unwrap();
        assert!(NEXT_FILE.contains(&next.id.version.to_string()));
        let resources = resources().unwrap();
        let mut used = Vec::new();
        for one in &resources {
            let at = WriteVersion::parse(&one.version).unwrap().version();
            let version = known.iter().find(|known| known.id.version == at);
            let fits = version.unwrap().schema.validate(&one.spec);
            assert!(fits.is_ok(), "{}: {fits:?}", one.metadata.name);
            used.push(at);
        }
        for known in &known {
            assert!(
                used.contains(&known.id.version),
                "nothing is at {}",
                known.id
            );
        }
    }
}
