//! Type versions as people read them.

use super::explanation::{ExplainedField, ExplainedPlace, FieldSince, TypeExplanation};
use super::tree::branches;
use crate::columns::{cut, pad, single_line, width, wrap};
use coeval_core::types::PathToken;
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Before the settings of a version, and the width of their names.
const INDENT: usize = 2;
const LABEL: usize = 17;
/// A column is as wide as its widest text, and no wider than this; a wider text moves the rest of its
/// own line.
const NAMES: usize = 44;
const TYPES: usize = 22;
const NOTES: usize = 34;
/// In a terminal that is narrower than this the last two give way to descriptions.
const WIDE: usize = 130;
const TYPES_NARROW: usize = 13;
const NOTES_NARROW: usize = 12;
const GAP: usize = 2;
/// A default or a list of values is a hint; the schema has it all.
const VALUE: usize = 28;
/// Fewer letters of a description tell nothing.
const WORTH_SAYING: usize = 12;

/// One after another; nothing is cut or wrapped without a width.
pub(crate) fn render(explained: &[TypeExplanation<'_>], width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let all = explained.iter().map(|one| {
        let mut lines = heading(one, width);
        lines.extend(settings(one, width));
        lines.push(String::new());
        lines.extend(fields(one, width));
        lines
            .iter()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect::<String>()
    });
    all.collect::<Vec<_>>().join("\n")
}

fn heading(one: &TypeExplanation<'_>, width: usize) -> Vec<String> {
    let title = one.title.map(|title| format!("  {}", single_line(title)));
    let mut lines = vec![format!("{}{}", one.name, title.unwrap_or_default())];
    if let Some(description) = one.description {
        lines.extend(wrap(&single_line(description), width));
    }
    lines.push(String::new());
    lines
}

fn settings(one: &TypeExplanation<'_>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |label: &str, value: String| {
        let mut label = label;
        for line in wrap(&single_line(&value), width.saturating_sub(INDENT + LABEL)) {
            lines.push(format!("{}{}{line}", " ".repeat(INDENT), pad(label, LABEL)));
            label = "";
        }
    };
    if !one.interfaces.is_empty() {
        say("interfaces", one.interfaces.join(", "));
    }
    if let Some(conversion) = &one.conversion {
        let steps = match conversion.steps.len() {
            0 => "without steps".to_owned(),
            1 => "by 1 step".to_owned(),
            more => format!("by {more} steps"),
        };
        say("converts from", format!("{} {steps}", conversion.from));
    }
    if let Some(view) = &one.restricted_view {
        say(
            "restricted view",
            format!("for clients below {}: {}", view.below, view.reason),
        );
    }
    if let Some(deprecated) = one.deprecated {
        say("deprecated", deprecated.to_string());
    }
    if let Some(clients) = &one.clients {
        say("clients", clients.clone());
    }
    say("skew", one.skew.clone());
    say(
        "unique names",
        if one.unique_names { "yes" } else { "no" }.to_owned(),
    );
    for (name, path) in &one.indexes {
        say("index", format!("{name} of {path}"));
    }
    for column in one.columns.unwrap_or_default() {
        let kind = column.kind.name();
        say(
            "column",
            format!("{} of {}, {kind}", column.name, column.path),
        );
    }
    for (hook, behavior) in &one.hooks {
        say("hook", format!("{hook} runs {behavior}"));
    }
    for place in &one.places {
        say("field", of_place(place));
    }
    lines
}

fn of_place(place: &ExplainedPlace) -> String {
    let since = place.since.map(|since| format!(", {}", of_since(since)));
    let changed = if place.meaning_changed {
        ", meaning changed"
    } else {
        ""
    };
    format!("{}{}{changed}", place.path, since.unwrap_or_default())
}

/// A line of the tree.
struct Row {
    name: String,
    types: String,
    notes: String,
    description: String,
}

fn fields(one: &TypeExplanation<'_>, width: usize) -> Vec<String> {
    let all: Vec<_> = std::iter::once(&one.content).chain(&one.fields).collect();
    let mut lines = align(&rows(&all, 0), width);
    if !one.complete {
        lines.push("… there are more fields than are shown".to_owned());
    }
    lines
}

