//! What a filter or an order can look at.

use crate::error::{FilterError, FilterLimit};
use crate::limits::FIELD_BYTES;
use crate::path::ContentPath;
use serde::{Deserialize, Serialize};

/// A field of the view that the caller sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FilterField {
    /// The resource's id.
    Id,
    /// Its name.
    Name,
    /// The organization that it belongs to.
    Org,
    /// Its owner.
    Owner,
    /// Its state.
    State,
    /// The id that another system knows it by.
    ExternalId,
    /// Its description.
    Description,
    /// The version that it is shown at; compared number by number.
    Version,
    /// The label of that key.
    Label(String),
    /// When it was made; compared as a time.
    Created,
    /// When it was changed last; compared as a time.
    Modified,
    /// When it vanishes; compared as a time.
    Expires,
    /// Its sub-kind.
    SubKind,
    /// The id of the type version that it is shown at: `urn:vcloud:type:acme:app:1.0.0`.
    EntityType,
    /// Who defines its type.
    Vendor,
    /// Its type, without who defines it.
    Nss,
    /// What its owner is called.
    OwnerName,
    /// What its organization is called.
    OrgName,
    /// A path into its content.
    Content(ContentPath),
}

/// How the values of a field are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldClass {
    Text,
    Time,
    Version,
    Content,
}

impl FilterField {
    /// Of a name as front ends write it: `name`, `labels.tier`, or a path into the content after `root`,
    /// such as `entity.kind` where `root` is `entity`. All that follows `labels.` is the label's key.
    ///
    /// # Errors
    ///
    /// If it is none of these.
    pub fn parse(text: &str, root: &str) -> Result<Self, FilterError> {
        // Before anything is cut out of it, as the name comes from a request.
        if text.len() > FIELD_BYTES {
            return Err(FilterError::too_much(FilterLimit::FieldBytes));
        }
        let under = |first: &str| text.strip_prefix(first).and_then(|t| t.strip_prefix('.'));
        // Content first: a root may have any name that an API gives it.
        if let Some(path) = under(root) {
            return ContentPath::from_dotted(path).map(Self::Content);
        }
        // All that follows is the label's key, dots included: keys of labels have dots.
        match under("labels") {
            Some("") => Err(FilterError::no_field(text, "the label has no key")),
            Some(key) => Ok(Self::Label(key.to_owned())),
            // Whatever is not known is refused rather than taken as missing: a typing error would
            // match nothing.
            None => Self::of_header(text)
                .ok_or_else(|| FilterError::no_field(text, "nothing in the header is called so")),
        }
    }

    fn of_header(name: &str) -> Option<Self> {
        Some(match name {
            "id" => Self::Id,
            "name" => Self::Name,
            "org" => Self::Org,
            "owner" => Self::Owner,
            "state" => Self::State,
            "externalId" => Self::ExternalId,
            "description" => Self::Description,
            "version" => Self::Version,
            "created" => Self::Created,
            "modified" => Self::Modified,
            "expires" => Self::Expires,
            "subKind" => Self::SubKind,
            "entityType" => Self::EntityType,
            "vendor" => Self::Vendor,
            "nss" => Self::Nss,
            "owner.name" => Self::OwnerName,
            "org.name" => Self::OrgName,
            _ => return None,
        })
    }

    /// Whether looking at it needs the content.
    #[must_use]
    pub const fn is_content(&self) -> bool {
        matches!(self, Self::Content(_))
    }

    /// Whether looking at it needs names that are not in the resource itself.
    #[must_use]
    pub const fn is_name_behind_id(&self) -> bool {
        matches!(self, Self::OwnerName | Self::OrgName)
    }

    pub(crate) const fn class(&self) -> FieldClass {
        match self {
            Self::Created | Self::Modified | Self::Expires => FieldClass::Time,
            Self::Version => FieldClass::Version,
            Self::Content(_) => FieldClass::Content,
            _ => FieldClass::Text,
        }
    }
}
