//! Prints one thing or many, without holding them all: a table is held back by a block, the
//! other formats by nothing.

use super::table::{TableCell, TextTable};
use super::{OutputFormat, OutputOptions, Printable};
use crate::columns::sanitize;
use crate::failure::Failure;
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal as _, Write};
use std::marker::PhantomData;

/// Rows whose widths are found out together.
const BLOCK: usize = 500;

/// Whether one thing was asked for, or as many as there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputShape {
    One,
    List,
    /// One after the other, for as long as somebody reads.
    Stream,
}

/// Prints to stdout.
pub(crate) struct Printer<T, W: Write = Box<dyn Write + Send>> {
    format: OutputFormat,
    shape: OutputShape,
    out: W,
    /// Somebody looks at it.
    terminal: bool,
    table: TextTable,
    rows: Vec<Vec<TableCell>>,
    headed: bool,
    printed: u64,
    of: PhantomData<fn(T)>,
}

impl<T: Printable> Printer<T> {
    /// In the format that was asked for.
    pub(crate) fn new(options: &OutputOptions, shape: OutputShape) -> Self {
        Self::with_columns(options, shape, &[])
    }

    /// The same; a table has these columns too, after its own.
    pub(crate) fn with_columns(
        options: &OutputOptions,
        shape: OutputShape,
        more: &[String],
    ) -> Self {
        let stdout = std::io::stdout();
        // Only a terminal has a width; a pipe gets whole rows.
        let terminal = stdout.is_terminal();
        let room = terminal_size::terminal_size_of(&stdout);
        let room = room.map(|(width, _)| usize::from(width.0));
        // Many small writes are one; who follows changes is shown each at once by `flush`.
        let out = std::io::BufWriter::new(anstream::AutoStream::auto(stdout));
        let mut printer = Self::to(Box::new(out), options.output.clone(), shape, terminal, room);
        printer.table.add_heads(more);
        printer
    }
}

impl<T: Printable, W: Write> Printer<T, W> {
    fn to(
        out: W,
        format: OutputFormat,
        shape: OutputShape,
        terminal: bool,
        room: Option<usize>,
    ) -> Self {
        let heads = T::heads(format.is_wide());
        let heads = heads.into_iter().map(str::to_owned).collect();
        let table = TextTable::new(heads, room);
        Self {
            format,
            shape,
            out,
            terminal,
            table,
            rows: Vec::new(),
            headed: false,
            printed: 0,
            of: PhantomData,
        }
    }

    /// How many there were.
    pub(crate) const fn printed(&self) -> u64 {
        self.printed
    }

    /// Prints one.
    pub(crate) fn print(&mut self, thing: &T) -> Result<(), Failure> {
        self.print_with(thing, Vec::new())
    }

    /// The same, with cells for the columns that were added.
    pub(crate) fn print_with(&mut self, thing: &T, more: Vec<TableCell>) -> Result<(), Failure> {
        let text = match &self.format {
            OutputFormat::Table | OutputFormat::Wide => {
                let mut row = thing.row(self.format.is_wide());
                row.extend(more);
                self.rows.push(row);
                // Held back until their widths are known; the other formats are printed at once.
                if self.rows.len() < BLOCK {
                    String::new()
                } else {
                    self.block()
                }
            }
            OutputFormat::Name => format!("{}\n", thing.name()),
            OutputFormat::Yaml => self.document(&to_value(thing)?)?,
            OutputFormat::Json => self.item(&to_value(thing)?)?,
            OutputFormat::JsonPath(template) => {
                let line = template.render(&to_value(thing)?);
                format!("{}\n", self.shown(line))
            }
        };
        self.printed += 1;
        self.write(&text)
    }

