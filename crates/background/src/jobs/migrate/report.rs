//! What a mass migration tells: how many, and of those that did not simply go, which and why.

use crate::jobs::migrate::plan::Aim;
use crate::jobs::migrate::selection::Selection;
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_records::encode::{EncodeError, encode};
use coeval_records::stored::Stored;
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
pub(crate) struct Counts {
    pub migrated: u64,
    pub skipped: u64,
    pub failed: u64,
    pub left_behind: u64,
    /// At the target already.
    #[serde(skip_serializing_if = "is_zero")]
    pub unchanged: u64,
    /// Not to be told of, or gone since they were counted.
    pub passed: u64,
    /// Entries that there was no room for.
    pub unlisted: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's way to ask")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counts {
    pub(crate) fn done(&self) -> u64 {
        self.migrated + self.unchanged + self.refused()
    }

    fn refused(&self) -> u64 {
        self.skipped + self.failed + self.left_behind
    }
}

/// What became of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Word {
    /// It is at the target.
    Migrated,
    /// It was not to be touched.
    Skipped,
    /// It does not fit the target, and is unchanged.
    Failed,
    /// Others wrote it all the time.
    LeftBehind,
    /// It is at the target already.
    Unchanged,
}

/// What became of a resource, with the reason if it needs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    word: Word,
    why: Option<Why>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Why {
    code: String,
    reason: String,
    /// What the resource is called, and what to do.
    more: Option<(String, String)>,
}

/// As much of a text as an entry has room for.
fn cut(mut text: String) -> String {
    let mut end = text.len().min(LONGEST_REASON);
    // Not in the middle of a letter.
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

impl Outcome {
    pub(crate) const MIGRATED: Self = Self {
        word: Word::Migrated,
        why: None,
    };
    pub(crate) const UNCHANGED: Self = Self {
        word: Word::Unchanged,
        why: None,
    };

    fn because(word: Word, error: &impl Coded) -> Self {
        let why = Why {
            code: error.code().to_string(),
            reason: cut(error.to_string()),
            more: None,
        };
        let why = Some(why);
        Self { word, why }
    }

    /// The same with the resource's name and what its owner can do, for those who named no ids.
    pub(crate) fn of(mut self, stored: &Stored, error: &impl Coded) -> Self {
        if let Some(why) = &mut self.why {
            why.more = Some((cut(stored.header.name.clone()), cut(error.advice())));
        }
        self
    }

    pub(crate) fn forced(error: &impl Coded) -> Self {
        Self::because(Word::Migrated, error)
    }

    pub(crate) fn skipped(error: &impl Coded) -> Self {
        Self::because(Word::Skipped, error)
    }

    pub(crate) fn failed(error: &impl Coded) -> Self {
        Self::because(Word::Failed, error)
    }

    pub(crate) fn left_behind(error: &impl Coded) -> Self {
        Self::because(Word::LeftBehind, error)
    }
}

/// One resource that there is something to say of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    id: String,
    outcome: Word,
    code: String,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// All that is told so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub counts: Counts,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Report {
    /// As a task keeps it: the counts in its checkpoint, the entries apart.
    pub(crate) fn read(counts: Counts, entries: &[u8]) -> Result<Self, serde_json::Error> {
        let entries: Vec<Entry> = match entries {
            [] => Vec::new(),
            entries => serde_json::from_slice(entries)?,
        };
        Ok(Self::of(counts, entries))
    }

    pub(crate) fn of(counts: Counts, entries: Vec<Entry>) -> Self {
        Self {
            counts,
            bytes: entries.iter().map(size).sum(),
            entries,
        }
    }

    pub(crate) fn listed(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries as a task keeps them.
    pub(crate) fn entries(&self) -> Result<Vec<u8>, EncodeError> {
        encode("a report", &self.entries)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn add(&mut self, id: Uuid, outcome: &Outcome) {
        let count = match outcome.word {
            Word::Migrated => &mut self.counts.migrated,
            Word::Skipped => &mut self.counts.skipped,
            Word::Failed => &mut self.counts.failed,
            Word::LeftBehind => &mut self.counts.left_behind,
            Word::Unchanged => &mut self.counts.unchanged,
        };
        *count += 1;
        let Some(why) = &outcome.why else {
            return;
        };
        let more = why.more.clone();
        let (name, advice) = more.map_or((None, None), |(name, advice)| (Some(name), Some(advice)));
        let entry = Entry {
            id: id.to_string(),
            outcome: outcome.word,
            code: why.code.clone(),
            reason: why.reason.clone(),
            name,
            advice,
        };
        self.list(entry);
    }

    /// Adds another one.
    pub(crate) fn absorb(&mut self, other: &Self) {
        let Counts {
            migrated,
            skipped,
            failed,
            left_behind,
            unchanged,
            passed,
            unlisted,
        } = other.counts;
        let counts = &mut self.counts;
        counts.migrated += migrated;
        counts.skipped += skipped;
        counts.failed += failed;
        counts.left_behind += left_behind;
        counts.unchanged += unchanged;
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
            // Counted all the same: a report is bounded, because it is written with its task.
            self.counts.unlisted += 1;
        }
    }

    /// The task's result.
    pub(crate) fn result(&self, aim: &Aim) -> Value {
        match aim.selection {
            Selection::Version(_) => self.migrated(aim.dry_run),
            Selection::Matching(_) => self.upgraded(aim),
        }
    }

    fn migrated(&self, dry_run: bool) -> Value {
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

    fn upgraded(&self, aim: &Aim) -> Value {
        let counts = &self.counts;
        let entry = |entry: &Entry| {
            let Entry {
                id, code, reason, ..
            } = entry;
            json!({
                "id": format!("urn:vcloud:entity:{}:{id}", aim.of),
                "name": entry.name,
                "code": code,
                "reason": reason,
                "advice": entry.advice,
            })
        };
        json!({
            "dryRun": aim.dry_run,
            "version": aim.to.to_string(),
            "upgraded": counts.migrated,
            "unchanged": counts.unchanged,
            "refused": counts.refused(),
            "unlisted": counts.unlisted,
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

fn size(entry: &Entry) -> usize {
    serde_json::to_vec(entry).map_or(0, |text| text.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_records::error::tasks::TaskError;
    use coeval_resources::tasks::record::MOST_RESULT;

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
            assert!(report.migrated(false).to_string().len() <= MOST_RESULT);
            let back = Report::read(report.counts, &report.entries().unwrap()).unwrap();
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
