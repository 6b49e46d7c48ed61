//! What is refused, for whoever has to go on from it.

use crate::compare::{SurfaceArea, SurfacePlace};
use crate::rules::ReleaseRule;
use coeval_releases::Release;
use std::fmt;

/// Something that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleViolation {
    /// Which rule.
    pub rule: ReleaseRule,
    /// Where.
    pub place: SurfacePlace,
    /// The kept release that it breaks; none if it needs no comparison to see it.
    pub release: Option<Release>,
    /// What changed, as a sentence without its stop.
    pub what: String,
}

impl RuleViolation {
    /// What makes two of them the same, whichever release and operation they were found with.
    pub(crate) fn key(&self) -> (ReleaseRule, SurfaceArea, String, String) {
        let SurfacePlace {
            area, anchor, path, ..
        } = &self.place;
        (self.rule, *area, anchor.clone(), path.clone())
    }
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            place,
            release,
            what,
        } = self;
        writeln!(f, "{rule}: {place}")?;
        match release {
            Some(release) => writeln!(f, "  breaks {release}: {what}.")?,
            None => writeln!(f, "  {what}.")?,
        }
        write!(f, "  {}", rule.how_to_go_on())
    }
}
