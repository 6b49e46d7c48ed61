//! A resource, with a type of yours or JSON as its content.

use crate::error::{ClientError, ClientErrorKind};
use crate::unknown_fields::merge_edit;
use coeval_proto::header::v1 as header;
use coeval_proto::resources::v1 as pb;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// All that is known of a resource beside its content.
///
/// ```
/// use coeval_client::ResourceMetadata;
///
/// let metadata = ResourceMetadata { name: "web".into(), ..ResourceMetadata::default() };
/// let file = serde_json::to_value(metadata).unwrap();
/// assert_eq!(file, serde_json::json!({"name": "web"}), "what is not set is not written");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceMetadata {
    /// Its name.
    pub name: String,
    /// The name of its organization; empty: the caller's own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Free text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// For finding it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// When it vanishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Of the stored object; an update carries the one that was read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
    /// The server's: it never changes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The server's: when it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The server's: when it was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
    /// The server's: the id of its owner.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub owner: String,
}

/// How a resource is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceStatus {
    /// `PRE_CREATED`, `RESOLVED`, `RESOLUTION_ERROR` or `IN_DELETION`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// What whoever takes care of it says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The version that it is stored at.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stored_version: String,
    /// Why something else is shown in place of the content; then it can't be written back.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub restricted: String,
}

/// A resource at one version, as a file has it.
///
/// ```
/// use coeval_client::Resource;
///
/// let file = r#"{"kind": "acme:app", "version": "v1", "metadata": {"name": "web"}, "spec": {"image": "a"}}"#;
/// let app: Resource = serde_json::from_str(file).unwrap();
/// assert_eq!(app, Resource::new("acme:app", "v1", "web", serde_json::json!({"image": "a"})));
/// let typo = file.replace("spec", "specs");
/// assert!(serde_json::from_str::<Resource>(&typo).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource<S = Value> {
    /// The type's nss, or `vendor:nss`.
    pub kind: String,
    /// Free text that tells variations of a kind apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sub_kind: String,
    /// The version of the content: `v1.1`. A view that is not whole is marked: `v1.1+downgraded`.
    pub version: String,
    /// What all resources have.
    pub metadata: ResourceMetadata,
    /// The content.
    pub spec: S,
    /// The server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ResourceStatus>,
    /// The content as it was read, with what `S` has no field for.
    #[serde(skip)]
    pub(crate) read: Option<Value>,
}

impl<S> Resource<S> {
    /// A new one, to be created.
    pub fn new(
        kind: impl Into<String>,
        version: impl Into<String>,
        name: impl Into<String>,
        spec: S,
    ) -> Self {
        Self {
            kind: kind.into(),
            sub_kind: String::new(),
            version: version.into(),
            metadata: ResourceMetadata {
                name: name.into(),
                ..ResourceMetadata::default()
            },
            spec,
            status: None,
            read: None,
        }
    }
}

impl<S: DeserializeOwned> Resource<S> {
    /// From a message.
    ///
    /// # Errors
    /// If the content is not one that `S` can hold.
    pub fn from_message(message: pb::Resource) -> Result<Self, ClientError> {
        let unreadable = |error: serde_json::Error| {
            // Named by what the message says: that its content can't be read does not hide which
            // one it is.
            let name = message
                .metadata
                .as_ref()
                .map_or("", |meta| meta.name.as_str());
            ClientError::new(
                ClientErrorKind::Internal,
                format!(
                    "{} {name} at {} is not as expected: {error}",
                    message.kind, message.version
                ),
                "Say with `understands` which version this program is made for.",
            )
        };
        // Kept beside the type: a save puts back what the type has no field for.
        let read: Value = serde_json::from_slice(&message.spec).map_err(unreadable)?;
        let spec = S::deserialize(&read).map_err(unreadable)?;
        Ok(Self {
            kind: message.kind,
            sub_kind: message.sub_kind,
            version: message.version,
            metadata: message
                .metadata
                .map(ResourceMetadata::from)
                .unwrap_or_default(),
            spec,
            status: message.status.map(ResourceStatus::from),
            read: Some(read),
        })
    }
}

