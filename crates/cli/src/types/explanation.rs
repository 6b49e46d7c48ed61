//! What type versions are, as plain data: the text and the JSON say the same.

use coeval_core::convert::{KeyOrigin, KeyedList, Versions};
use coeval_core::types::{
    DeclaredPath, DeclaredPaths, ListColumn, PathPattern, TypeVersion, TypeVersionId,
    VersionDeprecation,
};
use coeval_core::version::Version;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::fmt::Display;
use std::sync::Arc;

/// One type version.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TypeExplanation<'t> {
    #[serde(serialize_with = "printed")]
    pub(crate) name: &'t TypeVersionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'t str>,
    pub(crate) interfaces: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversion: Option<ConversionSource<'t>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) restricted_view: Option<RestrictedViewNote<'t>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<&'t VersionDeprecation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) columns: Option<&'t [ListColumn]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clients: Option<String>,
    pub(crate) skew: String,
    pub(crate) unique_names: bool,
    #[serde(serialize_with = "as_map")]
    pub(crate) indexes: Vec<(&'t str, String)>,
    #[serde(serialize_with = "as_map")]
    pub(crate) hooks: Vec<(String, &'t str)>,
    /// The content as a whole.
    pub(crate) content: ExplainedField<'t>,
    pub(crate) fields: Vec<ExplainedField<'t>>,
    /// Whether these are all fields.
    pub(crate) complete: bool,
    /// Places that the file names and that have no line of their own, such as one key of a map.
    pub(crate) places: Vec<ExplainedPlace>,
}

/// What it is converted from.
#[derive(Debug, Serialize)]
pub(crate) struct ConversionSource<'t> {
    #[serde(serialize_with = "printed")]
    pub(crate) from: Version,
    pub(crate) steps: &'t [Value],
}

#[derive(Debug, Serialize)]
pub(crate) struct RestrictedViewNote<'t> {
    #[serde(serialize_with = "printed")]
    pub(crate) below: Version,
    pub(crate) reason: &'t str,
}

/// One field, or every item or value of one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedField<'t> {
    #[serde(serialize_with = "printed")]
    pub(crate) path: PathPattern,
    pub(crate) types: Vec<&'static str>,
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<&'t Value>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub(crate) values: Option<&'t [Value]>,
    pub(crate) visibility: String,
    pub(crate) secure: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<FieldSince>,
    pub(crate) meaning_changed: bool,
    pub(crate) any_content: bool,
    pub(crate) repeats: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'t str>,
    /// Of a list of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) list_key: Option<ShownKey>,
}

/// By what the items of a list are told apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ShownKey {
    /// Together they are the key; none if the list has no key.
    pub(crate) fields: Vec<String>,
    /// `step`, `declared`, `inferred`, or `none`.
    pub(crate) origin: &'static str,
    #[serde(skip)]
    pub(crate) told: String,
}

impl ShownKey {
    fn of(list: KeyedList) -> Self {
        let told = match list.origin {
            None => "no key".to_owned(),
            Some(origin) => format!("key {} ({origin})", list.fields.join("+")),
        };
        Self {
            fields: list.fields,
            origin: list.origin.map_or("none", KeyOrigin::word),
            told,
        }
    }
}

/// The version that a field came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FieldSince {
    #[serde(serialize_with = "printed")]
    pub(crate) version: Version,
    /// No file says so; it is the first of the given versions that declares the field.
    pub(crate) derived: bool,
}

/// A place and what the file says of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedPlace {
    #[serde(serialize_with = "printed")]
    pub(crate) path: PathPattern,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<FieldSince>,
    pub(crate) meaning_changed: bool,
}

