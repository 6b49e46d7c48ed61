//! Passwords come from the terminal, asked twice, or from stdin; never from the command line, where
//! others can read them.

use crate::failure::Failure;
use std::io::{BufRead as _, IsTerminal as _};

/// Nobody's password is longer.
const LONGEST: u64 = 64 * 1024;

/// A new password for somebody.
pub(crate) fn new_password(whose: &str, from_stdin: bool) -> Result<String, Failure> {
    if from_stdin {
        return first_line(&mut std::io::stdin().lock());
    }
    // Without a terminal, asking would wait for nobody.
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to ask for a password",
            "Give it on stdin, with --password-stdin.",
        ));
    }
    let first = ask(&format!("New password of {whose}: "))?;
    let again = ask("Again: ")?;
    // What is typed can't be seen, so a typo would lock its owner out.
    if first != again {
        return Err(Failure::usage(
            "the two passwords are not the same",
            "Try again; nothing was changed.",
        ));
    }
    not_empty(first)
}

fn ask(prompt: &str) -> Result<String, Failure> {
    rpassword::prompt_password(prompt)
        .map_err(|error| Failure::internal(format!("can't read from the terminal: {error}")))
}

/// What stands before the first end of a line.
fn first_line(from: &mut dyn std::io::BufRead) -> Result<String, Failure> {
    let mut line = Vec::new();
    // Bounded: stdin may be anything.
    let mut bounded = std::io::Read::take(from, LONGEST);
    let read = bounded.read_until(b'\n', &mut line);
    read.map_err(|error| Failure::internal(format!("can't read stdin: {error}")))?;
    let text = String::from_utf8(line)
        .map_err(|_| Failure::usage("the password is no UTF-8 text", "Send text."))?;
    // Only the end of the line goes: a password may begin or end with blanks.
    not_empty(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn not_empty(password: String) -> Result<String, Failure> {
    if password.is_empty() {
        return Err(Failure::usage(
            "the password is empty",
            "Say at least one character.",
        ));
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_stdin_is_the_password_with_all_its_spaces() {
        let read = |text: &[u8]| first_line(&mut &text[..]).map_err(|why| why.to_string());
        assert_eq!(read(b"a b \nrest"), Ok("a b ".to_owned()));
        assert_eq!(read(b"a\r\n"), Ok("a".to_owned()));
        assert_eq!(read(b"a"), Ok("a".to_owned()));
        assert!(read(b"\n").is_err());
        assert!(read(b"").is_err());
        assert!(read(b"\xff\n").is_err());
    }
}
