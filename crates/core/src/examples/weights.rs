//! How much a validator will have to do. Schemas that refer to each other can double its work on
//! every level of a document; such documents are kept flat.

use super::place::PartNumber;
use crate::types::Schema;

/// Evaluations that one document may need, of schemas where they multiply.
const MOST: u64 = 200_000;
/// From here on a document does not grow on its own account.
const ENOUGH: u64 = 20_000;

/// Of one part, with all parts that are looked at for the same value.
#[derive(Clone, Copy, Debug, Default)]
struct PartWeight {
    /// Parts that are looked at.
    looks: u64,
    /// Those among them that look further inside.
    inside: u64,
}

/// The weights of all parts, and what a document has cost so far.
#[derive(Debug)]
pub(super) struct PartWeights {
    parts: Vec<PartWeight>,
    spent: u64,
}

impl PartWeights {
    /// `None` where nothing can multiply.
    pub(super) fn of(schema: &Schema) -> Option<Self> {
        if !schema.shape.explosive {
            return None;
        }
        let count = schema.shape.parts().len();
        let mut known = vec![None; count];
        let parts = (0..count).map(|id| weigh(schema, id, &mut known));
        let parts = parts.collect();
        Some(Self { parts, spent: 0 })
    }

    pub(super) const fn start(&mut self) {
        self.spent = 0;
    }

    /// Counts a value to which these parts apply so many times. The answer is how often parts
    /// will apply to what is inside; `None` if the document is too expensive.
    pub(super) fn spend(&mut self, ids: &[PartNumber], times: u64) -> Option<u64> {
        let weights = ids.iter().filter_map(|id| self.parts.get(*id));
        let (looks, inside) = weights.fold((0_u64, 0_u64), |(looks, inside), weight| {
            (
                looks.saturating_add(weight.looks),
                inside.saturating_add(weight.inside),
            )
        });
        self.spent = self.spent.saturating_add(looks.saturating_mul(times));
        (self.spent <= MOST).then(|| times.saturating_mul(inside.max(1)))
    }

    pub(super) const fn enough(&self) -> bool {
        self.spent > ENOUGH
    }
}

/// It goes as deep as parts lead to each other, which the schema's compiler limits.
fn weigh(schema: &Schema, id: PartNumber, known: &mut [Option<PartWeight>]) -> PartWeight {
    if let Some(weight) = known.get(id).copied().flatten() {
        return weight;
    }
    let Some(part) = schema.shape.part(id) else {
        return PartWeight::default();
    };
    let further = part.declares_inside() || !part.inner.is_empty();
    let mut weight = PartWeight {
        looks: 1,
        inside: u64::from(further),
    };
    for other in part.beside() {
        let other = weigh(schema, other, known);
        weight.looks = weight.looks.saturating_add(other.looks);
        weight.inside = weight.inside.saturating_add(other.inside);
    }
    if let Some(place) = known.get_mut(id) {
        *place = Some(weight);
    }
    weight
}
