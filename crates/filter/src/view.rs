//! What a filter and an order look at.

use crate::field::FilterField;
use coeval_core::version::Version;
use serde_json::Value;
use std::borrow::Cow;

/// Milliseconds since 1970 in UTC.
pub type UnixMillis = i64;

/// A resource as the caller sees it: at the wanted version, after redaction.
///
/// What a resource does not have is `None`. The content is asked for only by filters and orders that look into
/// it, and then maybe often: implementations build it at the first call and keep it.
pub trait FilterView {
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
    fn created(&self) -> Option<UnixMillis> {
        None
    }
    /// When it was changed last.
    fn modified(&self) -> Option<UnixMillis> {
        None
    }
    /// When it vanishes.
    fn expires(&self) -> Option<UnixMillis> {
        None
    }
    /// The content.
    fn content(&self) -> Option<&Value> {
        None
    }
}

/// One value of a field.
#[derive(Clone, Debug)]
pub(crate) enum FieldValue<'s> {
    Text(Cow<'s, str>),
    Time(UnixMillis),
    Version(Version),
    Json(&'s Value),
}

/// Visits the values of a field until one says that it is enough: none if it is missing, several if a path leads to several.
pub(crate) fn visit<'s>(
    field: &FilterField,
    seen: &'s (impl FilterView + ?Sized),
    enough: &mut dyn FnMut(FieldValue<'s>) -> bool,
) -> bool {
    let text = |value: Option<Cow<'s, str>>| value.map(FieldValue::Text);
    let time = |value: Option<UnixMillis>| value.map(FieldValue::Time);
    // One arm for each field: the accessors are only called for what a filter asks for.
    let single = match field {
        FilterField::Id => Some(FieldValue::Text(seen.id())),
        FilterField::Name => text(seen.name()),
        FilterField::Org => text(seen.org()),
        FilterField::Owner => text(seen.owner()),
        FilterField::State => text(seen.state()),
        FilterField::ExternalId => text(seen.external_id()),
        FilterField::Description => text(seen.description()),
        FilterField::SubKind => text(seen.sub_kind()),
        FilterField::EntityType => text(seen.entity_type()),
        FilterField::Vendor => text(seen.vendor()),
        FilterField::Nss => text(seen.nss()),
        FilterField::OwnerName => text(seen.owner_name()),
        FilterField::OrgName => text(seen.org_name()),
        FilterField::Label(key) => text(seen.label(key)),
        FilterField::Version => seen.version().map(FieldValue::Version),
        FilterField::Created => time(seen.created()),
        FilterField::Modified => time(seen.modified()),
        FilterField::Expires => time(seen.expires()),
        // Content is decoded only now, and a path may lead to several values.
        FilterField::Content(path) => {
            let Some(content) = seen.content() else {
                return false;
            };
            return path.visit(content, &mut |value| enough(FieldValue::Json(value)));
        }
    };
    single.is_some_and(enough)
}