fn printed<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_map<S: Serializer>(
    pairs: &[(impl Serialize, impl Serialize)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

/// Each version, with what the others of its type tell of its fields.
pub(crate) fn explain(versions: &[Arc<TypeVersion>]) -> Vec<TypeExplanation<'_>> {
    let all = versions.iter();
    all.map(|version| {
        let lists = keyed_lists(version, versions);
        explain_one(version, &VersionFamily::of(version, versions), &lists)
    })
    .collect()
}

/// The lists of a version with their keys; none if a version is missing that it is converted from.
fn keyed_lists(version: &TypeVersion, versions: &[Arc<TypeVersion>]) -> Vec<KeyedList> {
    let own = versions.iter().filter(|other| is_of_type(version, other));
    let own = Versions::of_shared(own.cloned().collect());
    own.map(|own| own.keyed_lists(version.id.version))
        .unwrap_or_default()
}

fn is_of_type(one: &TypeVersion, other: &TypeVersion) -> bool {
    (&one.id.vendor, &one.id.nss) == (&other.id.vendor, &other.id.nss)
}

/// One version, with what these others of its type tell of its fields.
pub(crate) fn explain_one_of<'t>(
    version: &'t TypeVersion,
    all: &[&'t TypeVersion],
) -> TypeExplanation<'t> {
    let mut family = all.to_vec();
    family.sort_by_key(|member| member.id.version);
    explain_one(version, &VersionFamily(family), &[])
}

fn explain_one<'t>(
    version: &'t TypeVersion,
    family: &VersionFamily<'_>,
    lists: &[KeyedList],
) -> TypeExplanation<'t> {
    let DeclaredPaths {
        whole,
        paths,
        complete,
    } = version.schema.declared_paths();
    let field = |declared: DeclaredPath<'t>| {
        let since = family.since(version, &declared.path);
        let changed = |path: &PathPattern| path.covers(&declared.path);
        let meaning_changed = version.meaning_changed.iter().any(changed);
        // The keys come from all versions together, since a step may declare one.
        let key = lists.iter().find(|list| list.list == declared.path);
        let key = key.cloned().map(ShownKey::of);
        ExplainedField {
            list_key: key,
            ..ExplainedField::of(declared, since, meaning_changed)
        }
    };
    let fields: Vec<_> = paths.into_iter().map(field).collect();
    TypeExplanation {
        name: &version.id,
        title: version.title.as_deref(),
        description: version.description.as_deref(),
        interfaces: version.interfaces.iter().map(ToString::to_string).collect(),
        conversion: version
            .conversion
            .as_ref()
            .map(|conversion| ConversionSource {
                from: conversion.from,
                steps: &conversion.steps,
            }),
        deprecated: version.deprecated.as_ref(),
        columns: version.columns.as_deref(),
        restricted_view: version
            .restricted_view
            .as_ref()
            .map(|view| RestrictedViewNote {
                below: view.below,
                reason: &view.reason,
            }),
        clients: version.clients.as_ref().map(ToString::to_string),
        skew: version.skew.to_string(),
        unique_names: version.unique_names,
        indexes: version
            .indexes
            .iter()
            .map(|(name, path)| (name.as_str(), path.to_string()))
            .collect(),
        hooks: version
            .hooks
            .iter()
            .map(|(hook, runs)| (hook.to_string(), runs.as_str()))
            .collect(),
        content: ExplainedField::of(whole, None, false),
        places: places(version, &fields),
        fields,
        complete,
    }
}

impl<'t> ExplainedField<'t> {
    fn of(declared: DeclaredPath<'t>, since: Option<FieldSince>, meaning_changed: bool) -> Self {
        Self {
            path: declared.path,
            types: declared.types,
            required: declared.required,
            default: declared.default,
            values: declared.values,
            visibility: declared.restriction.visibility.to_string(),
            secure: declared.restriction.secure,
            since,
            meaning_changed,
            any_content: declared.free,
            repeats: declared.repeats,
            description: declared.description,
            list_key: None,
        }
    }
}

/// What is said of places that are none of the fields.
fn places(version: &TypeVersion, fields: &[ExplainedField<'_>]) -> Vec<ExplainedPlace> {
    // A field of its own already shows it.
    let has_line = |path: &PathPattern| fields.iter().any(|field| path.covers(&field.path));
    let since = version
        .since
        .fields()
        .iter()
        .map(|(path, version)| ExplainedPlace {
            path: path.clone(),
            since: Some(FieldSince {
                version: *version,
                derived: false,
            }),
            meaning_changed: false,
        });
    let changed = version.meaning_changed.iter().map(|path| ExplainedPlace {
        path: path.clone(),
        since: None,
        meaning_changed: true,
    });
    since
        .chain(changed)
        .filter(|place| !has_line(&place.path))
        .collect()
}

/// The given versions of one type, the lowest first.
struct VersionFamily<'t>(Vec<&'t TypeVersion>);

