//! A version's schema as the schema of what another version is shown.
//!
//! What is carried is at least all that arrives of documents that the version expresses: the steps
//! are taken, what the version that is arrived at does not express is hidden, and what it requires
//! and has a default for is filled in.

mod arrive;

use super::refusal::Refusal;
use super::sketch::{Sketch, Source};
use super::step::{Way, sketch_all};
use super::versions::Versions;
use arrive::{arrive, leave};
use std::sync::Arc;

impl Versions {
    /// The schema of one version, carried to another.
    pub(crate) fn carried(&self, from: usize, to: usize) -> Result<Option<Sketch>, Refusal> {
        let Some(left) = self.type_version(from) else {
            return Ok(None);
        };
        let source = Source::of(&left.schema);
        let mut sketch = Sketch::new(source.schema.clone(), Arc::new(source));
        leave(self.graph(from)?, &mut sketch);
        sketch.bound();
        sketch_all(&self.path(from, to), Way::Forward, &mut sketch);
        arrive(self.graph(to)?, &mut sketch);
        sketch.bound();
        Ok(Some(sketch))
    }
}
