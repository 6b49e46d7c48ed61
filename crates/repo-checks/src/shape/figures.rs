//! All figures, for each crate and in all.

use super::ShapeError;
use super::crates::{all_crates, is_product};
use super::cycles::{ModuleCycle, cycles_of};
use super::doctests::count_doctests;
use super::lines::count_lines;
use super::modules::ModuleGraph;
use super::names::{is_one_word, type_names};
use super::patterns::count_patterns;
use super::sources::read_crate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The figures of one crate.
#[derive(Clone, Debug, Default)]
pub struct CrateFigures {
    /// Without `coeval-`.
    pub name: String,
    /// Whether its code is shipped.
    pub is_product: bool,
    /// Lines without tests.
    pub lines: usize,
    /// Those of them that are code.
    pub code_lines: usize,
    /// Those inside of functions that have a comment.
    pub comments_in_functions: usize,
    /// Cycles of modules, largest first.
    pub cycles: Vec<ModuleCycle>,
    /// The names of its types.
    pub type_names: Vec<String>,
    /// Doctests of public items that run.
    pub doctests: usize,
    /// `match` on a bool, in tests too.
    pub bool_matches: usize,
    /// Serializations whose failure becomes an empty value.
    pub silent_encodings: usize,
    /// Loops of optimistic attempts.
    pub retry_loops: usize,
}

/// The figures of all crates.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFigures {
    /// Of each.
    pub crates: Vec<CrateFigures>,
    /// How many types have a name.
    uses_of_names: BTreeMap<String, usize>,
}

impl CrateFigures {
    /// How many modules its largest cycle has; 0 if it has none.
    #[must_use]
    pub fn largest_cycle(&self) -> usize {
        self.cycles.first().map_or(0, ModuleCycle::len)
    }

    /// How many of its types have a name of one word.
    #[must_use]
    pub fn one_word_names(&self) -> usize {
        self.type_names
            .iter()
            .filter(|name| is_one_word(name))
            .count()
    }
}

impl WorkspaceFigures {
    /// Of these crates.
    #[must_use]
    pub fn of(crates: Vec<CrateFigures>) -> Self {
        let mut uses_of_names = BTreeMap::new();
        for name in crates.iter().flat_map(|figures| &figures.type_names) {
            *uses_of_names.entry(name.clone()).or_default() += 1;
        }
        Self {
            crates,
            uses_of_names,
        }
    }

    /// How many types of the crate share their name with another type of the workspace.
    #[must_use]
    pub fn shared_names(&self, figures: &CrateFigures) -> usize {
        let is_shared =
            |name: &&String| self.uses_of_names.get(*name).is_some_and(|uses| *uses > 1);
        figures.type_names.iter().filter(is_shared).count()
    }

    /// Of the crates that are shipped.
    pub(super) fn product(&self) -> impl Iterator<Item = &CrateFigures> {
        self.crates.iter().filter(|figures| figures.is_product)
    }
}

/// Measures all crates of the workspace in this folder.
///
/// # Errors
/// If a file can't be read or parsed.
pub fn measure(root: &Path) -> Result<WorkspaceFigures, ShapeError> {
    let folders = all_crates(root)?;
    // Positions in files are kept for each thread, and threads share the work of parsing.
    let crates = std::thread::scope(|scope| {
        let running: Vec<_> = folders
            .iter()
            .map(|(name, folder)| scope.spawn(move || measure_crate(name, folder)))
            .collect();
        let measured = running.into_iter().zip(&folders);
        measured
            .map(|(thread, (_, folder))| thread.join().unwrap_or_else(|_| Err(gave_up(folder))))
            .collect::<Result<Vec<_>, _>>()
    })?;
    Ok(WorkspaceFigures::of(crates))
}

fn gave_up(folder: &Path) -> ShapeError {
    ShapeError::Syntax {
        path: PathBuf::from(folder),
        reason: "the crate can't be measured".to_owned(),
    }
}

fn measure_crate(name: &str, folder: &Path) -> Result<CrateFigures, ShapeError> {
    let files = read_crate(folder)?;
    let mut figures = CrateFigures {
        name: name.to_owned(),
        is_product: is_product(name),
        cycles: cycles_of(&ModuleGraph::of(&files)),
        ..CrateFigures::default()
    };
    for file in &files {
        let lines = count_lines(file);
        figures.lines += lines.all;
        figures.code_lines += lines.code;
        figures.comments_in_functions += lines.comments;
        let patterns = count_patterns(&file.syntax, file.is_test);
        figures.bool_matches += patterns.bool_matches;
        figures.silent_encodings += patterns.silent_encodings;
        figures.retry_loops += patterns.retry_loops;
        if !file.is_test {
            figures.type_names.extend(type_names(&file.syntax));
            figures.doctests += count_doctests(&file.syntax);
        }
    }
    Ok(figures)
}