    /// What is printed and not yet to be seen.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let text = if self.rows.is_empty() {
            String::new()
        } else {
            self.block()
        };
        self.write(&text)?;
        check_written(self.out.flush())
    }

    /// The end: what is still open is closed.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        // What was opened with the first item is closed here.
        if self.format == OutputFormat::Json && self.shape == OutputShape::List {
            let end = match self.printed {
                0 => "{\"items\": []}\n",
                _ => "\n  ]\n}\n",
            };
            self.write(end)?;
        }
        check_written(self.out.flush())
    }

    fn block(&mut self) -> String {
        let rows = std::mem::take(&mut self.rows);
        let mut text = String::new();
        if !self.headed {
            text.push_str(&self.table.heads(&rows));
            self.headed = true;
        }
        text + &self.table.rows(&rows)
    }

    /// A document of a stream.
    fn document(&self, value: &Value) -> Result<String, Failure> {
        let text = serde_norway::to_string(value)
            .map_err(|error| Failure::internal(format!("can't print YAML: {error}")))?;
        // Documents of a stream are told apart by a line; the first needs none.
        Ok(match self.printed {
            0 => text,
            _ => format!("---\n{text}"),
        })
    }

    /// The object, or an item of it.
    fn item(&self, value: &Value) -> Result<String, Failure> {
        // One object a line, for programs that read as it comes.
        if self.shape == OutputShape::Stream {
            return Ok(format!("{value}\n"));
        }
        let text = serde_json::to_string_pretty(value).map_err(|error| not_json(&error))?;
        if self.shape == OutputShape::One {
            return Ok(text + "\n");
        }
        let open = match self.printed {
            0 => "{\n  \"items\": [\n    ",
            _ => ",\n    ",
        };
        Ok(format!("{open}{}", text.replace('\n', "\n    ")))
    }

    /// As it is for programs; for people without what a terminal would obey.
    fn shown(&self, text: String) -> String {
        // For a program, control characters are data.
        if self.terminal {
            text.split('\n')
                .map(harmless_tabs)
                .collect::<Vec<_>>()
                .join("\n")
        } else {
            text
        }
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        check_written(self.out.write_all(text.as_bytes()))
    }
}

fn harmless_tabs(line: &str) -> String {
    let parts: Vec<_> = line.split('\t').map(sanitize).collect();
    parts.join("\t")
}

fn to_value<T: Printable>(thing: &T) -> Result<Value, Failure> {
    thing.value().map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Failure {
    Failure::internal(format!("can't print JSON: {error}"))
}

/// What became of a write. A reader that closed the pipe has seen enough: there is nothing more to
/// do, and nothing went wrong.
pub(crate) fn check_written(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::reader_gone()),
        Err(error) => {
            let failure = Failure::internal(format!("can't write to stdout: {error}"));
            Err(failure.with_advice("Check the free space where stdout leads to."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_client::Resource;
    use serde::Deserialize as _;
    use serde_json::json;

    fn printed(format: &str, shape: OutputShape, names: &[&str]) -> String {
        let mut out = Vec::new();
        let format: OutputFormat = format.parse().unwrap();
        let mut printer = Printer::to(&mut out, format, shape, false, None);
        for name in names {
            let spec = json!({"image": "a", "n": 9_007_199_254_740_993_u64});
            let mut resource = Resource::new("app", "v1.1", *name, spec);
            resource
                .metadata
                .labels
                .insert("tier".into(), "gold".into());
            printer.print(&resource).unwrap();
        }
        printer.finish().unwrap();
        anstream::adapter::strip_bytes(&out).to_string_lossy()
    }

    trait Lossless {
        fn to_string_lossy(self) -> String;
    }

    impl Lossless for anstream::adapter::StrippedBytes<'_> {
        fn to_string_lossy(self) -> String {
            self.map(|part| std::str::from_utf8(part).unwrap().to_owned())
                .collect()
        }
    }

    #[test]
    fn a_list_in_yaml_is_a_stream_of_files_that_can_be_read_back() {
        let text = printed("yaml", OutputShape::List, &["a", "b"]);
        let documents: Vec<Resource> = serde_norway::Deserializer::from_str(&text)
            .map(|document| Resource::deserialize(document).unwrap())
            .collect();
        let names: Vec<_> = documents.iter().map(|one| &one.metadata.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(documents[0].spec["n"], 9_007_199_254_740_993_u64);
        assert_eq!(text.matches("---\n").count(), 1);
    }

    #[test]
    fn json_is_one_object_whether_one_or_none_or_many() {
        for names in [&[][..], &["a"], &["a", "b", "c"]] {
            let text = printed("json", OutputShape::List, names);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["items"].as_array().unwrap().len(), names.len());
        }
        let one: Value = serde_json::from_str(&printed("json", OutputShape::One, &["a"])).unwrap();
        assert_eq!(one["metadata"]["name"], "a");
    }

    #[test]
    fn names_and_expressions_have_a_line_each() {
        assert_eq!(
            printed("name", OutputShape::List, &["a", "b"]),
            "app/a\napp/b\n"
        );
        let path = "jsonpath={.metadata.name} {.metadata.labels.tier}";
        assert_eq!(
            printed(path, OutputShape::List, &["a", "b"]),
            "a gold\nb gold\n"
        );
    }

    #[test]
    fn tables_have_heads_once_and_none_for_nothing() {
        let names: Vec<_> = (0..1200).map(|number| number.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let text = printed("table", OutputShape::List, &names);
        assert_eq!(text.lines().count(), 1201);
        assert_eq!(text.matches("NAME").count(), 1);
        assert_eq!(printed("table", OutputShape::List, &[]), "");
        let wide = printed("wide", OutputShape::List, &["a"]);
        assert!(
            wide.contains("LABELS") && wide.contains("tier=gold"),
            "{wide}"
        );
    }
}
