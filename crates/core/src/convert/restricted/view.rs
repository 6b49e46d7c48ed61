//! A resource shown at one version to one caller.

use super::{MASK, PlaceRestrictions, PlaceRight};
use crate::convert::kept::KeptValues;
use crate::convert::note::{KeptNote, Margin, NoteCondition, NoteOrigin};
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionRefusal;
use crate::convert::step::Budget;
use crate::convert::tree::NotedValue;
use crate::convert::versions::{CarryPurpose, ContentRecord, Versions};
use crate::types::pointer::{child, tokens};
use crate::types::{Restriction, Visibility};
use crate::version::Version;
use serde_json::Value;
use std::collections::HashMap;

/// A resource shown at one version, as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenView {
    /// The content at the version that was asked for, without what the caller does not see.
    pub content: Value,
    /// What that version can't show, without what the caller does not see.
    pub kept: KeptValues,
    /// Pointers, in this version's terms, to secure fields that have a value and that the caller
    /// would see otherwise.
    pub secure: Vec<String>,
}

impl SeenView {
    /// The content with the mask in place of every secure value.
    #[must_use]
    pub fn masked(mut self) -> Value {
        for pointer in &self.secure {
            set_mask(&mut self.content, pointer);
        }
        self.content
    }
}

fn set_mask(content: &mut Value, pointer: &str) {
    let Some(mut path) = tokens(pointer) else {
        return;
    };
    let Some(last) = path.pop() else {
        *content = Value::from(MASK);
        return;
    };
    let parent = path.iter().try_fold(content, |value, token| match value {
        Value::Object(map) => map.get_mut(token),
        Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
        _ => None,
    });
    match parent {
        Some(Value::Object(map)) => {
            map.insert(last, Value::from(MASK));
        }
        Some(Value::Array(items)) => {
            // The list is shown empty where nothing of it is seen: the mask is appended, so that
            // the caller learns that something is there.
            let index = last.parse::<usize>().unwrap_or(usize::MAX);
            match items.get_mut(index) {
                Some(item) => *item = Value::from(MASK),
                None => items.push(Value::from(MASK)),
            }
        }
        _ => {}
    }
}

impl Versions {
    /// The content at a version, for a caller that sees so much. Where nothing is restricted it is
    /// [`Versions::view`].
    ///
    /// # Errors
    ///
    /// As [`Versions::view`].
    pub fn view_for(
        &self,
        record: ContentRecord,
        to: Version,
        sees: Visibility,
    ) -> Result<SeenView, ConversionRefusal> {
        // Nothing to hide, so no walk: most types restrict nothing.
        if !self.restricts() {
            let view = self.view(record, to)?;
            return Ok(SeenView {
                content: view.content,
                kept: view.kept,
                secure: Vec::new(),
            });
        }
        let version = record.version;
        let mut tree = record.into_tree()?;
        let (from, to) = (self.number(version)?, self.number(to)?);
        // Before it is carried: what the stored version restricts must stay so under whatever name
        // it is shown.
        let unseen = self.unseen_at(&tree, from, to, sees)?;
        self.carry(from, to, &mut tree, &mut Budget::new(), CarryPurpose::View)?;
        let marks = self.marks(to, &tree.value, sees, unseen)?;
        let concealed = marks.conceal(&tree.value);
        let mut margin = tree.margin;
        let mut secure = Vec::new();
        for (pointer, mark) in concealed.hidden {
            // Also what is kept for the place would tell of it.
            forget_at(&mut margin, &tree.value, &pointer);
            // That a secure value is set may be known, only not its value; of an unseen one not
            // even that.
            if PlaceRight::of(mark, sees) != PlaceRight::Unseen {
                secure.push(pointer);
            }
        }
        self.forget_unseen_entries(to, &mut margin, sees);
        margin.tidy();
        Ok(SeenView {
            content: concealed.shown,
            kept: KeptValues(margin),
            secure,
        })
    }

