//! The descriptors of the services that are always there.

use crate::proto;
use prost_reflect::DescriptorPool;
use std::sync::LazyLock;

/// Ours, health and reflection, with all that they import.
pub(crate) static FIXED: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let mut pool = DescriptorPool::new();
    for files in [
        proto::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ] {
        // They are compiled into the binary; a test reads each of them.
        if let Err(error) = pool.decode_file_descriptor_set(files) {
            tracing::error!(%error, "descriptors can't be read");
        }
    }
    pool
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fixed_service_is_there() {
        let names: Vec<String> = FIXED
            .services()
            .map(|service| service.full_name().to_owned())
            .collect();
        for name in [
            "coeval.resources.v1.ResourceService",
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection",
        ] {
            assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
        }
    }
}
