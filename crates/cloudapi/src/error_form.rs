//! JSON or XML: the form in which a caller reads errors.

/// In which form errors are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    Json,
    Xml,
}

impl ErrorForm {
    /// `/api` is the older API, in XML.
    pub(crate) fn of_path(path: &str) -> Self {
        if path.starts_with("/api") {
            Self::Xml
        } else {
            Self::Json
        }
    }
}
