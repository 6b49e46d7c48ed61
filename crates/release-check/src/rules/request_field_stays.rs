//! Fields of requests.

use super::{RuleContext, RuleEntry};
use super::removal::refused;
use crate::compare::{Area, Change, Difference, Side};

pub(super) const ENTRY: RuleEntry = RuleEntry {
    id: "request-field-stays",
    statement: "A field or parameter of a request stays until its time has come.",
    how_to_go_on: "Keep reading it. Declare its deprecation; it goes in N+2.",
    areas: Area::APIS,
    judge,
};

fn judge(difference: &Difference<'_>, context: &RuleContext<'_>) -> Option<String> {
    let Change::GoneField {
        side: Side::Request,
        field,
    } = &difference.change
    else {
        return None;
    };
    let why = refused(field.deprecation.as_ref(), context)?;
    Some(format!("the field is gone from requests: {why}"))
}
