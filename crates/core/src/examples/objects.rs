//! Making of objects and maps.

use super::demand::PartDemand;
use super::draw::{DecisionKind, DecisionPoint};
use super::make::{DocumentMaker, ask};
use super::object_demand::{KeySource, ObjectDemand, of_key};
use super::place::{ExamplePlace, mix};
use serde_json::{Map, Value};

/// Keys of maps. Some need escapes in a pointer.
const KEYS: [&str; 10] = ["k1", "k2", "k3", "a", "a/b", "x~y", "0", "né", "x:y,z", ""];
/// Properties that are added to reach `minProperties`.
const ADDED: usize = 64;

type ObjectEntries = Map<String, Value>;

impl<'s> DocumentMaker<'s> {
    pub(super) fn object(
        &mut self,
        demand: &PartDemand<'s>,
        mut place: ExamplePlace,
    ) -> Option<Value> {
        let objects = demand.objects.as_ref()?;
        if objects.impossible || objects.least > objects.most {
            return None;
        }
        place.explored &= self.again(demand) < 2;
        self.above.push(demand.hash);
        let made = self.entries(demand, objects, place);
        self.above.pop();
        let mut entries: Vec<_> = made?.into_iter().collect();
        self.draw.rng.shuffle(&mut entries);
        Some(Value::Object(entries.into_iter().collect()))
    }

    fn entries(
        &mut self,
        demand: &PartDemand<'s>,
        objects: &ObjectDemand<'s>,
        place: ExamplePlace,
    ) -> Option<ObjectEntries> {
        let mut made = ObjectEntries::new();
        self.fields(demand, objects, &mut made, place)?;
        self.needed(objects, &mut made, place)?;
        let wanted = self.members(demand, objects, place);
        for number in 0..wanted {
            if made.len() < objects.most {
                self.add_member(demand, objects, &mut made, place, number);
            }
        }
        if objects.open && made.len() < objects.most {
            let at = mix(mix(place.hash, demand.hash), 8);
            let tight = self.tight(place);
            let ask = ask(place, at, DecisionKind::Form, 2);
            let one = self
                .draw
                .pick(ask, |draw| usize::from(!tight && draw.percent(6)));
            if one == 1 {
                self.add_undeclared(demand, &mut made, place);
            }
        }
        self.at_least(demand, objects, &mut made, place);
        (made.len() >= objects.least).then_some(made)
    }

    /// The declared ones: those that are required, and some others. Their order is random, so that
    /// in a small document not always the same ones find room.
    fn fields(
        &mut self,
        demand: &PartDemand<'s>,
        objects: &ObjectDemand<'s>,
        made: &mut ObjectEntries,
        place: ExamplePlace,
    ) -> Option<()> {
        let mut order: Vec<_> = objects.fields.iter().collect();
        self.draw.rng.shuffle(&mut order);
        let required = order.iter().filter(|field| field.required).count();
        let mut optional = objects.most.saturating_sub(required);
        // It is itself among them.
        let repeats = self.again(demand) > 2;
        for field in order {
            let inner = place.field(field.hash);
            if !field.required {
                let tight = self.tight(place);
                let ask = DecisionPoint {
                    full: usize::from(!tight && !repeats),
                    ..ask(place, mix(inner.hash, 7), DecisionKind::Presence, 2)
                };
                let one = self.draw.pick(ask, |draw| {
                    let density = draw.density;
                    usize::from(!tight && draw.percent(density))
                });
                if one == 0 || optional == 0 {
                    continue;
                }
                optional -= 1;
            }
            match self.value(&field.ids, inner) {
                Some(value) => {
                    made.insert(field.name.to_owned(), value);
                }
                None if field.required => return None,
                None => {}
            }
        }
        Some(())
    }

    /// What is required because of something that is there.
    fn needed(
        &mut self,
        objects: &ObjectDemand<'s>,
        made: &mut ObjectEntries,
        place: ExamplePlace,
    ) -> Option<()> {
        if objects.needs.is_empty() {
            return Some(());
        }
        let numbered = objects.numbered();
        // One need can bring in the next.
        for _ in 0..=objects.needs.len().min(ADDED) {
            let there = objects
                .needs
                .iter()
                .filter(|(name, _)| made.contains_key(*name));
            let needed = there.flat_map(|(_, needed)| needed);
            let missing: Vec<_> = needed.filter(|name| !made.contains_key(**name)).collect();
            if missing.is_empty() {
                return Some(());
            }
            for name in missing {
                let field = numbered.get(*name).and_then(|n| objects.fields.get(*n));
                let value = match field {
                    Some(field) => self.value(&field.ids, place.field(field.hash))?,
                    None => self.anything(place.member(1))?,
                };
                made.insert((*name).to_owned(), value);
            }
        }
        None
    }

