//! Documents that break, searched for by really converting them.

use super::edit::apply;
use crate::convert::express::beyond;
use crate::convert::inclusion::InclusionGap;
use crate::convert::refusal::ConversionObstacle;
use crate::convert::step::COPIES;
use crate::convert::versions::{ContentRecord, Versions};
use crate::convert::weight::weight;
use crate::examples::{Examples, shrink};
use crate::types::{Schema, SchemaViolation};
use crate::version::Version;
use serde_json::Value;

/// Documents of a schema that are converted.
const EXAMPLES: usize = 500;
/// Documents into which a value that may break is put.
const BASES: usize = 8;
/// Bytes, roughly, of all documents that are converted.
const BYTES: usize = 16 * 1024 * 1024;
/// The same documents each time.
const SEED: u64 = 1;

/// A document that breaks.
#[derive(Clone, Debug)]
pub(super) struct BreakingDocument {
    pub(super) example: Value,
    pub(super) converted: Value,
    pub(super) violations: Vec<SchemaViolation>,
}

pub(super) struct ConversionSearch<'v> {
    versions: &'v Versions,
    number: usize,
    from: Version,
    to: Version,
    own: &'v Schema,
    other: &'v Schema,
    pub(super) tried: usize,
    pub(super) refused: usize,
    bytes: usize,
}

impl<'v> ConversionSearch<'v> {
    pub(super) fn new(versions: &'v Versions, from: usize, to: usize) -> Option<Self> {
        let (left, reached) = (versions.type_version(from)?, versions.type_version(to)?);
        Some(Self {
            versions,
            number: from,
            from: left.id.version,
            to: reached.id.version,
            own: &left.schema,
            other: &reached.schema,
            tried: 0,
            refused: 0,
            bytes: 0,
        })
    }

    /// Puts what may break into documents of the other version, and brings them here.
    pub(super) fn try_gaps(&mut self, gaps: &[InclusionGap]) -> Option<BreakingDocument> {
        // Made once: each gap is tried in each of them.
        let bases: Vec<Value> = self.bases();
        for gap in gaps {
            // In this order a gap is left only when all of its edits have failed in every
            // document.
            for edit in &gap.edits {
                for base in &bases {
                    // Bytes and not documents: they are what a conversion takes its time for.
                    if self.bytes > BYTES {
                        return None;
                    }
                    let mut document = base.clone();
                    apply(&mut document, &gap.at, edit);
                    // A gap is told in the terms of the other version. Brought here, it is the document of this
                    // version that leads into it.
                    let record = ContentRecord::new(self.to, document);
                    if let Ok(view) = self.versions.view(record, self.from)
                        && let Some(broken) = self.try_one(view.content)
                    {
                        // A smaller one is easier to read, and the whole of it goes into an error.
                        return Some(self.smallest(broken));
                    }
                }
            }
        }
        None
    }

    /// Documents of this version as the other one shows them.
    fn bases(&self) -> Vec<Value> {
        // In the terms of the other version, since that is where gaps are.
        let documents = Examples::of(self.own, SEED).take(BASES);
        let shown = documents.filter_map(|document| {
            let record = ContentRecord::new(self.from, document);
            Some(self.versions.view(record, self.to).ok()?.content)
        });
        let mut bases: Vec<Value> = shown.collect();
        // A schema with hard patterns may have documents although none was found.
        if bases.is_empty() {
            bases.push(Value::Object(serde_json::Map::new()));
        }
        bases
    }

    /// Tries documents that are made from the schema.
    pub(super) fn try_examples(&mut self) -> Option<BreakingDocument> {
        for document in Examples::of(self.own, SEED).take(EXAMPLES) {
            if let Some(broken) = self.try_one(document) {
                return Some(self.smallest(broken));
            }
            if self.bytes > BYTES {
                break;
            }
        }
        None
    }

    /// A document that fits here, is all expressed here, and does not fit there.
    fn try_one(&mut self, document: Value) -> Option<BreakingDocument> {
        // Only what its own version accepts is a document of it: anything else may break as it
        // likes.
        self.own.validate(&document).ok()?;
        let document = self.own.without_absent(&document).into_owned();
        // Such a field is hidden at the other version, so it is no news of this version's own documents.
        if beyond(self.versions.graph(self.number).ok()?, &document) {
            return None;
        }
        // Counted after those two checks, so that the number is that of documents that were really
        // converted.
        self.tried += 1;
        self.bytes = self.bytes.saturating_add(weight(&document));
        let record = ContentRecord::new(self.from, document.clone());
        let view = match self.versions.view(record, self.to) {
            Ok(view) => view,
            Err(refusal) => {
                // A refusal is an answer too: the client is told, and nothing is shown wrongly.
                self.refused += 1;
                // It was refused only after so much had been copied.
                if refusal.reason == ConversionObstacle::TooLarge {
                    self.bytes = self.bytes.saturating_add(COPIES);
                }
                return None;
            }
        };
        self.bytes = self.bytes.saturating_add(weight(&view.content));
        let error = self.other.validate(&view.content).err()?;
        Some(BreakingDocument {
            example: document,
            converted: view.content,
            violations: error.violations().to_vec(),
        })
    }

    /// The same with all left out that is not needed to break.
    fn smallest(&mut self, broken: BreakingDocument) -> BreakingDocument {
        let (tried, refused) = (self.tried, self.refused);
        let smallest = shrink(
            broken,
            |trial| &trial.example,
            |document| self.try_one(document),
        );
        (self.tried, self.refused) = (tried, refused);
        smallest
    }
}
