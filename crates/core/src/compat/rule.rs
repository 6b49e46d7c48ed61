//! The rules: each finding names one, and each has a section of its own in the documentation.

use crate::convert::inclusion::GapReason;
use crate::examples::DocumentStep;
use std::fmt;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal, $sentence:literal;)+) => {
        /// Why a change is what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CompatRule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl CompatRule {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its id, which never changes.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)+ }
            }

            /// What has changed, in a sentence.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)+ }
            }
        }
    };
}

rules! {
    /// A declared field is gone.
    FieldRemoved = "field-removed", "The field is no longer declared.";
    /// A field must now be there.
    RequiredAdded = "required-added", "The field must be there now.";
    /// Fewer JSON types fit.
    TypeNarrowed = "type-narrowed", "Fewer types fit.";
    /// A value that was listed is not any more, or values are listed now.
    EnumValueRemoved = "enum-value-removed", "Values no longer fit that did.";
    /// Bounds of a number.
    NumberNarrowed = "number-narrowed", "Fewer numbers fit.";
    /// Length, pattern or format of a text.
    TextNarrowed = "text-narrowed", "Fewer texts fit.";
    /// Number or uniqueness of items.
    ListNarrowed = "list-narrowed", "Fewer lists fit.";
    /// Number of properties.
    ObjectNarrowed = "object-narrowed", "Fewer numbers of properties fit.";
    /// Properties that are not declared are refused.
    ObjectClosed = "object-closed", "Properties that are not declared no longer fit.";
    /// Items are refused.
    ItemsClosed = "items-closed", "Items no longer fit that did.";
    /// A value is refused altogether.
    Forbidden = "forbidden", "Nothing fits there any more.";
    /// Alternatives.
    AlternativeRemoved = "alternative-removed", "The alternatives leave out what they had.";
    /// Conditions and dependencies.
    ConditionNarrowed = "condition-narrowed", "A condition leaves out what fitted.";
    /// `not`.
    ExclusionNarrowed = "exclusion-narrowed", "More is excluded.";
    /// Names of properties.
    NamesNarrowed = "names-narrowed", "Fewer names of properties fit.";
    /// `contains`.
    ContainsNarrowed = "contains-narrowed", "The list must contain something else.";
    /// What no schema describes.
    UnevaluatedNarrowed = "unevaluated-narrowed", "What no schema describes no longer fits.";
    /// The default of a field is another.
    DefaultChanged = "default-changed", "The default is another: the same document means something else.";
    /// The default of a field is gone.
    DefaultRemoved = "default-removed", "The default is gone: a document without the field means something else.";
    /// A name is used again.
    NameReturned = "name-returned", "The name was used before, with another meaning.";
    /// A field means something else.
    MeaningChanged = "meaning-changed", "The field means something else.";
    /// A document that no other rule explains.
    NoLongerFits = "no-longer-fits", "A document no longer fits.";
    /// A new optional field.
    FieldAdded = "field-added", "The field is new, and may be left out.";
    /// A field may now be absent.
    RequiredRemoved = "required-removed", "The field may be left out now.";
    /// More JSON types fit.
    TypeWidened = "type-widened", "More types fit.";
    /// More values, or any.
    EnumValueAdded = "enum-value-added", "Values fit that did not.";
    /// Bounds of a number.
    NumberWidened = "number-widened", "More numbers fit.";
    /// Length, pattern or format of a text.
    TextWidened = "text-widened", "More texts fit.";
    /// Number or uniqueness of items.
    ListWidened = "list-widened", "More lists fit.";
    /// Number of properties.
    ObjectWidened = "object-widened", "More numbers of properties fit.";
    /// Properties that are not declared fit.
    ObjectOpened = "object-opened", "Properties that are not declared fit now.";
    /// Items fit.
    ItemsOpened = "items-opened", "Items fit that did not.";
    /// A value fits where none did.
    Allowed = "allowed", "Something fits where nothing did.";
    /// Alternatives.
    AlternativeAdded = "alternative-added", "The alternatives let through more.";
    /// Conditions and dependencies.
    ConditionWidened = "condition-widened", "A condition lets through more.";
    /// `not`.
    ExclusionWidened = "exclusion-widened", "Less is excluded.";
    /// Names of properties.
    NamesWidened = "names-widened", "More names of properties fit.";
    /// `contains`.
    ContainsWidened = "contains-widened", "The list need not contain what it had to.";
    /// What no schema describes.
    UnevaluatedWidened = "unevaluated-widened", "What no schema describes fits now.";
    /// A field that was there has a default now.
    DefaultAdded = "default-added", "The field has a default now.";
    /// It can't be followed.
    Unclear = "unclear", "The schemas are too complex here to be compared.";
}

impl fmt::Display for CompatRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl CompatRule {
    /// The section that explains it, as a link inside of the project.
    #[must_use]
    pub fn page(self) -> String {
        format!("docs/compatibility.md#{}", self.id())
    }

    /// Of a place where a schema lets through less than the one before, or more.
    pub(super) fn of(why: GapReason, at: &[DocumentStep], narrowed: bool) -> Self {
        // One reason has two rules, because less and more are told in different sections of the
        // documentation.
        let (less, more) = match why {
            GapReason::Required => (Self::RequiredAdded, Self::RequiredRemoved),
            GapReason::Type => (Self::TypeNarrowed, Self::TypeWidened),
            GapReason::Values => (Self::EnumValueRemoved, Self::EnumValueAdded),
            GapReason::Numbers => (Self::NumberNarrowed, Self::NumberWidened),
            GapReason::Texts => (Self::TextNarrowed, Self::TextWidened),
            GapReason::Lists => (Self::ListNarrowed, Self::ListWidened),
            GapReason::Objects => (Self::ObjectNarrowed, Self::ObjectWidened),
            GapReason::Contains => (Self::ContainsNarrowed, Self::ContainsWidened),
            GapReason::Alternatives => (Self::AlternativeRemoved, Self::AlternativeAdded),
            GapReason::Conditions => (Self::ConditionNarrowed, Self::ConditionWidened),
            GapReason::Exclusion => (Self::ExclusionNarrowed, Self::ExclusionWidened),
            GapReason::Names => (Self::NamesNarrowed, Self::NamesWidened),
            GapReason::Unevaluated => (Self::UnevaluatedNarrowed, Self::UnevaluatedWidened),
            GapReason::Reference | GapReason::TooMuch => (Self::Unclear, Self::Unclear),
            // What is forbidden is told by where: a field, all other fields, items, or the value
            // itself.
            GapReason::Forbidden => match at.last() {
                Some(DocumentStep::Key(_)) => (Self::FieldRemoved, Self::FieldAdded),
                Some(DocumentStep::Other | DocumentStep::Matching(_)) => {
                    (Self::ObjectClosed, Self::ObjectOpened)
                }
                Some(DocumentStep::Item(_)) => (Self::ItemsClosed, Self::ItemsOpened),
                None => (Self::Forbidden, Self::Allowed),
            },
        };
        if narrowed { less } else { more }
    }
}
