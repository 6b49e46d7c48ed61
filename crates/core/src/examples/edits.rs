//! Small changes of a document that is there.

use super::demand::PartDemand;
use super::make::DocumentMaker;
use super::object_demand::{ObjectDemand, of_key};
use super::place::{ExamplePlace, PartNumber, hash};
use crate::types::limits::CONTENT_DEPTH;
use serde_json::{Map, Value};

impl<'s> DocumentMaker<'s> {
    /// Changes one thing in a value; `None` if what was tried can't be done here. It goes no deeper
    /// than content may be.
    pub(super) fn change(
        &mut self,
        value: &mut Value,
        ids: &[PartNumber],
        mut place: ExamplePlace,
    ) -> Option<()> {
        if place.depth > CONTENT_DEPTH {
            return None;
        }
        let here = place;
        place.times = self.weigh(ids, place)?;
        let demand = self.demand(ids, place, Some(value));
        match value {
            Value::Object(map) if !map.is_empty() && self.draw.percent(60) => {
                let one = self.draw.below(map.len());
                let (key, inner) = map.iter_mut().nth(one)?;
                let ids = of_key(&self.rules_of(&demand.ids), key)?;
                self.change(inner, &ids, place.field(hash(key)))
            }
            Value::Array(items) if !items.is_empty() && self.draw.percent(50) => {
                let one = self.draw.below(items.len());
                let ids = self.ids_of_item(&demand, one);
                self.change(items.get_mut(one)?, &ids, place.member(one))
            }
            Value::Object(map) if self.draw.percent(95) => self.change_object(map, &demand, place),
            Value::Array(items) if self.draw.percent(95) => self.change_list(items, &demand, place),
            Value::Number(_) | Value::String(_) if self.draw.percent(30) => self.nudge(value),
            _ => {
                *value = self.value(ids, here)?;
                Some(())
            }
        }
    }

    /// A neighbour of a number or a text.
    fn nudge(&mut self, value: &mut Value) -> Option<()> {
        match value {
            Value::Number(number) => {
                let step = if self.draw.percent(50) { 1 } else { -1 };
                let whole = number.as_i64().and_then(|n| n.checked_add(step));
                let real = number.as_f64().map(|x| Value::from(x + 0.5));
                *value = whole.map(Value::from).or(real)?;
            }
            Value::String(text) => {
                if self.draw.percent(50) {
                    text.pop()?;
                } else {
                    text.push(self.draw.rng.choice(['a', '0', '/', ':', ',', '~', 'é'])?);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn change_object(
        &mut self,
        map: &mut Map<String, Value>,
        demand: &PartDemand<'s>,
        place: ExamplePlace,
    ) -> Option<()> {
        let objects = demand.objects.as_ref()?;
        match self.draw.below(7) {
            0 | 1 => self.add_field(map, objects, place),
            2 | 3 => {
                let needed = |key: &str| {
                    let named = objects.fields.iter().find(|field| field.name == key);
                    named.is_some_and(|field| field.required)
                };
                let keys: Vec<_> = map.keys().filter(|key| !needed(key)).collect();
                let key = keys.get(self.draw.below(keys.len()))?;
                let key = String::clone(key);
                map.shift_remove(&key).map(|_| ())
            }
            4 => self.rename(map, objects, place),
            5 if !objects.keys.is_empty() => {
                let number = self.draw.below(4);
                self.add_member(demand, objects, map, place, number)
            }
            _ if objects.open => self.add_undeclared(demand, map, place),
            _ => self.add_field(map, objects, place),
        }
    }

    /// A declared property that is absent.
    fn add_field(
        &mut self,
        map: &mut Map<String, Value>,
        objects: &ObjectDemand<'s>,
        place: ExamplePlace,
    ) -> Option<()> {
        let absent = objects.fields.iter();
        let absent: Vec<_> = absent
            .filter(|field| !map.contains_key(field.name))
            .collect();
        let field = absent.get(self.draw.below(absent.len()))?;
        let value = self.value(&field.ids, place.field(field.hash))?;
        map.insert(field.name.to_owned(), value);
        Some(())
    }

    /// Another key for the same value, where keys are free.
    fn rename(
        &mut self,
        map: &mut Map<String, Value>,
        objects: &ObjectDemand<'s>,
        place: ExamplePlace,
    ) -> Option<()> {
        let named = |key: &str| objects.fields.iter().any(|field| field.name == key);
        let keys: Vec<_> = map.keys().filter(|key| !named(key)).collect();
        let old = keys.get(self.draw.below(keys.len()))?;
        let old = String::clone(old);
        let new = if objects.keys.is_empty() {
            format!("x{}", self.draw.below(9) + 1)
        } else {
            let number = self.draw.below(4);
            self.key(objects, place, number)?
        };
        if map.contains_key(&new) || named(&new) {
            return None;
        }
        let entries = std::mem::take(map).into_iter();
        let renamed = entries.map(|(key, value)| {
            let key = if key == old { new.clone() } else { key };
            (key, value)
        });
        *map = renamed.collect();
        Some(())
    }

    fn change_list(
        &mut self,
        items: &mut Vec<Value>,
        demand: &PartDemand<'s>,
        place: ExamplePlace,
    ) -> Option<()> {
        let from = self.draw.below(items.len());
        let to = self.draw.below(items.len() + 1);
        match self.draw.below(4) {
            0 => {
                let ids = self.ids_of_item(demand, to);
                let item = self.value(&ids, place.member(to))?;
                items.insert(to, item);
            }
            1 if !items.is_empty() => {
                items.remove(from);
            }
            2 if items.len() > 1 => {
                let item = items.remove(from);
                items.insert(to.min(items.len()), item);
            }
            3 => {
                let item = items.get(from)?.clone();
                items.insert(to, item);
            }
            _ => return None,
        }
        Some(())
    }
}
