//! What is asked before something that can't be taken back, or costs something.

use super::goal::MigrationGoal;
use crate::failure::Failure;
use crate::messages::{ask, is_interactive};
use crate::rows::{sanitize_line, say};
use coeval_core::phases::Phase;
use coeval_proto::migrations::v1 as pb;

/// What is known of the end of the way back.
pub(super) const CUTOVER: &str = "From cutover on only the new major is written: the way back leads over a copy of what was written since.";
pub(super) const CLEANUP: &str =
    "From cleanup on the old records are removed: there is no way back.";

async fn confirm(question: &str) -> Result<(), Failure> {
    if !is_interactive() {
        // Silence is no agreement to something that can't be taken back.
        return Err(Failure::usage(
            format!("nobody can be asked: {question}"),
            "Look at what was said, then run it again with --yes.",
        ));
    }
    let answer = ask(&format!("{question} [y/N] ")).await;
    if answer.is_some_and(|answer| answer.eq_ignore_ascii_case("y")) {
        Ok(())
    } else {
        Err(Failure::refused(
            "nothing was done",
            "Run it again when it is time.",
        ))
    }
}

/// Whether a phase that closes a way back may be entered.
pub(super) async fn confirm_phase(phase: Phase) -> Result<(), Failure> {
    say(match phase {
        Phase::Cleanup => CLEANUP,
        _ => CUTOVER,
    });
    confirm(&format!("enter {phase}?")).await
}

/// Whether a migration may pass such a phase by itself.
pub(super) async fn confirm_end(until: Option<MigrationGoal>) -> Result<(), Failure> {
    say(CUTOVER);
    if until != Some(MigrationGoal::Phase(Phase::Cutover)) {
        say(CLEANUP);
    }
    confirm("let it go there by itself?").await
}

/// What going back would cost; whether it may.
pub(super) async fn confirm_loss(
    report: &pb::ReportLossResponse,
    question: &str,
    yes: bool,
) -> Result<(), Failure> {
    for line in lines(report) {
        say(&line);
    }
    if yes || !report.possible {
        // What is impossible is refused by the server, with its code.
        Ok(())
    } else {
        confirm(question).await
    }
}

fn lines(report: &pb::ReportLossResponse) -> Vec<String> {
    let phase = &report.phase;
    if !report.possible {
        return vec![format!("There is no way back from {phase}.")];
    }
    let mut lines = vec![format!(
        "Going back from {phase}: {} acknowledged writes are lost.",
        report.lost
    )];
    if report.copy_back {
        lines.push("What was written since cutover is copied back first.".to_owned());
    }
    if report.kept > 0 {
        lines.push(format!(
            "{} resources have something that clients of the old major will not see; it is kept beside them.",
            report.kept
        ));
    }
    if report.refused > 0 {
        lines.push(format!(
            "{} resources can't be said at the old major; they hold the way back until they are changed:",
            report.refused
        ));
        let example = |one: &pb::FailedResource| {
            format!(
                "  {} ({}): {}",
                sanitize_line(&one.name),
                one.code,
                one.reason
            )
        };
        lines.extend(report.examples.iter().map(example));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_is_lost_kept_and_held() {
        let mut report = pb::ReportLossResponse {
            phase: "cutover".to_owned(),
            possible: true,
            copy_back: true,
            refused: 1,
            kept: 3,
            examples: vec![pb::FailedResource {
                name: "web".to_owned(),
                code: "COEVAL-2106".to_owned(),
                reason: "too long".to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let told = lines(&report).join("\n");
        for part in [
            "from cutover: 0 acknowledged writes are lost",
            "copied back",
            "3 resources have",
            "1 resources can't",
            "  web (COEVAL-2106): too long",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        report.possible = false;
        assert_eq!(lines(&report), ["There is no way back from cutover."]);
    }
}
