//! Orders as people write them: `name, created desc`.

use coeval_filter::{Direction, Field, FilterError, Order};

/// Reads an order; nothing if it has no field. `field` says what a name means, `invalid` makes an error of
/// the reason why a direction is none.
pub(crate) fn parse_order<E: From<FilterError>>(
    text: &str,
    field: impl Fn(&str) -> Result<Field, FilterError>,
    invalid: impl Fn(String) -> E,
) -> Result<Option<Order>, E> {
    let parts = text.split(',').map(str::trim);
    let mut fields = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let (name, direction) = match part.rsplit_once(char::is_whitespace) {
            None => (part, Direction::Ascending),
            Some((name, "asc")) => (name, Direction::Ascending),
            Some((name, "desc")) => (name, Direction::Descending),
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
        Ok(Some(Order::new(fields)?))
    }
}
