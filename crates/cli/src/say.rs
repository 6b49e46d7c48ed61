//! What a command says: data to stdout, all else to stderr. Styles are taken out where it is no
//! terminal that reads them.

use std::io::Write as _;

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

/// Whether somebody sits there who can answer.
pub(crate) fn can_ask() -> bool {
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
