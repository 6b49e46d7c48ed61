//! `join: {paths, with, into}`: several fields become one string. It is `split` read backwards.

use super::split::Split;
use crate::convert::making::{Args, Making, StepFlaw};
use crate::convert::step::Directed;

pub(crate) fn read(
    args: &mut Args<'_>,
    making: &mut Making<'_>,
) -> Result<Vec<Directed>, StepFlaw> {
    let into = args.paths("paths", 2)?;
    let at = args.text("with")?.to_owned();
    let path = args.path("into")?;
    let split = Split {
        id: making.inverse_id(),
        path,
        at,
        into,
    };
    split.check().map_err(|reason| args.flaw("into", reason))?;
    Ok(vec![Directed::backward(split)])
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
