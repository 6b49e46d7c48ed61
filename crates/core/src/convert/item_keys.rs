//! By what the items of a list are told apart.
//!
//! What is kept for an item, and what a caller does not see of it, must find the item again in a
//! body. The key of a list comes from the strongest of three:
//!
//! 1. a step that names one: `each`, `keyed`, `pick`;
//! 2. a schema that declares one: `x-coeval-list-key`, `x-kubernetes-list-map-keys`;
//! 3. the schemas of a version and its parent: the first of `id`, `uid`, `uuid`, `key` and `name`
//!    that is a required scalar of the items in both.
//!
//! A key holds for all versions of the type, under whatever name each of them has for the list and
//! the field, as far as the steps between them tell. A version's own word, and what was found when it
//! was registered, come before those of others, so a version that is registered later never changes
//! the key that a list has. All of this follows from the schemas and steps alone: nothing is stored.

use super::identity::{ItemKey, KeyField, KeyOrigin};
use super::path::{Trail, covers};
use super::refusal::KeyRemedy;
use super::step::{DirectedStep, ListKey, StepWay, carried, list_keys, trace_all};
use super::versions::Versions;
use crate::types::{DeclaredList, PathPattern, PathToken};
use crate::version::Version;

/// The fields that are taken for a key, the likelier first.
const LIKELY: [&str; 5] = ["id", "uid", "uuid", "key", "name"];

/// A list of objects that a version declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedList {
    /// Where.
    pub list: PathPattern,
    /// The fields that are its key together; none if it has no key.
    pub fields: Vec<String>,
    /// Where the key comes from.
    pub origin: Option<KeyOrigin>,
}

/// A key before its fields are looked up in the version's schema.
struct NamedKey {
    list: Trail,
    fields: Vec<String>,
}

impl NamedKey {
    fn of(list: &DeclaredList, fields: &[String]) -> Self {
        Self {
            list: list.path.steps().to_vec(),
            fields: fields.to_vec(),
        }
    }

    /// The same after steps, if all of its fields are still fields of one list's items.
    fn carried(&self, steps: &[DirectedStep]) -> Option<Self> {
        let mut after: Option<Trail> = None;
        let mut fields = Vec::new();
        for field in &self.fields {
            // Each field by itself, because steps know keys of one field only.
            let (list, key) = (self.list.clone(), field.clone());
            let key = carried(steps, StepWay::Forward, ListKey { list, key })?;
            // A step has moved one of the fields out of the items: together they are a key no more.
            if after.as_ref().is_some_and(|list| *list != key.list) {
                return None;
            }
            after = Some(key.list);
            fields.push(key.key);
        }
        Some(Self {
            list: after?,
            fields,
        })
    }
}

impl Versions {
    /// Every list of objects that a version declares, with its key.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// use coeval_core::convert::KeyOrigin;
    ///
    /// let ports = &app.keyed_lists(v1)[0];
    /// assert_eq!(ports.list.to_string(), "/ports");
    /// assert_eq!((ports.fields[0].as_str(), ports.origin), ("name", Some(KeyOrigin::Inferred)));
    /// ```
    #[must_use]
    pub fn keyed_lists(&self, version: Version) -> Vec<KeyedList> {
        let Ok(number) = self.number(version) else {
            return Vec::new();
        };
        let lists = self.declared_lists(number).iter();
        // Asked of the schema, so that lists without a key are in the answer too.
        lists
            .map(|list| {
                let mut keys = self.item_keys(number).iter();
                let key = keys.find(|key| key.list == list.path.steps());
                let fields = key.into_iter().flat_map(|key| &key.fields);
                KeyedList {
                    list: list.path.clone(),
                    fields: fields.map(|field| field.name.clone()).collect(),
                    origin: key.map(|key| key.origin),
                }
            })
            .collect()
    }

    pub(crate) fn find_item_keys(&self, number: usize) -> Vec<ItemKey> {
        let mut found = KeyFinder {
            versions: self,
            number,
            keys: Vec::new(),
        };
        // The order is the rank: what is there already makes way for nothing that comes later.
        found.of_steps();
        found.declared();
        found.inferred();
        found.keys
    }

    fn list_at(&self, number: usize, list: &[PathToken]) -> Option<&DeclaredList> {
        let mut lists = self.declared_lists(number).iter();
        lists.find(|one| one.path.steps() == list)
    }

    /// The keys that a version and its parent have in common, in the version's terms.
    fn common_keys(&self, child: usize) -> Vec<NamedKey> {
        let Some(parent) = self.parent_number(child) else {
            return Vec::new();
        };
        let steps = self.own_steps(child);
        let of_list = |list: &DeclaredList| {
            // Names that are likely keys, in the order of how likely: the first that both versions
            // have wins.
            let mut likely = LIKELY.iter().filter(|field| list.has_scalar(field));
            likely.find_map(|field| {
                // Both must have it as a scalar, or the key would fail at one of the two.
                let key = NamedKey::of(list, &[(*field).to_owned()]).carried(steps)?;
                self.has_scalars(child, &key).then_some(key)
            })
        };
        let lists = self.declared_lists(parent).iter();
        lists.filter_map(of_list).collect()
    }

    fn has_scalars(&self, number: usize, key: &NamedKey) -> bool {
        let list = self.list_at(number, &key.list);
        list.is_some_and(|list| key.fields.iter().all(|field| list.has_scalar(field)))
    }

    /// Whether a version next to this one in the tree has the list too.
    fn is_shared(&self, number: usize, list: &DeclaredList) -> bool {
        let children = self.all_numbers();
        let children = children.filter(|child| self.parent_number(*child) == Some(number));
        let mut near = children.chain(self.parent_number(number));
        near.any(|other| {
            let steps = self.path(number, other);
            let there = trace_all(&steps, StepWay::Forward, list.path.steps().to_vec());
            there.is_some_and(|there| self.list_at(other, &there).is_some())
        })
    }
}

