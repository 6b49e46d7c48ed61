//! One package: the messages of a major of a type, as far as its versions are proven.

use crate::finding::{PackageFinding, PackageFindingKind};
use crate::kind::{FieldForm, ItemKind};
use crate::ledger::{FieldIndex, FieldPlace, Ledger, PackageCandidate, below, proven};
use crate::names::{EXTRA, PackageName, upper_camel};
use crate::sketch::{SketchNode, sketch};
use coeval_core::types::pointer;
use coeval_core::version::Version;
use std::collections::HashSet;

/// A package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageLayout {
    /// Its names.
    pub name: PackageName,
    /// Which major it is of.
    pub major: u32,
    /// The newest version that it describes.
    pub version: Version,
    /// For people.
    pub description: Option<String>,
    /// The content.
    pub spec: LayoutMessage,
}

/// A message of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutMessage {
    /// `AppSpec` for the whole, else as the field that holds it.
    pub name: String,
    /// For people.
    pub description: Option<String>,
    /// By number.
    pub fields: Vec<LayoutField>,
    /// What other versions had, by number.
    pub reserved: Vec<ReservedField>,
    /// Where everything else is that the version declares.
    pub extra: Option<ExtraField>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutField {
    /// As protobuf calls it.
    pub name: String,
    /// As the content calls it.
    pub json: String,
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub kind: FieldForm,
    /// For people.
    pub description: Option<String>,
    /// The first version of this major that has it.
    pub since: Version,
    /// What a message in it is.
    pub message: Option<LayoutMessage>,
}

/// A number and a name that are not used again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservedField {
    /// The number.
    pub number: u32,
    /// The name.
    pub name: String,
}

/// The field for what no other can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraField {
    /// Its number.
    pub number: u32,
    /// The fields of the content that are in it, in the author's order.
    pub names: Vec<String>,
    /// All fields are: the version declares none.
    pub all: bool,
    /// Since when there is one.
    pub since: Version,
}

impl ExtraField {
    /// Whether a field of the content is in it.
    #[must_use]
    pub fn has(&self, json: &str) -> bool {
        self.all || self.names.iter().any(|name| name == json)
    }
}

impl PackageLayout {
    /// The package of a major, and what it can't say; no package if none of its versions is
    /// proven. The ledger has the numbers of all that are.
    #[must_use]
    pub fn of(
        name: &PackageName,
        ledger: &Ledger,
        candidates: &[PackageCandidate<'_>],
    ) -> (Option<Self>, Vec<PackageFinding>) {
        // An unproven version freezes the package: what was registered after it was compared with it.
        let unproven = candidates.iter().find(|one| one.unproven);
        let frozen = unproven.map(|one| one.version.id.version);
        let Some(described) = proven(candidates).max_by_key(|version| version.id.version) else {
            let finding = frozen.map(|frozen| PackageFinding {
                kind: PackageFindingKind::Frozen,
                path: String::new(),
                message: format!(
                    "there is no typed service {}: {frozen} is unproven",
                    name.package(frozen.major)
                ),
            });
            return (None, finding.into_iter().collect());
        };
        let version = described.id.version;
        let content = sketch(&described.schema);
        let mut making = LayoutBuilder {
            ledger,
            version,
            findings: Vec::new(),
        };
        let spec_name = name.message() + "Spec";
        let description = content.description.clone();
        let inside = (content.inside.as_slice(), content.free);
        let spec = making.message("", spec_name, description, inside);
        if content.cut {
            making.find(
                PackageFindingKind::TooLarge,
                "",
                "has objects too deep or too many for messages: they are plain values",
            );
        }
        if let Some(frozen) = frozen {
            let message = format!(
                "the typed service {} stays at {version}: {frozen} is unproven",
                name.package(version.major)
            );
            let (kind, path) = (PackageFindingKind::Frozen, String::new());
            making.findings.push(PackageFinding {
                kind,
                path,
                message,
            });
        }
        let layout = Self {
            name: name.clone(),
            major: version.major,
            version,
            description: described
                .description
                .clone()
                .or_else(|| described.title.clone()),
            spec,
        };
        (Some(layout), making.findings)
    }

    /// `acme.app.v1`
    #[must_use]
    pub fn package(&self) -> String {
        self.name.package(self.major)
    }

    /// `acme/app/v1/app.proto`
    #[must_use]
    pub fn path(&self) -> String {
        self.name.file(self.major)
    }

    /// `acme.app.v1.AppService`
    #[must_use]
    pub fn service(&self) -> String {
        format!("{}.{}Service", self.package(), self.name.message())
    }
}

struct LayoutBuilder<'l> {
    ledger: &'l Ledger,
    version: Version,
    findings: Vec<PackageFinding>,
}