/// A tree of fields, parents first, whose outermost is at this level.
fn rows(all: &[&ExplainedField<'_>], level: usize) -> Vec<Row> {
    let depth = |field: &&ExplainedField<'_>| field.path.steps().len().saturating_sub(level);
    let levels: Vec<_> = all.iter().map(depth).collect();
    all.iter()
        .zip(branches(&levels))
        .zip(since_where_it_begins(all, level))
        .map(|((field, branch), since)| row(field, branch, since))
        .collect()
}

/// One field with all that is said of it, and the tree of what is inside.
pub(crate) fn render_part(
    one: &TypeExplanation<'_>,
    field: &ExplainedField<'_>,
    inside: &[&ExplainedField<'_>],
    width: Option<usize>,
) -> String {
    let width = width.unwrap_or(usize::MAX);
    let mut lines = vec![format!(
        "{}  {}",
        one.name,
        single_line(&field.path.to_string())
    )];
    if let Some(description) = field.description {
        lines.extend(wrap(&single_line(description), width));
    }
    lines.push(String::new());
    let mut said = vec![types(field)];
    said.extend(notes(field, field.since));
    lines.extend(wrap(&said.join(", "), width));
    if !inside.is_empty() {
        lines.push(String::new());
        let mut all = vec![field];
        all.extend(inside);
        lines.extend(align(&rows(&all, field.path.steps().len()), width));
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// What is inside of a field is not older than it: a derived version is told once, at the outermost.
fn since_where_it_begins(fields: &[&ExplainedField<'_>], level: usize) -> Vec<Option<FieldSince>> {
    let mut around: Vec<Option<FieldSince>> = Vec::new();
    let tell = |field: &&ExplainedField<'_>| {
        around.truncate(field.path.steps().len().saturating_sub(level));
        let known = around.last().copied().flatten();
        around.push(field.since.or(known));
        let again = |since: &FieldSince| {
            since.derived && known.is_some_and(|known| known.version == since.version)
        };
        field.since.filter(|since| !again(since))
    };
    fields.iter().map(tell).collect()
}

fn row(field: &ExplainedField<'_>, branch: String, since: Option<FieldSince>) -> Row {
    Row {
        name: branch + &name(field),
        types: types(field),
        notes: notes(field, since).join(", "),
        description: single_line(field.description.unwrap_or_default()),
    }
}

/// In quotes where it would be taken for something else.
fn name(field: &ExplainedField<'_>) -> String {
    match field.path.steps().last() {
        None => "content".to_owned(),
        Some(PathToken::Every) => "*".to_owned(),
        Some(PathToken::Key(key)) if key.is_empty() || key == "*" || *key != single_line(key) => {
            format!("{key:?}")
        }
        Some(PathToken::Key(key)) => key.clone(),
    }
}

pub(crate) fn types(field: &ExplainedField<'_>) -> String {
    let (null, others): (Vec<&str>, Vec<&str>) =
        field.types.iter().partition(|name| **name == "null");
    let all = [others.as_slice(), null.as_slice()].concat();
    let types = match all.len() {
        0 => "nothing fits".to_owned(),
        // Of all that JSON has.
        6 => "any".to_owned(),
        _ => all.join("|"),
    };
    match (field.any_content, field.repeats) {
        (true, _) if all.len() == 6 => "(any content)".to_owned(),
        (true, _) => format!("{types} (any content)"),
        (_, true) => format!("{types} (repeats)"),
        _ => types,
    }
}

pub(crate) fn notes(field: &ExplainedField<'_>, since: Option<FieldSince>) -> Vec<String> {
    let mut notes = Vec::new();
    if field.required {
        notes.push("required".to_owned());
    }
    if field.visibility != "public" {
        notes.push(field.visibility.clone());
    }
    if field.secure {
        notes.push("secure".to_owned());
    }
    if field.meaning_changed {
        notes.push("meaning changed".to_owned());
    }
    notes.extend(since.map(of_since));
    if let Some(default) = field.default {
        notes.push(format!("default {}", short(default)));
    }
    notes.extend(field.values.map(of_values));
    notes.extend(field.list_key.as_ref().map(|key| single_line(&key.told)));
    notes
}

fn of_since(since: FieldSince) -> String {
    let derived = if since.derived { " (derived)" } else { "" };
    format!("since {}{derived}", since.version)
}

fn of_values(values: &[Value]) -> String {
    if let [only] = values {
        return format!("only {}", short(only));
    }
    let mut shown = String::new();
    for value in values {
        let longer = format!(
            "{shown}{}{}",
            if shown.is_empty() { "" } else { ", " },
            short(value)
        );
        if width(&longer) > VALUE && !shown.is_empty() {
            return format!("one of {} values: {shown}, …", values.len());
        }
        shown = longer;
    }
    format!("one of {shown}")
}

fn short(value: &Value) -> String {
    cut(&single_line(&value.to_string()), VALUE)
}

/// The lines of a table. Descriptions get the room that is left.
fn align(rows: &[Row], width_of_all: usize) -> Vec<String> {
    let widest = |column: fn(&Row) -> &str, most| {
        let all = rows.iter().map(|row| width(column(row)));
        all.filter(|width| *width <= most).max().unwrap_or(0)
    };
    let names = widest(|row| &row.name, NAMES);
    let (most_types, most_notes) = if width_of_all < WIDE {
        (TYPES_NARROW, NOTES_NARROW)
    } else {
        (TYPES, NOTES)
    };
    let types = widest(|row| &row.types, most_types);
    let notes = widest(|row| &row.notes, most_notes);
    let line = |row: &Row| {
        let mut line = String::new();
        let mut column = 0;
        for (text, wide) in [(&row.name, names), (&row.types, types), (&row.notes, notes)] {
            line = pad(&line, column);
            line.push_str(text);
            if wide > 0 {
                line.push_str(&" ".repeat(GAP));
                column += wide + GAP;
            }
        }
        line = pad(&line, column);
        let room = width_of_all.saturating_sub(width(&line));
        if room >= WORTH_SAYING {
            line.push_str(&cut(&row.description, room));
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
