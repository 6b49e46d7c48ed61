//! Rows of plain data, printed as a person or a program wants them.
//!
//! What a server says can neither move the cursor nor break a line of a table.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns, for people
    #[default]
    Table,
    /// YAML, with everything
    Yaml,
    /// JSON, with everything
    Json,
    /// Names alone, one in each line
    Name,
}

/// The flag for it.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FormatOption {
    /// How to print it
    #[arg(
        short = 'o',
        long = "output",
        value_enum,
        value_name = "FORMAT",
        default_value = "table"
    )]
    pub format: Format,
}

/// Many things of a kind; the first column has their names.
///
/// # Errors
/// If stdout can't be written.
pub fn print_rows(
    format: Format,
    headers: &[&str],
    rows: &[Vec<String>],
    values: &[Value],
) -> Result<(), Failure> {
    let text = match format {
        Format::Table => table(headers, rows, width()),
        Format::Name => names(rows),
        Format::Json => json(&Value::Array(values.to_vec()))?,
        Format::Yaml => yaml(&Value::Array(values.to_vec()))?,
    };
    print(&text)
}

/// One thing: what it is called, and each field in a line.
///
/// # Errors
/// If stdout can't be written.
pub fn print_one(
    format: Format,
    name: &str,
    fields: &[(&str, String)],
    value: &Value,
) -> Result<(), Failure> {
    let text = match format {
        Format::Table => lines(fields),
        Format::Name => format!("{}\n", harmless(name)),
        Format::Json => json(value)?,
        Format::Yaml => yaml(value)?,
    };
    print(&text)
}

/// To stdout, as it is.
///
/// # Errors
/// If stdout can't be written; a reader that has seen enough is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let failure = Failure::internal(format!("can't write to stdout: {error}"));
            Err(failure.with_advice("Check the free space where stdout leads to."))
        }
        _ => Ok(()),
    }
}

/// To stderr: what was done.
pub fn say(text: &str) {
    // Nothing is left to do when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{}", harmless(text));
}

/// One line that a terminal has nothing to obey in: no escapes, and no marks that turn the direction
/// of what follows.
#[must_use]
pub fn harmless(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let words: Vec<_> = text.split(['\n', '\r', '\t']).collect();
    words
        .join(" ")
        .replace(|c: char| c.is_control() || turns(c), "\u{fffd}")
}

fn width() -> Option<u16> {
    if std::io::stdout().is_terminal() {
        return Table::new().width();
    }
    None
}

/// Cells are wrapped only where there is a terminal to fit in.
fn table(headers: &[&str], rows: &[Vec<String>], width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    match width {
        Some(width) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width);
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    let heads = headers.iter().map(|head| head.to_uppercase());
    table.set_header(heads);
    for row in rows {
        table.add_row(row.iter().map(|cell| match harmless(cell) {
            empty if empty.is_empty() => "-".to_owned(),
            cell => cell,
        }));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn names(rows: &[Vec<String>]) -> String {
    let first = rows.iter().filter_map(|row| row.first());
    first.map(|name| format!("{}\n", harmless(name))).collect()
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
        format!("{label:wide$}{}\n", harmless(said))
    };
    fields.iter().map(line).collect()
}

fn json(value: &Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::internal(format!("can't print JSON: {error}")))?;
    Ok(text + "\n")
}

fn yaml(value: &Value) -> Result<String, Failure> {
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
            "NAME   FULL NAME\nalice  -\nbo     x y\n"
        );
        assert_eq!(names(&rows), "alice\nbo\n");
        let fields = [("name", "alice".to_owned()), ("email", String::new())];
        assert_eq!(lines(&fields), "name:  alice\nemail: -\n");
        let several = [("rights", "a".to_owned()), ("", "b".to_owned())];
        assert_eq!(lines(&several), "rights: a\n        b\n");
    }

    #[test]
    fn a_table_without_rows_has_its_headers() {
        assert_eq!(table(&["name", "id"], &[], None), "NAME  ID\n");
    }

    #[test]
    fn what_a_server_says_cant_command_a_terminal() {
        let rows = [vec!["a\u{1b}[31mb\nc\u{202e}d".to_owned()]];
        let told = table(&["name"], &rows, None);
        assert_eq!(told, "NAME\na\u{fffd}[31mb c\u{fffd}d\n");
    }

    #[test]
    fn nothing_is_wrapped_where_there_is_no_terminal() {
        let long = "word ".repeat(200).trim().to_owned();
        let told = table(&["name"], &[vec![long.clone()]], None);
        assert!(told.contains(&long), "{told}");
        let narrow = table(&["name"], &[vec![long]], Some(40));
        assert!(narrow.lines().all(|line| line.len() <= 40), "{narrow}");
    }
}
