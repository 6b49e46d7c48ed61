//! Columns for people. On a terminal a row is one line; elsewhere nothing is cut.

use crate::columns::{cut, pad, single_line, width};
use anstyle::{AnsiColor, Style};

/// Between two columns.
const GAP: usize = 3;
/// No column is cut to less.
const NARROWEST: usize = 6;

/// One field, with how it looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableCell {
    text: String,
    style: Style,
}

impl TableCell {
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: single_line(text.as_ref()),
            style: Style::new(),
        }
    }

    /// How something is doing, in the colour of it.
    pub(crate) fn state(state: &str) -> Self {
        let style = Style::new();
        let style = match state {
            "RESOLVED" | "SUCCESS" => style.fg_color(Some(AnsiColor::Green.into())),
            "RESOLUTION_ERROR" | "ERROR" | "ABORTED" => style.fg_color(Some(AnsiColor::Red.into())),
            _ => style.fg_color(Some(AnsiColor::Yellow.into())),
        };
        Self {
            style,
            ..Self::new(state)
        }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Rows under their heads.
#[derive(Clone, Debug)]
pub(crate) struct TextTable {
    heads: Vec<String>,
    widths: Vec<usize>,
    /// `None`: nobody looks at how wide it is.
    room: Option<usize>,
}

impl TextTable {
    pub(crate) fn new(heads: Vec<String>, room: Option<usize>) -> Self {
        let widths = heads.iter().map(|head| width(head)).collect();
        Self {
            heads,
            widths,
            room,
        }
    }

    /// Columns after those that there are.
    pub(crate) fn add_heads(&mut self, more: &[String]) {
        let more: Vec<String> = more.iter().map(|head| single_line(head)).collect();
        self.widths.extend(more.iter().map(|head| width(head)));
        self.heads.extend(more);
    }

    pub(crate) fn heads(&mut self, rows: &[Vec<TableCell>]) -> String {
        self.fit(rows);
        let bold = Style::new().bold();
        let heads = self.heads.iter().map(|head| TableCell {
            text: head.clone(),
            style: bold,
        });
        let heads: Vec<_> = heads.collect();
        self.line(&heads)
    }

    /// Lines under the heads. Columns only ever get wider, so that blocks stay aligned.
    pub(crate) fn rows(&mut self, rows: &[Vec<TableCell>]) -> String {
        self.fit(rows);
        rows.iter().map(|row| self.line(row)).collect()
    }

    fn fit(&mut self, rows: &[Vec<TableCell>]) {
        // Columns grow with what they show, up to the width of the terminal.
        for row in rows {
            for (known, cell) in self.widths.iter_mut().zip(row) {
                *known = (*known).max(width(&cell.text));
            }
        }
        let Some(room) = self.room else { return };
        // The widest gives first, so that short columns stay whole.
        loop {
            // The gaps take room as well.
            let gaps = GAP * self.widths.len().saturating_sub(1);
            let over = (self.widths.iter().sum::<usize>() + gaps).saturating_sub(room);
            let widest = self.widths.iter_mut().max();
            match widest {
                Some(widest) if over > 0 && *widest > NARROWEST => {
                    *widest = widest.saturating_sub(1).max(NARROWEST);
                }
                _ => return,
            }
        }
    }

    fn line(&self, cells: &[TableCell]) -> String {
        let mut line = String::new();
        for (at, (cell, room)) in cells.iter().zip(&self.widths).enumerate() {
            // Cut only where there is an edge.
            let text = match self.room {
                Some(_) => cut(&cell.text, *room),
                None => cell.text.clone(),
            };
            if at > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let last = at + 1 == self.widths.len();
            let spaces = if last {
                // Nothing is padded at the end of a line, where it would wrap.
                String::new()
            } else {
                pad(&text, *room).split_off(text.len())
            };
            // Styles outside of the cut text: cutting inside an escape would spill it.
            let (on, off) = (cell.style.render(), cell.style.render_reset());
            line.push_str(&format!("{on}{text}{off}{spaces}"));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads() -> Vec<String> {
        vec!["NAME".to_owned(), "STATE".to_owned()]
    }

    fn rows(names: &[(&str, &str)]) -> Vec<Vec<TableCell>> {
        let rows = names.iter();
        rows.map(|(a, b)| vec![TableCell::new(a), TableCell::new(b)])
            .collect()
    }

    #[test]
    fn columns_are_aligned_and_nothing_is_cut_where_no_terminal_is() {
        let mut table = TextTable::new(heads(), None);
        let long = "n".repeat(300);
        let some = rows(&[("web", "a"), (&long, "b")]);
        let head = table.heads(&some);
        assert!(head.contains("NAME"));
        let lines = table.rows(&some);
        let mut lines = lines.lines();
        assert_eq!(lines.next().unwrap(), format!("web{}a", " ".repeat(300)));
        assert_eq!(lines.next().unwrap(), format!("{long}   b"));
    }

    #[test]
    fn a_row_is_one_line_of_a_terminal() {
        for room in [0, 5, 20, 40, 80] {
            let mut table = TextTable::new(heads(), Some(room));
            let some = rows(&[
                ("日本語日本語日本語日本語", &"y".repeat(60)),
                ("short", "ok"),
            ]);
            for line in table.rows(&some).lines() {
                assert!(
                    width(line) <= room.max(2 * NARROWEST + GAP),
                    "{room}: {line}"
                );
            }
        }
    }

    #[test]
    fn what_a_server_says_can_t_command_a_terminal_nor_break_a_row() {
        let cell = TableCell::new("a\u{1b}[2J\nb");
        assert_eq!(cell.text, "a\u{fffd}[2J b");
    }
}
