//! What only whoever sits there can say.

use crate::failure::Failure;
use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};

/// No password is longer.
const LONGEST: u64 = 64 << 10;

/// Who wants to log in.
pub(super) fn ask_user() -> Result<String, Failure> {
    let missing = || {
        Failure::usage(
            "nobody says who logs in",
            "Say it with --user USER@ORGANIZATION.",
        )
    };
    if !std::io::stdin().is_terminal() {
        return Err(missing());
    }
    let mut stderr = std::io::stderr();
    let _ = write!(stderr, "User (USER@ORGANIZATION): ");
    let _ = stderr.flush();
    let mut line = String::new();
    // Bounded, because stdin may be anything.
    let read = std::io::stdin().lock().take(LONGEST).read_line(&mut line);
    match read {
        Ok(_) if !line.trim().is_empty() => Ok(line.trim().to_owned()),
        _ => Err(missing()),
    }
}

/// The password, which is not shown while it is typed.
pub(super) fn ask_password(user: &str, server: &str) -> Result<String, Failure> {
    let prompt = crate::columns::sanitize(&format!("Password of {user} at {server}: "));
    rpassword::prompt_password(prompt).map_err(|error| {
        Failure::usage(
            format!("there is no terminal to ask for the password: {error}"),
            "Pipe it in, with --password-stdin.",
        )
    })
}

/// The first line of stdin.
pub(super) fn password_from_stdin() -> Result<String, Failure> {
    let mut line = String::new();
    let mut stdin = std::io::stdin().lock().take(LONGEST);
    stdin
        .read_line(&mut line)
        .map_err(|_| Failure::usage("stdin has no password", "Write it as one line of UTF-8."))?;
    // Only the end of the line: blanks may belong to the password.
    let password = line.strip_suffix('\n').unwrap_or(&line);
    let password = password.strip_suffix('\r').unwrap_or(password);
    if password.is_empty() {
        let message = "stdin has no password";
        return Err(Failure::usage(message, "Write it as its first line."));
    }
    Ok(password.to_owned())
}
