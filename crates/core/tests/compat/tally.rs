//! How much was decided.

use coeval_core::compat::{SchemaChange, SchemaContainment};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    Undecided,
}

impl Answer {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Undecided => "undecided",
        }
    }

    pub(crate) const fn of(contained: &SchemaContainment) -> Self {
        match contained {
            SchemaContainment::Yes => Self::Yes,
            SchemaContainment::No(_) => Self::No,
            SchemaContainment::Unknown(_) => Self::Undecided,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    yes: usize,
    no: usize,
    undecided: usize,
}

impl Count {
    fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Yes => self.yes += 1,
            Answer::No => self.no += 1,
            Answer::Undecided => self.undecided += 1,
        }
    }

    const fn all(self) -> usize {
        self.yes + self.no + self.undecided
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pairs: usize,
    all: Count,
    by_sort: BTreeMap<&'static str, Count>,
    /// Seeds of some pairs that are undecided.
    open: Vec<u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, sorts: &[&'static str], answers: &[Answer]) {
        self.pairs += 1;
        for answer in answers {
            self.all.add(*answer);
        }
        let mut sorts = sorts.to_vec();
        sorts.sort_unstable();
        sorts.dedup();
        for sort in sorts {
            let count = self.by_sort.entry(sort).or_default();
            answers.iter().for_each(|answer| count.add(*answer));
        }
    }

    pub(crate) fn note(&mut self, seed: u64, change: &SchemaChange) {
        let both = [&change.old_documents, &change.new_documents];
        if both.map(Answer::of).contains(&Answer::Undecided) {
            self.open.push(seed);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.open.extend(other.open);
        let counts = other
            .by_sort
            .into_iter()
            .map(|(sort, count)| (Some(sort), count));
        for (sort, count) in counts.chain([(None, other.all)]) {
            let mine = match sort {
                Some(sort) => self.by_sort.entry(sort).or_default(),
                None => &mut self.all,
            };
            mine.yes += count.yes;
            mine.no += count.no;
            mine.undecided += count.undecided;
        }
    }

    /// In percent.
    pub(crate) fn undecided(&self) -> f64 {
        100.0 * self.all.undecided as f64 / self.all.all().max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, share) = (self.all, self.undecided());
        write!(
            f,
            "{} pairs, {} questions: {} yes, {} no, {share:.2} % undecided",
            self.pairs,
            all.all(),
            all.yes,
            all.no
        )?;
        let mut sorts: Vec<_> = self.by_sort.iter().collect();
        sorts.sort_by_key(|(_, count)| std::cmp::Reverse(count.undecided));
        let each = sorts
            .iter()
            .map(|(sort, count)| format!("{sort} {}/{}", count.undecided, count.all()));
        write!(
            f,
            "; undecided by sort: {}",
            each.collect::<Vec<_>>().join(", ")
        )?;
        let some = &self.open[..self.open.len().min(20)];
        write!(f, "; undecided seeds: {some:?}")
    }
}
