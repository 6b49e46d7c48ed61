//! `unwrap: {path}`: a list becomes its first item. It is `wrap` read backwards.

use super::wrap::WrapValue;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::step::DirectedStep;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let id = making.inverse_id();
    Ok(vec![DirectedStep::backward(WrapValue::read(args, id)?)])
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::Pair;
    use serde_json::json;

    #[test]
    fn a_list_becomes_its_first_item() {
        let pair = Pair::of(json!([{"unwrap": {"path": "/zones"}}]));
        pair.means(json!({"zones": [1]}), json!({"zones": 1}));
        pair.forward(json!({"zones": [1, 2]}), json!({"zones": 1}), &["/zones"]);
        pair.backward(json!({"zones": [1, 2]}), json!({"zones": [[1, 2]]}), &[]);
    }
}