impl<S: Serialize + DeserializeOwned> Resource<S> {
    /// As a message, to be written. What was read and `S` has no field for is in it as it was read.
    ///
    /// ```
    /// # use coeval_client::Resource;
    /// # use coeval_client::proto::resources::v1 as pb;
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct App { image: String }
    ///
    /// let stored = r#"{"image":"a","region":"eu"}"#;
    /// let message = pb::Resource { spec: stored.to_owned().into(), ..pb::Resource::default() };
    /// let mut app: Resource<App> = Resource::from_message(message).unwrap();
    /// app.spec.image = "b".into();
    /// let saved = app.to_message().unwrap().spec;
    /// assert_eq!(&saved[..], br#"{"image":"b","region":"eu"}"#, "this program knows of no region");
    /// ```
    ///
    /// # Errors
    /// If the content can't be said as JSON.
    pub fn to_message(&self) -> Result<pb::Resource, ClientError> {
        let unsayable = |error: serde_json::Error| {
            let message = format!("the content can't be said as JSON: {error}");
            ClientError::new(ClientErrorKind::Invalid, message, "Mend its `Serialize`.")
        };
        let now = serde_json::to_value(&self.spec).map_err(unsayable)?;
        let spec = match &self.read {
            None => now,
            Some(read) => {
                // Through the type and back: what the type shows of the document, compared with
                // what it shows now.
                let was = S::deserialize(read).map_err(unsayable)?;
                let was = serde_json::to_value(&was).map_err(unsayable)?;
                merge_edit(read, &was, &now)
            }
        };
        let spec = serde_json::to_vec(&spec).map_err(unsayable)?;
        Ok(pb::Resource {
            kind: self.kind.clone(),
            sub_kind: self.sub_kind.clone(),
            version: self.version.clone(),
            metadata: Some(self.metadata.clone().into()),
            spec: spec.into(),
            spec_struct: None,
            status: None,
        })
    }
}

/// A time of a message.
pub(crate) fn from_proto_time(at: prost_types::Timestamp) -> Option<Timestamp> {
    Timestamp::new(at.seconds, at.nanos).ok()
}

fn to_proto_time(at: Timestamp) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: at.as_second(),
        nanos: at.subsec_nanosecond(),
    }
}

impl From<header::Metadata> for ResourceMetadata {
    fn from(said: header::Metadata) -> Self {
        Self {
            name: said.name,
            namespace: said.namespace,
            description: said.description,
            labels: said.labels.into_iter().collect(),
            expires: said.expires.and_then(from_proto_time),
            revision: said.revision,
            id: said.id,
            created: said.created.and_then(from_proto_time),
            modified: said.modified.and_then(from_proto_time),
            owner: said.owner,
        }
    }
}

impl From<ResourceMetadata> for header::Metadata {
    fn from(metadata: ResourceMetadata) -> Self {
        Self {
            name: metadata.name,
            namespace: metadata.namespace,
            description: metadata.description,
            labels: metadata.labels.into_iter().collect(),
            expires: metadata.expires.map(to_proto_time),
            revision: metadata.revision,
            id: metadata.id,
            created: metadata.created.map(to_proto_time),
            modified: metadata.modified.map(to_proto_time),
            owner: metadata.owner,
        }
    }
}

impl From<header::Status> for ResourceStatus {
    fn from(said: header::Status) -> Self {
        Self {
            state: said.state,
            message: said.message,
            stored_version: said.stored_version,
            restricted: said.restricted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Serialize, Deserialize)]
    struct App {
        image: String,
        #[serde(default)]
        replicas: u32,
    }

    fn read(spec: &Value) -> Resource<App> {
        let message = pb::Resource {
            kind: "app".into(),
            version: "v1".into(),
            spec: spec.to_string().into(),
            ..pb::Resource::default()
        };
        Resource::from_message(message).unwrap()
    }

    fn written(resource: &Resource<App>) -> Value {
        serde_json::from_slice(&resource.to_message().unwrap().spec).unwrap()
    }

    #[test]
    fn a_program_that_is_older_than_the_data_loses_nothing_of_it() {
        let stored = json!({"image": "a", "region": "eu", "big": 18446744073709551615_u64});
        let mut app = read(&stored);
        assert_eq!(written(&app), stored, "read and saved");
        app.spec.image = "b".into();
        let mut expected = stored;
        expected["image"] = "b".into();
        assert_eq!(written(&app), expected, "one field changed");
    }
}
