//! The laws that every conversion keeps, checked on documents: those that a schema gives rise to, at
//! registration, and stored ones.

use super::put::follow_mirrors;
use super::versions::{ContentRecord, Versions};
use crate::convert::refusal::Carried;
use crate::examples::Examples;
use crate::types::same;
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// A law of conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversionLaw {
    /// Converted there and back, a record is the same.
    ThereAndBack,
    /// What is put back as it was read changes nothing.
    GetPut,
    /// What was put is what is read.
    PutGet,
    /// An edit changes what its version can express, and nothing else.
    EditSafety,
}

impl fmt::Display for ConversionLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ThereAndBack => "a record converted there and back is the same",
            Self::GetPut => "what is put back as it was read changes nothing",
            Self::PutGet => "what was put is what is read",
            Self::EditSafety => "an edit changes nothing that its version can't express",
        })
    }
}

/// A document for which a law does not hold.
#[derive(Clone, Debug, PartialEq, Coded)]
#[code(
    CONVERSION_LAW_BROKEN,
    advice = "Change the steps so that this document converts; splitting one version into two often helps."
)]
pub struct LawBroken {
    /// Which.
    pub law: ConversionLaw,
    /// The version that the document is stored at.
    pub stored: Version,
    /// The version that it is converted to, or written at.
    pub at: Version,
    /// The document.
    pub document: Value,
    /// The body that was written, if it was another.
    pub body: Option<Value>,
}

impl fmt::Display for LawBroken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            law, stored, at, ..
        } = self;
        write!(
            f,
            "between {stored} and {at} the law does not hold that {law}"
        )
    }
}

impl std::error::Error for LawBroken {}

/// How many documents the laws were checked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LawsChecked {
    /// Documents that converted.
    pub converted: usize,
    /// Documents that a step refused, and writes that were.
    pub refused: usize,
    /// Writes that were accepted.
    pub written: usize,
}

impl Versions {
    /// Checks the laws between a version and its parent, both ways, on documents made from their
    /// schemas.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let checked = app.check_laws(v2, 20, 7).unwrap();
    /// assert!(checked.converted > 0 && checked.written > 0);
    /// ```
    ///
    /// # Errors
    ///
    /// The first document for which one does not hold.
    pub fn check_laws(
        &self,
        version: Version,
        documents: usize,
        seed: u64,
    ) -> Result<LawsChecked, Box<LawBroken>> {
        let mut checked = LawsChecked::default();
        let Some(parent) = self.parent(version) else {
            return Ok(checked);
        };
        for (stored, at) in [(parent, version), (version, parent)] {
            let (Some(home), Some(there)) = (self.get(stored), self.get(at)) else {
                continue;
            };
            let examples = Examples::of(&home.schema, seed);
            let mut edits = Examples::of(&there.schema, seed);
            for document in examples.take(documents) {
                let record = ContentRecord::new(stored, document);
                let edit = |view: &Value| edits.edit(view);
                self.check_record(&record, at, edit, &mut checked)?;
            }
        }
        Ok(checked)
    }

    /// Checks the laws for one record and another version, with an edit at that version.
    ///
    /// # Errors
    ///
    /// The law that does not hold.
    pub fn check_record(
        &self,
        stored: &ContentRecord,
        at: Version,
        edit: impl FnOnce(&Value) -> Option<Value>,
        checked: &mut LawsChecked,
    ) -> Result<(), Box<LawBroken>> {
        let broken = |law, body: Option<&Value>| {
            Box::new(LawBroken {
                law,
                stored: stored.version,
                at,
                document: stored.content.clone(),
                body: body.cloned(),
            })
        };
        let Ok(there) = self.moved(stored.clone(), at) else {
            checked.refused += 1;
            return Ok(());
        };
        checked.converted += 1;
        let back = self.moved(there.clone(), stored.version);
        if !back.is_ok_and(|back| alike(&back, stored)) {
            return Err(broken(ConversionLaw::ThereAndBack, None));
        }
        let view = there.content;
        let put = self.put(stored.clone(), at, view.clone());
        if !put.is_ok_and(|put| alike(&put.record, stored) && put.dropped.is_empty()) {
            return Err(broken(ConversionLaw::GetPut, None));
        }
        let Some(body) = edit(&view) else {
            return Ok(());
        };
        let Ok(put) = self.put(stored.clone(), at, body.clone()) else {
            checked.refused += 1;
            return Ok(());
        };
        checked.written += 1;
        let expected = self.followed(at, &view, body.clone());
        let again = self.view(put.record.clone(), at);
        if !again.is_ok_and(|again| expected.is_ok_and(|body| same(&again.content, &body))) {
            return Err(broken(ConversionLaw::PutGet, Some(&body)));
        }
        let safe = self.is_safe(stored, &put.record, at, put.dropped.len());
        if safe {
            Ok(())
        } else {
            Err(broken(ConversionLaw::EditSafety, Some(&body)))
        }
    }

    /// The body with the fields that follow others.
    fn followed(&self, at: Version, view: &Value, mut body: Value) -> Carried<Value> {
        follow_mirrors(self, self.number(at)?, view, &mut body)?;
        Ok(body)
    }

    /// Whether all that the version can't express is as it was, or was dropped with its place.
    fn is_safe(
        &self,
        before: &ContentRecord,
        after: &ContentRecord,
        at: Version,
        dropped: usize,
    ) -> bool {
        let hidden = |record: &ContentRecord| {
            let view = self.view(record.clone(), at).ok()?;
            let mut values: HashMap<String, isize> = HashMap::new();
            for entry in view
                .kept
                .entries()
                .into_iter()
                .filter(|entry| !entry.refines)
            {
                *values
                    .entry(super::same_items::canonical(entry.value))
                    .or_default() += 1;
            }
            Some(values)
        };
        let (Some(mut before), Some(after)) = (hidden(before), hidden(after)) else {
            return false;
        };
        for (value, count) in after {
            *before.entry(value).or_default() -= count;
        }
        let gone: isize = before.values().filter(|count| **count > 0).sum();
        let appeared = before.values().any(|count| *count < 0);
        !appeared && usize::try_from(gone).is_ok_and(|gone| gone <= dropped)
    }
}

/// Whether two records are the same, the order of what is kept apart.
pub(super) fn alike(one: &ContentRecord, other: &ContentRecord) -> bool {
    let kept = |record: &ContentRecord| {
        let entries = match record.kept.to_json() {
            Value::Array(entries) => entries,
            _ => Vec::new(),
        };
        let mut entries: Vec<_> = entries
            .into_iter()
            .map(|mut entry| {
                // By which version something came here is a remark.
                let hidden = entry.get("by").and_then(Value::as_str) == Some("hidden");
                if let (true, Some(map)) = (hidden, entry.as_object_mut()) {
                    map.shift_remove("version");
                }
                super::same_items::canonical(&entry)
            })
            .collect();
        entries.sort();
        entries
    };
    one.version == other.version && same(&one.content, &other.content) && kept(one) == kept(other)
}
