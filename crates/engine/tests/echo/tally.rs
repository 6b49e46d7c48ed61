//! What happened in all cases: refusals by code, and whether the cases reach what they are for.

use coeval_codes::Code;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) writes: u64,
    /// Of them at a higher version than the stored one.
    pub(crate) above: u64,
    pub(crate) unchanged: u64,
    pub(crate) kept: u64,
    pub(crate) dropped: u64,
    pub(crate) moves: u64,
    /// A client that can't be shown the resource has nothing to save.
    pub(crate) unreadable: u64,
    pub(crate) refused: BTreeMap<String, u64>,
    /// Moves are asked for by an operator and not by a save; they are counted apart.
    pub(crate) refused_moves: BTreeMap<String, u64>,
    /// Refused, upgraded as the refusal says, and saved.
    pub(crate) upgraded: u64,
    /// Leaves at other versions that had to be as before, and that had to show the edit.
    pub(crate) untouched_checked: u64,
    pub(crate) edits_checked: u64,
    /// Of them where the other version has another value for it.
    pub(crate) converted_checked: u64,
    /// Parts of texts that were split.
    pub(crate) parts_checked: u64,
}

impl Tally {
    pub(crate) fn refuse(&mut self, code: Code) {
        *self.refused.entry(code.to_string()).or_default() += 1;
    }

    pub(crate) fn refuse_move(&mut self, code: Code) {
        *self.refused_moves.entry(code.to_string()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (one, other) in [
            (&mut self.cases, other.cases),
            (&mut self.writes, other.writes),
            (&mut self.above, other.above),
            (&mut self.unchanged, other.unchanged),
            (&mut self.kept, other.kept),
            (&mut self.dropped, other.dropped),
            (&mut self.moves, other.moves),
            (&mut self.unreadable, other.unreadable),
            (&mut self.upgraded, other.upgraded),
            (&mut self.untouched_checked, other.untouched_checked),
            (&mut self.edits_checked, other.edits_checked),
            (&mut self.converted_checked, other.converted_checked),
            (&mut self.parts_checked, other.parts_checked),
        ] {
            *one += other;
        }
        for (code, count) in &other.refused {
            *self.refused.entry(code.clone()).or_default() += count;
        }
        for (code, count) in &other.refused_moves {
            *self.refused_moves.entry(code.clone()).or_default() += count;
        }
    }

    /// The cases must reach what the laws speak of, and few may be refused.
    pub(crate) fn must_be_telling(&self, cases: u64) {
        assert_eq!(self.cases, cases);
        let part = |count: u64, of: u64, least: u64| {
            assert!(count * 100 >= of * least, "{count} of {of}: {self}");
        };
        part(self.writes, cases, 250);
        part(self.above, self.writes, 15);
        part(self.unchanged, self.writes, 10);
        part(self.kept, self.writes, 10);
        part(self.moves, cases, 20);
        part(self.untouched_checked, self.writes, 500);
        part(self.edits_checked, self.writes, 50);
        part(self.converted_checked, self.writes, 20);
        part(self.parts_checked, self.writes, 1);
        let refused: u64 = self.refused.values().sum();
        assert!(refused * 20 <= self.writes, "more than 5 %: {self}");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused: u64 = self.refused.values().sum();
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let percent = refused as f64 * 100.0 / self.writes.max(1) as f64;
        writeln!(f, "{self:?}")?;
        writeln!(
            f,
            "refused {refused} of {} writes, {percent:.2} %:",
            self.writes
        )?;
        for (code, count) in &self.refused {
            writeln!(f, "  {code} {count}")?;
        }
        for (code, count) in &self.refused_moves {
            writeln!(f, "  {code} {count} (moves)")?;
        }
        Ok(())
    }
}
