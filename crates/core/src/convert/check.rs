//! Whether a conversion can be registered: a document of one version must fit the other when it is
//! shown there, in both directions, and must not be shown to more people than before.
//!
//! A document that breaks is always a real one: it fits the version that it is of, it was converted,
//! and the other version's schema rejected the result. That all documents fit is claimed only where
//! it is proven. Everything else is undecided, and says so.

mod edit;
mod error;
mod marks;
mod search;
#[cfg(test)]
mod tests;

pub use error::ConversionError;

use super::inclusion::{InclusionGap, gaps};
use super::step::{ConversionClass, StepLoss};
use super::versions::Versions;
use crate::version::Version;
use search::{BreakingDocument, ConversionSearch};

/// Whether documents of one version fit another when they are shown there.
#[derive(Clone, Debug, PartialEq)]
pub enum ConversionFit {
    /// All of them: it is proven.
    Fits,
    /// One of them does not.
    DoesNotFit(ConversionError),
    /// It is not proven, and no document was found that does not fit; why, as a sentence.
    Undecided(String),
}

/// What was found out about one direction of a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedDirection {
    /// The version that documents are of.
    pub from: Version,
    /// The version that they are shown at.
    pub to: Version,
    /// Whether they fit there.
    pub fit: ConversionFit,
    /// Fields that more people would see there.
    pub weaker: Vec<ConversionError>,
    /// What the conversion does to documents; that it may refuse some is no error.
    pub class: ConversionClass,
    /// The same in detail.
    pub losses: Vec<StepLoss>,
    /// How many documents were converted to find out.
    pub tried: usize,
    /// How many of them the conversion refused.
    pub refused: usize,
}

impl CheckedDirection {
    /// Why the conversion can't be registered.
    pub fn errors(&self) -> impl Iterator<Item = &ConversionError> {
        let fit = match &self.fit {
            ConversionFit::DoesNotFit(error) => Some(error),
            ConversionFit::Fits | ConversionFit::Undecided(_) => None,
        };
        fit.into_iter().chain(&self.weaker)
    }
}

impl Versions {
    /// Checks the conversion between a version and its parent, in both directions. Nothing is
    /// found for a version that has no parent or is not there.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let ways = app.check_conversion(v2);
    /// assert_eq!(ways.len(), 2, "from 1.0.0 to 2.0.0, and back");
    /// assert!(ways.iter().all(|way| way.errors().next().is_none()));
    /// ```
    #[must_use]
    pub fn check_conversion(&self, version: Version) -> Vec<CheckedDirection> {
        let Some(parent) = self.parent(version) else {
            return Vec::new();
        };
        let ways = [(parent, version), (version, parent)];
        let checked = ways
            .into_iter()
            .map(|(from, to)| self.check_direction(from, to));
        checked.flatten().collect()
    }

    fn check_direction(&self, from: Version, to: Version) -> Option<CheckedDirection> {
        let (left, reached) = (self.number(from).ok()?, self.number(to).ok()?);
        let target = &self.type_version(reached)?.schema;
        // The proof comes first, because its gaps say where a document that breaks has to be
        // looked for.
        let carried = self.carried(left, reached).ok().flatten();
        let open: Option<Vec<InclusionGap>> = carried.as_ref().map(|sketch| gaps(sketch, target));
        let mut search = ConversionSearch::new(self, left, reached)?;
        // Real documents settle what the proof leaves open: one that breaks is an answer that an
        // author understands.
        let broken = search.try_gaps(open.as_deref().unwrap_or_default());
        let broken = broken.or_else(|| search.try_examples());
        let fit = match (broken, open) {
            (Some(broken), _) => ConversionFit::DoesNotFit(self.conversion_error(from, to, broken)),
            (None, Some(open)) if open.is_empty() => ConversionFit::Fits,
            // Neither proven nor disproven. It is told apart from both, so that whoever registers
            // the version decides.
            (None, Some(open)) => ConversionFit::Undecided(undecided(
                &open,
                search.tried.saturating_sub(search.refused),
            )),
            (None, None) => ConversionFit::Undecided(
                "The schemas of the versions are too complex to be compared.".to_owned(),
            ),
        };
        let (class, losses) = self.class(from, to).unwrap_or_default();
        Some(CheckedDirection {
            from,
            to,
            fit,
            weaker: self.weaker(left, reached),
            class,
            losses,
            tried: search.tried,
            refused: search.refused,
        })
    }

    fn conversion_error(
        &self,
        from: Version,
        to: Version,
        broken: BreakingDocument,
    ) -> ConversionError {
        ConversionError::DoesNotFit {
            from,
            to,
            example: broken.example,
            converted: broken.converted,
            violations: broken.violations,
        }
    }
}

/// Where it could not be proven.
fn undecided(open: &[InclusionGap], converted: usize) -> String {
    const PLACES: usize = 5;
    let mut places: Vec<String> = open
        .iter()
        .map(|gap| match gap.place().to_string() {
            place if place.is_empty() => "the whole".to_owned(),
            place => place,
        })
        .collect();
    // Several gaps may be in one place, one for each keyword.
    places.sort();
    places.dedup();
    let more = places.len().saturating_sub(PLACES);
    places.truncate(PLACES);
    let mut list = places.join(", ");
    if more > 0 {
        list = format!("{list} and {more} more");
    }
    format!(
        "It is not proven that what comes fits at {list}; {converted} documents were converted, and all fitted."
    )
}