impl<'t> VersionFamily<'t> {
    fn of(version: &TypeVersion, versions: &'t [Arc<TypeVersion>]) -> Self {
        let own = versions.iter().filter(|other| is_of_type(version, other));
        let mut family: Vec<&TypeVersion> = own.map(|own| &**own).collect();
        family.sort_by_key(|member| member.id.version);
        Self(family)
    }

    /// What the version says itself, else what another says, else what the schemas show. Of a
    /// field that the lowest version has already, nobody can know.
    fn since(&self, version: &TypeVersion, path: &PathPattern) -> Option<FieldSince> {
        let own = version.id.version;
        let others = self.0.iter().filter_map(|other| said_since(other, path));
        // What others say counts if it is not about a later version than this one.
        let said = said_since(version, path).or_else(|| others.filter(|said| *said <= own).max());
        if let Some(version) = said {
            let derived = false;
            return Some(FieldSince { version, derived });
        }
        // In the order of versions: the first that declares it brought it.
        let mut until_own = self.0.iter().filter(|other| other.id.version <= own);
        let first = until_own.position(|other| other.schema.declares_some(path))?;
        let version = self.0.get(first).filter(|_| first > 0)?.id.version;
        let derived = true;
        Some(FieldSince { version, derived })
    }
}

fn said_since(version: &TypeVersion, path: &PathPattern) -> Option<Version> {
    let fields = version.since.fields().iter();
    let said = fields.filter(|(said, _)| said.covers(path));
    said.map(|(_, since)| *since).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A version of acme:app with these keys beside `schema`.
    fn version(number: &str, properties: Value, more: Value) -> Arc<TypeVersion> {
        let mut spec = json!({
            "vendor": "acme", "nss": "app", "version": number,
            "schema": {"type": "object", "properties": properties},
        });
        let spec_map = spec.as_object_mut().unwrap();
        spec_map.extend(more.as_object().unwrap().clone());
        let name = format!("acme:app:{number}");
        let file =
            json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
        Arc::new(TypeVersion::parse(&file.to_string()).unwrap())
    }

    fn text() -> Value {
        json!({"type": "string"})
    }

    /// Each field with its version, `?` for a derived one.
    fn told(explanation: &TypeExplanation<'_>) -> Vec<String> {
        let one = |field: &ExplainedField<'_>| match field.since {
            None => field.path.to_string(),
            Some(since) => {
                let derived = if since.derived { "?" } else { "" };
                format!("{} {}{derived}", field.path, since.version)
            }
        };
        explanation.fields.iter().map(one).collect()
    }

    #[test]
    fn the_first_given_version_that_declares_a_field_is_when_it_came() {
        // In any order; what another type has does not count.
        let versions = [
            version(
                "1.2.0",
                json!({"a": text(), "b": text(), "c": text()}),
                json!({}),
            ),
            version("1.0.0", json!({"a": text()}), json!({})),
            version("1.1.0", json!({"a": text(), "b": text()}), json!({})),
        ];
        let explained = explain(&versions);
        assert_eq!(told(&explained[0]), ["/a", "/b 1.1.0?", "/c 1.2.0?"]);
        assert_eq!(told(&explained[1]), ["/a"]);
        assert_eq!(told(&explained[2]), ["/a", "/b 1.1.0?"]);
    }

    #[test]
    fn alone_a_version_tells_only_what_it_says() {
        let since = json!({"since": {"/b": "1.1.0"}});
        let alone = [version("1.2.0", json!({"a": text(), "b": text()}), since)];
        assert_eq!(told(&explain(&alone)[0]), ["/a", "/b 1.1.0"]);
    }

    #[test]
    fn what_any_given_version_says_beats_what_the_schemas_show() {
        let both = || json!({"a": text(), "b": text()});
        let since = json!({"since": {"/b": "1.0.5"}});
        let versions = [
            version("1.0.0", json!({"a": text()}), json!({})),
            version("1.1.0", both(), json!({})),
            version("1.2.0", both(), since),
        ];
        let explained = explain(&versions);
        assert_eq!(told(&explained[1]), ["/a", "/b 1.0.5"]);
        assert_eq!(told(&explained[2]), ["/a", "/b 1.0.5"]);
    }

    #[test]
    fn inside_of_any_content_an_older_version_had_the_field_already() {
        let versions = [
            version("1.0.0", json!({"a": {"type": "object"}}), json!({})),
            version(
                "1.1.0",
                json!({"a": {"properties": {"x": text()}}, "b": text()}),
                json!({}),
            ),
        ];
        assert_eq!(told(&explain(&versions)[1]), ["/a", "/a/x", "/b 1.1.0?"]);
    }

    #[test]
    fn a_place_without_a_line_of_its_own_is_told_apart() {
        let labels = json!({"labels": {"type": "object", "additionalProperties": text()}});
        let more = json!({
            "since": {"/labels/owner": "1.0.0", "/labels/*": "1.0.0"},
            "meaningChanged": ["/labels/team", "/labels"],
        });
        let versions = [version("1.0.0", labels, more)];
        let explained = explain(&versions);
        let places: Vec<_> = explained[0].places.iter().collect();
        let paths: Vec<_> = places.iter().map(|place| place.path.to_string()).collect();
        assert_eq!(paths, ["/labels/owner", "/labels/team"]);
        assert!(places[1].meaning_changed && !places[0].meaning_changed);
        let changed: Vec<_> = explained[0]
            .fields
            .iter()
            .map(|f| f.meaning_changed)
            .collect();
        assert_eq!(changed, [true, false]);
    }

    #[test]
    fn a_list_of_objects_has_its_key_and_says_where_it_comes_from() {
        let list = |more: Value| {
            let items =
                json!({"properties": {"name": text(), "zone": text()}, "required": ["name"]});
            let mut list = json!({"type": "array", "items": items});
            list.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            list
        };
        let mut loose = list(json!({}));
        loose["items"]["required"] = json!([]);
        let properties = json!({
            "a": list(json!({})), "b": list(json!({"x-coeval-list-key": ["zone", "name"]})), "c": loose,
            "d": {"type": "array", "items": text()},
        });
        let versions = [version("1.0.0", properties, json!({}))];
        let explained = explain(&versions);
        let key = |path: &str| {
            let mut fields = explained[0].fields.iter();
            let field = fields.find(|field| field.path.to_string() == path).unwrap();
            field.list_key.as_ref().map(|key| key.told.as_str())
        };
        assert_eq!(key("/a"), Some("key name (inferred)"));
        assert_eq!(key("/b"), Some("key zone+name (declared)"));
        assert_eq!((key("/c"), key("/d")), (Some("no key"), None));
        let json = serde_json::to_value(&explained[0].fields[0]).unwrap();
        assert_eq!(
            json["listKey"],
            json!({"fields": ["name"], "origin": "inferred"})
        );
    }

    #[test]
    fn the_json_has_everything_that_is_known_of_a_field() {
        let secret = json!({
            "secret": {"enum": ["a", "b"], "default": "a", "x-vcloud-restricted": ["private", "secure"], "description": "Hidden."},
        });
        let more = json!({
            "since": {"/secret": "1.1.0"},
            "conversion": {"from": "1.0.0", "steps": [{"add": {"path": "/secret", "value": "a"}}]},
            "indexes": {"hidden": "/secret"},
            "hooks": {"PostCreate": "urn:vcloud:behavior-interface:start:acme:x:1.0.0"},
        });
        let versions = [version("1.1.0", secret, more)];
        let json = serde_json::to_value(explain(&versions)).unwrap();
        let open = json!({
            "path": "", "types": ["object"], "required": false, "visibility": "public", "secure": false,
            "meaningChanged": false, "anyContent": false, "repeats": false,
        });
        let field = json!({
            "path": "/secret", "types": ["string"], "required": false, "default": "a", "enum": ["a", "b"],
            "visibility": "private", "secure": true, "since": {"version": "1.1.0", "derived": false},
            "meaningChanged": false, "anyContent": false, "repeats": false, "description": "Hidden.",
        });
        let expected = json!([{
            "name": "acme:app:1.1.0",
            "interfaces": [],
            "conversion": {"from": "1.0.0", "steps": [{"add": {"path": "/secret", "value": "a"}}]},
            "skew": "merge",
            "uniqueNames": false,
            "indexes": {"hidden": "/secret"},
            "hooks": {"PostCreate": "urn:vcloud:behavior-interface:start:acme:x:1.0.0"},
            "content": open,
            "fields": [field],
            "complete": true,
            "places": [],
        }]);
        assert_eq!(json, expected);
    }
}
