//! How a migration is shown: drawn anew in place on a terminal, a line for each change elsewhere.

use super::words;
use crate::columns;
use crate::failure::Failure;
use crate::output::OutputFormat;
use crate::rows::{print, print_one, sanitize_line};
use anstyle::Style;
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;

/// How wide the bar of the work is.
const BAR: u64 = 24;

/// Somewhere to look.
pub(super) enum MigrationView {
    /// A terminal, drawn anew.
    Screen(ProgressBar),
    /// A line or a document for each change.
    Lines { format: OutputFormat, last: String },
}

impl MigrationView {
    pub(super) fn new(format: &OutputFormat) -> Self {
        // Programs, and people who redirect, get lines.
        if !format.is_table() || !std::io::stdout().is_terminal() {
            return Self::Lines {
                format: format.clone(),
                last: String::new(),
            };
        }
        let bar = ProgressBar::new(0);
        bar.set_draw_target(ProgressDrawTarget::stdout());
        Self::Screen(match ProgressStyle::with_template("{msg}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    /// As it is now.
    pub(super) fn tell(&mut self, now: &pb::Migration) -> Result<(), Failure> {
        match self {
            Self::Screen(bar) => bar.set_message(frame(now, room(), coloured()).join("\n")),
            Self::Lines { format, last } => {
                let line = line(now);
                // Only what changed: a log of the same line each time is of no use.
                if line == *last {
                    return Ok(());
                }
                if format.is_table() {
                    print(&format!("{line}\n"))?;
                } else {
                    print_one(format, &now.name, &[], &words::value(now))?;
                }
                *last = line;
            }
        }
        Ok(())
    }

    /// Without going on.
    pub(super) fn once(now: &pb::Migration, format: &OutputFormat) -> Result<(), Failure> {
        if format.is_table() {
            print(&(frame(now, room(), coloured()).join("\n") + "\n"))
        } else {
            print_one(format, &now.name, &[], &words::value(now))
        }
    }
}

impl Drop for MigrationView {
    fn drop(&mut self) {
        // What was drawn last stays.
        if let Self::Screen(bar) = self {
            bar.abandon();
        }
    }
}

/// On a terminal a line is one line; elsewhere nothing is cut.
fn room() -> usize {
    let stdout = std::io::stdout();
    let size = terminal_size::terminal_size_of(&stdout);
    let size = size.filter(|_| stdout.is_terminal());
    size.map_or(usize::MAX, |(width, _)| usize::from(width.0))
}

fn coloured() -> bool {
    let choice = anstream::AutoStream::choice(&std::io::stdout());
    choice != anstream::ColorChoice::Never
}

/// All that there is to see of it, in lines.
fn frame(now: &pb::Migration, room: usize, coloured: bool) -> Vec<String> {
    // Names come from the store, and a terminal obeys what it prints.
    let cut = |line: String| columns::cut(&sanitize_line(&line), room);
    let mut lines = vec![cut(head(now))];
    if !words::has_ended(now) {
        lines.push(rail(now, coloured));
    }
    lines.push(cut(format!(
        "{} at major {}, {} at major {}, {} can't be converted",
        now.old_resources, now.from_major, now.new_resources, now.to_major, now.failed
    )));
    // No progress means that no work is under way.
    if let Some(progress) = &now.progress {
        lines.push(cut(bar(progress)));
    }
    // Aligned by the longest name, so that phases stand below each other.
    let widest = now
        .servers
        .iter()
        .map(|one| columns::width(&one.name))
        .max();
    for server in &now.servers {
        let name = columns::pad(&server.name, widest.unwrap_or_default());
        lines.push(cut(format!(
            "server {name}  {}  {}",
            server.release,
            place(server, now)
        )));
    }
    lines.push(cut(now.why.clone()));
    lines
}

fn head(now: &pb::Migration) -> String {
    let mut head = format!(
        "{} from major {} to {}: {}",
        now.r#type,
        now.from_major,
        now.to_major,
        words::state(now)
    );
    if now.auto {
        head.push_str(&format!(", by itself until {}", now.until));
    }
    if now.paused {
        head.push_str(", paused");
    }
    if now.rate > 0 {
        head.push_str(&format!(", at most {} a second", now.rate));
    }
    head
}

/// All phases in a row; those that servers may work at are marked.
fn rail(now: &pb::Migration, coloured: bool) -> String {
    let mark = if coloured {
        Style::new().bold()
    } else {
        Style::new()
    };
    let one = |phase: Phase| {
        let name = phase.name();
        if name == now.low || name == now.high {
            format!("{mark}[{name}]{mark:#}")
        } else {
            name.to_owned()
        }
    };
    let all: Vec<String> = Phase::ALL.into_iter().map(one).collect();
    all.join(" - ")
}

/// The work: how much, how fast, how long still.
fn bar(progress: &pb::Progress) -> String {
    let (visited, total) = (progress.visited, progress.total);
    // Also if nothing had to be visited at all.
    let full = match (progress.done, total) {
        (true, _) => BAR,
        (false, 0) => 0,
        (false, total) => (visited.saturating_mul(BAR) / total).min(BAR),
    };
    let full = usize::try_from(full).unwrap_or_default();
    let empty = usize::try_from(BAR).unwrap_or_default() - full;
    let mut line = format!(
        "{} [{}{}] {visited} of {total}",
        words::work(progress),
        "#".repeat(full),
        ".".repeat(empty)
    );
    if progress.done {
        line.push_str(", done");
        return line;
    }
    if progress.per_second > 0.0 {
        line.push_str(&format!(", {:.0}/s", progress.per_second));
    }
    if let Some(left) = &progress.left {
        line.push_str(&format!(", {}", words::left(left)));
    }
    line
}

/// Where a server is.
fn place(server: &pb::Server, now: &pb::Migration) -> String {
    if let Some(why) = server.refused.get(&now.r#type) {
        return format!("refuses it: {why}");
    }
    let phase = server.phases.get(&now.r#type).cloned();
    phase.unwrap_or_default()
}

/// One line for those who read no screen. It is another one only if something has changed.
fn line(now: &pb::Migration) -> String {
    let mut parts = vec![words::state(now).to_owned()];
    if !now.low.is_empty() {
        parts.push(words::phases(now));
    }
    if let Some(progress) = &now.progress {
        let percent = words::percent(Some(progress));
        parts.push(format!(
            "{} {percent} of {}",
            words::work(progress),
            progress.total
        ));
    }
    if now.failed > 0 {
        parts.push(format!("{} can't be converted", now.failed));
    }
    let line = format!("{}: {}. {}", now.r#type, parts.join(", "), now.why);
    sanitize_line(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn working() -> pb::Migration {
        let server = |name: &str, phase: &str| pb::Server {
            name: name.to_owned(),
            release: "0.1.0".to_owned(),
            phases: [("acme:app".to_owned(), phase.to_owned())].into(),
            ..Default::default()
        };
        pb::Migration {
            r#type: "acme:app".to_owned(),
            from_major: 1,
            to_major: 2,
            low: "read-new".to_owned(),
            high: "backfill".to_owned(),
            state: pb::MigrationState::Running.into(),
            auto: true,
            until: "soak".to_owned(),
            progress: Some(pb::Progress {
                work: pb::Work::Backfill.into(),
                visited: 250,
                total: 1_000,
                per_second: 50.0,
                left: Some(pb::TimeLeft {
                    soonest: 12.0,
                    likely: 15.0,
                    latest: 20.0,
                }),
                ..Default::default()
            }),
            servers: vec![server("one", "backfill"), server("other", "read-new")],
            why: "Not every server is at backfill: waiting for other.".to_owned(),
            ..Default::default()
        }
    }

    #[test]
    fn a_frame_has_the_rail_the_work_the_servers_and_why() {
        let lines = frame(&working(), usize::MAX, false);
        assert_eq!(
            lines,
            [
                "acme:app from major 1 to 2: running, by itself until soak",
                "old - mirror - [read-new] - [backfill] - soak - cutover - cleanup",
                "0 at major 1, 0 at major 2, 0 can't be converted",
                "backfill [######..................] 250 of 1000, 50/s, about 15 s (12 s to 20 s)",
                "server one    0.1.0  backfill",
                "server other  0.1.0  read-new",
                "Not every server is at backfill: waiting for other.",
            ]
        );
        let narrow = frame(&working(), 72, false);
        assert!(
            narrow.iter().all(|line| columns::width(line) <= 72),
            "{narrow:#?}"
        );
        assert!(frame(&working(), 80, true)[1].contains("\u{1b}[1m[backfill]"));
    }

    #[test]
    fn a_line_changes_only_with_what_there_is_to_tell() {
        let (mut now, before) = (working(), line(&working()));
        assert_eq!(
            before,
            "acme:app: running, read-new and backfill, backfill 25% of 1000. Not every server is at backfill: waiting for other."
        );
        if let Some(progress) = &mut now.progress {
            progress.per_second = 60.0;
            progress.visited = 251;
        }
        assert_eq!(line(&now), before);
        now.failed = 3;
        assert_ne!(line(&now), before);
    }
}
