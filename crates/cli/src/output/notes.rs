//! What goes to stderr: what somebody should know beside the data.

use crate::columns::sanitize;
use anstyle::{AnsiColor, Style};
use coeval_proto::header::v1::Quarantined;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write as _;
use std::time::Duration;

/// Something to know.
pub(crate) fn note(text: &str) {
    // Nothing is left to do when stderr is closed.
    let _ = writeln!(anstream::stderr(), "{}", sanitize(text));
}

/// Something to look at.
pub(crate) fn warn(text: &str) {
    let yellow = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    let text = sanitize(text);
    let _ = writeln!(anstream::stderr(), "{yellow}warning:{yellow:#} {text}");
}

/// One that can't be shown.
pub(crate) fn quarantined(one: &Quarantined) {
    warn(&format!(
        "{} can't be shown: {} ({})",
        one.id, one.reason, one.code
    ));
}

/// A line that tells that something is waited for. Nothing is drawn when stderr is no terminal.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn new(text: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(sanitize(text));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(
            match ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            },
        )
    }

    pub(crate) fn tell(&self, text: &str) {
        self.0.set_message(sanitize(text));
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
