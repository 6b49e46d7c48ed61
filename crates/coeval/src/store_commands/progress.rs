//! Progress on stderr, when somebody looks.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// A line that tells how far a long operation has come. Nothing is drawn when stderr is no
/// terminal.
pub(super) struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// Of an operation whose length nobody knows before.
    pub(super) fn counting(verb: &'static str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(verb);
        let style = "{spinner} {msg} {human_pos} records ({per_sec}) {prefix} in {elapsed}";
        Self(styled(bar, style))
    }

    /// Of reading a file of so many bytes.
    pub(super) fn of_bytes(verb: &'static str, bytes: u64) -> Self {
        let bar = ProgressBar::new(bytes).with_message(verb);
        let style = "{msg} {wide_bar} {bytes}/{total_bytes} ({bytes_per_sec}), {eta} to go";
        Self(styled(bar, style))
    }

    pub(super) fn at(&self, records: u64, bytes: u64) {
        self.0.set_position(records);
        if bytes > 0 {
            let size = indicatif::HumanBytes(bytes);
            self.0.set_prefix(size.to_string());
        }
    }

    /// The bar itself, for a reader that moves it.
    pub(super) fn inner(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn styled(bar: ProgressBar, style: &str) -> ProgressBar {
    bar.enable_steady_tick(Duration::from_millis(100));
    match ProgressStyle::with_template(style) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
