//! Making of values, from the top down.

use super::demand::{DemandCache, PartDemand};
use super::draw::{DecisionDraw, DecisionKind, DecisionPoint, DrawBase, DrawMode, ForcedChoice};
use super::kinds::ExampleKind;
use super::place::{ExamplePlace, PartNumber, mix};
use super::rules::{PartRule, PartRules};
use super::weights::PartWeights;
use crate::types::Schema;
use serde_json::{Value, json};

/// Nodes of a document after which nothing optional comes in.
const ROOM: usize = 50;
/// The same for a document that should be full.
const FULL_ROOM: usize = 1_000;
/// Nodes that are made for one document, also those that are thrown away.
const NODES: usize = 6_000;
/// Levels after which nothing optional comes in.
const DEEP: usize = 16;
/// Levels of a document; content may have a few more.
const DEEPEST: usize = 100;

/// Makes one document after another.
#[derive(Debug)]
pub(super) struct DocumentMaker<'s> {
    pub(super) rules: PartRules<'s>,
    pub(super) demands: DemandCache<'s>,
    pub(super) draw: DecisionDraw,
    weights: Option<PartWeights>,
    /// Values for places of which nothing is said.
    anything: Vec<Value>,
    nodes: usize,
    room: usize,
    /// The demands of the containers around a value.
    pub(super) above: Vec<u64>,
}

impl<'s> DocumentMaker<'s> {
    pub(super) fn of(schema: &'s Schema, seed: u64) -> Self {
        Self {
            rules: PartRules::of(schema),
            demands: DemandCache::default(),
            draw: DecisionDraw::new(seed),
            weights: PartWeights::of(schema),
            anything: vec![
                json!("a"),
                json!(1),
                json!(true),
                json!(""),
                json!(0),
                json!(-1.5),
                json!("8080"),
                json!(i64::MAX),
                json!([]),
                json!({}),
                json!([1, "a", null]),
                json!({"a": {"b/c": []}}),
                json!(null),
            ],
            nodes: 0,
            room: ROOM,
            above: Vec::new(),
        }
    }

    /// Whether some value of the whole schema can end at all.
    pub(super) fn can_end(&self) -> bool {
        self.rules.height(0).is_some()
    }

    /// Begins a document.
    pub(super) fn start(&mut self, mode: DrawMode, forced: &[ForcedChoice]) {
        self.draw.start(mode, forced);
        self.nodes = 0;
        self.above.clear();
        self.room = match mode {
            DrawMode::Exact(_) | DrawMode::Nearly(DrawBase::Fullest) => FULL_ROOM,
            DrawMode::Nearly(DrawBase::Smallest) | DrawMode::Random => ROOM,
        };
        if let Some(weights) = &mut self.weights {
            weights.start();
        }
    }

    /// Nodes that were made since.
    pub(super) const fn made(&self) -> usize {
        self.nodes
    }

    /// Whether the document should not grow any more.
    pub(super) fn tight(&self, place: ExamplePlace) -> bool {
        let costly = self.weights.as_ref().is_some_and(PartWeights::enough);
        self.nodes >= self.room || place.depth >= DEEP || costly
    }

