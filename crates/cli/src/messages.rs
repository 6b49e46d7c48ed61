//! What a command says: data to stdout, all else to stderr. Styles are taken out where it is no
//! terminal that reads them.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Data. A reader that has gone is no error: it has read what it wanted.
pub(crate) fn out(text: &str) {
    let mut stdout = anstream::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

/// All else.
pub(crate) fn note(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// What this command has warned of. Servers warn with every answer, and one command may need many.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A warning of a read, if this command has not told it yet.
pub(crate) fn new_warning(warning: &str) -> Option<String> {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    told.insert(warning.to_owned()).then(|| warning.to_owned())
}

/// What of the warnings of a write, which come as one text, this command has not told yet. Most are
/// about the one resource; that its version is deprecated, which comes last, is about all.
pub(crate) fn new_write_warning(warnings: &str) -> Option<String> {
    let (before, notice) = deprecation(warnings);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if notice.is_empty() || told.insert(notice.to_owned()) {
        return Some(warnings.to_owned());
    }
    let before = before.strip_suffix("; ").unwrap_or(before);
    (!before.is_empty()).then(|| before.to_owned())
}

/// All before a notice of a deprecation, and that.
fn deprecation(warnings: &str) -> (&str, &str) {
    // The notice is the last of the texts, and the only one that repeats.
    let Some((before, _)) = warnings.split_once(" is deprecated") else {
        return (warnings, "");
    };
    let start = before.rfind("; ").map_or(0, |at| at + 2);
    warnings.split_at_checked(start).unwrap_or((warnings, ""))
}

/// Whether somebody sits there who can answer.
pub(crate) fn is_interactive() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on the terminal; the line that was answered, nothing if there is none or it was interrupted.
pub(crate) async fn ask(question: &str) -> Option<String> {
    note(question);
    let (answer, answered) = tokio::sync::oneshot::channel();
    // A thread of its own: the process may end while it still waits for a line.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        let _ = answer.send(read.is_ok_and(|bytes| bytes > 0).then_some(line));
    });
    let line = tokio::select! {
        line = answered => line.ok().flatten(),
        _ = tokio::signal::ctrl_c() => {
            note("\n");
            None
        }
    };
    line.map(|line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deprecation_is_told_once_and_the_rest_of_each_resource() {
        let notice = "acme:say:1.0.0 is deprecated: Use 2; it is better.";
        assert_eq!(new_write_warning(notice).as_deref(), Some(notice));
        assert_eq!(new_write_warning(notice), None);
        assert_eq!(new_warning(notice), None, "also where something is read");
        let more = format!("no version declares /a; {notice}");
        for _ in 0..2 {
            let told = new_write_warning(&more);
            assert_eq!(told.as_deref(), Some("no version declares /a"));
        }
    }
}
