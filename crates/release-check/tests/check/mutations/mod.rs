//! The real documents of 0.1.0 with one small change each: whatever breaks clients must be noticed,
//! by the right rule, wherever it is. Not examples but the class: every operation, every field,
//! every item.

mod catalog;
mod grpc;
mod rest;

use crate::surfaces::{NEW, kept, listed, of_api};
use coeval_release_check::{ApiDocument, KeptRelease, ReleaseRule, ReleaseSurface, RuleSet, check};

/// Compares with the release and counts.
struct MutationTally {
    kept: KeptRelease,
    /// Which of them are tried: one in so many.
    one_in: usize,
    thought_of: usize,
    tried: usize,
    missed: Vec<String>,
}

impl MutationTally {
    fn new(old: &ReleaseSurface) -> Self {
        Self {
            kept: kept(old),
            one_in: if std::env::var_os("COEVAL_TEST_SCALE").is_some() {
                1
            } else {
                3
            },
            thought_of: 0,
            tried: 0,
            missed: Vec::new(),
        }
    }

    fn of_api(old: &ApiDocument) -> Self {
        Self::new(&of_api(crate::surfaces::OLD, old.clone()))
    }

    /// Whether the next one is tried. All of them take a minute, and are tried where tests may be
    /// long; a third of them, evenly spread, else.
    fn is_next(&mut self) -> bool {
        self.thought_of += 1;
        self.thought_of.is_multiple_of(self.one_in)
    }

    /// All of these rules must notice it; with none named, any of them.
    fn expect(&mut self, what: &str, rules: &[ReleaseRule], served: &ReleaseSurface) {
        self.tried += 1;
        self.thought_of = self.thought_of.max(self.tried);
        let found = check(std::slice::from_ref(&self.kept), served, &RuleSet::all());
        let noticed = |rule: &ReleaseRule| found.iter().any(|violation| violation.rule == *rule);
        if found.is_empty() || !rules.iter().all(noticed) {
            let expected: Vec<&str> = rules.iter().map(|rule| rule.id()).collect();
            let expected = expected.join(", ");
            self.missed.push(format!(
                "{what}: expected {expected}, found\n{}",
                listed(&found)
            ));
        }
    }

    fn expect_api(&mut self, what: &str, rules: &[ReleaseRule], api: ApiDocument) {
        self.expect(what, rules, &of_api(NEW, api));
    }

    fn finish(self, name: &str, least: usize) {
        let (thought_of, missed) = (self.thought_of, self.missed.len());
        println!(
            "{name}: {} of {thought_of} mutations tried, {missed} missed",
            self.tried
        );
        let missed: Vec<&str> = self.missed.iter().take(10).map(String::as_str).collect();
        assert!(
            missed.is_empty(),
            "{} missed:\n{}",
            self.missed.len(),
            missed.join("\n")
        );
        assert!(thought_of >= least, "only {thought_of}");
        assert!(
            self.tried >= least / self.one_in,
            "only {} were tried",
            self.tried
        );
    }
}