    /// How many keys of a map there should be.
    fn members(
        &mut self,
        demand: &PartDemand<'s>,
        objects: &ObjectDemand<'s>,
        place: ExamplePlace,
    ) -> usize {
        if objects.keys.is_empty() {
            return 0;
        }
        let tight = self.tight(place);
        let full = match place.repeated {
            _ if tight => 0,
            0 | 1 => 2,
            _ => 1,
        };
        let ask = DecisionPoint {
            full,
            ..ask(
                place,
                mix(mix(place.hash, demand.hash), 9),
                DecisionKind::Form,
                4,
            )
        };
        self.draw
            .pick(ask, |draw| if tight { 0 } else { draw.below(4) })
    }

    /// One more key of a map; nothing if none is found.
    pub(super) fn add_member(
        &mut self,
        demand: &PartDemand<'s>,
        objects: &ObjectDemand<'s>,
        made: &mut ObjectEntries,
        place: ExamplePlace,
        number: usize,
    ) -> Option<()> {
        let key = self.key(objects, place, number)?;
        let declared = objects.fields.iter().any(|field| field.name == key);
        if declared || made.contains_key(&key) {
            return None;
        }
        let ids = of_key(&self.rules_of(&demand.ids), &key)?;
        let value = self.value(&ids, place.member(number))?;
        made.insert(key, value);
        Some(())
    }

    /// A key for a map.
    pub(super) fn key(
        &mut self,
        objects: &ObjectDemand<'s>,
        place: ExamplePlace,
        number: usize,
    ) -> Option<String> {
        let source = objects.keys.get(self.draw.below(objects.keys.len()));
        if let Some(KeySource::Matching(pattern)) = source {
            let more = self.draw.below(4);
            return pattern.text(&mut self.draw.rng, more);
        }
        if !objects.names.is_empty() {
            let name = self.value(&objects.names, place.member(number).field(1))?;
            return name.as_str().map(str::to_owned);
        }
        let ask = DecisionPoint {
            small: number,
            full: number,
            explored: false,
            ..ask(place, mix(place.hash, 10), DecisionKind::Scalar, KEYS.len())
        };
        let one = self.draw.pick(ask, |draw| draw.below(KEYS.len() + number));
        let known = KEYS.get(one).map(|key| (*key).to_owned());
        known.or_else(|| Some(format!("k{one}")))
    }

    /// A property that nobody speaks of.
    pub(super) fn add_undeclared(
        &mut self,
        demand: &PartDemand<'s>,
        made: &mut ObjectEntries,
        place: ExamplePlace,
    ) -> Option<()> {
        let first = if self.draw.percent(80) { 1 } else { 2 };
        let key = (first..first + 8).map(|number| format!("x{number}"));
        let key = key.into_iter().find(|key| !made.contains_key(key))?;
        let ids = of_key(&self.rules_of(&demand.ids), &key)?;
        let value = self.value(&ids, place.member(100))?;
        made.insert(key, value);
        Some(())
    }

    /// More properties, up to the least number.
    fn at_least(
        &mut self,
        demand: &PartDemand<'s>,
        objects: &ObjectDemand<'s>,
        made: &mut ObjectEntries,
        place: ExamplePlace,
    ) {
        for field in &objects.fields {
            if made.len() >= objects.least {
                return;
            }
            if !made.contains_key(field.name) {
                let value = self.value(&field.ids, place.field(field.hash));
                made.extend(value.map(|value| (field.name.to_owned(), value)));
            }
        }
        for number in 0..ADDED {
            if made.len() >= objects.least {
                return;
            }
            if objects.keys.is_empty() {
                self.add_undeclared(demand, made, place);
            } else {
                self.add_member(demand, objects, made, place, number);
            }
        }
    }
}
