//! A type version as it is written in a file, the same everywhere.

use super::annotations;
use super::file_error::{FileError, FileProblem, TypeFileError};
use super::limits::INDEXES;
use super::located::{self, LocatedEntry, LocatedNode};
use super::map_fields::{self, FileProblems, MapFields};
use super::pointer::PathPattern;
use super::position::Position;
use super::remote_refs::RemoteRefs;
use super::schema::Schema;
use super::since::FieldsSince;
use super::type_version::{
    DeclaredConversion, HookPoint, InterfaceId, SkewPolicy, TypeVersion, TypeVersionId,
};
use super::view::RestrictedView;
use crate::convert::ProgramBuilder;
use crate::version::{InterfaceUrn, UrnName, Version};
use semver::VersionReq;

impl TypeVersion {
    /// Reads a file with one type version, YAML or JSON.
    ///
    /// ```
    /// use coeval_core::types::TypeVersion;
    /// use coeval_core::version::Version;
    ///
    /// let file = "
    /// kind: type
    /// version: v1
    /// metadata: {name: 'acme:app:1.1.0'}
    /// spec: {vendor: acme, nss: app, version: 1.1.0, schema: {type: object}}";
    /// assert_eq!(TypeVersion::parse(file).unwrap().id.version, Version::new(1, 1, 0));
    /// let wrong = TypeVersion::parse(&file.replace("object", "thing")).unwrap_err();
    /// assert!(wrong.problems().next().is_some());
    /// ```
    ///
    /// # Errors
    ///
    /// All problems that could be found at once, each with its line.
    pub fn parse(text: &str) -> Result<Self, TypeFileError> {
        Self::parse_with(text, RemoteRefs::Refused)
    }

    /// The same; references that lead out of the schema may stand for anything.
    ///
    /// # Errors
    ///
    /// As [`TypeVersion::parse`].
    pub fn parse_with(text: &str, remote: RemoteRefs) -> Result<Self, TypeFileError> {
        let mut all = read_all(text, remote)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(whole("the file must have exactly one document")),
        }
    }

    /// Reads a YAML stream of type versions.
    ///
    /// # Errors
    ///
    /// As [`TypeVersion::parse`], for all documents.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, TypeFileError> {
        read_all(text, RemoteRefs::Refused)
    }
}

fn read_all(text: &str, remote: RemoteRefs) -> Result<Vec<TypeVersion>, TypeFileError> {
    let empty = || whole("there is nothing in the file");
    let documents = located::read(text)
        .map_err(|problems| TypeFileError::of(problems).unwrap_or_else(empty))?;
    if documents.is_empty() {
        return Err(empty());
    }
    let mut problems = FileProblems::default();
    let read = documents
        .iter()
        .map(|document| read_document(document, remote, &mut problems));
    let all: Vec<_> = read.collect();
    match TypeFileError::of(problems.into_vec()) {
        Some(error) => Err(error),
        None => Ok(all.into_iter().flatten().collect()),
    }
}

fn whole(message: &str) -> TypeFileError {
    let found = FileError::Value(message.to_owned());
    TypeFileError::one(FileProblem::at(Position::START, found))
}

fn read_document(
    node: &LocatedNode,
    remote: RemoteRefs,
    problems: &mut FileProblems,
) -> Option<TypeVersion> {
    let mut fields = MapFields::of("the file", node, problems)?;
    expect(&mut fields, "kind", "type", problems);
    expect(&mut fields, "version", "v1", problems);
    let metadata = fields.need("metadata", problems);
    let spec = fields.need("spec", problems);
    fields.finish(problems);

    let mut name = None;
    if let Some(mut metadata) = metadata.and_then(|node| MapFields::of("metadata", node, problems))
    {
        name = metadata.need("name", problems);
        metadata.finish(problems);
    }
    let read = read_spec(spec?, remote, problems)?;
    let name = name?;
    let found = map_fields::text("the name", name, problems)?;
    let expected = read.id.to_string();
    if found != expected {
        let found = found.to_owned();
        problems.push(name.position, FileError::Name { found, expected });
    }
    Some(read)
}

fn expect(fields: &mut MapFields<'_>, key: &'static str, value: &str, problems: &mut FileProblems) {
    if let Some(node) = fields.need(key, problems)
        && map_fields::text(key, node, problems).is_some_and(|text| text != value)
    {
        problems.value(node.position, format!("{key} must be {value:?}"));
    }
}

