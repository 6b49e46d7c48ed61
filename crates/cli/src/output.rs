//! How things are printed, whatever they are: one place for all commands.
//!
//! - `format`: what `-o` takes
//! - `template`: what `-o jsonpath=` takes
//! - `table`: columns for people
//! - `resource`: a resource as a row
//! - `printer`: one thing or many, without holding them all
//! - `notes`: what goes to stderr

mod format;
pub(crate) mod notes;
mod printer;
mod resource;
mod table;
mod template;
mod time;

use clap::Args;
pub(crate) use format::OutputFormat;
pub(crate) use printer::{OutputShape, Printer, check_written};
use serde_json::Value;
pub(crate) use table::{TableCell, TextTable};
pub(crate) use template::Template;
pub(crate) use time::{age, duration, moment};

/// What `-o` says.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct OutputOptions {
    /// table, wide, yaml, json, name or jsonpath=EXPR
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    #[arg(add = clap_complete::engine::ArgValueCandidates::new(format::candidates))]
    pub(crate) output: OutputFormat,
}

/// What can be printed in every format.
pub(crate) trait Printable {
    /// The names of the columns.
    fn heads(wide: bool) -> Vec<&'static str>;
    /// Its cells, as many as there are columns.
    fn row(&self, wide: bool) -> Vec<TableCell>;
    /// What stands for it in a script: `app/web`.
    fn name(&self) -> String;
    /// All of it.
    fn value(&self) -> Result<Value, serde_json::Error>;
}
