//! What is generated.

/// What all resources have in common.
pub mod header {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.header.v1");
    }
}

/// What every refusal says.
pub mod errors {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.errors.v1");
    }
}

/// Resources of every kind.
pub mod resources {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.resources.v1");
    }
}

/// Type versions and interfaces.
pub mod types {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.types.v1");
    }
}

/// Who may do what: grants, organizations, users, roles, bundles, sessions.
pub mod access {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.access.v1");
    }
}

/// Long-running jobs.
pub mod tasks {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.tasks.v1");
    }
}

/// Types that move from one major to the next, and the servers that take part.
pub mod migrations {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.migrations.v1");
    }
}

/// What is declared about methods and fields.
pub mod options {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.options.v1");
    }
}

/// The release of a server, and what in it is to go.
pub mod releases {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.releases.v1");
    }
}
