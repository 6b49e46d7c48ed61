//! The rules, one file each. A rule is added by its file and a line in the table below.
//!
//! A rule is a function from one difference to what is wrong with it, or nothing. It knows no
//! documents and no languages, so it holds for all APIs that it applies to.

mod item_text;
mod removal;

use crate::compare::{SurfaceArea, SurfaceDifference};
use crate::model::{KeptRelease, ReleaseSurface};
use coeval_releases::Release;
use std::collections::BTreeSet;
use std::fmt;

/// What a rule may look at beside the difference.
pub(crate) struct RuleContext<'a> {
    /// The release that is served.
    pub current: Release,
    /// The kept release that it is compared with.
    pub against: Option<Release>,
    /// All kept releases, the newest first.
    pub kept: &'a [&'a KeptRelease],
    /// All that is served.
    pub served: &'a ReleaseSurface,
}

/// What is said about a rule, and the rule itself.
struct RuleEntry {
    id: &'static str,
    /// What holds, in a line.
    statement: &'static str,
    /// What to do instead, in a line.
    how_to_go_on: &'static str,
    areas: &'static [SurfaceArea],
    /// What is wrong with the difference, as a sentence without its stop.
    judge: fn(&SurfaceDifference<'_>, &RuleContext<'_>) -> Option<String>,
}

macro_rules! rules {
    ($($rule:ident = $module:ident;)*) => {
        $(mod $module;)*

        /// A rule of the check.
        #[expect(missing_docs, reason = "each has its statement")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ReleaseRule {
            $($rule,)*
        }

        impl ReleaseRule {
            /// All of them, in the order of the page about them.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            fn entry(self) -> &'static RuleEntry {
                match self { $(Self::$rule => &$module::ENTRY,)* }
            }
        }
    };
}

rules! {
    ObjectAnswer = object_answer;
    PagedList = paged_list;
    VersionedRoute = versioned_route;
    OperationStays = operation_stays;
    AnswerStays = answer_stays;
    FieldStays = field_stays;
    FieldStaysPopulated = field_stays_populated;
    FieldKeepsType = field_keeps_type;
    NoNewRequiredField = no_new_required_field;
    NewFieldIgnorable = new_field_ignorable;
    RequestFieldStays = request_field_stays;
    NumberStays = number_stays;
    DeprecationSound = deprecation_sound;
    RemovalDue = removal_due;
    ErrorCodeStays = error_code_stays;
    SettingStays = setting_stays;
    CommandStays = command_stays;
    MetricStays = metric_stays;
    KindStays = kind_stays;
    LevelStays = level_stays;
    OutputStays = output_stays;
}

impl ReleaseRule {
    /// Its name in messages and on pages; it stays.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// What holds, in a line.
    #[must_use]
    pub fn statement(self) -> &'static str {
        self.entry().statement
    }

    /// What to do instead of what it refuses, in a line.
    #[must_use]
    pub fn how_to_go_on(self) -> &'static str {
        self.entry().how_to_go_on
    }

    /// Where it holds.
    #[must_use]
    pub fn areas(self) -> &'static [SurfaceArea] {
        self.entry().areas
    }

    pub(crate) fn judge(
        self,
        difference: &SurfaceDifference<'_>,
        context: &RuleContext<'_>,
    ) -> Option<String> {
        let entry = self.entry();
        let applies = entry.areas.contains(&difference.place.area);
        applies
            .then(|| (entry.judge)(difference, context))
            .flatten()
    }
}

impl fmt::Display for ReleaseRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The rules that are asked for.
#[derive(Clone, Debug)]
pub struct RuleSet(BTreeSet<ReleaseRule>);

impl RuleSet {
    /// Every rule.
    #[must_use]
    pub fn all() -> Self {
        Self(ReleaseRule::ALL.iter().copied().collect())
    }

    /// All of these but one.
    #[must_use]
    pub fn without(mut self, rule: ReleaseRule) -> Self {
        self.0.remove(&rule);
        self
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = ReleaseRule> {
        self.0.iter().copied()
    }
}

/// The table of rules, in Markdown, for the page about releases.
#[must_use]
pub fn rules_table() -> String {
    let mut table = "| rule | what holds | how to go on |\n|---|---|---|\n".to_owned();
    for rule in ReleaseRule::ALL {
        let (id, statement, how) = (rule.id(), rule.statement(), rule.how_to_go_on());
        table += &format!("| `{id}` | {statement} | {how} |\n");
    }
    table
}
