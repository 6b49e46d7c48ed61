//! What must hold for any schemas and any steps: a sketch lets through all that comes, and what is
//! proven to fit fits.

use super::random::versions;
use crate::convert::express::beyond;
use crate::convert::inclusion::gaps;
use crate::convert::tests::v;
use crate::convert::{ContentRecord, Versions};
use crate::examples::Examples;
use crate::types::Schema;
use fastrand::Rng;
use serde_json::json;

const CONVERSIONS: u64 = 300;
const DOCUMENTS: usize = 60;

/// One direction: every document that is really converted is one that the sketch knows of.
fn holds(versions: &Versions, from: &str, to: &str, seed: u64) -> usize {
    let (left, reached) = (
        versions.number(v(from)).unwrap(),
        versions.number(v(to)).unwrap(),
    );
    let own = &versions.get(v(from)).unwrap().schema;
    let other = &versions.get(v(to)).unwrap().schema;
    let sketch = versions.carried(left, reached).unwrap().unwrap();
    let bundles = sketch
        .alternatives
        .iter()
        .map(|node| sketch.source.bundle(node));
    let known: Vec<Schema> = bundles
        .map(|bundle| {
            Schema::compile(bundle.clone()).unwrap_or_else(|error| panic!("{error:?} {bundle}"))
        })
        .collect();
    let proven = gaps(&sketch, other).is_empty();
    let mut tried = 0;
    for document in Examples::of(own, seed).take(DOCUMENTS) {
        if beyond(versions.graph(left).unwrap(), &document) {
            continue;
        }
        let Ok(view) = versions.view(ContentRecord::new(v(from), document.clone()), v(to)) else {
            continue;
        };
        tried += 1;
        let content = &view.content;
        let comes = known
            .iter()
            .any(|schema| schema.validator.is_valid(content));
        let context = || {
            let steps = &versions.get(v("2.0.0")).unwrap().conversion;
            format!(
                "seed {seed}: {document} becomes {content} by {} from {from}\nold {}\nnew {}\nsketch {}",
                json!(steps.as_ref().map(|conversion| &conversion.steps)),
                own.source(),
                other.source(),
                json!(sketch.alternatives)
            )
        };
        assert!(
            comes,
            "the sketch does not let through what comes: {}",
            context()
        );
        let fits = other.validate(content).is_ok();
        assert!(fits || !proven, "proven and wrong: {}", context());
    }
    tried
}

#[test]
fn a_sketch_lets_through_all_that_comes_and_what_is_proven_holds() {
    let mut tried = 0;
    for seed in 0..CONVERSIONS {
        if let Some(versions) = versions(&mut Rng::with_seed(seed)) {
            tried += holds(&versions, "1.0.0", "2.0.0", seed);
            tried += holds(&versions, "2.0.0", "1.0.0", seed);
        }
    }
    assert!(tried > 500, "only {tried} documents were converted");
}
