//! `rename: {path, to}`: another key in the same object.

use super::move_to::MoveField;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::step::DirectedStep;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let from = args.path("path")?;
    let to = args.key_beside("to", &from)?;
    MoveField::read(args, making, from, to)
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::{Pair, flaw};
    use serde_json::json;

    #[test]
    fn a_field_has_another_name() {
        let pair = Pair::of(json!([{"rename": {"path": "/spec/img", "to": "image"}}]));
        pair.means(
            json!({"spec": {"img": "a"}}),
            json!({"spec": {"image": "a"}}),
        );
        pair.means(json!({}), json!({}));
        pair.means(json!({"spec": 5}), json!({"spec": 5}));
    }

    #[test]
    fn what_has_the_new_name_already_is_kept() {
        let pair = Pair::of(json!([{"rename": {"path": "/a", "to": "/b"}}]));
        pair.forward(json!({"a": 1, "b": 2}), json!({"b": 1}), &["/b"]);
        pair.forward(json!({"b": 2}), json!({}), &["/b"]);
        pair.backward(json!({"a": 1, "b": 2}), json!({"a": 2}), &["/a"]);
    }

    #[test]
    fn a_name_in_another_object_is_a_move() {
        let reason = flaw(json!({"rename": {"path": "/a/b", "to": "/c/b"}}));
        assert!(reason.contains("use move"), "{reason}");
        let reason = flaw(json!({"rename": {"path": "/a", "to": "a"}}));
        assert!(reason.contains("already"), "{reason}");
    }
}
