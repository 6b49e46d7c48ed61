//! Which fields are declared by one version and not by the other, and what became of defaults.

use crate::types::{DeclaredPath, PathPattern, PathToken, Schema, same};
use serde_json::Value;
use std::collections::HashMap;

/// What happened to the default of a field that both versions declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultChange {
    Added,
    Changed,
    Removed,
}

#[derive(Debug, Default)]
pub(super) struct FieldChanges {
    /// Declared by the new version alone; what is inside of one is not told.
    pub(super) added: Vec<PathPattern>,
    /// Declared by the old version alone.
    pub(super) removed: Vec<PathPattern>,
    pub(super) defaults: Vec<(PathPattern, DefaultChange)>,
    /// Whether all fields of both were looked at.
    pub(super) complete: bool,
}

impl FieldChanges {
    pub(super) fn of(old: &Schema, new: &Schema) -> Self {
        // Declared, whatever is required or possible: what people read in the schema.
        let (known_before, known_after) = (old.declared_paths(), new.declared_paths());
        let known: HashMap<&PathPattern, &DeclaredPath<'_>> = known_before
            .paths
            .iter()
            .map(|path| (&path.path, path))
            .collect();
        let mut defaults = Vec::new();
        // The whole content may have a default as well.
        let whole = [(&known_before.whole, &known_after.whole)].into_iter();
        let fields = known_after.paths.iter();
        let fields = fields.filter_map(|new| Some((*known.get(&new.path)?, new)));
        for (before, after) in whole.chain(fields) {
            let is_among = |default: &Value, schema: &Schema| {
                // One of several alternatives may have the default: then nothing was added or
                // removed.
                let all = schema.defaults_at(&after.path);
                all.into_iter().any(|other| same(default, other))
            };
            let change = match (before.default, after.default) {
                (None, Some(default)) if !is_among(default, old) => DefaultChange::Added,
                // An alternative may have it now.
                (Some(default), None) if !is_among(default, new) => DefaultChange::Removed,
                (Some(before), Some(after)) if !same(before, after) => DefaultChange::Changed,
                _ => continue,
            };
            defaults.push((after.path.clone(), change));
        }
        Self {
            added: outermost(&known_after.paths, |path| is_named(old, path)),
            // Items and values of maps have no names that somebody could miss.
            removed: outermost(&known_before.paths, |path| {
                path.steps().last() == Some(&PathToken::Every) || new.declares_some(path)
            }),
            defaults,
            complete: known_before.complete && known_after.complete,
        }
    }
}

/// Whether a schema declares a path, a property by its name.
fn is_named(schema: &Schema, path: &PathPattern) -> bool {
    match path.steps().split_last() {
        Some((PathToken::Key(name), around)) => {
            let around = PathPattern::of(around.to_vec());
            schema.names_under(&around).contains(name)
        }
        _ => schema.declares_some(path),
    }
}

/// The outermost paths that are not declared.
fn outermost(
    paths: &[DeclaredPath<'_>],
    is_declared: impl Fn(&PathPattern) -> bool,
) -> Vec<PathPattern> {
    let mut found: Vec<PathPattern> = Vec::new();
    for DeclaredPath { path, .. } in paths {
        // Parents come first, so an undeclared one is the last that was found.
        let inside = found.last().is_some_and(|outer| is_inside(path, outer));
        if !inside && !is_declared(path) {
            found.push(path.clone());
        }
    }
    found
}

/// Whether a path is another one, or leads through it.
pub(super) fn is_inside(path: &PathPattern, outer: &PathPattern) -> bool {
    path.steps().starts_with(outer.steps())
}

/// The path with one name more.
pub(super) fn join(path: &PathPattern, name: &str) -> PathPattern {
    let mut steps = path.steps().to_vec();
    steps.push(PathToken::Key(name.to_owned()));
    PathPattern::of(steps)
}
