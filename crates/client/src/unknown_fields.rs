//! What a type of yours has no field for stays as it was read.
//!
//! A program that is older than the data reads a document, changes a field and writes it back. Its
//! type shows only a part of the document. What it changed is the difference between that part as it
//! was read and as it is now; only this difference is put onto the document.

use serde_json::{Map, Value};

/// The document to write: `read` with what changed between `was` and `now`, which are the parts of
/// it that the program sees.
pub(crate) fn merge_edit(read: &Value, was: &Value, now: &Value) -> Value {
    if was == now {
        return read.clone();
    }
    match (read, was, now) {
        (Value::Object(read), Value::Object(was), Value::Object(now)) => {
            Value::Object(fields(read, was, now))
        }
        (Value::Array(read), Value::Array(was), Value::Array(now)) if read.len() == was.len() => {
            Value::Array(items(read, was, now))
        }
        _ => now.clone(),
    }
}

fn fields(
    read: &Map<String, Value>,
    was: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Map<String, Value> {
    // In the order of the document as it was read, so that a save changes no more than it must.
    let mut all = read.clone();
    // What the type had a field for and no longer has, the program removed.
    for name in was.keys().filter(|name| !now.contains_key(*name)) {
        all.shift_remove(name);
    }
    for (name, value) in now {
        let value = match (read.get(name), was.get(name)) {
            (Some(read), Some(was)) => merge_edit(read, was, value),
            // The type fills in what the document does not say: that is no change.
            (None, Some(was)) if was == value => continue,
            _ => value.clone(),
        };
        all.insert(name.clone(), value);
    }
    all
}

/// Items that look as before are the same, wherever they are now. Of those that look otherwise the
/// one at the same place is meant, if none came or went.
fn items(read: &[Value], was: &[Value], now: &[Value]) -> Vec<Value> {
    // Each old item stands for one new item at most: of two equal ones both keep what is hidden in
    // them.
    let mut free: Vec<bool> = was.iter().map(|_| true).collect();
    let mut found: Vec<Option<usize>> = now.iter().map(|_| None).collect();
    let mut take = |at: usize, found: &mut Option<usize>| {
        if let Some(free) = free.get_mut(at).filter(|free| **free) {
            *free = false;
            *found = Some(at);
        }
    };
    // First those that stayed at their place, or equal neighbours would exchange what is hidden in
    // them.
    for (at, (found, item)) in found.iter_mut().zip(now).enumerate() {
        if was.get(at) == Some(item) {
            take(at, found);
        }
    }
    // Then those that moved.
    for (found, item) in found.iter_mut().zip(now) {
        for (at, _) in was.iter().enumerate().filter(|(_, was)| *was == item) {
            if found.is_none() {
                take(at, found);
            }
        }
    }
    // Only with as many items as before: otherwise the places mean nothing, and hidden fields would
    // get to a wrong item.
    if was.len() == now.len() {
        for (at, found) in found.iter_mut().enumerate() {
            if found.is_none() {
                take(at, found);
            }
        }
    }
    let all = now.iter().zip(found).map(|(item, found)| {
        let old = found.and_then(|at| Some((read.get(at)?, was.get(at)?)));
        old.map_or_else(|| item.clone(), |(read, was)| merge_edit(read, was, item))
    });
    all.collect()
}

#[cfg(test)]
mod tests;
