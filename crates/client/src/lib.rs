//! The client library.
//!
//! - [`Client`]: a connection to a server, or to several behind one address
//! - [`Resources`]: the resources of one kind, with their content as a type of yours or as JSON
//! - [`ClientError`]: why not, with the stable code and what to do next
//!
//! What it takes care of: it carries the sequence of what it has written and read, so that it reads
//! its own writes from every server; it says which versions it understands; it tries again, with
//! jitter, only what can't happen twice.
//!
//! ```no_run
//! # async fn run() -> Result<(), coeval_client::ClientError> {
//! use coeval_client::Client;
//!
//! let client = Client::builder("http://127.0.0.1:8080").build()?;
//! client.log_in("alice", "acme", "secret").await?;
//! let apps = client.resources("app").at("v1");
//! // Read, changed and saved; again after a lost race. Newer fields stay.
//! let written = apps.update_with("web", |app| app.spec["replicas"] = 3.into()).await?;
//! println!("{} left alone: {:?}", written.resource.metadata.name, written.kept);
//! # Ok(())
//! # }
//! ```

mod client;
mod connection;
mod error;
mod features;
mod fitting;
mod follow;
mod headers;
mod list;
mod lost_answer;
mod mask;
mod plain;
mod resource;
mod resources;
mod retry;
mod revisions;
mod sequence;
mod typed;
mod unanswered;
mod unknown_fields;
mod unsent;
mod update;
mod upgrade;
mod watch;
mod writes;
mod written_resource;

pub use client::{Client, ClientBuilder, LoginSession};
pub use connection::Connection;
pub use error::{ClientError, ClientErrorKind};
pub use follow::FollowEvent;
pub use list::{ListItem, ListedResources};
pub use plain::PlainAnswer;
pub use resource::{Resource, ResourceMetadata, ResourceStatus};
pub use resources::{QuarantinedResource, ResourceQuery, Resources, ViewedResource};
pub use revisions::{KeptRevision, RevisionList};
pub use typed::Spec;
pub use unanswered::UnansweredCall;
pub use upgrade::UpgradeQuery;
pub use watch::{ChangedResource, WatchEvent};
pub use written_resource::WrittenResource;

/// The messages and services below, for what this library has no word for.
pub use coeval_proto as proto;
