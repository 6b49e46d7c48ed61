//! All versions of a type, and the ways between them.

use super::express::{ExpressPurpose, fill_again, forget_own, leave, walk};
use super::identity::ItemKey;
use super::kept::KeptValues;
use super::path::{Trail, pattern};
use super::place_graph::{ElsewherePaths, PlaceGraph, TooComplex};
use super::program::StepProgram;
use super::program_builder::{ProgramBuilder, StepFlaw};
use super::refusal::{ConversionObstacle, ConversionRefusal, bounded};
use super::step::{
    Budget, ConversionClass, DirectedStep, MirroredFields, StepLoss, StepWay, images_all, mirrors,
};
use super::tree::NotedValue;
use crate::convert::refusal::Carried;
use crate::types::{DeclaredList, PathPattern, Restriction, TypeVersion};
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A resource's content as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentRecord {
    /// The stored version.
    pub version: Version,
    /// The content at that version.
    pub content: Value,
    /// What other versions can hold beyond it.
    pub kept: KeptValues,
}

impl ContentRecord {
    /// A record with nothing kept.
    #[must_use]
    pub fn new(version: Version, content: Value) -> Self {
        Self {
            version,
            content,
            kept: KeptValues::default(),
        }
    }

    pub(crate) fn into_tree(self) -> Carried<NotedValue> {
        Ok(NotedValue {
            value: bounded(self.content)?,
            margin: self.kept.0,
        })
    }
}

/// A resource shown at one version.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentView {
    /// The content at the version that was asked for.
    pub content: Value,
    /// What that version can't show.
    pub kept: KeptValues,
}

/// Why versions don't form a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum VersionsError {
    /// The parent is not there.
    #[error("version {version} is converted from {parent}, which does not exist")]
    #[code(
        CONVERSION_PARENT_UNKNOWN,
        advice = "Give version {parent} too, or name another parent under conversion.from."
    )]
    ParentUnknown {
        /// Which version.
        version: Version,
        /// Its parent.
        parent: Version,
    },
    /// The same version again.
    #[error("version {0} is there twice")]
    #[code(VERSION_TWICE, advice = "Give each version once.")]
    Twice(Version),
    /// Versions of more than one type.
    #[error("{0} is a version of another type")]
    #[code(VERSION_OF_OTHER_TYPE, advice = "Give versions of one type only.")]
    OtherType(String),
    /// A step that can't be made.
    #[error("the conversion to version {version} is wrong at {}: {flaw}", flaw.pointer)]
    #[code(
        CONVERSION_STEP,
        advice = "Correct the step; the page on conversions shows each."
    )]
    Step {
        /// Which version.
        version: Version,
        /// What is wrong.
        flaw: StepFlaw,
    },
}

#[derive(Debug)]
struct VersionNode {
    version: Arc<TypeVersion>,
    parent: Option<usize>,
    /// From the parent.
    steps: Vec<DirectedStep>,
    graph: OnceLock<Result<PlaceGraph, TooComplex>>,
    lists: OnceLock<Vec<DeclaredList>>,
    item_keys: OnceLock<Vec<ItemKey>>,
    mirrors: OnceLock<Vec<MirroredFields>>,
    foreign_marks: OnceLock<Vec<ForeignMark>>,
}

/// Marks that another version gives to a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ForeignMark {
    pub(crate) path: PathPattern,
    pub(crate) restriction: Restriction,
}

/// A place that is marked weaker in the other version.
pub(crate) struct WeakerPlace {
    pub(crate) from: Trail,
    pub(crate) to: Trail,
    pub(crate) before: Restriction,
    pub(crate) after: Restriction,
}

/// All versions of one type that are known, with what is compiled for them.
#[derive(Debug)]
pub struct Versions {
    nodes: Vec<VersionNode>,
    numbers: BTreeMap<Version, usize>,
    /// For each pair, the program between them.
    programs: Vec<OnceLock<StepProgram>>,
    /// Whether any version restricts a field.
    restricts: bool,
}