fn read_spec(
    node: &LocatedNode,
    remote: RemoteRefs,
    problems: &mut FileProblems,
) -> Option<TypeVersion> {
    let mut fields = MapFields::of("spec", node, problems)?;
    let vendor = name("vendor", fields.need("vendor", problems), problems);
    let nss = name("nss", fields.need("nss", problems), problems);
    let version = fields.need("version", problems);
    let version = version.and_then(|node| map_fields::version("version", node, problems));
    let mut words = |key, problems: &mut FileProblems| {
        let node = fields.take(key);
        node.and_then(|node| map_fields::text(key, node, problems))
            .map(str::to_owned)
    };
    let title = words("title", problems);
    let description = words("description", problems);
    let interfaces = interfaces(fields.take("interfaces"), problems);
    let schema = fields.need("schema", problems);
    let schema = schema.and_then(|node| schema_of(node, remote, problems));
    let conversion = fields.take("conversion");
    let conversion = conversion.and_then(|node| conversion_of(node, version, problems));
    let since = since(fields.take("since"), version, schema.as_ref(), problems);
    let meaning_changed = meaning_changed(fields.take("meaningChanged"), schema.as_ref(), problems);
    let view = fields.take("restrictedView");
    let restricted_view = view.and_then(|node| view_of(node, version, problems));
    let clients = fields.take("clients");
    let clients = clients.and_then(|node| clients_of(node, problems));
    let indexes = indexes(fields.take("indexes"), schema.as_ref(), problems);
    let skew = fields.take("skew").and_then(|node| skew(node, problems));
    let unique = fields.take("uniqueNames");
    let unique = unique.and_then(|node| map_fields::boolean("uniqueNames", node, problems));
    let hooks = hooks(fields.take("hooks"), problems);
    let deprecated = annotations::deprecation(fields.take("deprecated"), problems);
    let columns = annotations::columns(fields.take("columns"), schema.as_ref(), problems);
    fields.finish(problems);
    Some(TypeVersion {
        id: TypeVersionId {
            vendor: vendor?,
            nss: nss?,
            version: version?,
        },
        title,
        description,
        interfaces,
        schema: schema?,
        conversion,
        since,
        meaning_changed,
        restricted_view,
        clients,
        indexes,
        skew: skew.unwrap_or_default(),
        unique_names: unique.unwrap_or(false),
        hooks,
        deprecated,
        columns,
    })
}

fn name(what: &str, node: Option<&LocatedNode>, problems: &mut FileProblems) -> Option<String> {
    let node = node?;
    let text = map_fields::text(what, node, problems)?;
    match UrnName::parse(text) {
        Ok(name) => Some(name.as_str().to_owned()),
        Err(flaw) => {
            problems.value(node.position, format!("{what} is not a name: {flaw}"));
            None
        }
    }
}

fn interfaces(node: Option<&LocatedNode>, problems: &mut FileProblems) -> Vec<InterfaceId> {
    let mut found: Vec<InterfaceId> = Vec::new();
    for item in node.map_or(&[][..], |node| {
        map_fields::list("interfaces", node, problems)
    }) {
        let Some(text) = map_fields::text("an interface", item, problems) else {
            continue;
        };
        match InterfaceUrn::<Version>::parse_plain(text) {
            Ok(urn) => {
                let id = InterfaceId {
                    vendor: urn.name.vendor.as_str().to_owned(),
                    nss: urn.name.nss.as_str().to_owned(),
                    version: urn.version,
                };
                if found.contains(&id) {
                    problems.value(item.position, format!("the interface {id} is there twice"));
                }
                found.push(id);
            }
            Err(error) => {
                let message = format!("an interface is written vendor:nss:version: {error}");
                problems.value(item.position, message);
            }
        }
    }
    found
}

fn schema_of(
    node: &LocatedNode,
    remote: RemoteRefs,
    problems: &mut FileProblems,
) -> Option<Schema> {
    match Schema::compile_with(node.to_json(), remote) {
        Ok(schema) => Some(schema),
        Err(errors) => {
            for error in errors {
                problems.push(node.locate(&error.pointer), FileError::Schema(error));
            }
            None
        }
    }
}

/// The form of the steps is checked here; what they need of the schemas, where the versions of the
/// type are put together.
fn conversion_of(
    node: &LocatedNode,
    own: Option<Version>,
    problems: &mut FileProblems,
) -> Option<DeclaredConversion> {
    let mut fields = MapFields::of("conversion", node, problems)?;
    let from = fields.need("from", problems);
    let steps = fields.take("steps");
    fields.finish(problems);
    let list = steps.map_or(&[][..], |node| map_fields::list("steps", node, problems));
    let at = from?.position;
    let from = map_fields::version("from", from?, problems)?;
    if Some(from) == own {
        problems.value(at, "a version can't be converted from itself");
    }
    let all: Vec<_> = list.iter().map(LocatedNode::to_json).collect();
    if let Err(flaw) = ProgramBuilder::steps(own.unwrap_or(from), from, None, &all) {
        let at = steps.map_or(at, |node| node.locate(&flaw.pointer));
        problems.push(at, FileError::Step(flaw.reason));
    }
    Some(DeclaredConversion { from, steps: all })
}