impl LayoutBuilder<'_> {
    fn find(&mut self, kind: PackageFindingKind, path: &str, what: &str) {
        let (path, place) = (
            path.to_owned(),
            if path.is_empty() { "the content" } else { path },
        );
        let message = format!("in the typed service, {place} {what}");
        self.findings.push(PackageFinding {
            kind,
            path,
            message,
        });
    }

    fn message(
        &mut self,
        path: &str,
        name: String,
        description: Option<String>,
        (inside, free): (&[(String, SketchNode)], bool),
    ) -> LayoutMessage {
        let ledger = self.ledger;
        let mut fields: Vec<LayoutField> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        let numbered = ledger.fields(path);
        let index = FieldIndex::of(numbered, self.version);
        for (json, node) in inside {
            let place = index.place(json, node.kind);
            let own = match &place {
                Ok(FieldPlace::Own(at)) => numbered.get(*at),
                _ => None,
            };
            // A field without a place is not lost: `extra` carries it, and a finding says why.
            let why = match (own, place) {
                (Some(numbered), _) => {
                    let message = (node.kind.item() == ItemKind::Message).then(|| {
                        let path = below(path, json, node.kind);
                        let name = upper_camel(&numbered.name);
                        self.message(&path, name, None, (&node.inside, false))
                    });
                    fields.push(LayoutField {
                        name: numbered.name.clone(),
                        json: json.clone(),
                        number: numbered.number,
                        kind: node.kind,
                        description: node.description.clone(),
                        since: numbered.since,
                        message,
                    });
                    continue;
                }
                (None, Ok(FieldPlace::Extra(why))) => why,
                (None, _) => PackageFindingKind::TooLarge,
            };
            let what = match why {
                PackageFindingKind::NameUnsayable => {
                    "has a name that protobuf can't have: it is in extra"
                }
                PackageFindingKind::NameCollides => "has the name of another field: it is in extra",
                PackageFindingKind::CameBack => "was gone in an earlier version: it is in extra",
                PackageFindingKind::KindChanged => {
                    "holds something else than before: it is in extra"
                }
                _ => "is one field too many: it is in extra",
            };
            self.find(why, &pointer::child(path, json), what);
            others.push(json.clone());
        }
        fields.sort_by_key(|field| field.number);
        // Once there it stays: what is reserved can't be used again.
        let own = numbered.iter().find(|field| field.name == EXTRA);
        let extra = own
            .filter(|own| own.since <= self.version)
            .map(|own| ExtraField {
                number: own.number,
                names: others,
                all: free,
                since: own.since,
            });
        // Reserved is what has a number and no field in this version, whatever became of it.
        let used = fields.iter().map(|field| field.number);
        let used: HashSet<u32> = used.chain(extra.iter().map(|extra| extra.number)).collect();
        let gone = numbered
            .iter()
            .filter(|one| one.since <= self.version && !used.contains(&one.number));
        let reserved = gone.map(|one| ReservedField {
            number: one.number,
            name: one.name.clone(),
        });
        let mut reserved: Vec<ReservedField> = reserved.collect();
        reserved.sort_by_key(|one| one.number);
        LayoutMessage {
            name,
            description,
            fields,
            reserved,
            extra,
        }
    }
}

#[cfg(test)]
mod tests;