    /// Counts nodes; `None` if there were enough for one document.
    pub(super) fn spend(&mut self, nodes: usize) -> Option<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        (self.nodes <= NODES).then_some(())
    }

    /// Counts what the validator will do, and how often it will look at what is inside.
    pub(super) fn weigh(&mut self, ids: &[PartNumber], place: ExamplePlace) -> Option<u64> {
        match &mut self.weights {
            Some(weights) => weights.spend(ids, place.times),
            None => Some(1),
        }
    }

    /// A copy of a value, which is counted too.
    pub(super) fn copy(&mut self, value: &Value) -> Option<Value> {
        self.spend(size(value))?;
        Some(value.clone())
    }

    /// A value that these parts should accept; `None` if it can't be made.
    pub(super) fn value(&mut self, ids: &[PartNumber], mut place: ExamplePlace) -> Option<Value> {
        self.spend(1)?;
        if place.depth > DEEPEST {
            return None;
        }
        place.times = self.weigh(ids, place)?;
        if ids.is_empty() {
            return self.anything(place);
        }
        let demand = self.demand(ids, place, None);
        self.of_demand(&demand, place)
    }

    /// A small random value, whatever else is being made.
    pub(super) fn random_value(
        &mut self,
        ids: &[PartNumber],
        place: ExamplePlace,
    ) -> Option<Value> {
        let (mode, room) = (self.draw.mode, self.room);
        self.draw.mode = DrawMode::Random;
        self.room = room.min(self.nodes + ROOM);
        let value = self.value(ids, place);
        (self.draw.mode, self.room) = (mode, room);
        value
    }

    fn of_demand(&mut self, demand: &PartDemand<'s>, place: ExamplePlace) -> Option<Value> {
        let at = mix(place.hash, demand.hash);
        if let Some(listed) = &demand.listed {
            let options = listed.len();
            let ask = ask(place, mix(at, 1), DecisionKind::Form, options);
            let one = self.draw.pick(ask, |draw| draw.below(options));
            return self.copy(listed.get(one)?);
        }
        if demand.free {
            return self.anything(place);
        }
        match self.kind(demand, place, mix(at, 2))? {
            ExampleKind::Object => self.object(demand, place),
            ExampleKind::List => self.list(demand, place),
            ExampleKind::Text => self.text(demand, place, mix(at, 3)),
            ExampleKind::Number => self.number(demand, place, mix(at, 4)),
            ExampleKind::Bool => {
                let ask = DecisionPoint {
                    full: 1,
                    ..ask(place, mix(at, 5), DecisionKind::Scalar, 2)
                };
                let one = self.draw.pick(ask, |draw| draw.below(2));
                Some(Value::Bool(one == 1))
            }
            ExampleKind::Null => Some(Value::Null),
        }
    }

    fn kind(
        &mut self,
        demand: &PartDemand<'s>,
        place: ExamplePlace,
        at: u64,
    ) -> Option<ExampleKind> {
        let kinds = &demand.kinds;
        let containers = kinds
            .iter()
            .filter(|kind| matches!(kind, ExampleKind::Object | ExampleKind::List));
        let containers = containers.count();
        let tight = self.tight(place);
        let inside = place.depth > 0 && !demand.unmeant.is_empty();
        if !tight && inside && self.draw.mode == DrawMode::Random && self.draw.percent(3) {
            let one = self.draw.below(demand.unmeant.len());
            return demand.unmeant.get(one).copied();
        }
        let ask = ask(place, at, DecisionKind::Form, kinds.len());
        let one = self.draw.pick(ask, |draw| {
            if tight && containers < kinds.len() {
                containers + draw.below(kinds.len() - containers)
            } else {
                draw.below(kinds.len())
            }
        });
        kinds.get(one).copied()
    }

    fn text(&mut self, demand: &PartDemand<'s>, place: ExamplePlace, at: u64) -> Option<Value> {
        let texts = demand.texts.as_ref()?;
        let edges = texts.edges.len();
        let ask = DecisionPoint {
            small: texts.shortest,
            full: (at % 3) as usize % edges.max(1),
            ..ask(place, at, DecisionKind::Scalar, edges)
        };
        let one = self.draw.pick(ask, |draw| draw.edge(edges));
        let text = match texts.edges.get(one) {
            Some(text) => text.clone(),
            None => texts.random(&mut self.draw.rng)?,
        };
        self.spend(text.len() / 64)?;
        Some(Value::String(text))
    }

    fn number(&mut self, demand: &PartDemand<'s>, place: ExamplePlace, at: u64) -> Option<Value> {
        let numbers = demand.numbers.as_ref()?;
        let edges = numbers.edges.len();
        let ask = DecisionPoint {
            full: (at % 3) as usize % edges.max(1),
            ..ask(place, at, DecisionKind::Scalar, edges)
        };
        let one = self.draw.pick(ask, |draw| draw.edge(edges));
        match numbers.edges.get(one) {
            Some(number) => Some(number.clone()),
            None => numbers.random(&mut self.draw.rng),
        }
    }

    /// How often the same is asked of a container around.
    pub(super) fn again(&self, demand: &PartDemand<'s>) -> usize {
        let same = |above: &&u64| **above == demand.hash;
        self.above.iter().filter(same).count()
    }

    /// A value of which nothing is said.
    pub(super) fn anything(&mut self, place: ExamplePlace) -> Option<Value> {
        let at = mix(place.hash, 0x0061_6e79);
        let options = self.anything.len();
        let ask = DecisionPoint {
            full: (at % 3) as usize,
            ..ask(place, at, DecisionKind::Scalar, options)
        };
        let one = self.draw.pick(ask, |draw| draw.below(options));
        self.anything.get(one).cloned()
    }

    /// The rules of some parts.
    pub(super) fn rules_of(&self, ids: &[PartNumber]) -> Vec<&PartRule<'s>> {
        ids.iter().filter_map(|id| self.rules.get(*id)).collect()
    }
}

/// A decision whose first option is the usual one.
pub(super) const fn ask(
    place: ExamplePlace,
    at: u64,
    what: DecisionKind,
    options: usize,
) -> DecisionPoint {
    DecisionPoint {
        at,
        what,
        options,
        small: 0,
        full: 0,
        explored: place.explored,
    }
}

/// Nodes of a value; long texts count for several.
fn size(value: &Value) -> usize {
    let mut nodes = 0;
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        nodes += 1;
        match value {
            Value::Array(items) => todo.extend(items),
            Value::Object(map) => todo.extend(map.values()),
            Value::String(text) => nodes += text.len() / 64,
            _ => {}
        }
    }
    nodes
}
