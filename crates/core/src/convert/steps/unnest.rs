//! `unnest: {path}`: the fields of an object become fields beside it. They are those that the older
//! version's schema declares in it; others are kept. It is `nest` read backwards.

use super::nest::NestFields;
use crate::convert::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use crate::convert::step::DirectedStep;

pub(crate) fn read(
    args: &mut StepArgs<'_>,
    making: &mut ProgramBuilder<'_>,
) -> Result<Vec<DirectedStep>, StepFlaw> {
    let path = args.path("path")?;
    // The fields have to be known: what the object becomes depends on which of them exist.
    let keys = match making.origin(&path) {
        Some((schema, origin)) => schema.names_under(&origin),
        None => Vec::new(),
    };
    // Without schemas, in an example, nothing can be known, and nothing is claimed.
    if making.knows_schemas() && keys.is_empty() {
        let reason = format!("the older version's schema declares no fields in {path}");
        return Err(args.flaw("path", reason));
    }
    let fields = keys.iter().map(|key| path.beside(key)).collect();
    // Written backwards: it is `nest` as the older version sees it.
    let id = making.inverse_id();
    let nest = NestFields::new(id, fields, path).map_err(|reason| args.flaw("path", reason))?;
    Ok(vec![DirectedStep::backward(nest)])
}

#[cfg(test)]
mod tests {
    use crate::convert::steps::testing::Pair;
    use serde_json::json;

    fn pair() -> Pair {
        let schema = json!({"properties": {"server": {"properties": {
            "host": {"type": "string"}, "port": {"type": "integer"},
        }}}});
        Pair::with(json!([{"unnest": {"path": "/server"}}]), schema)
    }

    #[test]
    fn the_fields_of_an_object_become_fields_beside_it() {
        let host = json!({"server": {"host": "h", "port": 1}});
        pair().means(host, json!({"host": "h", "port": 1}));
        pair().means(json!({"server": {"host": "h"}}), json!({"host": "h"}));
        pair().means(json!({}), json!({}));
    }

    #[test]
    fn other_fields_are_kept() {
        let more = json!({"server": {"host": "h", "x": 1}});
        pair().forward(more, json!({"host": "h"}), &["/server"]);
        pair().forward(json!({"server": {}}), json!({}), &["/server"]);
    }

    #[test]
    fn the_schema_must_declare_the_fields() {
        let reason = Pair::flaw_with(json!([{"unnest": {"path": "/x"}}]), json!({}));
        assert!(reason.contains("declares no fields"), "{reason}");
        let own = json!({"properties": {"x": {"properties": {"x": {}}}}});
        let reason = Pair::flaw_with(json!([{"unnest": {"path": "/x"}}]), own);
        assert!(reason.contains("can't take up"), "{reason}");
    }
}
