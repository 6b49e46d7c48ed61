//! Where something is in a text.

use std::fmt;

/// A line and a column, both counted from one, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// The very beginning.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Where the lines of a text begin, so that any offset is found quickly.
#[derive(Debug)]
pub(crate) struct LineStarts<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineStarts<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after_breaks).collect();
        Self { text, starts }
    }

    /// The position of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        Position {
            line,
            column: before.chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let lines = LineStarts::of("ä\nbcd\n");
        for (offset, line, column) in [(0, 1, 1), (2, 1, 2), (3, 2, 1), (5, 2, 3), (99, 3, 1)] {
            assert_eq!(lines.position(offset), Position { line, column });
        }
    }
}
