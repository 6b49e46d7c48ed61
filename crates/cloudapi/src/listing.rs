//! Listings of what there are few of: definitions, rights, organizations, users. All are at hand;
//! filters, orders and pages work on them as they do on entities.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::page::{RequestedPage, envelope_start, link};
use coeval_api::rest::{FilterableRows, RestAnswer};
use coeval_filter::{FilterError, FilterField, SortDirection, SortOrder};
use http::StatusCode;
use serde_json::Value;

/// The page of these rows that the call asks for. `keys` are the first parts of what can be
/// filtered by; `model` is what a row is called in links.
pub(crate) fn answer(
    api: &CloudState,
    call: &CloudCall,
    rows: Vec<Value>,
    keys: &[&str],
    model: &str,
) -> Result<RestAnswer, ApiError> {
    let wanted = RequestedPage::of(call)?;
    let rows = chosen(call, rows, keys)?;
    // Counted before the page is cut: the links need the number of all.
    let total = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    // On 32 bits a page may begin beyond what can be counted: then it is empty.
    let skip = usize::try_from((wanted.page - 1).saturating_mul(wanted.size));
    let size = usize::try_from(wanted.size).unwrap_or(usize::MAX);
    let page = rows.iter().skip(skip.unwrap_or(usize::MAX)).take(size);
    let mut text = envelope_start(wanted, total);
    for (number, row) in page.enumerate() {
        if number > 0 {
            text.push(',');
        }
        text.push_str(&row.to_string());
    }
    text.push_str("]}");
    let answer = RestAnswer::raw_json(StatusCode::OK, text);
    Ok(link(answer, api, call, wanted, total, model, None))
}

/// Filtered and in order.
pub(crate) fn chosen(
    call: &CloudCall,
    mut rows: Vec<Value>,
    keys: &[&str],
) -> Result<Vec<Value>, ApiError> {
    let by = FilterableRows::by(keys);
    if let Some(filter) = call.query.said("filter") {
        by.matching(&mut rows, filter)?;
    }
    if let Some(order) = order(call, |key| by.field(key))? {
        by.sort(&mut rows, &order);
    }
    Ok(rows)
}

/// The order that a call asks for.
pub(crate) fn order(
    call: &CloudCall,
    field: impl Fn(&str) -> Result<FilterField, FilterError>,
) -> Result<Option<SortOrder>, ApiError> {
    let said = |name: &'static str| call.query.get(name).filter(|text| !text.is_empty());
    let by = |names: &str, direction| {
        names
            .split(',')
            .map(|name| Ok((field(name.trim())?, direction)))
            .collect::<Result<Vec<_>, FilterError>>()
    };
    let fields = match (said("sortAsc"), said("sortDesc")) {
        (None, None) => return Ok(None),
        (Some(names), None) => by(names, SortDirection::Ascending)?,
        (None, Some(names)) => by(names, SortDirection::Descending)?,
        (Some(_), Some(_)) => {
            return Err(ApiError::query(
                "sortDesc",
                "use sortAsc or sortDesc, not both",
            ));
        }
    };
    Ok(Some(SortOrder::new(fields)?))
}
