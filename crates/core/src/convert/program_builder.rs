//! Steps as they are written, and the steps that are made of them.

use super::path::{FieldPath, Trail};
use super::step::{DirectedStep, StepId, StepWay, trace_all};
use super::steps;
use crate::types::pointer::child;
use crate::types::{PathPattern, PathToken, Schema};
use crate::version::Version;
use serde_json::{Map, Value};
use std::fmt;

/// Steps of one conversion, those inside of others included.
pub const STEPS: usize = 1_000;
/// Steps inside of steps.
pub const STEP_LEVELS: usize = 8;
/// `when` inside of `when`: each may have to try both branches.
pub const WHEN_LEVELS: usize = 3;

/// What is wrong with a step, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFlaw {
    /// From the list of steps.
    pub pointer: String,
    /// What, as a clause.
    pub reason: String,
}

impl fmt::Display for StepFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The arguments of a step: every one is asked for, and what nobody asked for is refused.
pub(crate) struct StepArgs<'v> {
    map: &'v Map<String, Value>,
    asked: Vec<&'static str>,
    at: String,
}

impl<'v> StepArgs<'v> {
    pub(crate) fn flaw(&self, key: &str, reason: impl Into<String>) -> StepFlaw {
        StepFlaw {
            pointer: child(&self.at, key),
            reason: reason.into(),
        }
    }

    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'v Value> {
        self.asked.push(key);
        self.map.get(key)
    }

    pub(crate) fn need(&mut self, key: &'static str) -> Result<&'v Value, StepFlaw> {
        let missing = format!("{key} is missing");
        self.take(key).ok_or_else(|| StepFlaw {
            pointer: self.at.clone(),
            reason: missing,
        })
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Result<&'v str, StepFlaw> {
        let value = self.need(key)?;
        let text = value.as_str().filter(|text| !text.is_empty());
        text.ok_or_else(|| self.flaw(key, format!("{key} must be a text")))
    }

    pub(crate) fn path(&mut self, key: &'static str) -> Result<FieldPath, StepFlaw> {
        let text = self.text(key)?;
        FieldPath::parse(text).map_err(|reason| self.flaw(key, reason))
    }

    /// A path, or a key that stands for a field beside another.
    pub(crate) fn key_beside(
        &mut self,
        key: &'static str,
        beside: &FieldPath,
    ) -> Result<FieldPath, StepFlaw> {
        let text = self.text(key)?;
        // A bare name is the common case, and can't leave the object by mistake.
        if !text.contains('/') {
            return Ok(beside.beside(text));
        }
        let path = FieldPath::parse(text).map_err(|reason| self.flaw(key, reason))?;
        // A rename never moves a field into another object: what is kept for it would have to be
        // carried there, as `move` does.
        if path.split().0 != beside.split().0 {
            return Err(self.flaw(key, "it is in another object; use move"));
        }
        Ok(path)
    }

    /// At least `least` paths, none of which is another or inside of it.
    pub(crate) fn paths(
        &mut self,
        key: &'static str,
        least: usize,
    ) -> Result<Vec<FieldPath>, StepFlaw> {
        let items = self.need(key)?.as_array();
        let items = items.filter(|items| items.len() >= least);
        let few = format!("{key} must be a list of {least} paths or more");
        let items = items.ok_or_else(|| self.flaw(key, few))?;
        let mut paths: Vec<FieldPath> = Vec::new();
        for item in items {
            let path = FieldPath::parse(item.as_str().unwrap_or_default());
            let path = path.map_err(|reason| self.flaw(key, reason))?;
            // Overlapping paths would take the same field twice, and the second would find
            // nothing.
            if paths.iter().any(|other| other.overlaps(&path)) {
                return Err(self.flaw(key, format!("{path} is there twice")));
            }
            paths.push(path);
        }
        Ok(paths)
    }

    pub(crate) fn flag(&mut self, key: &'static str, usual: bool) -> Result<bool, StepFlaw> {
        match self.take(key) {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.flaw(key, format!("{key} must be true or false"))),
        }
    }

    /// The steps inside of this one.
    pub(crate) fn steps(
        &mut self,
        key: &'static str,
        within: Trail,
        making: &mut ProgramBuilder<'_>,
    ) -> Result<Vec<DirectedStep>, StepFlaw> {
        let list = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(self.flaw(key, format!("{key} must be a list of steps"))),
        };
        // Their paths are relative to where this step works, so the trail goes along.
        making.inside(list, &child(&self.at, key), within)
    }

    fn finish(&self) -> Result<(), StepFlaw> {
        // Whatever a step has not asked for is a typing error: to ignore it would drop what the
        // author meant.
        let unknown = self
            .map
            .keys()
            .find(|key| !self.asked.contains(&key.as_str()));
        match unknown {
            None => Ok(()),
            Some(key) => {
                let known = self.asked.join(", ");
                Err(self.flaw(key, format!("{key:?} is not one of {known}")))
            }
        }
    }
}

struct StepScope {
    within: Trail,
    made: Vec<DirectedStep>,
}

