//! What a mass migration tells: how many, and of those that did not simply go, which and why.

use coeval_codes::Coded;
use coeval_core::version::Uuid;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The most entries; more are only counted.
const MOST_ENTRIES: usize = 1_000;
/// The most bytes of all entries, so that they fit into a result.
const MOST_BYTES: usize = 256 * 1024;
/// The most bytes of a reason.
const LONGEST_REASON: usize = 300;

/// How many resources had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Counts {
    pub(super) migrated: u64,
    pub(super) skipped: u64,
    pub(super) failed: u64,
    pub(super) left_behind: u64,
    /// Not to be told of, or gone since they were counted.
    pub(super) passed: u64,
    /// Entries that there was no room for.
    pub(super) unlisted: u64,
}

impl Counts {
    pub(super) fn done(&self) -> u64 {
        self.migrated + self.skipped + self.failed + self.left_behind
    }
}

/// What became of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Word {
    /// It is at the target.
    Migrated,
    /// It was not to be touched.
    Skipped,
    /// It does not fit the target, and is unchanged.
    Failed,
    /// Others wrote it all the time.
    LeftBehind,
}

/// What became of a resource, with the reason if it needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    word: Word,
    why: Option<(String, String)>,
}

impl Outcome {
    pub(super) const MIGRATED: Self = Self {
        word: Word::Migrated,
        why: None,
    };

    fn because(word: Word, error: &impl Coded) -> Self {
        let mut reason = error.to_string();
        let mut end = reason.len().min(LONGEST_REASON);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        reason.truncate(end);
        let why = Some((error.code().to_string(), reason));
        Self { word, why }
    }

    pub(super) fn forced(error: &impl Coded) -> Self {
        Self::because(Word::Migrated, error)
    }

    pub(super) fn skipped(error: &impl Coded) -> Self {
        Self::because(Word::Skipped, error)
    }

    pub(super) fn failed(error: &impl Coded) -> Self {
        Self::because(Word::Failed, error)
    }

    pub(super) fn left_behind(error: &impl Coded) -> Self {
        Self::because(Word::LeftBehind, error)
    }
}

/// One resource that there is something to say of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    id: String,
    outcome: Word,
    code: String,
    reason: String,
}

/// All that is told so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) counts: Counts,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Report {
    /// As a task keeps it: the counts in its checkpoint, the entries apart.
    pub(super) fn read(counts: Counts, entries: &[u8]) -> Result<Self, serde_json::Error> {
        let entries: Vec<Entry> = match entries {
            [] => Vec::new(),
            entries => serde_json::from_slice(entries)?,
        };
        Ok(Self::of(counts, entries))
    }

    pub(super) fn of(counts: Counts, entries: Vec<Entry>) -> Self {
        Self {
            counts,
            bytes: entries.iter().map(size).sum(),
            entries,
        }
    }

    pub(super) fn listed(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries as a task keeps them.
    pub(super) fn entries(&self) -> Vec<u8> {
        // Plain data: nothing in it can fail to be printed.
        serde_json::to_vec(&self.entries).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn add(&mut self, id: Uuid, outcome: &Outcome) {
        let count = match outcome.word {
            Word::Migrated => &mut self.counts.migrated,
            Word::Skipped => &mut self.counts.skipped,
            Word::Failed => &mut self.counts.failed,
            Word::LeftBehind => &mut self.counts.left_behind,
        };
        *count += 1;
        let Some((code, reason)) = &outcome.why else {
            return;
        };
        let entry = Entry {
            id: id.to_string(),
            outcome: outcome.word,
            code: code.clone(),
            reason: reason.clone(),
        };
        self.list(entry);
    }

    /// Adds another one.
    pub(super) fn absorb(&mut self, other: &Self) {
        let Counts {
            migrated,
            skipped,
            failed,
            left_behind,
            passed,
            unlisted,
        } = other.counts;
        let counts = &mut self.counts;
        counts.migrated += migrated;
        counts.skipped += skipped;
        counts.failed += failed;
        counts.left_behind += left_behind;
        counts.passed += passed;
        counts.unlisted += unlisted;
        for entry in &other.entries {
            self.list(entry.clone());
        }
    }

    fn list(&mut self, entry: Entry) {
        let bytes = self.bytes + size(&entry);
        if self.entries.len() < MOST_ENTRIES && bytes <= MOST_BYTES {
            self.entries.push(entry);
            self.bytes = bytes;
        } else {
            self.counts.unlisted += 1;
        }
    }

    /// The task's result.
    pub(super) fn result(&self, dry_run: bool) -> Value {
        let counts = &self.counts;
        json!({
            "dryRun": dry_run,
            "migrated": counts.migrated,
            "skipped": counts.skipped,
            "failed": counts.failed,
            "leftBehind": counts.left_behind,
            "unlisted": counts.unlisted,
            "entries": self.entries,
        })
    }
}

fn size(entry: &Entry) -> usize {
    serde_json::to_vec(entry).map_or(0, |text| text.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::TaskError;
    use crate::tasks::record::MOST_RESULT;

    fn outcome(reason: &str) -> Outcome {
        Outcome::failed(&TaskError::Aborted {
            reason: reason.to_owned(),
        })
    }

    #[test]
    fn what_finds_no_room_in_the_list_is_counted() {
        for reason in ["short", &"\u{1}é".repeat(400)] {
            let mut report = Report::default();
            for n in 0..3_000 {
                report.add(Uuid(n), &outcome(reason));
            }
            let listed = report.len() as u64;
            assert!(listed > 0 && listed <= 1_000);
            assert_eq!(report.counts.failed, 3_000);
            assert_eq!(listed + report.counts.unlisted, 3_000);
            assert!(report.result(false).to_string().len() <= MOST_RESULT);
            let back = Report::read(report.counts, &report.entries()).unwrap();
            assert_eq!(back, report);
        }
    }

    #[test]
    fn a_report_and_what_came_since_are_one() {
        let (mut report, mut since, mut all) = Default::default();
        for n in 0..1_500 {
            let part = if n < 700 { &mut report } else { &mut since };
            let said = match n % 3 {
                0 => Outcome::MIGRATED,
                _ => outcome("why"),
            };
            Report::add(part, Uuid(n), &said);
            Report::add(&mut all, Uuid(n), &said);
        }
        report.absorb(&since);
        assert_eq!(report, all);
    }
}
