//! The conversion itself, over plain data.

use super::error::ConvertError;
use super::kept_file::KeptFile;
use coeval_core::convert::{ContentRecord, ConversionClass, StepLoss, Versions};
use coeval_core::types::SchemaViolation;
use coeval_core::version::Version;
use serde_json::Value;

/// A document at another version, and what there is to say about it.
#[derive(Debug)]
pub(super) struct DocumentConversion {
    pub(super) from: Version,
    /// The document, at the version that was asked for.
    pub(super) record: ContentRecord,
    /// What the conversion does to documents in general, or at least did to this one.
    pub(super) class: ConversionClass,
    pub(super) losses: Vec<StepLoss>,
    /// What had been kept and went with values that were deleted meanwhile.
    pub(super) dropped: Vec<String>,
    /// What does not fit the version that was asked for.
    pub(super) misfits: Vec<SchemaViolation>,
}

pub(super) fn convert(
    versions: &Versions,
    from: Version,
    to: Version,
    content: Value,
    kept: Option<KeptFile>,
) -> Result<DocumentConversion, ConvertError> {
    // Also says whether there is a way at all, before the document is looked at.
    let (class, losses) = versions.class(from, to)?;
    // The conversion relies on it: a step may assume that what it moves has the declared type.
    if let Some(version) = versions.get(from) {
        let fits = version.schema.validate(&content);
        fits.map_err(|error| ConvertError::Content {
            version: from,
            error,
        })?;
    }
    // What an earlier conversion kept makes the way back exact.
    let (record, dropped) = match kept {
        None => (ContentRecord::new(from, content), Vec::new()),
        Some(kept) if kept.is_of(&content) => (kept.into_record(), Vec::new()),
        // It was changed since: it is put over the one that something was kept for.
        Some(kept) => {
            let put = versions.put(kept.into_record(), from, content)?;
            (put.record, put.dropped)
        }
    };
    let record = versions.moved(record, to)?;
    // A result that does not fit is shown all the same: it says more than a refusal.
    let misfits = versions.get(to).and_then(|version| {
        let fits = version.schema.validate(&record.content);
        fits.err().map(|error| error.violations().to_vec())
    });
    // The class is that of the steps; what a version does not declare is kept without any.
    let kept = if record.kept.entries().is_empty() {
        ConversionClass::Exact
    } else {
        ConversionClass::Keeps
    };
    Ok(DocumentConversion {
        from,
        record,
        class: class.max(kept),
        losses,
        dropped,
        misfits: misfits.unwrap_or_default(),
    })
}
