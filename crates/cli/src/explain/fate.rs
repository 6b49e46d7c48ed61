//! What became of each field of a version in another one, as plain data.

use super::field_query::fits;
use crate::types::explanation::{ExplainedField, explain_one_of};
use crate::types::text::{notes, types};
use coeval_core::convert::{ConversionRefusal, StepLoss, Versions};
use coeval_core::types::{PathPattern, TypeVersion};
use coeval_core::version::Version;
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// All fields of two versions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VersionComparison {
    /// `acme:app`
    #[serde(rename = "type")]
    pub(super) of: String,
    #[serde(serialize_with = "printed")]
    pub(super) from: Version,
    #[serde(serialize_with = "printed")]
    pub(super) to: Version,
    /// What the conversion does to documents: exact, keeps something, may refuse.
    pub(super) conversion: &'static str,
    pub(super) losses: Vec<ConversionLoss>,
    pub(super) fields: Vec<FieldFate>,
}

/// What a conversion can't simply carry over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ConversionLoss {
    pub(super) path: String,
    pub(super) what: String,
}

/// One field.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FieldFate {
    /// Where it is in the version that it is a field of.
    #[serde(serialize_with = "printed")]
    pub(super) path: PathPattern,
    pub(super) fate: FateKind,
    /// Where it is in the other version.
    #[serde(serialize_with = "all_printed")]
    pub(super) to: Vec<PathPattern>,
    /// Its type, and what else there is to say of it.
    pub(super) types: String,
    pub(super) notes: Vec<String>,
    /// What is different of what is at its place now.
    pub(super) changes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FateKind {
    /// Under the same name at the same place.
    Same,
    /// Under another name at the same place.
    Renamed,
    /// Elsewhere, or at several places.
    Moved,
    /// The other version has no place for it: it is kept beside the document.
    Removed,
    /// Only the other version has it.
    Added,
}

fn printed<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn all_printed<S: Serializer>(all: &[PathPattern], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(ToString::to_string))
}

impl VersionComparison {
    /// Only the field at the path with what is inside, in either version.
    pub(super) fn within(mut self, path: &[String]) -> Self {
        if path.is_empty() {
            return self;
        }
        let inside = |place: &PathPattern| {
            let steps = place.steps();
            (0..=steps.len()).any(|end| fits(path, steps.get(..end).unwrap_or_default()))
        };
        self.fields
            .retain(|field| inside(&field.path) || field.to.iter().any(inside));
        self.losses.clear();
        self
    }
}

pub(super) fn compare_versions(
    versions: &Versions,
    from: Version,
    to: Version,
) -> Result<VersionComparison, ConversionRefusal> {
    let all: Vec<&TypeVersion> = versions.iter().collect();
    let (old, new) = (fields(&all, from), fields(&all, to));
    let (class, losses) = versions.class(from, to)?;
    let mut became = Vec::new();
    let mut reached: Vec<PathPattern> = Vec::new();
    for field in &old {
        // Where the steps lead, not where a field of the same name is: that may be another one.
        let images = versions.images(from, to, &field.path)?;
        // A field may have become several, or none.
        let there: Vec<_> = new
            .iter()
            .filter(|new| images.contains(&new.path))
            .collect();
        reached.extend(there.iter().map(|new| new.path.clone()));
        became.push(field_fate(field, &there));
    }
    // Whatever no old field leads to is new.
    several_into_one(&mut became);
    let added = new.iter().filter(|new| !reached.contains(&new.path));
    became.extend(added.map(|field| FieldFate {
        path: field.path.clone(),
        fate: FateKind::Added,
        to: Vec::new(),
        types: types(field),
        notes: notes(field, field.since),
        changes: Vec::new(),
    }));
    let told = |loss: StepLoss| ConversionLoss {
        path: loss.path,
        what: loss.what,
    };
    let id = all.first().map(|version| &version.id);
    let mut losses: Vec<_> = losses.into_iter().map(told).collect();
    // Several steps may say the same of one place.
    losses.dedup();
    Ok(VersionComparison {
        of: id.map_or_else(String::new, |id| format!("{}:{}", id.vendor, id.nss)),
        from,
        to,
        conversion: class.words(),
        losses,
        fields: became,
    })
}

fn fields<'t>(all: &[&'t TypeVersion], at: Version) -> Vec<ExplainedField<'t>> {
    let one = all.iter().find(|version| version.id.version == at);
    one.map(|one| explain_one_of(one, all).fields)
        .unwrap_or_default()
}

fn field_fate(field: &ExplainedField<'_>, there: &[&ExplainedField<'_>]) -> FieldFate {
    let fate = match there {
        [] => FateKind::Removed,
        [one] if one.path == field.path => FateKind::Same,
        [one] if beside(&one.path, &field.path) => FateKind::Renamed,
        _ => FateKind::Moved,
    };
    let changes = match there {
        [one] => changes(field, one),
        _ => Vec::new(),
    };
    FieldFate {
        path: field.path.clone(),
        fate,
        to: there.iter().map(|one| one.path.clone()).collect(),
        types: types(field),
        notes: notes(field, field.since),
        changes,
    }
}

/// What several fields became is no other name of one of them.
fn several_into_one(became: &mut [FieldFate]) {
    let all: Vec<_> = became.iter().flat_map(|one| one.to.clone()).collect();
    let shared = |one: &FieldFate| {
        let to = one.to.first();
        to.is_some_and(|to| all.iter().filter(|other| *other == to).count() > 1)
    };
    for one in became.iter_mut() {
        if one.fate == FateKind::Renamed && shared(one) {
            one.fate = FateKind::Moved;
        }
    }
}