struct KeyFinder<'v> {
    versions: &'v Versions,
    number: usize,
    keys: Vec<ItemKey>,
}

impl KeyFinder<'_> {
    /// Weaker keys make way for stronger ones.
    fn add(&mut self, key: NamedKey, origin: KeyOrigin) {
        // A step's key is always taken, even beside another: several steps may name different
        // ones, and a write tries each.
        let has = |key: &NamedKey, one: &ItemKey| one.list == key.list && one.origin <= origin;
        if origin != KeyOrigin::Step && self.keys.iter().any(|one| has(&key, one)) {
            return;
        }
        let list = self.versions.list_at(self.number, &key.list);
        // The default is part of the key: an item may leave the field out.
        let field = |name: String| KeyField {
            default: list
                .and_then(|list| list.field(&name))
                .and_then(|field| field.default.clone()),
            name,
        };
        let made = ItemKey {
            fields: key.fields.into_iter().map(field).collect(),
            list: key.list,
            origin,
        };
        if !self.keys.contains(&made) {
            self.keys.push(made);
        }
    }

    fn of_steps(&mut self) {
        for child in self.versions.all_numbers() {
            let parent = self.versions.parent_number(child);
            // A step names its key in the terms of both of its versions; each is the way to other versions.
            for (at, side) in [(Some(child), StepWay::Forward), (parent, StepWay::Backward)] {
                let Some(at) = at else { continue };
                let steps = self.versions.path(at, self.number);
                for key in list_keys(self.versions.own_steps(child), side) {
                    if let Some(ListKey { list, key }) = carried(&steps, StepWay::Forward, key) {
                        let fields = vec![key];
                        self.add(NamedKey { list, fields }, KeyOrigin::Step);
                    }
                }
            }
        }
    }

    /// The version's own word first.
    fn declared(&mut self) {
        // So that a list has one key also where versions disagree, and everybody can read in the
        // schema which.
        let own = self.number;
        let others = self.versions.all_numbers().filter(|other| *other != own);
        for other in std::iter::once(own).chain(others) {
            let lists = self.versions.declared_lists(other);
            let keys: Vec<_> = lists
                .iter()
                .filter_map(|list| Some(NamedKey::of(list, list.key.as_ref()?)))
                .collect();
            // Most versions declare none, and to build their path costs more.
            if keys.is_empty() {
                continue;
            }
            let steps = self.versions.path(other, self.number);
            for key in keys.iter().filter_map(|key| key.carried(&steps)) {
                let list = self.versions.list_at(self.number, &key.list);
                // A key that another version declares may name a field that this one has no
                // longer.
                let has = |field: &String| list.is_some_and(|list| list.field(field).is_some());
                if key.fields.iter().all(has) {
                    self.add(key, KeyOrigin::Declared);
                }
            }
        }
    }

    /// What the version has in common with its parent first, then with its children.
    fn inferred(&mut self) {
        let (versions, own) = (self.versions, self.number);
        // The nearer the version, the more likely its list is the same one.
        let nearness = |child: &usize| match *child {
            child if child == own => 0,
            child if versions.parent_number(child) == Some(own) => 1,
            _ => 2,
        };
        let mut children: Vec<usize> = versions.all_numbers().collect();
        children.sort_by_key(nearness);
        for child in children {
            let steps = versions.path(child, own);
            let keys = versions.common_keys(child).into_iter();
            for key in keys.filter_map(|key| key.carried(&steps)) {
                // Inferred only, so the field must be a scalar here too: nobody has promised that
                // it is.
                if versions.has_scalars(own, &key) {
                    self.add(key, KeyOrigin::Inferred);
                }
            }
        }
        // A list that no version nearby has: there is nothing to agree with.
        for list in versions.declared_lists(own) {
            let mut likely = LIKELY.iter().filter(|field| list.has_scalar(field));
            // If another version nearby has the list and no key was found in common, a name that
            // is likely is no proof.
            if let Some(field) = likely.next()
                && !versions.is_shared(own, list)
            {
                let key = NamedKey::of(list, &[(*field).to_owned()]);
                self.add(key, KeyOrigin::Inferred);
            }
        }
    }
}

impl Versions {
    /// What helps where the items of a list can't be told apart. `tells` is whether a field would
    /// tell those apart that are at hand.
    pub(crate) fn key_remedy(
        &self,
        number: usize,
        list: &[PathToken],
        tells: impl Fn(&str) -> bool,
    ) -> Option<KeyRemedy> {
        let mut keys = self.item_keys(number).iter();
        // There is a key already, so the items at hand have values in common: the sender can help
        // that, the author can't.
        if let Some(key) = keys.find(|key| covers(&key.list, list)) {
            let fields = key.fields.iter().map(|field| field.name.clone());
            return Some(KeyRemedy::Distinct {
                fields: fields.collect(),
            });
        }
        let mut lists = self.declared_lists(number).iter();
        let list = lists.find(|one| covers(one.path.steps(), list))?;
        // A key must be a scalar, and only such fields are worth proposing.
        let scalars = || list.fields.iter().filter(|field| field.scalar);
        let likely = LIKELY
            .iter()
            .filter_map(|name| scalars().find(|field| field.name == *name));
        let required = scalars().filter(|field| field.required);
        // Others may be alike in items that are not at hand.
        let mut all = likely.chain(required);
        Some(KeyRemedy::Declare {
            version: self.type_version(number)?.id.to_string(),
            place: list.pointer.clone(),
            field: all
                .find(|field| tells(&field.name))
                .map(|field| field.name.clone()),
        })
    }
}
