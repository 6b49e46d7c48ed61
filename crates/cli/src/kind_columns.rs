//! The columns that type versions declare for lists.
//!
//! A table has those of the version that was asked for, or of the newest one that declares any. A
//! resource that is shown at another version has its values where that version says, by the name of
//! the column.

use crate::context::ClientSession;
use crate::output::{OutputOptions, TableCell, age};
use crate::reading::ReadQuery;
use crate::targets::NamedTarget;
use coeval_client::Resource;
use coeval_core::version::{Version, WriteVersion};
use coeval_proto::types::v1 as pb;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::collections::BTreeMap;

/// What lists of a kind show, beside what they show of every kind.
#[derive(Debug, Default)]
pub(crate) struct KindColumns {
    heads: Vec<pb::Column>,
    of_version: BTreeMap<Version, Vec<pb::Column>>,
}

impl KindColumns {
    /// Those that a list or a watch shows: none where it is no table.
    pub(crate) async fn shown(
        session: &ClientSession,
        query: &ReadQuery,
        output: &OutputOptions,
    ) -> Self {
        if output.output.is_table() {
            Self::of(session, &query.kind, &query.version).await
        } else {
            Self::default()
        }
    }

    /// The same of resources that are named: none if they are of several kinds.
    pub(crate) async fn named(
        session: &ClientSession,
        targets: &[NamedTarget],
        version: &str,
        output: &OutputOptions,
    ) -> Self {
        match one_kind(targets) {
            Some(kind) if output.output.is_table() => Self::of(session, kind, version).await,
            _ => Self::default(),
        }
    }

