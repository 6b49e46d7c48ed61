//! `join: {paths, with, into}`: several fields become one string. It is `split` read backwards.

use super::split::SplitText;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::step::DirectedStep;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let into = args.paths("paths", 2)?;
    let at = args.text("with")?.to_owned();
    let path = args.path("into")?;
    let split = SplitText {
        // `inverse_id` exchanges the versions: the notes are those of a split from the newer to
        // the older one.
        id: making.inverse_id(),
        path,
        at,
        into,
    };
    // The same rules as for `split`, told in the words of this step.
    split.check().map_err(|reason| args.flaw("into", reason))?;
    Ok(vec![DirectedStep::backward(split)])
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::Pair;
    use serde_json::json;

    #[test]
    fn several_fields_become_one_string() {
        let join = json!({"paths": ["/major", "/minor"], "with": ".", "into": "/version"});
        let pair = Pair::of(json!([{"join": join}]));
        pair.means(
            json!({"major": "1", "minor": "2"}),
            json!({"version": "1.2"}),
        );
        pair.means(json!({"major": "1"}), json!({"version": "1"}));
        pair.forward(
            json!({"minor": "2"}),
            json!({"version": ".2"}),
            &["/version"],
        );
        pair.refuses_forward(json!({"major": 1}), "/major");
    }
}
