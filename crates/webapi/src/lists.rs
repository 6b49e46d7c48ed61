//! Pages of rows that are all at hand: definitions, organizations, users, roles. They are followed
//! by the id of the last row, so what is made or deleted meanwhile moves nothing to another page.
//!
//! In another order than that of ids the last row must still exist: without it there is no place
//! to go on from, and the caller begins anew. All rows are read for each page, which suits what
//! there are tens or hundreds of. Resources have the engine's own listing.

use crate::call::WebCall;
use crate::error::WebError;
use crate::route::LARGEST_PAGE;
use coeval_api::rest::{FilterableRows, RestAnswer};
use serde_json::{Value, json};

const DEFAULT_PAGE: u64 = 100;

/// How many on a page.
pub(crate) fn page_size(call: &WebCall) -> Result<usize, WebError> {
    let size = call.query.number("pageSize", 1, LARGEST_PAGE)?;
    Ok(usize::try_from(size.unwrap_or(DEFAULT_PAGE)).unwrap_or(usize::MAX))
}

fn id(row: &Value) -> &str {
    row.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// The page of these rows that the call asks for; each has an `id` that no other has. `keys` are
/// the first parts of what can be filtered and sorted by.
pub(crate) fn page(
    call: &WebCall,
    mut rows: Vec<Value>,
    keys: &[&str],
) -> Result<RestAnswer, WebError> {
    let by = FilterableRows::by(keys);
    let size = page_size(call)?;
    if let Some(filter) = call.query.said("filter") {
        by.matching(&mut rows, filter)?;
    }
    // By id first, also where another order is asked for: sorts are stable, so that equal rows stay apart in
    // the same way on every page.
    rows.sort_by(|one, other| id(one).cmp(id(other)));
    let order = by.order(call.query.get("orderBy").unwrap_or_default())?;
    if let Some(order) = &order {
        by.sort(&mut rows, order);
    }
    let from = match (call.query.said("pageToken"), &order) {
        (None, _) => 0,
        // By id the place is found even if that row was deleted meanwhile.
        (Some(last), None) => rows.partition_point(|row| id(row) <= last),
        // In another order a deleted row leaves no place to go on from.
        (Some(last), Some(_)) => {
            let at = rows.iter().position(|row| id(row) == last);
            let gone = || WebError::query("pageToken", "that row is gone: begin anew");
            at.ok_or_else(gone)? + 1
        }
    };
    let total = rows.len();
    let rows: Vec<Value> = rows.into_iter().skip(from).take(size).collect();
    let more = from + rows.len() < total;
    let next = rows.last().filter(|_| more).map(id);
    let body = json!({ "items": rows, "nextPageToken": next, "total": total });
    Ok(RestAnswer::ok(&body))
}