impl Versions {
    /// Versions in the order in which they were registered: the parent of one without a declared
    /// conversion is the nearest older one that there was, or else the nearest newer one.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn new(registered: Vec<Arc<TypeVersion>>) -> Result<Self, VersionsError> {
        let mut nodes: Vec<VersionNode> = Vec::new();
        let mut numbers: BTreeMap<Version, usize> = BTreeMap::new();
        for version in registered {
            let own = version.id.version;
            // Compared with the first alone: all others have been compared with it.
            if let Some(first) = nodes.first() {
                let (first, id) = (&first.version.id, &version.id);
                if (&first.vendor, &first.nss) != (&id.vendor, &id.nss) {
                    return Err(VersionsError::OtherType(id.to_string()));
                }
            }
            // Numbers are looked up by version, so a second one would hide the first.
            if numbers.contains_key(&own) {
                return Err(VersionsError::Twice(own));
            }
            let parent = match &version.conversion {
                // The parent has to be among those registered before; `of_shared` puts files in
                // such an order.
                Some(conversion) => {
                    let unknown = || VersionsError::ParentUnknown {
                        version: own,
                        parent: conversion.from,
                    };
                    Some(*numbers.get(&conversion.from).ok_or_else(unknown)?)
                }
                None => {
                    // Only among those registered so far: a version that comes later must not change the parent of
                    // one that is there, or what is kept for it would be on another path.
                    let below = numbers.range(..own).next_back();
                    let nearest = below.or_else(|| numbers.range(own..).next());
                    nearest.map(|(_, number)| *number)
                }
            };
            // Steps are built against the parent's schema, since that is what their paths speak
            // of.
            let steps = match (&version.conversion, parent.and_then(|at| nodes.get(at))) {
                (Some(conversion), Some(parent)) => {
                    let old = Some(&parent.version.schema);
                    ProgramBuilder::steps(own, conversion.from, old, &conversion.steps)
                        .map_err(|flaw| VersionsError::Step { version: own, flaw })?
                }
                _ => Vec::new(),
            };
            numbers.insert(own, nodes.len());
            nodes.push(VersionNode {
                version,
                parent,
                steps,
                // Compiled when somebody asks: a type may have many versions, and most are never
                // read at each other.
                graph: OnceLock::new(),
                lists: OnceLock::new(),
                item_keys: OnceLock::new(),
                mirrors: OnceLock::new(),
                foreign_marks: OnceLock::new(),
            });
        }
        // One slot for each pair of versions, so that a program is found by its number without a
        // lock.
        let programs = (0..nodes.len() * nodes.len()).map(|_| OnceLock::new());
        Ok(Self {
            programs: programs.collect(),
            // Computed once: where nothing is restricted, reads and writes skip everything that is
            // done for it.
            restricts: nodes.iter().any(|node| node.version.schema.restricts()),
            nodes,
            numbers,
        })
    }

    /// Versions in no particular order, as from files: each after its parent, older ones first.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// use coeval_core::convert::Versions;
    /// use coeval_core::types::TypeVersion;
    /// use coeval_core::version::Version;
    ///
    /// let mut files = TypeVersion::parse_all(APP).unwrap();
    /// files.reverse();
    /// let app = Versions::of_files(files).unwrap();
    /// assert_eq!(app.parent(Version::new(2, 0, 0)), Some(Version::new(1, 0, 0)));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Versions::new`].
    pub fn of_files(files: Vec<TypeVersion>) -> Result<Self, VersionsError> {
        Self::of_shared(files.into_iter().map(Arc::new).collect())
    }

    /// The same for versions that others have too.
    ///
    /// # Errors
    ///
    /// As [`Versions::new`].
    pub fn of_shared(mut files: Vec<Arc<TypeVersion>>) -> Result<Self, VersionsError> {
        // Highest first, so that `rposition` below finds the lowest that is ready.
        files.sort_by_key(|file| std::cmp::Reverse(file.id.version));
        let mut ordered: Vec<Arc<TypeVersion>> = Vec::new();
        while !files.is_empty() {
            // Quadratic, in the number of versions of one type, which is small.
            let there = |version: Version| ordered.iter().any(|one| one.id.version == version);
            // A version may be converted from a higher one, so the order of numbers is not enough.
            let ready = |file: &Arc<TypeVersion>| match &file.conversion {
                Some(conversion) => there(conversion.from),
                None => true,
            };
            // If none is ready a parent is missing, which is found later.
            let next = files.iter().rposition(ready).unwrap_or(0);
            ordered.push(files.remove(next));
        }
        Self::new(ordered)
    }

    /// The versions, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &TypeVersion> {
        let nodes = self.numbers.values().filter_map(|at| self.nodes.get(*at));
        nodes.map(|node| &*node.version)
    }

    /// The same in the order in which they were registered.
    pub(super) fn registered(&self) -> impl Iterator<Item = &TypeVersion> {
        self.nodes.iter().map(|node| &*node.version)
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, version: Version) -> Option<&TypeVersion> {
        Some(&*self.node(self.number(version).ok()?)?.version)
    }

    /// The version that one was made from, or is nearest to.
    #[must_use]
    pub fn parent(&self, version: Version) -> Option<Version> {
        let parent = self.node(self.number(version).ok()?)?.parent?;
        Some(self.node(parent)?.version.id.version)
    }

    /// The content at another version, for reading.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let stored = ContentRecord::new(v2, json!({"image": "web", "memory": 2049, "gpu": 4}));
    /// let view = app.view(stored, v1).unwrap();
    /// assert_eq!(view.content, json!({"img": "web", "memory": 2}));
    /// let gpu = view.kept.entries().into_iter().find(|entry| entry.path == "/gpu").unwrap();
    /// assert_eq!((gpu.version, gpu.value), (v2, &json!(4)));
    /// ```
    ///
    /// # Errors
    ///
    /// If a version is unknown, or a value has no counterpart.
    pub fn view(
        &self,
        record: ContentRecord,
        to: Version,
    ) -> Result<ContentView, ConversionRefusal> {
        let version = record.version;
        let mut tree = record.into_tree()?;
        let (from, to) = (self.number(version)?, self.number(to)?);
        // The budget is fresh for each read: what one request spends is nothing to another.
        self.carry(from, to, &mut tree, &mut Budget::new(), CarryPurpose::View)?;
        Ok(ContentView {
            content: tree.value,
            kept: KeptValues(tree.margin),
        })
    }

    /// The record at another version: what a change of the stored version writes.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// let stored = ContentRecord::new(v2, json!({"image": "web", "memory": 2049, "gpu": 4}));
    /// let down = app.moved(stored.clone(), v1).unwrap();
    /// assert_eq!(down.content, json!({"img": "web", "memory": 2}));
    /// assert_eq!(app.moved(down, v2).unwrap(), stored, "nothing is forgotten on the way");
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Versions::view`].
    pub fn moved(
        &self,
        record: ContentRecord,
        to: Version,
    ) -> Result<ContentRecord, ConversionRefusal> {
        let version = record.version;
        let mut tree = record.into_tree()?;
        let (from, number) = (self.number(version)?, self.number(to)?);
        self.carry(
            from,
            number,
            &mut tree,
            &mut Budget::new(),
            CarryPurpose::Move,
        )?;
        Ok(ContentRecord {
            version: to,
            content: tree.value,
            kept: KeptValues(tree.margin),
        })
    }

    /// What a conversion does to documents, and where.
    ///
    /// ```
    /// # const APP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/app.yaml"));
    /// # use coeval_core::convert::{ContentRecord, Versions};
    /// # use coeval_core::types::TypeVersion;
    /// # use coeval_core::version::Version;
    /// # use serde_json::json;
    /// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
    /// # let app = Versions::of_files(TypeVersion::parse_all(APP).unwrap()).unwrap();
    /// use coeval_core::convert::ConversionClass;
    ///
    /// let (class, losses) = app.class(v2, v1).unwrap();
    /// assert_eq!(Some(class), losses.iter().map(|loss| loss.class).max(), "the worst of all");
    /// let gpu = losses.iter().find(|loss| loss.path == "/gpu").unwrap();
    /// assert_eq!(gpu.class, ConversionClass::Keeps, "v1 has no place for it");
    /// ```
    ///
    /// # Errors
    ///
    /// If a version is unknown.
    pub fn class(
        &self,
        from: Version,
        to: Version,
    ) -> Result<(ConversionClass, Vec<StepLoss>), ConversionRefusal> {
        let program = self.program(self.number(from)?, self.number(to)?);
        let mut losses = program
            .map(|program| program.losses.clone())
            .unwrap_or_default();
        losses.dedup();
        let class = losses.iter().map(|loss| loss.class).max();
        Ok((class.unwrap_or_default(), losses))
    }

    /// Whether any version restricts a field; if none does, everybody sees the same.
    #[must_use]
    pub const fn restricts(&self) -> bool {
        self.restricts
    }

    /// What other versions mark stronger than one version does, in that version's terms. There is
    /// nothing where all conversions have passed their check.
    pub(crate) fn foreign_marks(&self, number: usize) -> &[ForeignMark] {
        let Some(node) = self.node(number) else {
            return &[];
        };
        // Computed once for the version: the walk compares all declared paths with those of all
        // others.
        node.foreign_marks.get_or_init(|| {
            let others = (0..self.nodes.len()).filter(|other| *other != number);
            let places = others.flat_map(|other| self.weaker_places(other, number));
            let mark = |place: WeakerPlace| ForeignMark {
                path: pattern(&place.to),
                restriction: place.before,
            };
            let mut found: Vec<ForeignMark> = places.map(mark).collect();
            // Sorted, so that the same place that several versions mark is there once.
            found.sort();
            found.dedup();
            found
        })
    }

    pub(crate) fn number(&self, version: Version) -> Carried<usize> {
        let unknown = || ConversionRefusal::whole(ConversionObstacle::UnknownVersion(version));
        self.numbers.get(&version).copied().ok_or_else(unknown)
    }

    /// The numbers of all versions, in the order in which they were registered.
    pub(crate) fn all_numbers(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    /// The number of a version's parent.
    pub(crate) fn parent_number(&self, number: usize) -> Option<usize> {
        self.node(number)?.parent
    }

    /// The steps from a version's parent.
    pub(crate) fn own_steps(&self, number: usize) -> &[DirectedStep] {
        self.node(number).map_or(&[], |node| &node.steps)
    }

    fn node(&self, number: usize) -> Option<&VersionNode> {
        self.nodes.get(number)
    }

    pub(crate) fn type_version(&self, number: usize) -> Option<&TypeVersion> {
        self.node(number).map(|node| &*node.version)
    }

    pub(crate) fn graph(&self, number: usize) -> Carried<&PlaceGraph> {
        let too_complex = || ConversionRefusal::whole(ConversionObstacle::TooComplex);
        let node = self.node(number).ok_or_else(too_complex)?;
        let graph = node.graph.get_or_init(|| {
            let all: Vec<_> = self.nodes.iter().map(|node| &node.version.schema).collect();
            let elsewhere = self.elsewhere(number)?;
            PlaceGraph::of(&node.version.schema, &all, &elsewhere)
        });
        graph.as_ref().map_err(|TooComplex| too_complex())
    }

    /// What other versions declare and steps have given another place here.
    fn elsewhere(&self, number: usize) -> Result<ElsewherePaths, TooComplex> {
        let mut elsewhere = ElsewherePaths::new();
        for (other, node) in self.nodes.iter().enumerate() {
            let steps = self.path(other, number);
            if steps.is_empty() {
                continue;
            }
            // A walk that was cut has not seen all names: to go on would hide too little.
            let declared = node.version.schema.declared_paths();
            if !declared.complete {
                return Err(TooComplex);
            }
            for one in declared.paths {
                let trail = one.path.steps().to_vec();
                // A step may copy a field: all of its images are that field here.
                for image in images_all(&steps, StepWay::Forward, trail.clone()) {
                    // Where the schema repeats itself the walk has ended. Under its own name the
                    // schema tells what is inside; under another, all counts.
                    let moved = image != trail;
                    elsewhere.add(&image, one.free || (one.repeats && moved));
                }
            }
        }
        Ok(elsewhere)
    }

    pub(crate) fn program(&self, from: usize, to: usize) -> Option<&StepProgram> {
        // Compiled on first use: most pairs of a long history are never asked for.
        let slot = self.programs.get(from * self.nodes.len() + to)?;
        Some(slot.get_or_init(|| StepProgram::new(self.path(from, to))))
    }

    /// The steps on the one path between two versions, in the order in which they are taken.
    pub(crate) fn path(&self, from: usize, to: usize) -> Vec<DirectedStep> {
        // Towards the root; every version has one parent at most, so this ends.
        let ancestors = |mut at: usize| {
            let mut all = vec![at];
            while let Some(parent) = self.node(at).and_then(|node| node.parent) {
                all.push(parent);
                at = parent;
            }
            all
        };
        // Up from the one to the common ancestor, and down to the other. In a tree there is no other way,
        // so it can't matter over which versions a document travelled before.
        let (up, down) = (ancestors(from), ancestors(to));
        let steps = |number: &usize| self.node(*number).map_or(&[][..], |node| &node.steps);
        let mut path = Vec::new();
        for number in up.iter().take_while(|number| !down.contains(number)) {
            // Towards the root each conversion is undone, its last step first.
            path.extend(steps(number).iter().rev().map(|step| DirectedStep {
                step: Arc::clone(&step.step),
                way: step.way.turned(),
            }));
        }
        let below: Vec<_> = down
            .iter()
            .take_while(|number| !up.contains(number))
            .collect();
        // `down` was collected from the leaf to the root.
        for number in below.into_iter().rev() {
            path.extend(steps(number).iter().cloned());
        }
        path
    }

    /// The lists of objects that a version declares.
    pub(crate) fn declared_lists(&self, number: usize) -> &[DeclaredList] {
        let Some(node) = self.node(number) else {
            return &[];
        };
        let lists = || node.version.schema.declared_lists();
        node.lists.get_or_init(lists)
    }

    /// The keys of lists, in the terms of one version; at most one of them for a list, unless
    /// several steps name one.
    pub(crate) fn item_keys(&self, number: usize) -> &[ItemKey] {
        let Some(node) = self.node(number) else {
            return &[];
        };
        node.item_keys.get_or_init(|| self.find_item_keys(number))
    }

    /// The fields that mirror each other, in the terms of one version.
    pub(crate) fn mirrors(&self, number: usize) -> &[MirroredFields] {
        let Some(node) = self.node(number) else {
            return &[];
        };
        node.mirrors.get_or_init(|| {
            let mut found = Vec::new();
            for (child, other) in self.nodes.iter().enumerate() {
                // Carried from wherever they are declared: a mirror holds for all versions that
                // have both fields.
                let steps = self.path(child, number);
                let of_child = mirrors(&other.steps).into_iter();
                found.extend(of_child.filter_map(|one| one.carried(&steps, StepWay::Forward)));
            }
            let schema = &node.version.schema;
            let declares = |trail: &Trail| schema.declares_some(&pattern(trail));
            // Where a version has only one of the two fields there is nothing to keep alike.
            found.retain(|one: &MirroredFields| declares(&one.from) && declares(&one.to));
            found
        })
    }

    /// Brings content from one version to another, with all that is kept.
    pub(crate) fn carry(
        &self,
        from: usize,
        to: usize,
        tree: &mut NotedValue,
        run: &mut Budget,
        carry: CarryPurpose,
    ) -> Carried<()> {
        if from == to {
            return Ok(());
        }
        // A number that no version has comes from a bug, not from a request; it is refused all the
        // same, because panics are not an option here.
        let version = |number| {
            let unknown = || ConversionRefusal::whole(ConversionObstacle::TooComplex);
            self.type_version(number)
                .map(|one| one.id.version)
                .ok_or_else(unknown)
        };
        let (left, reached) = (version(from)?, version(to)?);
        if matches!(carry, CarryPurpose::Move | CarryPurpose::There) {
            // What is there beyond what the version expresses is its own again when the content comes back.
            // A view never comes back.
            walk(self.graph(from)?, tree, ExpressPurpose::Mark(left), run)?;
        }
        // Before the steps: what was filled in for the old version goes, and what was hidden from
        // it returns.
        leave(tree, run);
        if let Some(program) = self.program(from, to) {
            program.apply(tree, run)?;
        }
        // Even without a step: a version that only adds a field must hide it from the other one.
        let purpose = ExpressPurpose::Arrive {
            from: left,
            to: reached,
            fill: carry != CarryPurpose::Back,
        };
        walk(self.graph(to)?, tree, purpose, run)?;
        if carry == CarryPurpose::Back {
            // The body has replaced the document without them: they are not what it left out on purpose.
            fill_again(tree);
        }
        // The marks have done their work once the content is at home again.
        if matches!(carry, CarryPurpose::Move | CarryPurpose::Back) {
            forget_own(&mut tree.margin, reached);
        }
        tree.margin.tidy();
        Ok(())
    }
}

/// What content is brought to another version for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryPurpose {
    /// To be read.
    View,
    /// To stay there.
    Move,
    /// To be replaced there.
    There,
    /// To be stored again.
    Back,
}
