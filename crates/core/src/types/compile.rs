//! From the text of a schema to its parts. Only places where a schema can stand are looked at, so
//! that a property called `pattern` or `$ref` is nothing but a property.

use super::declared_key::DeclaredKey;
use super::dialect::{self, SchemaRole};
use super::limits::{PATTERNS_COST, SCHEMA_PARTS, SCHEMA_REFS};
use super::part::{AdditionalSchema, PartId, PartTypes, SchemaPart};
use super::pattern;
use super::pointer::child;
use super::restriction::Restriction;
use super::schema_error::{SchemaError, SchemaFlaw};
use jsonschema::Draft;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A reference that waits until all anchors are known.
struct PendingReference {
    from: PartId,
    pointer: String,
    reference: String,
}

struct SchemaCompiler<'s> {
    root: &'s Value,
    draft: Draft,
    ids: HashMap<String, PartId>,
    parts: Vec<SchemaPart>,
    todo: Vec<(PartId, &'s Value)>,
    anchors: HashMap<String, PartId>,
    pending: Vec<PendingReference>,
    refs: usize,
    pattern_cost: u64,
    errors: Vec<SchemaError>,
}

/// The parts of a schema, or all that is wrong with it.
pub(crate) fn parts(root: &Value, draft: Draft) -> Result<Vec<SchemaPart>, Vec<SchemaError>> {
    let mut compiler = SchemaCompiler {
        root,
        draft,
        ids: HashMap::new(),
        parts: Vec::new(),
        todo: Vec::new(),
        anchors: HashMap::new(),
        pending: Vec::new(),
        refs: 0,
        pattern_cost: 0,
        errors: Vec::new(),
    };
    compiler.id(String::new(), root);
    compiler.run();
    if compiler.errors.is_empty() {
        Ok(compiler.parts)
    } else {
        Err(compiler.errors)
    }
}

impl<'s> SchemaCompiler<'s> {
    fn run(&mut self) {
        loop {
            while let Some((id, value)) = self.todo.pop() {
                if self.parts.len() > SCHEMA_PARTS {
                    self.flaw("", SchemaFlaw::TooComplex("too many schemas inside"));
                    return;
                }
                if self.refs > SCHEMA_REFS {
                    self.flaw("", SchemaFlaw::TooManyRefs);
                    return;
                }
                self.read(id, value);
            }
            let Some(pending) = self.pending.pop() else {
                return;
            };
            self.resolve(pending);
        }
    }

    fn flaw(&mut self, pointer: &str, flaw: SchemaFlaw) {
        self.errors.push(SchemaError::at(pointer, flaw));
    }

    /// The number of the schema at a place; it is read later.
    fn id(&mut self, pointer: String, value: &'s Value) -> PartId {
        if let Some(id) = self.ids.get(&pointer) {
            return *id;
        }
        let id = self.parts.len();
        self.parts.push(SchemaPart::at(pointer.clone()));
        self.ids.insert(pointer, id);
        self.todo.push((id, value));
        id
    }

    fn read(&mut self, id: PartId, value: &'s Value) {
        let Some(pointer) = self.parts.get(id).map(|part| part.pointer.clone()) else {
            return;
        };
        let mut part = SchemaPart::at(pointer);
        match value {
            Value::Bool(yes) => part.never = !yes,
            Value::Object(schema) => self.read_object(id, &mut part, schema),
            _ => self.flaw(
                &part.pointer,
                SchemaFlaw::Invalid("a schema is an object, true or false".to_owned()),
            ),
        }
        if let Some(place) = self.parts.get_mut(id) {
            *place = part;
        }
    }

    fn read_object(&mut self, id: PartId, part: &mut SchemaPart, schema: &'s Map<String, Value>) {
        // Marks, defaults and descriptions count beside a reference too, where old drafts ignore
        // all else: a mark that is ignored would show a secret.
        if let Some(marks) = schema.get("x-vcloud-restricted") {
            match Restriction::parse(marks) {
                Ok(restriction) => part.restriction = restriction,
                Err(found) => {
                    let at = child(&part.pointer, "x-vcloud-restricted");
                    self.flaw(&at, SchemaFlaw::Restriction(found));
                }
            }
        }
        part.list_key = DeclaredKey::read(schema);
        part.default = schema.get("default").cloned();
        let description = schema.get("description").and_then(Value::as_str);
        part.description = description.map(str::to_owned);
        self.read_identity(id, part, schema);
        for keyword in ["$ref", "$recursiveRef", "$dynamicRef"] {
            if let Some(Value::String(reference)) = schema.get(keyword) {
                self.refs += 1;
                self.pending.push(PendingReference {
                    from: id,
                    pointer: child(&part.pointer, keyword),
                    reference: reference.clone(),
                });
            }
        }
        let alone = schema.contains_key("$ref") && dialect::ref_stands_alone(self.draft);
        for (place, pointer, inner) in dialect::inner_schemas(&part.pointer, schema) {
            let inner_id = self.id(pointer, inner);
            if !alone {
                self.attach(part, place, inner_id, inner);
            }
        }
        if !alone {
            self.read_rules(part, schema);
        }
    }

