//! Rows of plain data, printed as a person or a program wants them.
//!
//! What a server says can neither move the cursor nor break a line of a table.

use crate::columns;
use crate::failure::Failure;
pub(crate) use crate::output::{OutputFormat, OutputOptions};
use crate::output::{TableCell, TextTable};
use serde_json::{Value, json};
use std::io::{ErrorKind, IsTerminal as _, Write as _};

/// Many things of a kind; the first column has their names.
///
/// # Errors
/// If stdout can't be written.
pub(crate) fn print_rows(
    format: &OutputFormat,
    headers: &[&str],
    rows: &[Vec<String>],
    values: &[Value],
) -> Result<(), Failure> {
    let text = match format {
        OutputFormat::Table => table(headers, rows, width()),
        OutputFormat::Wide => table(headers, rows, None),
        OutputFormat::Name => names(rows),
        OutputFormat::Json => as_json(&json!({ "items": values }))?,
        OutputFormat::Yaml => as_yaml(&json!({ "items": values }))?,
        OutputFormat::JsonPath(template) => {
            // A line for each, also where the expression finds nothing, so that lines match rows.
            let lines = values.iter().map(|value| template.render(value) + "\n");
            lines.collect()
        }
    };
    print(&text)
}

/// One thing: what it is called, and each field in a line.
///
/// # Errors
/// If stdout can't be written.
pub(crate) fn print_one(
    format: &OutputFormat,
    name: &str,
    fields: &[(&str, String)],
    value: &Value,
) -> Result<(), Failure> {
    let text = match format {
        OutputFormat::Table | OutputFormat::Wide => lines(fields),
        OutputFormat::Name => format!("{}\n", sanitize_line(name)),
        OutputFormat::Json => as_json(value)?,
        OutputFormat::Yaml => as_yaml(value)?,
        OutputFormat::JsonPath(template) => template.render(value) + "\n",
    };
    print(&text)
}

/// To stdout, as it is.
///
/// # Errors
/// If stdout can't be written; a reader that has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    // Whoever closed the pipe has read enough.
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let failure = Failure::internal(format!("can't write to stdout: {error}"));
            Err(failure.with_advice("Check the free space where stdout leads to."))
        }
        _ => Ok(()),
    }
}

/// To stderr: what was done.
pub(crate) fn say(text: &str) {
    // Nothing is left to do when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{}", sanitize_line(text));
}

/// One line that a terminal has nothing to obey in.
#[must_use]
pub(crate) fn sanitize_line(text: &str) -> String {
    columns::sanitize(&text.replace(['\n', '\r', '\t'], " "))
}

/// On a terminal a row is one line; elsewhere nothing is cut.
fn width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = terminal_size::terminal_size_of(&stdout);
    size.filter(|_| stdout.is_terminal())
        .map(|(width, _)| usize::from(width.0))
}

fn table(headers: &[&str], rows: &[Vec<String>], room: Option<usize>) -> String {
    let heads = headers.iter().map(|head| head.to_uppercase());
    let cell = |text: &String| TableCell::new(if text.is_empty() { "-" } else { text });
    // An empty cell would make columns hard to follow.
    let rows: Vec<Vec<_>> = rows
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let mut table = TextTable::new(heads.collect(), room);
    let heads = table.heads(&rows);
    let all = heads + &table.rows(&rows);
    // Colours are for terminals.
    if std::io::stdout().is_terminal() {
        all
    } else {
        anstream::adapter::strip_str(&all).to_string()
    }
}

fn names(rows: &[Vec<String>]) -> String {
    let first = rows.iter().filter_map(|row| row.first());
    first
        .map(|name| format!("{}\n", sanitize_line(name)))
        .collect()
}

fn lines(fields: &[(&str, String)]) -> String {
    let longest = fields.iter().map(|(label, _)| label.len()).max();
    let wide = longest.unwrap_or_default() + 2;
    let line = |(label, value): &(&str, String)| {
        let said = if value.is_empty() { "-" } else { value };
        // What goes on from the line before has no label of its own.
        let label = match *label {
            "" => String::new(),
            label => format!("{label}:"),
        };
        format!("{label:wide$}{}\n", sanitize_line(said))
    };
    fields.iter().map(line).collect()
}

fn as_json(value: &Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
    Ok(text + "\n")
}

fn as_yaml(value: &Value) -> Result<String, Failure> {
    serde_norway::to_string(value)
        .map_err(|error| Failure::internal(format!("can't print YAML: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_an_empty_cell_is_visible() {
        let rows = [
            vec!["alice".to_owned(), String::new()],
            vec!["bo".to_owned(), "x y".to_owned()],
        ];
        assert_eq!(
            table(&["name", "full name"], &rows, None),
            "NAME    FULL NAME\nalice   -\nbo      x y\n"
        );
        assert_eq!(names(&rows), "alice\nbo\n");
        let fields = [("name", "alice".to_owned()), ("email", String::new())];
        assert_eq!(lines(&fields), "name:  alice\nemail: -\n");
        let several = [("rights", "a".to_owned()), ("", "b".to_owned())];
        assert_eq!(lines(&several), "rights: a\n        b\n");
    }

    #[test]
    fn a_table_without_rows_has_its_headers() {
        assert_eq!(table(&["name", "id"], &[], None), "NAME   ID\n");
    }

    #[test]
    fn what_a_server_says_cant_command_a_terminal() {
        let rows = [vec!["a\u{1b}[31mb\nc\u{202e}d".to_owned()]];
        let told = table(&["name"], &rows, None);
        assert_eq!(told, "NAME\na\u{fffd}[31mb c\u{fffd}d\n");
    }

    #[test]
    fn nothing_is_cut_where_there_is_no_terminal() {
        let long = "word ".repeat(200).trim().to_owned();
        let told = table(&["name"], &[vec![long.clone()]], None);
        assert!(told.contains(&long), "{told}");
        let narrow = table(&["name"], &[vec![long]], Some(40));
        assert!(
            narrow.lines().all(|line| columns::width(line) <= 40),
            "{narrow}"
        );
    }
}