    /// Whether a version shows a field that another version keeps from some.
    #[must_use]
    pub fn hides_by_others(&self, version: Version) -> bool {
        let number = self.number(version).ok().filter(|_| self.restricts());
        let marks = number.map_or(&[][..], |number| self.foreign_marks(number));
        let mut marks = marks.iter().map(|mark| mark.restriction);
        marks.any(|mark| mark.secure || mark.visibility == Visibility::Private)
    }

    /// The marks of a document's places, at one version.
    pub(super) fn marks<'s>(
        &'s self,
        number: usize,
        document: &Value,
        sees: Visibility,
        mut extra: HashMap<String, Restriction>,
    ) -> Carried<PlaceRestrictions<'s>> {
        for foreign in self.foreign_marks(number) {
            for (pointer, _) in foreign.path.find(document) {
                // Several versions can restrict one place: all of them count.
                let known = extra.entry(pointer).or_default();
                *known = known.and(foreign.restriction);
            }
        }
        Ok(PlaceRestrictions {
            schema: self.schema(number)?,
            sees,
            extra,
        })
    }

    /// Where what the caller does not see of stored content is at another version: it is marked,
    /// carried there, and found again. Steps carry marks with the places that they move.
    pub(in crate::convert) fn unseen_at(
        &self,
        stored: &NotedValue,
        from: usize,
        to: usize,
        sees: Visibility,
    ) -> Carried<HashMap<String, Restriction>> {
        let mut found = HashMap::new();
        // The version's own restrictions are found in its schema, and need no carrying.
        if from == to {
            return Ok(found);
        }
        let marks = self.marks(from, &stored.value, sees, HashMap::new())?;
        let hidden = marks.conceal(&stored.value).hidden;
        if hidden.is_empty() {
            return Ok(found);
        }
        // A copy, because the flags would otherwise be stored with the record.
        let mut tree = stored.clone();
        for (pointer, mark) in hidden {
            if let Some(margin) = margin_at(&mut tree.margin, &tree.value, &pointer) {
                let note = KeptNote::new(NoteOrigin::Unseen(mark), NoteCondition::There);
                margin.notes.push(note);
            }
        }
        self.carry(from, to, &mut tree, &mut Budget::new(), CarryPurpose::View)?;
        gather(&tree.margin, "", &mut found);
        Ok(found)
    }
}

/// The margin of a place, made where it is not; `None` if the place is not there.
fn margin_at<'m>(
    margin: &'m mut Margin,
    document: &Value,
    // Keys and items are entered alike, since marks are put on both.
    pointer: &str,
) -> Option<&'m mut Margin> {
    let (mut margin, mut value) = (margin, document);
    for token in tokens(pointer)? {
        (margin, value) = match value {
            Value::Object(map) => {
                let inner = map.get(&token)?;
                (margin.keys.entry(token).or_default(), inner)
            }
            Value::Array(items) => {
                let index = token.parse().ok()?;
                (margin.items.entry(index).or_default(), items.get(index)?)
            }
            _ => return None,
        };
    }
    Some(margin)
}

fn forget_at(margin: &mut Margin, document: &Value, pointer: &str) {
    if let Some(margin) = margin_at(margin, document, pointer) {
        *margin = Margin::default();
    }
}

/// The places that are marked as unseen.
fn gather(margin: &Margin, at: &str, found: &mut HashMap<String, Restriction>) {
    for note in &margin.notes {
        if let NoteOrigin::Unseen(mark) = note.by {
            // A step may merge two places into one: the stronger restriction holds then.
            let known = found.entry(at.to_owned()).or_default();
            *known = known.and(mark);
        }
    }
    for (key, inner) in &margin.keys {
        gather(inner, &child(at, key), found);
    }
    for (index, inner) in &margin.items {
        gather(inner, &format!("{at}/{index}"), found);
    }
}