    fn read_identity(&mut self, id: PartId, part: &SchemaPart, schema: &'s Map<String, Value>) {
        let text = |key| schema.get(key).and_then(Value::as_str);
        let names = [text("$anchor"), text("$dynamicAnchor")];
        for name in names.into_iter().flatten() {
            self.anchors.insert(name.to_owned(), id);
        }
        let own = dialect::id_keyword(self.draft);
        match text(own).map(|name| (name, name.strip_prefix('#'))) {
            Some((_, Some(fragment))) => {
                self.anchors.insert(fragment.to_owned(), id);
            }
            Some((name, None)) if id != 0 && !name.is_empty() => self.flaw(
                &child(&part.pointer, own),
                SchemaFlaw::Invalid(format!(
                    "an {own} inside of a schema would change what # means"
                )),
            ),
            _ => {}
        }
    }

    fn attach(&mut self, part: &mut SchemaPart, place: SchemaRole<'s>, id: PartId, inner: &Value) {
        match place {
            SchemaRole::Property(name) => {
                part.names.push(name.to_owned());
                part.properties.insert(name.to_owned(), id);
            }
            SchemaRole::Pattern(text) => {
                let at = child(&part.pointer, "patternProperties");
                if let Some(regex) = self.pattern(&child(&at, text), text) {
                    part.patterns.push((regex, id));
                }
            }
            SchemaRole::Additional => {
                part.additional = match inner {
                    Value::Bool(true) => AdditionalSchema::Open,
                    Value::Bool(false) => AdditionalSchema::Closed,
                    Value::Object(schema) if schema.is_empty() => AdditionalSchema::Open,
                    _ => AdditionalSchema::Each(id),
                };
                part.opened = part.additional == AdditionalSchema::Open;
            }
            SchemaRole::Unevaluated => {
                part.sealed = inner == &Value::Bool(false);
                part.inner.push(id);
            }
            SchemaRole::Prefix => part.prefix.push(id),
            SchemaRole::Items => part.items = Some(id),
            SchemaRole::Always => part.always.push(id),
            SchemaRole::Choice(number) => {
                if part.choices.len() <= number {
                    part.choices.resize(number + 1, Vec::new());
                }
                if let Some(choice) = part.choices.get_mut(number) {
                    choice.push(id);
                }
            }
            SchemaRole::Under => part.under.push(id),
            SchemaRole::Asked => part.asked.push(id),
            SchemaRole::Not => {
                part.not = Some(id);
                part.asked.push(id);
            }
            SchemaRole::Inner => part.inner.push(id),
            SchemaRole::Stored => {}
        }
    }

    fn read_rules(&mut self, part: &mut SchemaPart, schema: &'s Map<String, Value>) {
        part.choices.retain(|choice| !choice.is_empty());
        part.types = PartTypes::of(schema.get("type"));
        let listed = schema.get("enum").and_then(Value::as_array);
        let constant = schema.get("const").map(std::slice::from_ref);
        for values in [listed.map(Vec::as_slice), constant].into_iter().flatten() {
            part.types = part.types.both(PartTypes::of_values(values));
            part.values = Some(values.to_vec());
        }
        let listed = listed.map(|values| values.contains(&Value::Null));
        let constant = schema.get("const").map(Value::is_null);
        part.null_listed = match (listed, constant) {
            (None, None) => None,
            (listed, constant) => Some(listed.unwrap_or(true) && constant.unwrap_or(true)),
        };
        if let Some(Value::Array(names)) = schema.get("required") {
            part.required = names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
        }
        if let Some(Value::String(text)) = schema.get("pattern") {
            self.pattern(&child(&part.pointer, "pattern"), text);
        }
    }

    fn pattern(&mut self, pointer: &str, text: &str) -> Option<regex::Regex> {
        let flaw = match pattern::compile(text) {
            Ok(compiled) => {
                self.pattern_cost = self.pattern_cost.saturating_add(compiled.cost);
                if self.pattern_cost <= PATTERNS_COST {
                    return Some(compiled.regex);
                }
                SchemaFlaw::PatternCost(text.chars().take(80).collect())
            }
            Err(flaw) => flaw,
        };
        self.flaw(pointer, flaw);
        None
    }

    fn resolve(&mut self, pending: PendingReference) {
        let own = self.root.get(dialect::id_keyword(self.draft));
        let own = own
            .and_then(Value::as_str)
            .map(|id| id.trim_end_matches('#'));
        let rest = match own.filter(|id| !id.is_empty()) {
            Some(id) => pending
                .reference
                .strip_prefix(id)
                .unwrap_or(&pending.reference),
            None => pending.reference.as_str(),
        };
        let Some(fragment) = (if rest.is_empty() {
            Some("")
        } else {
            rest.strip_prefix('#')
        }) else {
            self.flaw(
                &pending.pointer,
                SchemaFlaw::RemoteRef(pending.reference.clone()),
            );
            return;
        };
        let Some(target) = self.target(fragment) else {
            self.flaw(
                &pending.pointer,
                SchemaFlaw::DanglingRef(pending.reference.clone()),
            );
            return;
        };
        if let Some(part) = self.parts.get_mut(pending.from) {
            part.always.push(target);
        }
    }

    fn target(&mut self, fragment: &str) -> Option<PartId> {
        if let Some(id) = self.anchors.get(fragment) {
            return Some(*id);
        }
        let pointer = dialect::percent_decoded(fragment)?;
        let value = self.root.pointer(&pointer)?;
        Some(self.id(pointer, value))
    }
}
