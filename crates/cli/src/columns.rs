//! Text for a terminal: what a file says can neither move the cursor nor break a line, and columns
//! are as wide as they look.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns of a terminal it takes.
#[must_use]
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// One line without anything that a terminal would obey.
#[must_use]
pub(crate) fn single_line(text: &str) -> String {
    // Every kind of blank becomes one space, line breaks too.
    let words: Vec<_> = text.split_whitespace().collect();
    sanitize(&words.join(" "))
}

/// The same with all its spaces.
#[must_use]
pub(crate) fn sanitize(text: &str) -> String {
    text.replace(is_command, "\u{fffd}")
}

/// Escapes, and marks that turn the direction of what follows.
fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// At most so wide; `…` is where it was cut.
#[must_use]
pub(crate) fn cut(text: &str, room: usize) -> String {
    // By columns and not by characters: a wide character takes two.
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    };
    let kept: String = text.chars().take_while(fits).collect();
    // There is not even room for the ellipsis.
    if room == 0 {
        return String::new();
    }
    format!("{}…", kept.trim_end())
}

/// Filled with spaces.
#[must_use]
pub(crate) fn pad(text: &str, to: usize) -> String {
    // A text that is too wide already is not cut: its column simply is wider there.
    let spaces = to.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(spaces))
}

/// In lines of that width, broken between words. A word that is wider has a line of its own.
#[must_use]
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split(' ') {
        // One for the space before the word.
        let longer = used + 1 + width(word);
        match lines.last_mut() {
            Some(line) if longer <= room => {
                line.push(' ');
                line.push_str(word);
                used = longer;
            }
            _ => {
                lines.push(word.to_owned());
                used = width(word);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_cant_command_a_terminal() {
        let said = single_line("a\u{1b}[31m  red\n\tline \u{202e}txt\u{7f}");
        assert_eq!(said, "a\u{fffd}[31m red line \u{fffd}txt\u{fffd}");
        assert_eq!(single_line("ä 日本 e\u{301}"), "ä 日本 e\u{301}");
    }

    #[test]
    fn a_text_is_cut_by_how_wide_it_looks() {
        for (text, room, expected) in [
            ("short", 5, "short"),
            ("longer text", 7, "longer…"),
            ("longer text", 8, "longer…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(cut(text, room), expected, "{text} {room}");
            assert!(width(&cut(text, room)) <= room);
        }
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(pad("long", 2), "long");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("extraordinary a b", 4), ["extraordinary", "a b"]);
        assert_eq!(wrap("as it is", usize::MAX), ["as it is"]);
    }
}
