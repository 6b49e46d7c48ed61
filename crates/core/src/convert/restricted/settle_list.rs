//! Items of a list that are restricted as such. They have no name, and a caller that does not see
//! them sees gaps, or an empty list: only there a position tells which is which.

use super::settle::{BodyIntent, SettleWalk};
use super::{PlaceRight, RestrictedPlace, is_mask};
use crate::convert::note::{Margin, NoteOrigin};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::types::{Restriction, under_index};
use serde_json::{Map, Value};

/// Items that the sender did not see.
enum UnseenItems {
    /// All that there were.
    All(Restriction, Vec<Value>),
    /// Some, by number.
    Some(Restriction, Map<String, Value>),
    None,
}

impl UnseenItems {
    fn get(&self, index: usize) -> Option<(Restriction, &Value)> {
        match self {
            Self::All(mark, items) => Some((*mark, items.get(index)?)),
            Self::Some(mark, items) => Some((*mark, items.get(&index.to_string())?)),
            Self::None => None,
        }
    }
}

impl<'m> SettleWalk<'m> {
    pub(super) fn list(
        &mut self,
        place: &RestrictedPlace<'m>,
        items: &mut Vec<Value>,
        mut margin: Margin,
        at: &str,
    ) -> Carried<()> {
        // The margin has at most one note of each kind beside a list, see `ConcealWalk::list`.
        let mut unseen = UnseenItems::None;
        let mut guarded = Map::new();
        for note in std::mem::take(&mut margin.notes) {
            match (note.by, note.value) {
                (NoteOrigin::Unseen(mark), Some(Value::Array(all))) => {
                    unseen = UnseenItems::All(mark, all);
                }
                (NoteOrigin::Unseen(mark), Some(Value::Object(some))) => {
                    unseen = UnseenItems::Some(mark, some);
                }
                (NoteOrigin::Guarded, Some(Value::Object(some))) => guarded = some,
                _ => {}
            }
        }
        match unseen {
            // The sender saw an empty list and sent one back.
            UnseenItems::All(_, all) if items.is_empty() => {
                *items = all;
                return Ok(());
            }
            // It can only be a new list, since the sender could not edit items that it did not
            // see.
            UnseenItems::All(_, ref all) if items.len() != all.len() => {
                return self.other_list(place, items, at);
            }
            _ => {}
        }
        let ambiguous = || ConversionRefusal::ambiguous(at, None);
        // A gap has no identity but its number. With fewer items it can't be told which of them is
        // meant.
        if let UnseenItems::Some(_, some) = &unseen
            && (0..items.len())
                .filter(|index| some.contains_key(&index.to_string()))
                .count()
                != some.len()
        {
            return Err(ambiguous());
        }
        for (index, value) in items.iter_mut().enumerate() {
            let at = format!("{at}/{index}");
            let ids = under_index(&place.parts, index);
            let inner = self.marks.inside(place, &ids, &at);
            let stored = unseen.get(index);
            let right = self.right(&inner, stored.map(|(mark, _)| mark));
            if right.is_shown() {
                if right == PlaceRight::Guarded && !inner.inside_guarded {
                    let saw = guarded.shift_remove(&index.to_string());
                    self.compare(&ids, place, value, saw.as_ref(), &at);
                }
                self.value(&inner, value, margin.take_item(index), &at)?;
                continue;
            }
            let stored = stored.map(|(_, value)| value);
            // Null is how the gap was shown, and stands for the item.
            if let (true, Some(stored)) = (value.is_null(), stored) {
                *value = stored.clone();
                continue;
            }
            match (self.body_intent(right, &inner, &ids, value, stored), stored) {
                (BodyIntent::Keep, Some(stored)) => *value = stored.clone(),
                // A mask for an item that does not exist can't be resolved.
                (BodyIntent::Keep, None) => return Err(ambiguous()),
                (BodyIntent::Wrong, _) => self.wrong.push(at),
                (BodyIntent::Set | BodyIntent::Remove, _) => {}
            }
        }
        // What is left has not been met: the sender has deleted it.
        let removed = guarded.keys().map(|index| format!("{at}/{index}"));
        self.wrong.extend(removed);
        Ok(())
    }

    /// Another number of items than the sender did not see: a list of new ones, if it may set them.
    fn other_list(
        &mut self,
        place: &RestrictedPlace<'m>,
        items: &[Value],
        at: &str,
    ) -> Carried<()> {
        // A mask stands for a stored item, and which one can't be told.
        if items.iter().any(is_mask) {
            return Err(ConversionRefusal::ambiguous(at, None));
        }
        for index in 0..items.len() {
            let ids = under_index(&place.parts, index);
            let inner = self.marks.inside(place, &ids, &format!("{at}/{index}"));
            if inner.right != (PlaceRight::Secure { guarded: false }) {
                self.wrong.push(at.to_owned());
                break;
            }
        }
        Ok(())
    }
}
