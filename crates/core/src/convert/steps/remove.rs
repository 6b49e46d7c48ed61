//! `remove: {path, value}`: a field that only the older version has. It is `add` read backwards.

use super::add::AddField;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::step::DirectedStep;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let id = making.inverse_id();
    let field = AddField::read(args, id)?;
    Ok(vec![DirectedStep::backward(field)])
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::Pair;
    use serde_json::json;

    #[test]
    fn an_old_field_is_kept_and_comes_back() {
        let pair = Pair::of(json!([{"remove": {"path": "/old", "value": "none"}}]));
        pair.forward(json!({"old": "x", "a": 1}), json!({"a": 1}), &["/old"]);
        pair.forward(json!({"a": 1}), json!({"a": 1}), &[]);
        pair.means(json!({"old": "none"}), json!({}));
    }

    #[test]
    fn what_it_has_inside_is_kept_whole() {
        let pair = Pair::of(json!([{"remove": {"path": "/old"}}]));
        pair.forward(
            json!({"old": {"x": [1, {"y": null}]}}),
            json!({}),
            &["/old"],
        );
    }
}
