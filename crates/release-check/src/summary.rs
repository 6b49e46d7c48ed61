//! How much was compared: a check that reads nothing finds nothing.

use crate::model::{ApiStyle, CatalogKind, CommandOutputs, ReleaseSurface};
use std::fmt;

/// How much a surface has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceSummary {
    /// Operations of the console's API.
    pub webapi_operations: usize,
    /// Operations of the RDE API.
    pub cloudapi_operations: usize,
    /// Methods of the gRPC API.
    pub grpc_methods: usize,
    /// Fields of all three.
    pub fields: usize,
    /// Error codes.
    pub error_codes: usize,
    /// Commands, flags and arguments that are no settings.
    pub commands: usize,
    /// Flags with a variable or a key.
    pub settings: usize,
    /// Metrics.
    pub metrics: usize,
    /// Versions of built-in kinds.
    pub kinds: usize,
    /// Stored formats.
    pub levels: usize,
    /// Commands whose output is known.
    pub outputs: usize,
}

impl SurfaceSummary {
    /// Counts it.
    #[must_use]
    pub fn of(surface: &ReleaseSurface) -> Self {
        let operations = |style| surface.api(style).map_or(0, |api| api.operations.len());
        let items = |kind| {
            let all = surface.catalog.values();
            all.filter(|item| item.kind == kind).count()
        };
        Self {
            webapi_operations: operations(ApiStyle::Webapi),
            cloudapi_operations: operations(ApiStyle::Cloudapi),
            grpc_methods: operations(ApiStyle::Grpc),
            fields: surface
                .apis
                .iter()
                .map(crate::ApiDocument::field_count)
                .sum(),
            error_codes: items(CatalogKind::ErrorCode),
            commands: items(CatalogKind::Command),
            settings: items(CatalogKind::Setting),
            metrics: items(CatalogKind::Metric),
            kinds: items(CatalogKind::KindVersion),
            levels: items(CatalogKind::Level),
            outputs: surface.outputs.as_ref().map_or(0, CommandOutputs::len),
        }
    }
}

impl fmt::Display for SurfaceSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.webapi_operations + self.cloudapi_operations;
        write!(
            f,
            "{rest} routes, {} methods, {} fields, {} error codes, {} commands and flags, \
             {} settings, {} metrics, {} kinds, {} formats, {} outputs",
            self.grpc_methods,
            self.fields,
            self.error_codes,
            self.commands,
            self.settings,
            self.metrics,
            self.kinds,
            self.levels,
            self.outputs
        )
    }
}
