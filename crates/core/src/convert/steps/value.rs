//! What the steps that turn one value into another have in common: if the way back would not lead
//! to the same value, the original is kept for as long as its counterpart is unchanged.

use crate::convert::note::{Holds, Note, What};
use crate::convert::path::{Path, Trail};
use crate::convert::refusal::Refusal;
use crate::convert::step::{Class, Loss, Run, Step, StepId, Way};
use crate::convert::tree::Tree;
use crate::types::same;
use serde_json::Value;
use std::fmt::Debug;

/// A value of the one version as a value of the other; why there is none, as a clause.
pub(crate) trait Exchange: Debug + Send + Sync + 'static {
    fn exchange(&self, way: Way, value: &Value) -> Result<Value, String>;

    fn losses(&self, way: Way) -> Vec<(Class, String)>;
}

#[derive(Debug)]
pub(crate) struct ValueStep<E> {
    pub(crate) id: StepId,
    pub(crate) path: Path,
    pub(crate) exchange: E,
}

impl<E: Exchange> Step for ValueStep<E> {
    fn apply(&self, way: Way, tree: &mut Tree, _run: &mut Run) -> Result<(), Refusal> {
        let sign = self.id.uses(way, What::Original);
        let noted = tree.margin.get_mut(self.path.keys());
        let noted = noted.and_then(|margin| margin.take_note(sign)?.value);
        let Some(value) = tree.get_mut(&self.path) else {
            return Ok(());
        };
        if value.is_null() {
            return Ok(());
        }
        let refuse = |why| Refusal::value(&self.path, why);
        let other = match noted {
            Some(original) => original,
            None => self.exchange.exchange(way, value).map_err(refuse)?,
        };
        let back = self.exchange.exchange(way.turned(), &other);
        let before = std::mem::replace(value, other);
        if !back.is_ok_and(|back| same(&back, &before)) {
            let note = Note::new(self.id.makes(way, What::Original), Holds::Same);
            let margin = tree.margin.make(self.path.keys());
            margin.notes.push(note.value(before));
        }
        Ok(())
    }

    fn trace(&self, _way: Way, trail: Trail) -> Option<Trail> {
        Some(trail)
    }

    fn paths(&self) -> Vec<&Path> {
        vec![&self.path]
    }

    fn losses(&self, way: Way) -> Vec<Loss> {
        let all = self.exchange.losses(way).into_iter();
        all.map(|(class, what)| Loss {
            class,
            path: self.path.to_string(),
            what,
        })
        .collect()
    }
}

/// What a value is, for messages.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a value, for messages.
pub(crate) fn excerpt(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        Value::String(text) if text.chars().nth(40).is_some() => {
            let start: String = text.chars().take(40).collect();
            format!("{start:?}…")
        }
        value => value.to_string(),
    }
}
