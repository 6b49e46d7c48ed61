//! What a filter and an order look at.

use crate::field::Field;
use coeval_core::version::Version;
use serde_json::Value;
use std::borrow::Cow;

/// Milliseconds since 1970 in UTC.
pub type Millis = i64;

/// A resource as the caller sees it: at the wanted version, after redaction.
///
/// What a resource does not have is `None`. The content is asked for only by filters and orders that look into
/// it, and then maybe often: implementations build it at the first call and keep it.
pub trait Seen {
    /// The id; it decides between what is otherwise equal.
    fn id(&self) -> Cow<'_, str>;
    /// The name.
    fn name(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The organization's name.
    fn org(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The owner.
    fn owner(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The state.
    fn state(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The id in another system.
    fn external_id(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The description.
    fn description(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The sub-kind.
    fn sub_kind(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The id of the type version that it is shown at.
    fn entity_type(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// Who defines its type.
    fn vendor(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// Its type, without who defines it.
    fn nss(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// What its owner is called.
    fn owner_name(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// What its organization is called.
    fn org_name(&self) -> Option<Cow<'_, str>> {
        None
    }
    /// The label of that key.
    fn label(&self, _key: &str) -> Option<Cow<'_, str>> {
        None
    }
    /// The version that it is shown at.
    fn version(&self) -> Option<Version> {
        None
    }
    /// When it was made.
    fn created(&self) -> Option<Millis> {
        None
    }
    /// When it was changed last.
    fn modified(&self) -> Option<Millis> {
        None
    }
    /// When it vanishes.
    fn expires(&self) -> Option<Millis> {
        None
    }
    /// The content.
    fn content(&self) -> Option<&Value> {
        None
    }
}

/// One value of a field.
#[derive(Clone, Debug)]
pub(crate) enum Shown<'s> {
    Text(Cow<'s, str>),
    Time(Millis),
    Version(Version),
    Json(&'s Value),
}

/// Visits the values of a field until one says that it is enough: none if it is missing, several if a path leads to several.
pub(crate) fn visit<'s>(
    field: &Field,
    seen: &'s (impl Seen + ?Sized),
    enough: &mut dyn FnMut(Shown<'s>) -> bool,
) -> bool {
    let text = |value: Option<Cow<'s, str>>| value.map(Shown::Text);
    let time = |value: Option<Millis>| value.map(Shown::Time);
    let single = match field {
        Field::Id => Some(Shown::Text(seen.id())),
        Field::Name => text(seen.name()),
        Field::Org => text(seen.org()),
        Field::Owner => text(seen.owner()),
        Field::State => text(seen.state()),
        Field::ExternalId => text(seen.external_id()),
        Field::Description => text(seen.description()),
        Field::SubKind => text(seen.sub_kind()),
        Field::EntityType => text(seen.entity_type()),
        Field::Vendor => text(seen.vendor()),
        Field::Nss => text(seen.nss()),
        Field::OwnerName => text(seen.owner_name()),
        Field::OrgName => text(seen.org_name()),
        Field::Label(key) => text(seen.label(key)),
        Field::Version => seen.version().map(Shown::Version),
        Field::Created => time(seen.created()),
        Field::Modified => time(seen.modified()),
        Field::Expires => time(seen.expires()),
        Field::Content(path) => {
            let Some(content) = seen.content() else {
                return false;
            };
            return path.visit(content, &mut |value| enough(Shown::Json(value)));
        }
    };
    single.is_some_and(enough)
}
