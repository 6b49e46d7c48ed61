//! A version's schema as the schema of what another version is shown.
//!
//! What is carried is at least all that arrives of documents that the version expresses: the steps
//! are taken, what the version that is arrived at does not express is hidden, and what it requires
//! and has a default for is filled in.

mod arrive;

use super::sketch::{SchemaSketch, SchemaSource};
use super::step::{StepWay, sketch_all};
use super::versions::Versions;
use crate::convert::refusal::Carried;
use arrive::{arrive, leave};
use std::sync::Arc;

impl Versions {
    /// The schema of one version, carried to another.
    pub(crate) fn carried(&self, from: usize, to: usize) -> Carried<Option<SchemaSketch>> {
        let Some(left) = self.type_version(from) else {
            return Ok(None);
        };
        let source = SchemaSource::of(&left.schema);
        let mut sketch = SchemaSketch::new(source.schema.clone(), Arc::new(source));
        // In the order in which content is carried: leave, take the steps, arrive.
        leave(self.graph(from)?, &mut sketch);
        // Between the phases alternatives can double, and the next one pays for each.
        sketch.bound();
        sketch_all(&self.path(from, to), StepWay::Forward, &mut sketch);
        arrive(self.graph(to)?, &mut sketch);
        sketch.bound();
        Ok(Some(sketch))
    }
}
