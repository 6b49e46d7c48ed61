//! Orders as people write them: `name, created desc`.

use coeval_filter::{FilterError, FilterField, SortDirection, SortOrder};

/// Reads an order; nothing if it has no field. `field` says what a name means, `invalid` makes an error of
/// the reason why a direction is none.
pub(crate) fn parse_order<E: From<FilterError>>(
    text: &str,
    field: impl Fn(&str) -> Result<FilterField, FilterError>,
    invalid: impl Fn(String) -> E,
) -> Result<Option<SortOrder>, E> {
    let parts = text.split(',').map(str::trim);
    let mut fields = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        // The direction is the last word, and ascending where there is none.
        let (name, direction) = match part.rsplit_once(char::is_whitespace) {
            None => (part, SortDirection::Ascending),
            Some((name, "asc")) => (name, SortDirection::Ascending),
            Some((name, "desc")) => (name, SortDirection::Descending),
            Some((_, other)) => {
                let reason = format!("{other:?} is no direction: use asc or desc");
                return Err(invalid(reason));
            }
        };
        fields.push((field(name.trim())?, direction));
    }
    if fields.is_empty() {
        Ok(None)
    } else {
        Ok(Some(SortOrder::new(fields)?))
    }
}