/// In the same object.
fn beside(one: &PathPattern, other: &PathPattern) -> bool {
    let around = |path: &PathPattern| path.steps().split_last().map(|(_, rest)| rest.to_vec());
    around(one) == around(other)
}

fn changes(old: &ExplainedField<'_>, new: &ExplainedField<'_>) -> Vec<String> {
    let mut said = Vec::new();
    let (before, after) = (types(old), types(new));
    if before != after {
        said.push(format!("type {before} is {after}"));
    }
    match (old.required, new.required) {
        (false, true) => said.push("required now".to_owned()),
        (true, false) => said.push("no longer required".to_owned()),
        _ => {}
    }
    if old.visibility != new.visibility {
        said.push(format!("{} is {}", old.visibility, new.visibility));
    }
    match (old.secure, new.secure) {
        (false, true) => said.push("secure now".to_owned()),
        (true, false) => said.push("no longer secure".to_owned()),
        _ => {}
    }
    if old.default != new.default {
        let shown = |field: &ExplainedField<'_>| {
            let default = field.default.map(ToString::to_string);
            default.unwrap_or_else(|| "none".to_owned())
        };
        said.push(format!("default {} is {}", shown(old), shown(new)));
    }
    if old.values != new.values {
        said.push("other values are allowed".to_owned());
    }
    if new.meaning_changed && !old.meaning_changed {
        said.push("its meaning has changed".to_owned());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn version(number: &str, properties: Value, conversion: Value) -> TypeVersion {
        let mut spec = json!({
            "vendor": "acme", "nss": "app", "version": number,
            "schema": {"type": "object", "properties": properties},
        });
        if !conversion.is_null() {
            spec["conversion"] = conversion;
        }
        let name = format!("acme:app:{number}");
        let file =
            json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
        TypeVersion::parse(&file.to_string()).unwrap()
    }

    fn versions() -> Versions {
        let text = || json!({"type": "string"});
        let old = json!({
            "img": text(), "gone": text(), "same": text(), "count": text(), "deep": text(),
            "full": text(), "box": {"type": "object", "properties": {"x": text()}},
        });
        let new = json!({
            "image": text(), "same": text(), "count": {"type": "integer"}, "region": text(),
            "meta": {"type": "object", "properties": {"deep": text()}},
            "first": text(), "last": text(),
            "crate": {"type": "object", "properties": {"x": text()}},
        });
        let conversion = json!({"from": "1.0.0", "steps": [
            {"rename": {"path": "/img", "to": "image"}},
            {"rename": {"path": "/box", "to": "crate"}},
            {"remove": {"path": "/gone"}},
            {"add": {"path": "/region"}},
            {"convert": {"path": "/count", "to": "integer"}},
            {"move": {"from": "/deep", "to": "/meta/deep"}},
            {"split": {"path": "/full", "at": " ", "into": ["/first", "/last"]}},
        ]});
        let files = vec![
            version("1.0.0", old, Value::Null),
            version("2.0.0", new, conversion),
        ];
        Versions::of_files(files).unwrap()
    }

    /// Each field with its fate and where it is.
    fn told(from: &str, to: &str, within: &[&str]) -> Vec<String> {
        let number = |text: &str| Version::parse_header(text).unwrap();
        let within: Vec<_> = within.iter().map(|&name| name.to_owned()).collect();
        let compared = compare_versions(&versions(), number(from), number(to)).unwrap();
        let one = |field: FieldFate| {
            let to: Vec<_> = field.to.iter().map(ToString::to_string).collect();
            let mut said = format!("{} {:?} {}", field.path, field.fate, to.join(","));
            said.push_str(&field.changes.join(";"));
            said
        };
        let fields = compared.within(&within).fields.into_iter();
        let mut all: Vec<_> = fields.map(one).collect();
        all.sort();
        all
    }

    #[test]
    fn every_field_of_both_versions_has_its_fate() {
        assert_eq!(
            told("1.0", "2.0", &[]),
            [
                "/box Renamed /crate",
                "/box/x Moved /crate/x",
                "/count Same /counttype string is integer",
                "/deep Moved /meta/deep",
                "/full Moved /first,/last",
                "/gone Removed ",
                "/img Renamed /image",
                "/meta Added ",
                "/region Added ",
                "/same Same /same",
            ]
        );
    }

    #[test]
    fn backwards_what_was_added_is_removed_and_the_other_way_round() {
        let back = told("2.0", "1.0", &[]);
        for line in [
            "/image Renamed /img",
            "/region Removed ",
            "/gone Added ",
            "/last Moved /full",
            "/meta/deep Moved /deep",
        ] {
            assert!(back.contains(&line.to_owned()), "{line}: {back:#?}");
        }
    }

    #[test]
    fn a_path_of_either_version_chooses() {
        assert_eq!(told("1.0", "2.0", &["img"]), ["/img Renamed /image"]);
        assert_eq!(told("1.0", "2.0", &["image"]), ["/img Renamed /image"]);
        assert_eq!(
            told("1.0", "2.0", &["meta"]),
            ["/deep Moved /meta/deep", "/meta Added "]
        );
        assert!(told("1.0", "2.0", &["nothing"]).is_empty());
    }
}