/// A path that the schema declares.
fn path(
    text: &str,
    at: Position,
    schema: Option<&Schema>,
    problems: &mut FileProblems,
) -> Option<PathPattern> {
    let found = PathPattern::parse(text).and_then(|path| {
        let declared = schema.is_none_or(|schema| schema.declares_some(&path));
        declared
            .then_some(path)
            .ok_or("the schema declares no such field")
    });
    match found {
        Ok(path) => Some(path),
        Err(reason) => {
            let path = text.chars().take(120).collect();
            problems.push(at, FileError::Path { path, reason });
            None
        }
    }
}

fn since(
    node: Option<&LocatedNode>,
    own: Option<Version>,
    schema: Option<&Schema>,
    problems: &mut FileProblems,
) -> FieldsSince {
    let mut found = Vec::new();
    for entry in node.map_or(&[][..], |node| map_fields::map("since", node, problems)) {
        let path = path(&entry.key, entry.at, schema, problems);
        let Some(version) = map_fields::version("since", &entry.node, problems) else {
            continue;
        };
        if own.is_some_and(|own| version > own) {
            let message = format!("a field of this version can't have come with {version}");
            problems.value(entry.node.position, message);
        }
        found.extend(path.map(|path| (path, version)));
    }
    FieldsSince::new(found)
}

fn meaning_changed(
    node: Option<&LocatedNode>,
    schema: Option<&Schema>,
    problems: &mut FileProblems,
) -> Vec<PathPattern> {
    let mut found = Vec::new();
    for item in node.map_or(&[][..], |node| {
        map_fields::list("meaningChanged", node, problems)
    }) {
        if let Some(text) = map_fields::text("a path", item, problems) {
            found.extend(path(text, item.position, schema, problems));
        }
    }
    found
}

fn view_of(
    node: &LocatedNode,
    own: Option<Version>,
    problems: &mut FileProblems,
) -> Option<RestrictedView> {
    let mut fields = MapFields::of("restrictedView", node, problems)?;
    let below = fields.need("below", problems);
    let content = fields.need("content", problems);
    let reason = fields.need("reason", problems);
    fields.finish(problems);
    let below =
        below.and_then(|node| Some((node.position, map_fields::version("below", node, problems)?)));
    if let (Some((at, below)), Some(own)) = (below, own)
        && below > own
    {
        problems.value(
            at,
            format!("clients of {own} see this version itself; below can't be more"),
        );
    }
    let reason = reason.and_then(|node| map_fields::text("the reason", node, problems));
    let content = content.map(|node| (node.position, node.to_json()));
    if let Some((at, content)) = &content
        && !content.is_object()
    {
        problems.value(*at, "the content of a view must be a map");
    }
    Some(RestrictedView {
        below: below?.1,
        content: content?.1,
        reason: reason?.to_owned(),
    })
}

fn clients_of(node: &LocatedNode, problems: &mut FileProblems) -> Option<VersionReq> {
    let text = map_fields::text("clients", node, problems)?;
    match VersionReq::parse(text) {
        Ok(requirement) => Some(requirement),
        Err(error) => {
            problems.value(
                node.position,
                format!("clients is not a requirement such as \">=14.0.0\": {error}"),
            );
            None
        }
    }
}

fn indexes(
    node: Option<&LocatedNode>,
    schema: Option<&Schema>,
    problems: &mut FileProblems,
) -> Vec<(String, PathPattern)> {
    let entries = node.map_or(&[][..], |node| map_fields::map("indexes", node, problems));
    if let (Some(node), true) = (node, entries.len() > INDEXES) {
        problems.push(node.position, FileError::TooManyIndexes(entries.len()));
    }
    let mut found = Vec::new();
    for LocatedEntry { key, at, node } in entries {
        if let Err(flaw) = UrnName::parse(key) {
            problems.value(*at, format!("an index has a name: {flaw}"));
        }
        if let Some(text) = map_fields::text("a path", node, problems) {
            let path = path(text, node.position, schema, problems);
            found.extend(path.map(|path| (key.clone(), path)));
        }
    }
    found
}

fn skew(node: &LocatedNode, problems: &mut FileProblems) -> Option<SkewPolicy> {
    match map_fields::text("skew", node, problems)? {
        "merge" => Some(SkewPolicy::Merge),
        "strict" => Some(SkewPolicy::Strict),
        _ => {
            problems.value(node.position, "skew must be merge or strict");
            None
        }
    }
}

fn hooks(node: Option<&LocatedNode>, problems: &mut FileProblems) -> Vec<(HookPoint, String)> {
    let mut found = Vec::new();
    for LocatedEntry { key, at, node } in
        node.map_or(&[][..], |node| map_fields::map("hooks", node, problems))
    {
        let Some(hook) = HookPoint::of(key) else {
            let key = key.chars().take(60).collect();
            problems.push(*at, FileError::KeyUnknown { key, nearest: None });
            continue;
        };
        if let Some(behavior) = map_fields::text("a hook", node, problems) {
            found.push((hook, behavior.to_owned()));
        }
    }
    found
}
