//! How large a value is, where time and memory are bounded.

use serde_json::Value;

/// Bytes of a value, roughly.
pub(crate) fn weight(value: &Value) -> usize {
    let mut todo = vec![value];
    let mut bytes = 0;
    while let Some(value) = todo.pop() {
        bytes += 16;
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => todo.extend(items),
            Value::Object(map) => {
                bytes += map.keys().map(String::len).sum::<usize>();
                todo.extend(map.values());
            }
            _ => {}
        }
    }
    bytes
}