/// Steps on their way from the file to the program.
pub(crate) struct ProgramBuilder<'s> {
    conversion: Version,
    parent: Version,
    /// Of the last step that was read.
    number: u16,
    /// Of the step that is being made.
    current: u16,
    /// The older version's; without it only the form is checked.
    old: Option<&'s Schema>,
    scopes: Vec<StepScope>,
    pub(crate) whens: usize,
}

impl<'s> ProgramBuilder<'s> {
    /// The steps of a conversion.
    pub(crate) fn steps(
        conversion: Version,
        parent: Version,
        old: Option<&'s Schema>,
        list: &[Value],
    ) -> Result<Vec<DirectedStep>, StepFlaw> {
        let mut making = Self {
            conversion,
            parent,
            number: 0,
            current: 0,
            old,
            scopes: Vec::new(),
            whens: 0,
        };
        making.inside(list, "", Vec::new())
    }

    fn inside(
        &mut self,
        list: &[Value],
        at: &str,
        within: Trail,
    ) -> Result<Vec<DirectedStep>, StepFlaw> {
        // Steps inside of steps recurse here and when they run.
        if self.scopes.len() >= STEP_LEVELS {
            return Err(StepFlaw {
                pointer: at.to_owned(),
                reason: format!("steps are inside of steps more than {STEP_LEVELS} times"),
            });
        }
        self.scopes.push(StepScope {
            within,
            made: Vec::new(),
        });
        // Remembered, since a step after the inner ones still speaks for the outer one.
        let around = self.current;
        for (index, step) in list.iter().enumerate() {
            // Numbers are given in the order of the file. Notes refer to them, so they must never
            // depend on how steps are fused.
            self.number = self.number.saturating_add(1);
            self.current = self.number;
            let at = format!("{at}/{index}");
            if usize::from(self.number) > STEPS {
                return Err(StepFlaw {
                    pointer: at,
                    reason: format!("a conversion has {STEPS} steps at most"),
                });
            }
            let made = self.step(step, &at)?;
            if let Some(scope) = self.scopes.last_mut() {
                scope.made.extend(made);
            }
        }
        // Back to the step that these are inside of.
        self.current = around;
        Ok(self
            .scopes
            .pop()
            .map(|scope| scope.made)
            .unwrap_or_default())
    }

    fn step(&mut self, step: &Value, at: &str) -> Result<Vec<DirectedStep>, StepFlaw> {
        let flaw = |pointer: &str, reason: String| StepFlaw {
            pointer: pointer.to_owned(),
            reason,
        };
        // Exactly one name: with two, the order of a map would decide which step comes first.
        let only = step.as_object().filter(|map| map.len() == 1);
        let Some((name, arguments)) = only.and_then(|map| map.iter().next()) else {
            let form =
                "a step is written as its name and its arguments, {rename: {path: /a, to: b}}";
            return Err(flaw(at, form.to_owned()));
        };
        let at = child(at, name);
        let Some((_, read)) = steps::ALL.iter().find(|(known, _)| known == name) else {
            let known: Vec<_> = steps::ALL.iter().map(|(known, _)| *known).collect();
            // The name is in an error message, and whoever wrote it may have sent anything.
            let name: String = name.chars().take(40).collect();
            let reason = format!("no step is called {name:?}; there are {}", known.join(", "));
            return Err(flaw(&at, reason));
        };
        let Value::Object(map) = arguments else {
            return Err(flaw(&at, format!("{name} takes arguments by name")));
        };
        let mut args = StepArgs {
            map,
            asked: Vec::new(),
            at,
        };
        let made = read(&mut args, self)?;
        // After the step is made, because only then all its arguments have been asked for.
        args.finish()?;
        Ok(made)
    }

    /// The identity of the step at hand. Its number is its place among all steps as they are
    /// written, those inside of others included: records keep it.
    pub(crate) const fn id(&self) -> StepId {
        StepId {
            conversion: self.conversion,
            number: self.current,
            before: self.parent,
            after: self.conversion,
            in_when: self.whens > 0,
        }
    }

    /// The same for a step that is the inverse of another.
    pub(crate) const fn inverse_id(&self) -> StepId {
        let id = self.id();
        StepId {
            before: id.after,
            after: id.before,
            ..id
        }
    }

    /// The older version's schema, if it is at hand, and where a field at hand was in it.
    pub(crate) fn origin(&self, path: &FieldPath) -> Option<(&'s Schema, PathPattern)> {
        let mut trail = path.trail();
        for scope in self.scopes.iter().rev() {
            trail = trace_all(&scope.made, StepWay::Backward, trail)?;
            trail = scope.within.iter().cloned().chain(trail).collect();
        }
        Some((self.old?, PathPattern::of(trail)))
    }

    /// Whether schemas are at hand, so that what they must say can be asked for.
    pub(crate) const fn knows_schemas(&self) -> bool {
        self.old.is_some()
    }
}

/// The trail of every item or value inside a field.
pub(crate) fn every(path: &FieldPath) -> Trail {
    let mut trail = path.trail();
    trail.push(PathToken::Every);
    trail
}
