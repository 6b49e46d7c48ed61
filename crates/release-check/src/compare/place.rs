//! Where something is.

use crate::model::{ApiStyle, CatalogKind};
use std::fmt;

/// Which part of what is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfaceArea {
    /// The console's API.
    Webapi,
    /// The RDE API.
    Cloudapi,
    /// The gRPC API.
    Grpc,
    /// Codes of errors.
    ErrorCodes,
    /// Commands with their flags and arguments.
    Commands,
    /// Flags with a variable or a key.
    Settings,
    /// What `/metrics` shows.
    Metrics,
    /// Versions of built-in kinds.
    Kinds,
    /// Levels of stored formats.
    Levels,
    /// What commands print as JSON.
    Outputs,
}

impl SurfaceArea {
    /// The APIs.
    pub const APIS: &[Self] = &[Self::Webapi, Self::Cloudapi, Self::Grpc];

    fn name(self) -> &'static str {
        match self {
            Self::Webapi => "webapi",
            Self::Cloudapi => "cloudapi",
            Self::Grpc => "gRPC",
            Self::ErrorCodes => "error codes",
            Self::Commands => "commands",
            Self::Settings => "settings",
            Self::Metrics => "metrics",
            Self::Kinds => "built-in kinds",
            Self::Levels => "stored formats",
            Self::Outputs => "outputs of commands",
        }
    }
}

impl From<ApiStyle> for SurfaceArea {
    fn from(style: ApiStyle) -> Self {
        match style {
            ApiStyle::Webapi => Self::Webapi,
            ApiStyle::Cloudapi => Self::Cloudapi,
            ApiStyle::Grpc => Self::Grpc,
        }
    }
}

impl From<CatalogKind> for SurfaceArea {
    fn from(kind: CatalogKind) -> Self {
        match kind {
            CatalogKind::ErrorCode => Self::ErrorCodes,
            CatalogKind::Command => Self::Commands,
            CatalogKind::Setting => Self::Settings,
            CatalogKind::Metric => Self::Metrics,
            CatalogKind::KindVersion => Self::Kinds,
            CatalogKind::Level => Self::Levels,
        }
    }
}

impl fmt::Display for SurfaceArea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where something is: an operation, a shape that has a name, or an item, and the path in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurfacePlace {
    /// Which part.
    pub area: SurfaceArea,
    /// The operation, shape or item. A field of a shape with a name is told there, once, and not in
    /// each of the operations that use the shape.
    pub anchor: String,
    /// The path of a field, empty if it is about the whole.
    pub path: String,
    /// An operation that leads to the shape.
    pub seen_in: Option<String>,
}

impl SurfacePlace {
    pub(crate) fn of(area: SurfaceArea, anchor: impl Into<String>) -> Self {
        Self {
            area,
            anchor: anchor.into(),
            path: String::new(),
            seen_in: None,
        }
    }

    /// A field, or another part that has a name.
    pub(crate) fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.ends_with(' ') {
            ""
        } else {
            "."
        };
        self.with_path(format!("{}{dot}{name}", self.path))
    }

    /// The elements of a list.
    pub(crate) fn elements(&self) -> Self {
        self.with_path(format!("{}[]", self.path))
    }

    pub(crate) fn with_path(&self, path: String) -> Self {
        Self {
            path,
            ..self.clone()
        }
    }
}

impl fmt::Display for SurfacePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.area, self.anchor)?;
        let path = self.path.trim_end();
        if !path.is_empty() {
            write!(f, ": {path}")?;
        }
        match &self.seen_in {
            Some(operation) => write!(f, " (in {operation})"),
            None => Ok(()),
        }
    }
}