    /// As the server knows them. A list without them is still a list: what can't be found out is
    /// left out.
    async fn of(session: &ClientSession, kind: &str, version: &str) -> Self {
        // Without a vendor the name may be that of several types.
        let (vendor, nss) = kind.split_once(':').unwrap_or(("", kind));
        let mut of_version = BTreeMap::new();
        let mut vendors = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = pb::ListTypeVersionsRequest {
                page_size: 0,
                page_token,
                vendor: vendor.to_owned(),
                nss: nss.to_owned(),
            };
            // A list must not fail because its columns can't be found out.
            let Ok(page) = session.client.types().list_type_versions(request).await else {
                return Self::default();
            };
            let page = page.into_inner();
            for one in page.type_versions {
                vendors.push(one.vendor);
                // A version that this release can't read is none that it could show.
                if let Ok(version) = Version::parse_full(&one.version) {
                    of_version.insert(version, one.columns);
                }
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        // The versions come sorted by type, so the same vendor is always next to itself.
        vendors.dedup();
        match vendors.as_slice() {
            // Of several types with this name nobody can say which columns are meant.
            [_] => Self::among(of_version, version),
            _ => Self::default(),
        }
    }

    fn among(of_version: BTreeMap<Version, Vec<pb::Column>>, asked: &str) -> Self {
        let asked = WriteVersion::parse(asked).ok();
        let named = asked.and_then(|asked| of_version.get(&asked.version()));
        // The newest that declares any: a newer version without columns has nothing against the old
        // ones.
        let declare = || of_version.values().rev().find(|all| !all.is_empty());
        let heads = named.or_else(declare).cloned().unwrap_or_default();
        Self { heads, of_version }
    }

    /// What stands above them.
    pub(crate) fn heads(&self) -> Vec<String> {
        let names = self.heads.iter().map(|one| one.name.to_uppercase());
        names.collect()
    }

    /// What a resource has there.
    pub(crate) fn cells(&self, resource: &Resource) -> Vec<TableCell> {
        let shown = WriteVersion::parse(&resource.version).ok();
        let own = shown.and_then(|shown| self.of_version.get(&shown.version()));
        let cell = |head: &pb::Column| {
            // The same column may be at another path in another version.
            let own = own.and_then(|all| all.iter().find(|one| one.name == head.name));
            let column = own.unwrap_or(head);
            let value = resource.spec.pointer(&column.path);
            TableCell::new(value.map_or_else(String::new, |value| text(value, &column.r#type)))
        };
        self.heads.iter().map(cell).collect()
    }
}

/// The kind that all are of.
fn one_kind(targets: &[NamedTarget]) -> Option<&str> {
    let (first, others) = targets.split_first()?;
    let same = others.iter().all(|other| other.kind == first.kind);
    same.then_some(first.kind.as_str())
}

/// As people read it.
fn text(value: &Value, kind: &str) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if kind == "date" => since(text).unwrap_or_else(|| text.clone()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// How long ago a time or a day was; one that is to come is shown as it is.
fn since(text: &str) -> Option<String> {
    let day = || {
        let day: Date = text.parse().ok()?;
        let midnight = day.to_zoned(TimeZone::UTC).ok()?;
        Some(midnight.timestamp())
    };
    let then = text.parse::<Timestamp>().ok().or_else(day)?;
    let now = Timestamp::now();
    (then <= now).then(|| age(then, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn column(name: &str, path: &str, kind: &str) -> pb::Column {
        pb::Column {
            name: name.to_owned(),
            path: path.to_owned(),
            r#type: kind.to_owned(),
        }
    }

    fn shown(columns: &KindColumns, version: &str, spec: Value) -> Vec<TableCell> {
        columns.cells(&Resource::new("app", version, "web", spec))
    }

    #[test]
    fn each_resource_has_its_values_where_its_version_says() {
        let of_version = BTreeMap::from([
            (
                Version::new(1, 0, 0),
                vec![column("Image", "/img", "string")],
            ),
            (
                Version::new(2, 0, 0),
                vec![
                    column("Image", "/image", "string"),
                    column("Size", "/spec/size", "integer"),
                ],
            ),
            (Version::new(2, 1, 0), Vec::new()),
        ]);
        let columns = KindColumns::among(of_version.clone(), "");
        assert_eq!(columns.heads(), ["IMAGE", "SIZE"]);
        let cells = |texts: [&str; 2]| texts.map(TableCell::new).to_vec();
        let new = json!({"image": "b", "spec": {"size": 3}});
        assert_eq!(shown(&columns, "v2", new.clone()), cells(["b", "3"]));
        assert_eq!(shown(&columns, "v2.1+downgraded", new), cells(["b", "3"]));
        assert_eq!(shown(&columns, "v1", json!({"img": "a"})), cells(["a", ""]));
        // One that is asked for has its own, be it none.
        let old = KindColumns::among(of_version.clone(), "1.0.0");
        assert_eq!(old.heads(), ["IMAGE"]);
        assert!(KindColumns::among(of_version, "2.1.0").heads().is_empty());
    }

    #[test]
    fn columns_are_those_of_one_kind() {
        let target = |kind: &str| NamedTarget {
            kind: kind.to_owned(),
            name: "web".to_owned(),
        };
        assert_eq!(one_kind(&[target("app"), target("app")]), Some("app"));
        assert_eq!(one_kind(&[target("app"), target("db")]), None);
        assert_eq!(one_kind(&[]), None);
    }

    #[test]
    fn values_are_shown_as_people_read_them() {
        for (value, kind, expected) in [
            (json!(true), "boolean", "true"),
            (json!(1.5), "number", "1.5"),
            (json!(null), "string", ""),
            (json!(["a"]), "string", "[\"a\"]"),
            (json!("soon"), "date", "soon"),
            (
                json!("9999-01-01T00:00:00Z"),
                "date",
                "9999-01-01T00:00:00Z",
            ),
        ] {
            assert_eq!(text(&value, kind), expected, "{value}");
        }
        assert!(text(&json!("2020-01-01"), "date").ends_with('y'));
        assert!(text(&json!("2020-01-01T00:00:00.000Z"), "date").ends_with('y'));
    }
}
