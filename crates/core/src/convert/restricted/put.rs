//! Writing by a caller that does not see everything: the body is completed by what the caller does
//! not see, and is then a body like any other.

use super::settle::SettleWalk;
use super::{PlaceRight, is_mask};
use crate::convert::align::ItemAlignment;
use crate::convert::note::NoteOrigin;
use crate::convert::put::PutOutcome;
use crate::convert::refusal::Carried;
use crate::convert::refusal::{ConversionObstacle, ConversionRefusal};
use crate::convert::versions::{ContentRecord, Versions};
use crate::types::{Restriction, Visibility, same};
use crate::version::Version;
use serde_json::Value;
use std::collections::HashMap;

/// A body with all that its sender does not see.
pub(crate) struct CompletedBody {
    pub(crate) body: Value,
    /// Pointers, in the body's terms before the write, to what went with its place.
    pub(crate) dropped: Vec<String>,
}

impl Versions {
    /// Puts a body at some version onto a stored record, for a caller that sees so much. What it
    /// does not see is unchanged, and goes only with an item or object that the body deletes. Where
    /// nothing is restricted it is [`Versions::put`].
    ///
    /// # Errors
    ///
    /// As [`Versions::put`]; and if the body changes what needs full control, or it can't be told
    /// to which item of a list something belongs that the caller does not see or may not change.
    pub fn put_for(
        &self,
        stored: ContentRecord,
        at: Version,
        body: Value,
        sees: Visibility,
    ) -> Result<PutOutcome, ConversionRefusal> {
        self.put_seeing(stored, at, body, self.restricts().then_some(sees), None)
    }

    /// The record of a new resource, by a caller that sees so much: it may not set what needs full
    /// control, and a mask stands for nothing. Where nothing is restricted it is
    /// [`Versions::create`].
    ///
    /// # Errors
    ///
    /// As [`Versions::create`]; and if the body sets what needs full control.
    pub fn create_for(
        &self,
        at: Version,
        body: Value,
        sees: Visibility,
    ) -> Result<ContentRecord, ConversionRefusal> {
        if !self.restricts() {
            return self.create(at, body);
        }
        let body = crate::convert::refusal::bounded(body)?;
        let number = self.number(at)?;
        // A new resource replaces an empty view: whatever its body says of a restricted field is a
        // change.
        let nothing = Value::Object(serde_json::Map::new());
        let completed = self.completed(number, &nothing, HashMap::new(), body, sees)?;
        self.create(at, completed.body)
    }

    /// The body that a caller means who sees only a part of the view. `unseen` has the places in
    /// the view that are marked by others than the view's own version.
    pub(crate) fn completed(
        &self,
        there: usize,
        view: &Value,
        unseen: HashMap<String, Restriction>,
        mut body: Value,
        sees: Visibility,
    ) -> Carried<CompletedBody> {
        // Two sets of restrictions: items may have moved, and a body may lead to other branches of
        // the schema.
        let before = self.marks(there, view, sees, unseen)?;
        let after = self.marks(there, &body, sees, HashMap::new())?;
        // What was restricted before stays so, whatever the body is. Where it was open, the body
        // may still lead to a place that is not.
        let right = match before.root().right {
            PlaceRight::Open => after.root().right,
            right => right,
        };
        // The caller sees nothing at all, so no place of the body can be compared with anything.
        if !right.is_shown() {
            let body = whole(right, view, body)?;
            let dropped = Vec::new();
            return Ok(CompletedBody { body, dropped });
        }
        // Both are seen as the caller sees them, so that only what it could see is compared.
        let old = before.conceal(view);
        let new = after.conceal(&after.schema.without_absent(&body)).shown;
        let mut settle = SettleWalk::new(&after);
        if right == PlaceRight::Guarded && !same(&old.shown, &new) {
            settle.wrong.push(String::new());
        }
        let mut margin = old.margin;
        let mut align = ItemAlignment::new(self, there);
        // Unseen values move with the items that they belong to, by the same rules as what other
        // versions keep.
        align.align(&old.shown, &new, &mut margin)?;
        let mut dropped = Vec::new();
        for lost in align.dropped {
            // To delete an item is to change what is guarded in it; unseen values go with it, and
            // the caller is told.
            match lost.by {
                NoteOrigin::Guarded => settle.wrong.push(lost.pointer),
                _ => dropped.push(lost.pointer),
            }
        }
        settle.value(&after.root(), &mut body, margin, "")?;
        let mut wrong = settle.wrong;
        if wrong.is_empty() {
            return Ok(CompletedBody { body, dropped });
        }
        // In one order and once each: places are met on two walks.
        wrong.sort();
        wrong.dedup();
        Err(ConversionRefusal::whole(
            ConversionObstacle::RestrictedFields(wrong),
        ))
    }
}

/// A body in place of content that its sender does not see at all.
fn whole(right: PlaceRight, view: &Value, body: Value) -> Carried<Value> {
    let empty = body.as_object().is_some_and(serde_json::Map::is_empty);
    let may_set = right == PlaceRight::Secure { guarded: false };
    if empty || is_mask(&body) || same(view, &body) {
        return Ok(view.clone());
    }
    if may_set {
        return Ok(body);
    }
    let all = ConversionObstacle::RestrictedFields(vec![String::new()]);
    Err(ConversionRefusal::whole(all))
}
