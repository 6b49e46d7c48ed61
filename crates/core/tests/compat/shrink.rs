//! A pair made smaller, while something stays so.

use serde_json::Value;

/// Leaves out whatever can be left out of both, or of one.
pub(crate) fn smaller(
    old: &Value,
    new: &Value,
    stays: &dyn Fn(&Value, &Value) -> bool,
) -> (Value, Value) {
    let (mut old, mut new) = (old.clone(), new.clone());
    loop {
        let mut shorter = None;
        for pointer in inside(&old).into_iter().chain(inside(&new)) {
            let (less_old, less_new) = (without(&old, &pointer), without(&new, &pointer));
            let tries = [
                (less_old.clone(), less_new.clone()),
                (less_old, Some(new.clone())),
                (Some(old.clone()), less_new),
            ];
            let pairs = tries
                .into_iter()
                .filter_map(|(old, new)| Some((old?, new?)));
            shorter = pairs.into_iter().find(|(old, new)| stays(old, new));
            if shorter.is_some() {
                break;
            }
        }
        match shorter {
            Some(shorter) => (old, new) = shorter,
            None => return (old, new),
        }
    }
}

/// Pointers to all parts, the outer ones first.
fn inside(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = std::collections::VecDeque::from([(String::new(), value)]);
    while let Some((pointer, value)) = todo.pop_front() {
        match value {
            Value::Object(map) => {
                let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
                todo.extend(
                    map.iter()
                        .map(|(name, inner)| (format!("{pointer}/{}", escaped(name)), inner)),
                );
            }
            Value::Array(items) => {
                todo.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(number, inner)| (format!("{pointer}/{number}"), inner)),
                );
            }
            _ => {}
        }
        found.push(pointer);
    }
    found
}

fn without(value: &Value, pointer: &str) -> Option<Value> {
    let (above, name) = pointer.rsplit_once('/')?;
    let mut value = value.clone();
    match value.pointer_mut(above)? {
        Value::Object(map) => drop(map.shift_remove(&name.replace("~1", "/").replace("~0", "~"))?),
        Value::Array(items) => {
            let number: usize = name.parse().ok()?;
            (number < items.len()).then(|| items.remove(number))?;
        }
        _ => return None,
    }
    Some(value)
}
