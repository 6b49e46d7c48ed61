//! What is refused, for whoever has to go on from it.

use crate::compare::{Area, Place};
use crate::rules::Rule;
use coeval_releases::Release;
use std::fmt;

/// Something that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// The kept release that it breaks; none if it needs no comparison to see it.
    pub release: Option<Release>,
    /// What changed, as a sentence without its stop.
    pub what: String,
}

impl Violation {
    /// What makes two of them the same, whichever release and operation they were found with.
    pub(crate) fn key(&self) -> (Rule, Area, String, String) {
        let Place {
            area, anchor, path, ..
        } = &self.place;
        (self.rule, *area, anchor.clone(), path.clone())
    }
}

impl fmt::Display for Violation {
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
